/* Random trees: the RTL of the MEM core against the specification. */
#include "random_trees.h"
#include "tests/test.h"

#ifdef ONYX_MUTANTS /* slower, and run a hundred times */
enum { SEEDS = 40, FLUSH_SEEDS = 30, LARGE_SEEDS = 30, SKIP_SEEDS = 100 };
#else
enum { SEEDS = 200, FLUSH_SEEDS = 150, LARGE_SEEDS = 60 };
#endif

static void test_random_trees(void **state) {
    (void)state;
    trees_play_core(1, SEEDS, 50000);
}

#ifdef ONYX_MUTANTS
/* Enough for most mutants. */
static void test_first_trees(void **state) {
    (void)state;
    trees_play_core(1, 2, 1000);
}

/* Otherwise test_rtl_skip. */
static void test_scanners_that_skip(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    quota shown = {0};
    assert_true(skips_play(design, mem_design_configure, 1, SKIP_SEEDS, &shown) > SKIP_SEEDS);
    assert_false(quota_failed(&shown));
    mem_design_free(design);
}
#endif

#ifndef ONYX_MUTANTS /* it has none */
/* The fiber access without the port FIFOs (except that of its positions), which hide its own outputs: its
 * handshake must be right, too. */
static void test_random_trees_without_port_fifos(void **state) {
    (void)state;
    bench_design design = fiber_design_new();
    uint64_t tokens = trees_play(design, fiber_design_configure, 1, SEEDS / 2);
    fiber_design_free(design);
    assert_true(tokens > 50000);
}
#endif

/* Offers the streams at full speed for some cycles and stops. */
static void play_some(bench_design design, const u32_vec in[BENCH_INS], uint32_t cycles) {
    uint32_t taken[BENCH_INS] = {0};
    bench_pins pins = {.enable = true, .out_ready = {true, true, true}};
    for (uint32_t c = 0; c < cycles; c++) {
        for (int i = 0; i < BENCH_INS; i++) {
            pins.in_valid[i] = taken[i] < in[i].len;
            pins.in_data[i] = pins.in_valid[i] ? in[i].at[taken[i]] : 0;
        }
        design.settle(design.device, &pins);
        for (int i = 0; i < BENCH_INS; i++)
            taken[i] += pins.in_valid[i] && pins.in_ready[i];
        design.clock(design.device);
    }
}

/* A flush in the middle of the work leaves nothing behind. */
static void test_flush_forgets(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    bench_reset(design);
    for (int u = 0; u < TREE_USES; u++) {
        for (uint64_t seed = 1; seed <= FLUSH_SEEDS; seed++) {
            arena mem = {0};
            spec_mem_config config;
            spec_streams model = {.mem = &mem};
            tree_case(&tree_uses[u], seed, &mem, &config, model.in);
            mem_design_configure(design, true, 0, config.space);
            play_some(design, model.in, 5 + (uint32_t)seed);
            bench_result got;
            bench_run(design, (bench_pace){0}, model.in, &mem, &got);
            spec_fiber_access(&config, &model);
            bench_expect(&got, model.out, &mem);
            arena_free(&mem);
        }
    }
    mem_design_free(design);
}

/* Late dones: after the first token of the next tree. */
static void delay_dones(u32_vec *refs, prng *random) {
    for (uint32_t i = 0; i + 1 < refs->len; i++) {
        if (refs->at[i] != RTL_DONE || prng_below(random, 2))
            continue;
        refs->at[i] = refs->at[i + 1];
        refs->at[++i] = RTL_DONE;
    }
}

static uint64_t hash_of(const spec_mem_config *config, const u32_vec in[BENCH_INS]) {
    uint64_t hash = hash_more(0, config->space, sizeof config->space);
    for (int i = 0; i < BENCH_INS; i++)
        hash = hash_more(hash, in[i].at, in[i].len * sizeof *in[i].at);
    return hash;
}

static void shrink_blocks(spec_mem_config *config, prng *random) {
    config->space[3] &= ~0xffu;
    config->space[3] |= prng_below(random, 3) << 4 | prng_below(random, 3);
}

