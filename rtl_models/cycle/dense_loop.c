/* Loop nests, their generators, and units made only of a generator. */
#include "rtl_models/cycle/dense_units.h"

bool dense_due(const dense_generator *g, const dense_generator_state *s, uint32_t cycle) {
    return g->enable && !s->finished && ((s->at ^ cycle) & 0xffff) == 0;
}

/* Advances the counters: steps the first loop not at its end, and restarts all inner loops. */
static uint32_t next_loop(const dense_nest *n, uint32_t *count) {
    for (uint32_t i = 0; i < n->dim; i++) {
        if (count[i] < n->range[i] + 1) {
            count[i]++;
            return i;
        }
        count[i] = 0;
    }
    return DENSE_END;
}

uint32_t dense_step(const dense_generator *g, dense_generator_state *s) {
    uint32_t loop = next_loop(&g->nest, s->count);
    if (loop == DENSE_END) {
        dense_restart(g, s);
        s->finished = true;
        return loop;
    }
    s->at += g->at.increment[loop];
    for (uint32_t k = 0; k < 2; k++)
        s->address[k] += g->address[k].increment[loop];
    return loop;
}

void dense_restart(const dense_generator *g, dense_generator_state *s) {
    *s = (dense_generator_state){.at = g->at.start, .address = {g->address[0].start, g->address[1].start}};
}

bool dense_valid_read(const dense_generator *g, const dense_valid_state *s) {
    return s->flushed && dense_due(g, &s->now, s->cycle);
}

void dense_valid_clock(const dense_generator *g, dense_valid_state *s, bool flush) {
    if (dense_due(g, &s->now, s->cycle))
        dense_step(g, &s->now);
    s->cycle++;
    if (!flush)
        return;
    dense_restart(g, &s->now);
    s->cycle = 0;
    s->flushed = true;
}

void dense_ram_clock(dense_ram_state *s, const uint16_t in[DENSE_RAM_INS]) {
    uint16_t *word = &s->word[in[DENSE_RAM_ADDRESS] % (DENSE_LINES * DENSE_LANES)];
    const bool accepts = !s->busy, read = in[DENSE_RAM_READ] & 1, write = in[DENSE_RAM_WRITE] & 1;
    s->busy = accepts && write;
    s->valid = accepts && read && !write;
    s->data = s->valid ? *word : 0;
    if (s->busy)
        *word = in[DENSE_RAM_DATA];
}
