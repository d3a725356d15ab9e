#include "bench.h"

#include "tests/test.h"

enum { QUIET_CYCLES = 200, MAX_CYCLES = 1000000 };

static bool chance(prng *random, uint32_t percent) {
    return percent > 0 && prng_below(random, 100) < percent;
}

void bench_reset(bench_design d) {
    bench_pins pins = {.reset = true, .enable = true};
    for (int i = 0; i < 2; i++) {
        d.settle(d.device, &pins);
        d.clock(d.device);
    }
}

static void flush(bench_design d) {
    bench_pins pins = {.enable = true, .flush = true};
    d.settle(d.device, &pins);
    d.clock(d.device);
}

/* A valid output that was not taken must stay valid, with the same token. */
static void check_hold(const bench_pins *before, const bench_pins *now, uint32_t cycle, arena *mem,
                       const char **fault) {
    for (int o = 0; o < BENCH_OUTS && !*fault; o++) {
        if (!before->out_valid[o] || (before->out_ready[o] && before->enable))
            continue;
        if (!now->out_valid[o] || now->out_data[o] != before->out_data[o])
            *fault = arena_printf(mem, "cycle %u: out%d took back token %05x", cycle, o, before->out_data[o]);
    }
}

static void record(bench_trace *t, arena *mem, uint32_t token, uint32_t cycle) {
    vec_push(mem, &t->token, token);
    vec_push(mem, &t->cycle, cycle);
}

void bench_run(bench_design d, bench_pace pace, const u32_vec in[BENCH_INS], arena *mem, bench_result *r) {
    *r = (bench_result){0};
    prng random = prng_seed(pace.seed);
    (pace.reset ? bench_reset : flush)(d);
    bench_pins pins = {.enable = true}, before = {0};
    uint32_t moved = 0;
    for (uint32_t cycle = 0; cycle < MAX_CYCLES && cycle < moved + QUIET_CYCLES; cycle++) {
        pins.enable = !chance(&random, pace.freeze_pct);
        for (int i = 0; i < BENCH_INS; i++) {
            uint32_t next = r->in[i].token.len;
            bool offered = pins.in_valid[i]; /* and not taken: stays */
            pins.in_valid[i] = next < in[i].len && (offered || !chance(&random, pace.in_gap_pct));
            pins.in_data[i] = pins.in_valid[i] ? in[i].at[next] : 0;
        }
        for (int o = 0; o < BENCH_OUTS; o++)
            pins.out_ready[o] = !chance(&random, pace.out_stall_pct);
        d.settle(d.device, &pins);
        check_hold(&before, &pins, cycle, mem, &r->fault);
        before = pins;
        d.clock(d.device);
        for (int i = 0; i < BENCH_INS && before.enable; i++) {
            if (!before.in_valid[i] || !before.in_ready[i])
                continue;
            record(&r->in[i], mem, before.in_data[i], cycle);
            pins.in_valid[i] = false;
            moved = cycle;
        }
        for (int o = 0; o < BENCH_OUTS && before.enable; o++) {
            if (!before.out_valid[o] || !before.out_ready[o])
                continue;
            record(&r->out[o], mem, before.out_data[o], cycle);
            moved = cycle;
        }
    }
}

const char *bench_difference(const bench_trace *got, const u32_vec *expected, arena *mem) {
    uint32_t n = got->token.len < expected->len ? got->token.len : expected->len;
    for (uint32_t i = 0; i < n; i++)
        if (got->token.at[i] != expected->at[i])
            return arena_printf(mem, "token %u is %05x, not %05x", i, got->token.at[i], expected->at[i]);
    if (got->token.len != expected->len)
        return arena_printf(mem, "%u tokens, not %u", got->token.len, expected->len);
    return NULL;
}

void bench_expect(const bench_result *got, const u32_vec expected[BENCH_OUTS], arena *mem) {
    assert_null(got->fault);
    for (int o = 0; o < BENCH_OUTS; o++)
        assert_null(bench_difference(&got->out[o], &expected[o], mem));
}

bool bench_gives_nothing(const u32_vec expected[BENCH_OUTS]) {
    bool items = false;
    for (int o = 0; o < BENCH_OUTS; o++)
        for (uint32_t i = 0; i < expected[o].len; i++)
            items = items || rtl_is_item(expected[o].at[i]);
    return !items;
}

void bench_expect_nothing_in(const bench_result *got) {
    for (int i = 0; i < BENCH_INS; i++)
        assert_int_equal(got->in[i].token.len, 0);
}

void bench_expect_nothing_out(const bench_result *got) {
    for (int o = 0; o < BENCH_OUTS; o++)
        assert_int_equal(got->out[o].token.len, 0);
}
