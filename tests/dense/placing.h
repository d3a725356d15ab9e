/* placing.h - a dense program of the chip placed and routed anew: other sites, rows and registers, the same
 * words stored as on its own sites. */
#ifndef ONYX_TESTS_DENSE_PLACING_H
#define ONYX_TESTS_DENSE_PLACING_H

#include "tests/dense/subject.h"

/* A program, and the number of its golden words; 0: only the stored words are compared. */
typedef struct {
    const char *name;
    uint32_t gold, seed;
} placing;

enum { GLB_WORDS = DENSE_GLB_BYTES / 2 };

/* Counts tiles with different contents. */
static inline uint32_t tiles_that_differ(const dense_design *a, const dense_design *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->tiles.len; i++) {
        const dense_tile *t = &a->tiles.at[i], *there = dense_tile_at(b, t->x, t->y);
        n += t->kind != NET_TILE_IO && (!there || there->settings.len != t->settings.len);
    }
    return n;
}

/* Returns a buffer with the program's words, or with pseudo-random words. */
static inline uint16_t *any_memory(fixture *f, const subject *s) {
    uint16_t *memory = dense_memory_of(&s->program, &f->mem);
    uint32_t x = 1;
    const bool own = s->program.inputs.len && s->program.inputs.at[0].words.len;
    for (uint32_t i = 0; i < GLB_WORDS && !own; i++) {
        x = x * 1664525u + 1013904223u;
        memory[i] = (uint16_t)(x >> 16);
    }
    return memory;
}

static inline uint16_t *run_words(fixture *f, const subject *s, const dense_design *design,
                                  const dense_streams *streams) {
    dense_outcome out;
    if (!dense_run(design, streams, any_memory(f, s), &f->diag, &out))
        fail_msg("%s: %s", s->program.path, fixture_printed(f));
    assert_true(out.done);
    return out.memory;
}

/* Encodes the design, decodes the words and compares. */
static inline void read_again(fixture *f, const subject *s, const dense_design *placed, dense_design *out) {
    const bits_stream bits = dense_encode(placed, &f->mem);
    if (!dense_decode(&bits, &s->on.board, s->on.map, &f->diag, out) || !dense_verify(&bits, out, &f->diag) ||
        !dense_check_order(&bits, out, &f->diag))
        fail_msg("%s: %s", s->program.path, fixture_printed(f));
}

/* Moves the schedules of streams to the cycles of their words. */
static inline void move_streams(const dense_placed *placed, dense_streams *streams) {
    for (uint32_t i = 0; i < streams->len; i++) {
        dense_stream *s = &streams->at[i];
        if (s->mode == DENSE_STREAM_STATIC)
            s->g.at.start += (uint32_t)placed->delay[s->store][s->column];
    }
}

/* The search for registers has the clock of the finished design: its slowest path, or a tile alone. */
static inline void check_period(fixture *f, const dense_placed *placed) {
    dense_timing timing;
    assert_true(dense_time(&placed->design, &f->diag, &timing));
    print_message("period %u ps\n", timing.period_ps);
    assert_int_equal(timing.period_ps,
                     placed->period_ps > timing.core_ps ? placed->period_ps : timing.core_ps);
}

static inline void place_anew(fixture *f, const placing *c) {
    pnr_options o = pnr_options_default();
    dense_placed placed;
    dense_design again;
    uint32_t at = 0;
    subject s;
    o.seed = c->seed;
    open_subject(f, c->name, &s);
    if (!s.program.writes.len)
        dense_linear_streams(&s.design, &s.program, &f->mem, &s.streams);
    const uint16_t *before = run_words(f, &s, &s.design, &s.streams);
    if (!dense_place(&s.design, &o, &f->diag, &placed))
        fail_msg("%s: %s", c->name, fixture_printed(f));
    read_again(f, &s, &placed.design, &again);
    move_streams(&placed, &s.streams);
    const uint16_t *now = run_words(f, &s, &again, &s.streams);
    print_message("%s, seed %u: %u tiles differ, %u and %u wires, %u registers, %u paths longer\n", c->name,
                  c->seed, tiles_that_differ(&s.design, &again), placed.wires[0], placed.wires[1],
                  placed.registers, placed.lengthened);
    assert_true(tiles_that_differ(&s.design, &again) > 0);
    assert_memory_equal(before, now, DENSE_GLB_BYTES);
    check_period(f, &placed);
    if (c->gold)
        assert_int_equal(dense_equal_words(&s.program.outputs.at[0], now, &at), c->gold);
    pnr_board_free(&s.on.board);
}

static inline void place_number(fixture *f, uint32_t i, void *of) {
    const placing *programs = of;
    place_anew(f, &programs[i]);
}

#endif
