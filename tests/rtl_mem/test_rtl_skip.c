/* A read scanner that skips (profile onyx-ext): RTL against the specification and, in every cycle, the cycle
 * model, on random trees beside random coordinates of the other side, with random gaps, stalls and freezes;
 * and how many entries are given where one side has few. test_rtl_skip [CASES]. */
#include "random_trees.h"
#include "tests/test.h"

#include <stdlib.h>

enum { IN_REF, IN_PARTNER, IN_BLOCK };
static uint32_t seeds = 800;

static void test_random_trees(void **state) {
    (void)state;
    bench_design design = mem_design_new();
    quota shown = {0};
    const uint64_t left_out = skips_play(design, mem_design_configure, 1, seeds, &shown);
    mem_design_free(design);
    assert_false(quota_failed(&shown));
    print_message("%u cases, %llu coordinates left out\n", seeds, (unsigned long long)left_out);
    assert_true(left_out > 50 * (uint64_t)seeds);
}

/* Its own outputs keep the handshake, without port FIFOs. */
static void test_without_port_fifos(void **state) {
    (void)state;
    bench_design design = fiber_design_new();
    quota shown = {0};
    assert_true(skips_play(design, fiber_design_configure, 1, seeds / 4, &shown) > 0);
    assert_false(quota_failed(&shown));
    fiber_design_free(design);
}

/* Plays a case with stalls and breaks off before its end. */
static void break_off(bench_design design, uint64_t seed) {
    arena mem = {0};
    spec_mem_config config;
    u32_vec in[BENCH_INS], all[2];
    bench_result got;
    skip_case(seed, &mem, &config, in, all);
    in[IN_PARTNER].len /= 2 + (uint32_t)(seed % 3);
    in[IN_BLOCK].len -= (uint32_t)(seed % 2);
    mem_design_configure(design, true, 0, config.space);
    bench_run(design, (bench_pace){seed, 20, 60, 0, false}, in, &mem, &got);
    arena_free(&mem);
}

/* A flush in the middle of a fiber leaves nothing behind, for this mode nor for another. */
static void test_flush_forgets(void **state) {
    (void)state;
    quota shown = {0};
    bench_design design = mem_design_new();
    bench_reset(design);
    for (uint64_t seed = 1; seed <= 150; seed++) {
        break_off(design, seed);
        skips_play(design, mem_design_configure, seed + 5000, 1, &shown);
    }
    assert_false(quota_failed(&shown));
    break_off(design, 7);
    trees_play(design, mem_design_configure, 1, 3);
    mem_design_free(design);
}

/* A fiber of `n` coordinates 0, 1, .. against `few` evenly spaced coordinates of the other side. */
static bench_result play_long(bench_design design, uint32_t n, uint32_t few, bool skips, arena *mem) {
    u32_vec in[BENCH_INS] = {{0}};
    const uint32_t head[] = {2, 0, n, n};
    for (uint32_t i = 0; i < 4; i++)
        vec_push(mem, &in[IN_BLOCK], head[i]);
    for (uint32_t i = 0; i < n; i++)
        vec_push(mem, &in[IN_BLOCK], i);
    for (uint32_t i = 0; i < few && skips; i++)
        vec_push(mem, &in[IN_PARTNER], (i + 1) * n / (few + 1));
    for (uint32_t i = 0; i < 2 && skips; i++)
        vec_push(mem, &in[IN_PARTNER], i ? RTL_DONE : RTL_STOP(1));
    static const uint32_t refs[] = {0, RTL_STOP(0), RTL_DONE};
    for (uint32_t i = 0; i < 3; i++)
        vec_push(mem, &in[IN_REF], refs[i]);
    spec_mem_config config = tree_config(&tree_uses[0], 8, 8, 0);
    config.space[3] |= skips ? SKIPS : 0;
    mem_design_configure(design, true, 0, config.space);
    bench_result got;
    bench_run(design, (bench_pace){0}, in, mem, &got);
    return got;
}

/* Against a side that is ahead, the scanner gives only the side's coordinates, and the ends; a leap over d
 * entries takes cycles that grow as the logarithm of d, not as d. */
static void expect_leaps(bench_design design, uint32_t few, arena *mem) {
    enum { N = 1000 };
    const bench_result all = play_long(design, N, few, false, mem),
                       got = play_long(design, N, few, true, mem);
    const uint32_t given = got.out[1].token.len;
    const int whole = (int)(all.out[1].cycle.at[N] - all.out[1].cycle.at[0]);
    const int cycles = (int)got.out[1].cycle.at[given - 1] - (int)all.out[1].cycle.at[0];
    int log = 1;
    while (N / (few + 1) >> log)
        log++;
    print_message("%u of %d: %u tokens, %d cycles of %d\n", few, N, given, cycles, whole);
    assert_int_equal(given, few + 2);
    assert_true(cycles <= whole && cycles <= (int)(few + 1) * 12 * log);
}

static void test_steps(void **state) {
    fixture *f = *state;
    bench_design design = mem_design_new();
    bench_reset(design);
    for (uint32_t few = 0; few < 8; few++)
        expect_leaps(design, few, &f->mem);
    mem_design_free(design);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_random_trees), TEST(test_without_port_fifos),
                                       TEST(test_flush_forgets), TEST(test_steps)};
    if (argc > 1)
        seeds = (uint32_t)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
