/* What the chip's dropper gets wrong when its sinks stall, from recordings whose stalls nobody kept: two
 * faults explain every one of them, and without either some stay unexplained. So these two are what the
 * monitor drop-uneven watches for, and a coordinate and its stop stay together. Skipped without the shared
 * data. */
#include "golden.h"
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

/* Visits what follows when inputs are taken (a bit each) and tokens given, if the recording has them there.
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

static void two_faults_explain_every_stalled_recording(void **state) {
    fixture *f = *state;
    const char *path = TEST_SHARED("golden_vectors/crddrop.json");
    cJSON *json = json_read(path, &f->diag);
    assert_non_null(json);
    uint32_t stalled = 0, need_done = 0, need_empty = 0;
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
            need_done += !explained(&s, FAULT_EMPTY);
            need_empty += !explained(&s, FAULT_DONE);
        }
    }
    cJSON_Delete(json);
    print_message("%u recordings differ under stalls: %u need done repeated, %u a coordinate gone alone\n",
                  stalled, need_done, need_empty);
    assert_true(need_done && need_empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(two_faults_explain_every_stalled_recording)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
