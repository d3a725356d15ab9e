/* The matrix reducer (profile onyx-ext): RTL against the specification and, in every cycle, the cycle model,
 * on random matrices with random gaps, stalls and freezes; and its cost. test_rtl_matrix_reduce [CASES]. */
#include "rtl_models/cycle/cycle.h"
#include "sums.h"
#include "tests/cycle/one_tile.h"
#include "tests/test.h"

#include <stdlib.h>

enum { ON = 1, BF16 = 2, INNER = 6, CRD = 0, VAL, OUTER };

static uint32_t seeds = 500;

static bool chance(prng *random, uint32_t percent) {
    return prng_below(random, 100) < percent;
}

static void put(arena *mem, uint32_t token, u32_vec in[BENCH_INS]) {
    vec_push(mem, &in[CRD], token);
    vec_push(mem, &in[VAL], token);
}

/* Shape of a case: sizes in coordinates, empty fibers in per cent. */
typedef struct {
    uint32_t rows, columns, gap, empty;
} shape;

static void put_row(prng *random, arena *mem, const shape *of, u32_vec in[BENCH_INS]) {
    if (chance(random, of->empty))
        return;
    for (uint32_t crd = prng_below(random, of->gap); crd < of->columns;
         crd += 1 + prng_below(random, of->gap)) {
        vec_push(mem, &in[CRD], chance(random, 2) ? RTL_MAYBE : crd);
        vec_push(mem, &in[VAL], chance(random, 5) ? RTL_MAYBE : prng_below(random, 0x10000));
    }
}

/* A matrix ended by the outer stop of level `end`. */
static void put_matrix(prng *random, arena *mem, const shape *of, uint32_t end, u32_vec in[BENCH_INS]) {
    bool any = false;
    uint32_t row = chance(random, of->empty) ? of->rows : prng_below(random, of->gap);
    for (; row < of->rows; row += 1 + prng_below(random, of->gap)) {
        if (any)
            put(mem, RTL_STOP(0), in);
        any = true;
        vec_push(mem, &in[OUTER], chance(random, 2) ? RTL_MAYBE : row);
        put_row(random, mem, of, in);
    }
    vec_push(mem, &in[OUTER], RTL_STOP(end));
    put(mem, RTL_STOP(end + 1), in);
}

/* Trees of matrices: of no sum at all, of sums of one matrix and of several, of empty ones, and of points
 * beyond the room. */
static void make_case(uint64_t seed, arena *mem, uint32_t space[4], u32_vec in[BENCH_INS]) {
    prng random = prng_seed(seed);
    memset(in, 0, BENCH_INS * sizeof *in);
    memset(space, 0, 4 * sizeof *space);
    const uint32_t inner = 1 + prng_below(&random, 10);
    const bool floats = chance(&random, 50), beyond = chance(&random, 10), wide = chance(&random, 30);
    space[0] = ON | (floats ? BF16 : 0) | prng_below(&random, floats ? 4 : 13) << 2 | inner << INNER;
    shape of = {(1u << (10 - inner)) + beyond, (1u << inner) + 3 * beyond, 1, chance(&random, 30) ? 60 : 10};
    if (!wide) {
        of.rows = 1 + prng_below(&random, of.rows < 6 ? of.rows : 6);
        of.columns = 1 + prng_below(&random, of.columns < 6 ? of.columns : 6);
    }
    of.gap = 1 + prng_below(&random, wide ? 40 : 3);
    for (uint32_t trees = 1 + prng_below(&random, 3); trees > 0; trees--) {
        for (uint32_t sums = chance(&random, 10) ? 0 : 1 + prng_below(&random, 4); sums > 0; sums--) {
            for (uint32_t matrices = prng_below(&random, 4); matrices > 0; matrices--)
                put_matrix(&random, mem, &of, 0, in);
            put_matrix(&random, mem, &of,
                       sums > 1 ? 1 : 2 + prng_below(&random, chance(&random, 30) ? 252 : 2), in);
        }
        vec_push(mem, &in[OUTER], RTL_DONE);
        put(mem, RTL_DONE, in);
    }
}