/* Cases beyond the limits: a block too small, a length or an address beyond the memory, unrequested
 * references, sums without an empty first block or with a late done. */
static void overdo(const tree_use *use, uint64_t seed, spec_mem_config *config, u32_vec in[BENCH_INS],
                   arena *mem) {
    prng random = prng_seed(seed * TREE_USES + (uint64_t)(use - tree_uses));
    if (prng_below(&random, 2)) {
        shrink_blocks(config, &random);
        return;
    }
    const uint64_t before = hash_of(config, in);
    if (in[2].len > 0 && !(config->space[3] >> 8 & 15)) /* otherwise the length of another block */
        in[2].at[0] |= 0x800u << prng_below(&random, 5);
    for (uint32_t i = 0; i < in[1].len; i++)
        if (!rtl_is_control(in[1].at[i]) && prng_below(&random, 1 + in[1].len) == 0)
            in[1].at[i] |= 0x800u << prng_below(&random, 5);
    for (uint32_t i = 0; i < 5 && (use->reader == READ_ROOT || use->reader == READ_DENSE_ROOT); i++)
        vec_push(mem, &in[0], 0);
    if (use->reader == READ_SUMS && prng_below(&random, 2))
        delay_dones(&in[0], &random);
    else if (use->reader == READ_SUMS) /* values would be read where nobody wrote */
        config->space[0] &= ~(1u << 19);
    if (hash_of(config, in) == before) /* the case has nothing to overdo */
        shrink_blocks(config, &random);
}

/* Core and model (twin.c) stop in the same cycle, until a flush. */
static void test_too_large_waits(void **state) {
    quota shown = {0}; /* trivial: the case stays within the limits */
    (void)state;
    bench_design design = mem_design_new();
    bench_reset(design);
    for (int u = 0; u < TREE_USES; u++) {
        for (uint64_t seed = 1; seed <= LARGE_SEEDS; seed++) {
            arena mem = {0};
            spec_mem_config config;
            u32_vec in[BENCH_INS];
            tree_case(&tree_uses[u], seed, &mem, &config, in);
            const uint64_t before = hash_of(&config, in);
            overdo(&tree_uses[u], seed, &config, in, &mem);
            quota_add(&shown, true, hash_of(&config, in) == before);
            mem_design_configure(design, true, 0, config.space);
            bench_result got;
            bench_run(design,
                      (bench_pace){seed, 10 * (uint32_t)(seed % 3), 10 * (uint32_t)(seed % 4), 0, false}, in,
                      &mem, &got);
            assert_null(got.fault);
            arena_free(&mem);
        }
    }
    assert_false(quota_failed(&shown));
    mem_design_free(design);
}

static void compare_with_spec(const tree_use *use, uint32_t capacity_log, bench_pace pace,
                              u32_vec in[BENCH_INS], arena *mem) {
    spec_mem_config config = tree_config(use, capacity_log, 8, 0);
    spec_streams model = {.mem = mem};
    memcpy(model.in, in, sizeof model.in);
    bench_design design = mem_design_new();
    bench_reset(design);
    mem_design_configure(design, true, 0, config.space);
    bench_result got;
    bench_run(design, pace, in, mem, &got);
    spec_fiber_access(&config, &model);
    bench_expect(&got, model.out, mem);
    mem_design_free(design);
}

static void put_values(fixture *f, u32_vec *in, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        vec_push(&f->mem, in, (uint16_t)(i * 40503u));
    vec_push(&f->mem, in, RTL_DONE);
}

/* Blocks as large as the memory, and large blocks with gaps: a write waits for odd times, too. */
static void test_full_blocks(void **state) {
    fixture *f = *state;
    static const tree_use values = {"values", WRITE_STREAM, READ_OUT_VALUES};
    u32_vec full[BENCH_INS] = {{0}};
    static const uint32_t sizes[] = {2048, 1501, 1100, 1400};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        put_values(f, &full[3], sizes[i]);
    compare_with_spec(&values, 9, (bench_pace){0}, full, &f->mem);
    compare_with_spec(&values, 9, (bench_pace){.seed = 1, .in_gap_pct = 30}, full, &f->mem);
}

