/* Errors of the chip's dropper with stalling sinks, from recordings without their stalls: two faults explain
 * every recording, and without either some stay unexplained. Hence the monitor drop-uneven watches for these
 * two, and a coordinate and its stop stay together. The cycle model's dropper gets the same tokens with
 * equally frequent stalls: its output is right, and its monitor reports each recording. Skipped without the
 * shared data. */
#include "golden.h"
#include "tests/cycle/one_tile.h"
#include "tests/quota.h"
#include "tests/test.h"

#include "rtl_models/cycle/primitives.h"

#include <stdlib.h>

enum { FAULT_DONE = 1, FAULT_EMPTY = 2 }; /* done is repeated; an empty fiber's coordinate goes alone */

/* The recorded streams, and how far a dropper may have come in each: in[0] inner, in[1] outer. */
typedef struct {
    u32_vec in[2], out[2];
    int faults;
    uint8_t *seen; /* a bit for each place */
    VEC(uint64_t) todo;
} search;

typedef struct {
    uint32_t in[2], out[2];
    bool has_data;
} place;

static void visit(search *s, arena *mem, place p) {
    uint64_t at = p.has_data;
    for (int k = 0; k < 2; k++)
        at = (at * (s->in[k].len + 1) + p.in[k]) * (s->out[k].len + 1) + p.out[k];
    if (s->seen[at / 8] >> at % 8 & 1)
        return;
    s->seen[at / 8] |= (uint8_t)(1u << at % 8);
    vec_push(mem, &s->todo, at);
}

static place place_of(const search *s, uint64_t at) {
    place p;
    for (int k = 1; k >= 0; k--) {
        p.out[k] = (uint32_t)(at % (s->out[k].len + 1));
        at /= s->out[k].len + 1;
        p.in[k] = (uint32_t)(at % (s->in[k].len + 1));
        at /= s->in[k].len + 1;
    }
    p.has_data = at;
    return p;
}

/* Visits the successors when inputs are taken (a bit each) and tokens given, if the recording allows.
 */
static void step(search *s, arena *mem, place p, int take, int give, bool has_data) {
    for (int k = 0; k < 2; k++) {
        if (give >> k & 1) {
            if (p.out[k] == s->out[k].len || s->out[k].at[p.out[k]] != s->in[k].at[p.in[k]])
                return;
            p.out[k]++;
        }
        p.in[k] += take >> k & 1;
    }
    p.has_data = has_data;
    visit(s, mem, p);
}

static void steps(search *s, arena *mem, place p) {
    bool some[2];
    uint32_t t[2];
    for (int k = 0; k < 2; k++) {
        some[k] = p.in[k] < s->in[k].len;
        t[k] = some[k] ? s->in[k].at[p.in[k]] : 0;
    }
    if (some[0] && rtl_is_item(t[0]))
        step(s, mem, p, 1, 1, true);
    if (some[1] && rtl_is_stop(t[1]))
        step(s, mem, p, 2, 2, p.has_data);
    if (!some[0] || !some[1])
        return;
    if (rtl_is_stop(t[0]) && rtl_is_done(t[1]))
        step(s, mem, p, 1, 1, false);
    if (rtl_is_stop(t[0]) && rtl_is_item(t[1])) {
        step(s, mem, p, 3, p.has_data ? 3 : 0, false);
        if (!p.has_data && (s->faults & FAULT_EMPTY))
            step(s, mem, p, 2, 0, false);
    }
    if (rtl_is_done(t[0]) && rtl_is_done(t[1])) {
        step(s, mem, p, 3, 3, false);
        for (int k = 1; k <= 2 && (s->faults & FAULT_DONE); k++)
            step(s, mem, p, 0, k, p.has_data);
    }
}

static bool explained(search *s, int faults) {
    arena mem = {0};
    uint64_t places = 2;
    for (int k = 0; k < 2; k++)
        places *= (uint64_t)(s->in[k].len + 1) * (s->out[k].len + 1);
    s->faults = faults;
    s->seen = calloc(places / 8 + 1, 1);
    assert_non_null(s->seen);
    memset(&s->todo, 0, sizeof s->todo);
    visit(s, &mem, (place){0});
    bool ends = false;
    while (s->todo.len && !ends) {
        place p = place_of(s, s->todo.at[--s->todo.len]);
        ends = p.in[0] == s->in[0].len && p.in[1] == s->in[1].len && p.out[0] == s->out[0].len &&
               p.out[1] == s->out[1].len;
        steps(s, &mem, p);
    }
    free(s->seen);
    arena_free(&mem);
    return ends;
}

static uint32_t percent_of(const cJSON *run, const char *name) {
    const cJSON *x = cJSON_GetObjectItem(run, name);
    assert_true(cJSON_IsNumber(x));
    return (uint32_t)x->valueint;
}

/* Plays the recording's inputs on a dropper of the cycle model with gaps and stalls of the recording's
 * frequency. Returns the first fault reported by the monitor, or 0. */