static void specify(spec_streams *model, const uint32_t space[4]) {
    spec_matrix_reduce(model, space[0] >> INNER & 15,
                       (spec_reduction){.op = space[0] >> 2 & 15, .bf16 = space[0] & BF16});
}

static const sum_cases matrices = {make_case, specify, 3};

static void test_random_matrices(void **state) {
    (void)state;
    sums_play_all(&matrices, seeds, 100 * (uint64_t)seeds);
}

/* Full matrices of 32 by 32 at full speed: what a vector reducer takes for their points, a cycle for the end
 * of each row, and on the way out a cycle for each row more. */
static void test_full_and_fast(void **state) {
    fixture *f = *state;
    enum { EDGE = 32, MATRICES = 3 };
    uint32_t space[4] = {ON | 5 << INNER};
    u32_vec in[BENCH_INS] = {{0}};
    bench_result got;
    for (uint32_t m = 0; m < MATRICES; m++) {
        const uint32_t end = m + 1 < MATRICES ? 0 : 1;
        for (uint32_t point = 0; point < EDGE * EDGE; point++) {
            if (point % EDGE == 0)
                vec_push(&f->mem, &in[OUTER], point / EDGE);
            if (point % EDGE == 0 && point != 0)
                put(&f->mem, RTL_STOP(0), in);
            vec_push(&f->mem, &in[CRD], point % EDGE);
            vec_push(&f->mem, &in[VAL], point * (m + 1));
        }
        vec_push(&f->mem, &in[OUTER], RTL_STOP(end));
        put(&f->mem, RTL_STOP(end + 1), in);
    }
    vec_push(&f->mem, &in[OUTER], RTL_DONE);
    put(&f->mem, RTL_DONE, in);
    bench_design design = mem_design_new();
    bench_reset(design);
    mem_design_configure(design, true, SUM_MODE, space);
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    assert_int_equal(got.out[CRD].token.len, EDGE * EDGE + EDGE - 1 + 2);
    assert_int_equal(got.out[OUTER].token.len, EDGE + 2);
    for (uint32_t point = 0; point < EDGE * EDGE; point++) {
        const uint32_t at = point + point / EDGE;
        assert_int_equal(got.out[CRD].token.at[at], point % EDGE);
        assert_int_equal(got.out[VAL].token.at[at], (uint16_t)(point * 6));
    }
    const uint32_t points = EDGE * EDGE, first = got.out[CRD].cycle.at[0], count = points + EDGE - 1;
    const uint32_t taken = points * 3 / 2 + points * 4 + MATRICES * EDGE;
    assert_in_range(first, taken, taken + 12);
    assert_int_equal(got.out[CRD].cycle.at[count - 1] - first, count - 1);
    mem_design_free(design);
}

/* A point beyond the room is lost, and the monitors of both models report the loss (twin.c compares them). */
static void test_beyond_the_room(void **state) {
    fixture *f = *state;
    static const struct {
        uint32_t outer, crd, hazards;
    } points[] = {{31, 31, 0}, {32, 0, 1}, {0, 32, 1}, {0x8000, 0, 1}};
    for (uint32_t p = 0; p < sizeof points / sizeof *points; p++) {
        cycle_cell cell = {.kind = CYCLE_MEM, .tile_en = true, .mode = SUM_MODE, .space = {ON | 5 << INNER}};
        cycle_model *m = tile_build(&cell, &f->mem);
        tile_pins pins = {.in_data = {points[p].crd, 1, points[p].outer},
                          .in_valid = {true, true, true},
                          .out_ready = {true, true, true}};
        for (int cycle = 0; cycle < 4; cycle++)
            tile_clock(m, &pins);
        const cycle_hazards *met = cycle_hazards_of(m);
        assert_int_equal(met->len, points[p].hazards);
        if (met->len)
            assert_int_equal(met->at[0].kind, CYCLE_HAZARD_OVERFLOW);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_random_matrices), TEST(test_full_and_fast),
                                       TEST(test_beyond_the_room)};
    if (argc > 1)
        seeds = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