/* Consecutive empty blocks before a stalling reader. */
static void test_empty_blocks(void **state) {
    fixture *f = *state;
    static const tree_use values = {"values", WRITE_STREAM, READ_OUT_VALUES};
    u32_vec empty[BENCH_INS] = {{0}};
    for (uint32_t tree = 0; tree < 60; tree++)
        put_values(f, &empty[3], 0);
    compare_with_spec(&values, 8, (bench_pace){.seed = 1, .out_stall_pct = 90}, empty, &f->mem);
}

/* Short blocks before a reader that stalls: the first answer without its own place is due at each place, and
 * the monitor of the places tells as the model's. */
static void test_values_wait(void **state) {
    fixture *f = *state;
    enum { WORDS = 18, SEEDS_OF_STALLS = 150 };
    static const tree_use values = {"values", WRITE_STREAM, READ_OUT_VALUES};
    u32_vec in[BENCH_INS] = {{0}};
    put_values(f, &in[3], WORDS);
    for (uint32_t seed = 1; seed <= SEEDS_OF_STALLS; seed++)
        compare_with_spec(&values, 8, (bench_pace){.seed = seed, .out_stall_pct = 40 + seed % 40}, in,
                          &f->mem);
}

/* Fibers far into a block. */
static void test_far_fibers(void **state) {
    fixture *f = *state;
    static const tree_use level = {"level", WRITE_STREAM, READ_SCAN};
    u32_vec far[BENCH_INS] = {{0}};
    for (uint32_t fiber = 0; fiber < 10; fiber++) {
        for (uint32_t crd = 0; crd < 100; crd++)
            vec_push(&f->mem, &far[3], crd);
        vec_push(&f->mem, &far[3], RTL_STOP(0));
        vec_push(&f->mem, &far[0], 9 - fiber);
    }
    vec_push(&f->mem, &far[3], RTL_DONE);
    vec_push(&f->mem, &far[0], RTL_STOP(0));
    vec_push(&f->mem, &far[0], RTL_DONE);
    compare_with_spec(&level, 8, (bench_pace){0}, far, &f->mem);
}

/* Pairs for the addresses n - 1 down to 0. */
static void put_backwards(fixture *f, u32_vec in[BENCH_INS], uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        vec_push(&f->mem, &in[1], n - 1 - i);
        vec_push(&f->mem, &in[3], (uint16_t)(i * 40503u));
    }
    vec_push(&f->mem, &in[1], RTL_DONE);
    vec_push(&f->mem, &in[3], RTL_DONE);
}

static void put_lookup(fixture *f, u32_vec in[BENCH_INS], uint32_t ref) {
    vec_push(&f->mem, &in[0], ref);
    vec_push(&f->mem, &in[0], RTL_STOP(0));
    vec_push(&f->mem, &in[0], RTL_DONE);
}

/* The second block is written from its end to its start while the first is read, first beyond the second's
 * words, later within: a monitor without the second's extent would be silent. A block of half the memory and
 * more, written in this order, leaves no room for another until freed. */
static void test_blocks_backwards(void **state) {
    fixture *f = *state;
    enum { FIRST = 284, SECOND = 260, READS = 300, LARGE = 1100, REST = 960 };
    static const tree_use pairs = {"pairs", WRITE_PAIRS, READ_LOOKUP};
    u32_vec two[BENCH_INS] = {{0}}, large[BENCH_INS] = {{0}};
    put_backwards(f, two, FIRST);
    put_backwards(f, two, SECOND);
    for (uint32_t i = 0; i < READS; i++)
        vec_push(&f->mem, &two[0], SECOND + 4 * (i % 4)); /* another line each time */
    put_lookup(f, two, SECOND - 5);
    put_lookup(f, two, SECOND - 5);
    compare_with_spec(&pairs, 8, (bench_pace){0}, two, &f->mem);
    for (uint32_t tree = 0; tree < 2; tree++) {
        put_backwards(f, large, tree == 0 ? LARGE : REST);
        for (uint32_t i = 0; i < REST; i++)
            vec_push(&f->mem, &large[0], i);
        put_lookup(f, large, 0);
    }
    compare_with_spec(&pairs, 9, (bench_pace){0}, large, &f->mem);
}

