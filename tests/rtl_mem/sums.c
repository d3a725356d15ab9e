#include "sums.h"

#include "tests/test.h"

static bench_pace random_pace(uint64_t seed) {
    static const uint32_t percents[] = {0, 0, 10, 30, 50, 70, 90};
    prng random = prng_seed(seed * 2 + 1);
    uint32_t gap = percents[prng_below(&random, 7)], stall = percents[prng_below(&random, 7)];
    return (bench_pace){seed, gap, stall, prng_below(&random, 5) == 0 ? 20 : 0, false};
}

uint32_t sums_play(const sum_cases *cases, bench_design design, uint64_t seed, arena *mem, quota *shown) {
    uint32_t space[4], tokens = 0;
    spec_streams model = {.mem = mem};
    bench_result got;
    cases->make(seed, mem, space, model.in);
    mem_design_configure(design, true, SUM_MODE, space);
    bench_run(design, random_pace(seed), model.in, mem, &got);
    cases->specify(&model, space);
    assert_null(got.fault);
    for (int i = 0; i < cases->ports; i++) {
        const char *difference = bench_difference(&got.out[i], &model.out[i], mem);
        if (difference)
            fail_msg("seed %llu, out%d: %s", (unsigned long long)seed, i, difference);
        assert_int_equal(got.in[i].token.len, model.in[i].len);
        tokens += model.out[i].len;
    }
    quota_add(shown, true, bench_gives_nothing(model.out));
    return tokens;
}

void sums_cut(const sum_cases *cases, bench_design design, uint64_t seed, arena *mem) {
    uint32_t space[4];
    u32_vec in[BENCH_INS];
    bench_result got;
    cases->make(seed, mem, space, in);
    for (int i = 0; i < cases->ports; i++)
        in[i].len = (uint32_t)(in[i].len / (2 + seed % 5));
    mem_design_configure(design, true, SUM_MODE, space);
    bench_run(design, (bench_pace){seed, 20, 60, 0, false}, in, mem, &got);
}

void sums_play_all(const sum_cases *cases, uint64_t seeds, uint64_t least) {
    bench_design design = mem_design_new();
    uint64_t tokens = 0;
    quota shown = {0}; /* trivial: no sum comes out */
    bench_reset(design);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        arena mem = {0};
        if (seed % 3 == 0)
            sums_cut(cases, design, seed + seeds, &mem);
        tokens += sums_play(cases, design, seed, &mem, &shown);
        arena_free(&mem);
    }
    print_message("%llu cases, %llu tokens\n", (unsigned long long)seeds, (unsigned long long)tokens);
    assert_false(quota_failed(&shown));
    assert_true(tokens > least);
    mem_design_free(design);
}
