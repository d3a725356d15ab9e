/* random_units.h - settings of dense units at random, and as words of CONFIG_SPACE. */
#ifndef ONYX_TESTS_RANDOM_UNITS_H
#define ONYX_TESTS_RANDOM_UNITS_H

#include "rtl_models/cycle/dense_units.h"

enum { MEM_BITS = 1459, POND_BITS = 542, PE_BITS = 85 };

static uint64_t random_seed = 1;

static inline uint32_t random_below(uint32_t n) {
    random_seed = random_seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_seed >> 33) % n;
}

/* ---- settings ---------------------------------------------------------------------------------- */

/* Fields are put from the highest bit down, in the order of the board's tables. */
typedef struct {
    uint32_t *words, at;
} space;

static inline void put(space *s, uint32_t value, uint32_t width) {
    for (uint32_t b = width; b-- > 0;) {
        s->at--;
        s->words[s->at / 32] |= (value >> b & 1) << s->at % 32;
    }
}

static inline void put_all(space *s, const uint32_t *values, uint32_t n, uint32_t width) {
    for (uint32_t i = 0; i < n; i++)
        put(s, values[i], width);
}

static inline void put_affine(space *s, const dense_affine *a, uint32_t loops, uint32_t width) {
    put(s, a->start, width);
    put_all(s, a->increment, loops, width);
}

static inline void put_nest(space *s, const dense_nest *n, uint32_t loops, uint32_t width) {
    put(s, n->dim, width);
    put_all(s, n->range, loops, 11);
}

static inline void put_schedule(space *s, const dense_generator *g, uint32_t loops, bool delayed) {
    put(s, g->enable, 1);
    if (delayed)
        put(s, g->delay, 10);
    put_affine(s, &g->at, loops, 16);
}

static inline void put_buffer(space *s, const dense_ub *u) {
    for (int p = 0; p < 2; p++)
        put_affine(s, &u->write[p].address[0], 3, 3);
    for (int p = 0; p < 2; p++)
        put_schedule(s, &u->write[p], 3, false);
    for (int p = 0; p < 2; p++)
        put_nest(s, &u->write[p].nest, 3, 3);
    for (int p = 0; p < 2; p++)
        put(s, u->padding[p], 8);
    for (int p = 0; p < 2; p++)
        put(s, u->start[p], 9);
    for (int p = 0; p < 2; p++)
        put(s, u->mode[p], 2);
    put(s, u->chain, 1);
    for (int p = 0; p < 2; p++)
        put_affine(s, &u->read[p].address[0], 6, 9);
    for (int p = 0; p < 2; p++)
        put_nest(s, &u->read[p].nest, 6, 4);
    for (int p = 0; p < 2; p++)
        put_schedule(s, &u->read[p], 6, true);
    for (int p = 0; p < 2; p++)
        put_nest(s, &u->out[p].nest, 6, 4);
    put(s, u->shared, 1);
    for (int p = 0; p < 2; p++)
        put_affine(s, &u->out[p].address[0], 6, 4);
    for (int p = 0; p < 2; p++)
        put_schedule(s, &u->out[p], 6, true);
    for (int p = 0; p < 2; p++)
        put_affine(s, &u->read[p].address[1], 6, 4);
}

static inline void put_pond_port(space *s, const dense_generator set[2]) {
    put(s, set[0].address[0].start, 5);
    put(s, set[1].address[0].start, 5);
    put_all(s, set[1].address[0].increment, 2, 5);
    put_all(s, set[0].address[0].increment, 4, 5);
    put(s, set[0].nest.dim, 3);
    put(s, set[1].nest.dim, 2);
    put_all(s, set[1].nest.range, 2, 16);
    put_all(s, set[0].nest.range, 4, 16);
    put(s, set[0].enable, 1);
    put(s, set[1].enable, 1);
    put(s, set[0].at.start, 16);
    put(s, set[1].at.start, 16);
    put_all(s, set[1].at.increment, 2, 16);
    put_all(s, set[0].at.increment, 4, 16);
}

