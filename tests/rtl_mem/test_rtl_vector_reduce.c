/* The vector reducer (profile onyx-ext): RTL against the specification and, in every cycle, the cycle model,
 * on random vectors with random gaps, stalls and freezes; and its cost. */
#include "rtl_models/cycle/cycle.h"
#include "sums.h"
#include "tests/cycle/one_tile.h"
#include "tests/test.h"

enum { SEEDS = 2000, ON = 1, BF16 = 2, MOST = SPEC_VECTOR_COORDINATES };

static uint32_t chance(prng *random, uint32_t percent) {
    return prng_below(random, 100) < percent;
}

/* Ascending coordinates below `extent`, with random values. */
static void put_vector(prng *random, arena *mem, uint32_t extent, uint32_t gap, u32_vec in[BENCH_INS]) {
    for (uint32_t crd = prng_below(random, gap); crd < extent; crd += 1 + prng_below(random, gap)) {
        vec_push(mem, &in[0], chance(random, 2) ? RTL_MAYBE : crd);
        vec_push(mem, &in[1], chance(random, 5) ? RTL_MAYBE : prng_below(random, 0x10000));
    }
}

static void put_both(arena *mem, uint32_t token, u32_vec in[BENCH_INS]) {
    vec_push(mem, &in[0], token);
    vec_push(mem, &in[1], token);
}

/* Trees of vectors: of no sum at all, of sums without vectors, of vectors without entries, and of all else.
 */
static void make_case(uint64_t seed, arena *mem, uint32_t space[4], u32_vec in[BENCH_INS]) {
    static const uint32_t extents[] = {1, 2, 3, 8, 40, 200, MOST, MOST + 100};
    prng random = prng_seed(seed);
    memset(in, 0, BENCH_INS * sizeof *in);
    memset(space, 0, 4 * sizeof *space);
    bool floats = chance(&random, 50);
    space[0] = ON | (floats ? BF16 : 0) | prng_below(&random, floats ? 4 : 13) << 2;
    uint32_t extent = extents[prng_below(&random, 8)],
             gap = 1 + prng_below(&random, extent < 40 ? 3 : extent / 8);
    uint32_t empty = chance(&random, 20) ? 50 : 10,
             many = extent > 100 ? 2 : 5; /* the bench has no more cycles */
    for (uint32_t trees = 1 + prng_below(&random, extent > 100 ? 2 : 3); trees > 0; trees--) {
        for (uint32_t sums = chance(&random, 10) ? 0 : 1 + prng_below(&random, many); sums > 0; sums--) {
            for (uint32_t vectors = chance(&random, empty) ? 0 : 1 + prng_below(&random, many); vectors > 0;
                 vectors--) {
                if (!chance(&random, empty))
                    put_vector(&random, mem, extent, gap, in);
                if (vectors > 1)
                    put_both(mem, RTL_STOP(0), in);
            }
            uint32_t last = 2 + prng_below(&random, chance(&random, 30) ? 254 : 2);
            put_both(mem, RTL_STOP(sums > 1 ? 1 : last), in);
        }
        if (chance(&random, 10)) /* a vector without a stop */
            put_vector(&random, mem, extent, gap, in);
        put_both(mem, RTL_DONE, in);
    }
}

static void specify(spec_streams *model, const uint32_t space[4]) {
    spec_vector_reduce(model, (spec_reduction){.op = space[0] >> 2 & 15, .bf16 = space[0] & BF16});
}

static const sum_cases vectors = {make_case, specify, 2};

static void test_random_vectors(void **state) {
    (void)state;
    sums_play_all(&vectors, SEEDS, 100000);
}

/* A flush in the middle of a sum leaves nothing behind, neither for the next vectors nor for a fiber access.
 */