static int monitor_tells(const search *s, const cJSON *run, const u32_vec want[2], uint64_t seed,
                         quota *shown) {
    const cycle_cell dropper = {.kind = CYCLE_PE, .tile_en = true, .mode = RTL_PE_CRDDROP, .space = {1}};
    uint32_t gap = percent_of(run, "in_gap_pct"), stall = percent_of(run, "out_stall_pct"), at[2] = {0};
    arena mem = {0};
    u32_vec got[2] = {{0}};
    prng random = prng_seed(seed);
    cycle_model *m = tile_build(&dropper, &mem);
    tile_pins pins = {.flush = true};
    bool waits = false;
    tile_clock(m, &pins);
    pins.flush = false;
    for (uint32_t cycle = 0, still = 0; still < 200; cycle++, still++) {
        for (int k = 0; k < 2; k++) { /* an offered token stays */
            bool some = at[k] < s->in[k].len;
            pins.in_valid[k] = some && (pins.in_valid[k] || prng_below(&random, 100) >= gap);
            pins.in_data[k] = pins.in_valid[k] ? s->in[k].at[at[k]] : 0;
            pins.out_ready[k] = prng_below(&random, 100) >= stall;
        }
        tile_settle(m, &pins);
        for (int k = 0; k < 2; k++) {
            bool taken = pins.in_valid[k] && pins.in_ready[k];
            if (pins.out_valid[k] && pins.out_ready[k])
                vec_push(&mem, &got[k], pins.out_data[k]);
            still = taken || pins.out_valid[k] ? 0 : still;
            waits = waits || (pins.out_valid[k] && !pins.out_ready[k]);
        }
        tile_clock(m, &pins);
        for (int k = 0; k < 2; k++) {
            bool taken = pins.in_valid[k] && pins.in_ready[k];
            at[k] += taken;
            pins.in_valid[k] &= !taken;
        }
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(got[k].len, want[k].len);
        assert_memory_equal(got[k].at, want[k].at, want[k].len * sizeof *want[k].at);
    }
    quota_add(shown, true, !waits);
    const cycle_hazards *met = cycle_hazards_of(m);
    int told = 0;
    for (uint32_t i = 0; i < met->len && !told; i++) {
        if (met->at[i].kind == CYCLE_HAZARD_DROP_UNEVEN)
            told = rtl_is_done(met->at[i].token[1]) ? FAULT_DONE : FAULT_EMPTY;
    }
    arena_free(&mem);
    return told;
}

/* Fills `want` with the tokens of a recording without stalls, each after its cycle. */
static void unstalled(const cJSON *c, arena *mem, u32_vec want[2]) {
    static const char *const port[2] = {"out0", "out1"};
    const cJSON *pair, *outputs = cJSON_GetObjectItem(c, "outputs");
    for (int k = 0; k < 2; k++) {
        cJSON_ArrayForEach(pair, cJSON_GetObjectItem(outputs, port[k]))
            vec_push(mem, &want[k], (uint32_t)strtoul(cJSON_GetArrayItem(pair, 1)->valuestring, NULL, 16));
    }
}

enum { SEEDS = 64 };

static void two_faults_explain_every_stalled_recording(void **state) {
    fixture *f = *state;
    const char *path = TEST_RECORDED("vectors/crddrop.json");
    cJSON *json = json_read(path, &f->diag);
    assert_non_null(json);
    uint32_t stalled = 0, need_done = 0, need_empty = 0, silent = 0;
    quota shown = {0}; /* trivial: no token has to wait */
    const cJSON *c, *run;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(json, "cases")) {
        bool drop_empty = cJSON_IsFalse(cJSON_GetObjectItem(c, "matches_sam_semantics"));
        cJSON_ArrayForEach(run, cJSON_GetObjectItem(c, "backpressure")) {
            const cJSON *inputs = cJSON_GetObjectItem(c, "inputs"),
                        *outputs = cJSON_GetObjectItem(run, "outputs");
            if (drop_empty || !outputs) /* without: the same tokens as without stalls */
                continue;
            search s = {.faults = 0};
            golden_tokens(inputs, "in0", &f->mem, &s.in[0]);
            golden_tokens(inputs, "in1", &f->mem, &s.in[1]);
            golden_tokens(outputs, "out0", &f->mem, &s.out[0]);
            golden_tokens(outputs, "out1", &f->mem, &s.out[1]);
            if (!explained(&s, FAULT_DONE | FAULT_EMPTY))
                fail_msg("%s", cJSON_GetObjectItem(c, "name")->valuestring);
            stalled++;
            int need =
                (explained(&s, FAULT_EMPTY) ? 0 : FAULT_DONE) | (explained(&s, FAULT_DONE) ? 0 : FAULT_EMPTY);
            need_done += need & FAULT_DONE ? 1 : 0;
            need_empty += need & FAULT_EMPTY ? 1 : 0;
            u32_vec want[2] = {{0}};
            int told = 0;
            unstalled(c, &f->mem, want);
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                int fault = monitor_tells(&s, run, want, seed, &shown);
                told |= fault;
                silent += !fault;
            }
            if (need & ~told)
                fail_msg("%s: the monitor does not tell", cJSON_GetObjectItem(c, "name")->valuestring);
        }
    }
    cJSON_Delete(json);
    print_message("%u recordings differ under stalls: %u need done repeated, %u a coordinate gone alone\n",
                  stalled, need_done, need_empty);
    assert_false(quota_failed(&shown));
    assert_true(need_done && need_empty);
    assert_true(silent); /* the monitor does not tell whatever happens */
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(two_faults_explain_every_stalled_recording)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