/* The last operand stands highest; each stands above its mode. */
static inline void put_instruction(space *s, const dense_instruction *i) {
    for (int k = DENSE_OPERANDS; k-- > 0;) {
        put(s, i->constant[k], k < 3 ? 16 : 1);
        put(s, i->mode[k], 2);
    }
    put(s, i->condition, 5);
    put(s, i->lut, 8);
    put(s, i->is_signed, 1);
    put(s, i->opcode, 5);
    put(s, i->kind, 2);
}

/* ---- random settings --------------------------------------------------------------------------- */

/* Most schedules have events in most cycles of a case; some wrap, or meet the counter in no cycle. */
static inline dense_generator random_generator(uint32_t loops, uint32_t bits0, uint32_t bits1) {
    dense_generator g = {.enable = random_below(16) != 0};
    g.nest.dim = random_below(loops + 1);
    g.delay = (uint16_t)(random_below(3) ? random_below(12) : 0);
    g.at.start = random_below(10) ? random_below(20) : random_below(65536);
    for (uint32_t i = 0; i < loops; i++) {
        g.nest.range[i] = random_below(random_below(4) ? 4 : 40);
        g.at.increment[i] =
            random_below(12) ? 1 + random_below(random_below(3) ? 4 : 1) : random_below(65536);
        g.address[0].increment[i] = (random_below(3) ? 1 : random_below(512)) & ((1u << bits0) - 1);
        g.address[1].increment[i] = (random_below(3) ? 1 : random_below(16)) & ((1u << bits1) - 1);
    }
    g.address[0].start = random_below(512) & ((1u << bits0) - 1);
    g.address[1].start = random_below(16) & ((1u << bits1) - 1);
    return g;
}

static inline void random_buffer(dense_ub *u) {
    *u = (dense_ub){.chain = random_below(2), .shared = random_below(2)};
    for (int p = 0; p < 2; p++) {
        u->write[p] = random_generator(3, 3, 0);
        u->read[p] = random_generator(6, random_below(2) ? 4 : 9, 4);
        u->out[p] = random_generator(6, 4, 0);
        u->write[p].delay = 0;
        u->padding[p] = (uint16_t)(random_below(2) ? random_below(8) : 0);
        u->start[p] = (uint16_t)random_below(random_below(2) ? 8 : 512);
        u->mode[p] = (uint8_t)(random_below(3) ? 0 : random_below(4));
    }
}

static inline void random_pond(dense_pond *p) {
    for (int k = 0; k < 2; k++) {
        p->write[k] = random_generator(k ? 2 : 4, 5, 0);
        p->read[k] = random_generator(k ? 2 : 4, 5, 0);
        p->write[k].delay = p->read[k].delay = 0;
    }
}

/* Words at random, and numbers at the ends of both kinds of arithmetic. */
static inline uint16_t random_word(void) {
    static const uint16_t ends[] = {0,      1,      0x7fff, 0x8000, 0xffff, 0x7f80, 0xff80, 0x7f81,
                                    0x0001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x4380, 0x4700, 15};
    return random_below(3) ? (uint16_t)random_below(65536) : ends[random_below(sizeof ends / sizeof *ends)];
}

static inline void random_instruction(dense_instruction *i) {
    *i = (dense_instruction){.kind = (uint8_t)random_below(3), .lut = (uint8_t)random_below(256)};
    i->opcode = (uint8_t)random_below(random_below(8) ? i->kind == 0 ? 20 : i->kind == 1 ? 7 : 4 : 32);
    i->condition = (uint8_t)random_below(random_below(8) ? 20 : 32);
    i->is_signed = random_below(2);
    for (int k = 0; k < DENSE_OPERANDS; k++) {
        i->mode[k] = (uint8_t)random_below(4);
        i->constant[k] = (uint16_t)(k < 3 ? random_word() : random_below(2));
    }
}

#endif