static void test_flush_forgets(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    quota shown = {0};
    bench_reset(design);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        arena mem = {0};
        bench_result got;
        sums_cut(&vectors, design, seed, &mem);
        sums_play(&vectors, design, seed + 1000, &mem, &shown);
        spec_mem_config config;
        spec_streams fibers = {.mem = &mem};
        tree_case(&tree_uses[seed % TREE_USES], seed, &mem, &config, fibers.in);
        mem_design_configure(design, true, 0, config.space);
        bench_run(design, (bench_pace){0}, fibers.in, &mem, &got);
        spec_fiber_access(&config, &fibers);
        bench_expect(&got, fibers.out, &mem);
        arena_free(&mem);
    }
    assert_false(quota_failed(&shown));
    mem_design_free(design);
}

static void test_unused_stands_still(void **state) {
    fixture *f = *state;
    bench_design design = mem_design_new();
    bench_reset(design);
    for (int way = 0; way < 3; way++) {
        uint32_t space[4];
        u32_vec in[BENCH_INS];
        bench_result got;
        make_case(5, &f->mem, space, in);
        if (way == 1)
            space[0] &= ~(uint32_t)ON;
        mem_design_configure(design, way != 0, way == 2 ? 2 : SUM_MODE, space);
        bench_run(design, (bench_pace){0}, in, &f->mem, &got);
        bench_expect_nothing_in(&got);
        bench_expect_nothing_out(&got);
    }
    mem_design_free(design);
}

/* Vectors of all coordinates of the memory, at full speed: an entry a cycle in the first pass (two entries
 * share a line, three cycles a pair), later two cycles each, and a cycle each on the way out. */
static void test_full_and_fast(void **state) {
    fixture *f = *state;
    enum { VECTORS = 3 };
    uint32_t space[4] = {ON};
    u32_vec in[BENCH_INS] = {{0}};
    bench_result got;
    for (uint32_t v = 0; v < VECTORS; v++) {
        for (uint32_t crd = 0; crd < MOST; crd++) {
            vec_push(&f->mem, &in[0], crd);
            vec_push(&f->mem, &in[1], crd * (v + 1));
        }
        put_both(&f->mem, RTL_STOP(v + 1 < VECTORS ? 0 : 1), in);
    }
    put_both(&f->mem, RTL_DONE, in);
    bench_design design = mem_design_new();
    bench_reset(design);
    mem_design_configure(design, true, SUM_MODE, space);
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    assert_int_equal(got.out[0].token.len, MOST + 2);
    for (uint32_t crd = 0; crd < MOST; crd++) {
        assert_int_equal(got.out[0].token.at[crd], crd);
        assert_int_equal(got.out[1].token.at[crd], (uint16_t)(crd * 6));
    }
    uint32_t first = got.out[0].cycle.at[0], last = got.out[0].cycle.at[MOST - 1];
    assert_in_range(first, MOST * 3 / 2 + MOST * 4, MOST * 3 / 2 + MOST * 4 + 10);
    assert_int_equal(last - first, MOST - 1);
    mem_design_free(design);
}

/* An entry beyond the room is lost, and the monitors of both models report the loss (twin.c compares
 * them). */
static void test_beyond_the_room(void **state) {
    fixture *f = *state;
    for (uint32_t crd = MOST - 1; crd <= MOST; crd++) {
        cycle_cell cell = {.kind = CYCLE_MEM, .tile_en = true, .mode = SUM_MODE, .space = {ON}};
        cycle_model *m = tile_build(&cell, &f->mem);
        tile_pins pins = {.in_data = {crd, 1}, .in_valid = {true, true}, .out_ready = {true, true, true}};
        for (int cycle = 0; cycle < 4; cycle++)
            tile_clock(m, &pins);
        const cycle_hazards *met = cycle_hazards_of(m);
        assert_int_equal(met->len, crd >= MOST);
        if (met->len)
            assert_int_equal(met->at[0].kind, CYCLE_HAZARD_OVERFLOW);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_random_vectors), TEST(test_flush_forgets),   TEST(test_unused_stands_still),
        TEST(test_full_and_fast),  TEST(test_beyond_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
