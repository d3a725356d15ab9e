/* Streams of the global buffer in dense use. */
#include "rtl_models/cycle/dense_streams.h"

void dense_stream_start(const dense_stream *s, dense_stream_state *state) {
    *state = (dense_stream_state){.words = 0};
    dense_restart(&s->g, &state->now);
}

static void moved(const dense_stream *s, dense_stream_state *state, uint32_t cycle, uint32_t *address) {
    *address = state->now.address[0];
    state->first = state->words ? state->first : cycle;
    state->last = cycle;
    state->words++;
    dense_step(&s->g, &state->now);
}

bool dense_stream_load(const dense_stream *s, dense_stream_state *state, uint32_t cycle, uint32_t *address) {
    if (cycle < DENSE_FIRST_CYCLE || !dense_due(&s->g, &state->now, cycle - DENSE_FIRST_CYCLE))
        return false;
    moved(s, state, cycle, address);
    return true;
}

/* A static store with schedule value v takes the word of cycle v + 1. */
bool dense_stream_store(const dense_stream *s, dense_stream_state *state, uint32_t cycle, bool valid,
                        uint32_t *address) {
    bool now = s->mode == DENSE_STREAM_VALID ? valid && !state->now.finished
                                             : cycle >= 1 && dense_due(&s->g, &state->now, cycle - 1);
    if (now)
        moved(s, state, cycle, address);
    return now;
}

void dense_list_stream(const dense_stream *s, const dense_stream_state *did, cJSON *list) {
    cJSON *one = json_add_item(list);
    cJSON_AddNumberToObject(one, "column", s->column);
    cJSON_AddBoolToObject(one, "store", s->store);
    cJSON_AddBoolToObject(one, "done", did->now.finished);
    cJSON_AddNumberToObject(one, "words", did->words);
    cJSON_AddNumberToObject(one, "first", did->first - DENSE_FIRST_CYCLE);
    cJSON_AddNumberToObject(one, "last", did->last - DENSE_FIRST_CYCLE);
}