/* Addresses of written words on the bus: ID 0 from word 0 on, ID 1 in the upper half. */
static void test_blocks_lie_in_order(void **state) {
    fixture *f = *state;
    enum { N = 1000, UPPER = 256 };
    static const tree_use level = {"level", WRITE_STREAM, READ_SCAN};
    u32_vec in[BENCH_INS] = {{0}};
    for (uint32_t i = 0; i < N; i++) {
        vec_push(&f->mem, &in[3], 3 * i);
        vec_push(&f->mem, &in[3], RTL_STOP(0));
    }
    vec_push(&f->mem, &in[3], RTL_DONE);
    spec_mem_config config = tree_config(&level, 8, 8, 0);
    bench_design design = mem_design_new();
    bench_reset(design);
    mem_design_configure(design, true, 0, config.space);
    bench_result got;
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(mem_design_sram_read(design, i / 4), i);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(mem_design_sram_read(design, UPPER + i / 4), 3 * i);
    mem_design_free(design);
}

/* The widest dense fiber. */
static void test_widest_dense(void **state) {
    fixture *f = *state;
    static const tree_use use = {"dense scan", WRITE_BLOCK, READ_DENSE};
    enum { DIM = 0xffff };
    spec_mem_config config = tree_config(&use, 8, 8, DIM);
    spec_streams model = {.mem = &f->mem};
    vec_push(&f->mem, &model.in[0], 0x8001);
    vec_push(&f->mem, &model.in[0], RTL_STOP(0));
    vec_push(&f->mem, &model.in[0], RTL_DONE);
    bench_design design = mem_design_new();
    bench_reset(design);
    mem_design_configure(design, true, 0, config.space);
    bench_result got;
    bench_run(design, (bench_pace){0}, model.in, &f->mem, &got);
    spec_fiber_access(&config, &model);
    assert_int_equal(got.out[1].token.len, DIM + 2);
    bench_expect(&got, model.out, &f->mem);
    mem_design_free(design);
}

/* Without one of its enables, or in another mode, the core gives nothing; without its tile enabled, the core
 takes nothing.
 */
static void test_unused_stands_still(void **state) {
    fixture *f = *state;
    static const struct {
        bool tile_en;
        uint32_t mode;
        int word, bit; /* of CONFIG_SPACE, cleared */
    } ways[] = {{false, 0, 3, 31}, {true, 1, 3, 31}, {true, 0, 0, 22}, {true, 0, 0, 23}};
    bench_design design = mem_design_new();
    bench_reset(design);
    for (uint32_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (int u = 0; u < TREE_USES; u++) {
            spec_mem_config config;
            u32_vec in[BENCH_INS];
            tree_case(&tree_uses[u], 7, &f->mem, &config, in);
            config.space[ways[w].word] &= ~(1u << ways[w].bit);
            mem_design_configure(design, ways[w].tile_en, ways[w].mode, config.space);
            bench_result got;
            bench_run(design, (bench_pace){0}, in, &f->mem, &got);
            if (w < 2)
                bench_expect_nothing_in(&got);
            bench_expect_nothing_out(&got);
        }
    }
    mem_design_free(design);
}

int main(void) {
    const struct CMUnitTest tests[] = {
    /* short ones first: a mutant ends at the first that fails */
#ifdef ONYX_MUTANTS
        TEST(test_first_trees),
#endif
        TEST(test_values_wait),         TEST(test_full_blocks),      TEST(test_empty_blocks),
        TEST(test_far_fibers),          TEST(test_blocks_backwards), TEST(test_blocks_lie_in_order),
        TEST(test_unused_stands_still), TEST(test_widest_dense),
#ifdef ONYX_MUTANTS
        TEST(test_scanners_that_skip),
#else
        TEST(test_random_trees_without_port_fifos),
#endif
        TEST(test_too_large_waits),     TEST(test_flush_forgets),    TEST(test_random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
