/* read_int.h - common to the modules of a read scanner; private to cycle_read.c and read_skip.c. */
#ifndef ONYX_CYCLE_READ_INT_H
#define ONYX_CYCLE_READ_INT_H

#include "rtl_models/cycle/cycle_int.h"

enum {
    RD_START,
    RD_REF,
    RD_REF_END,
    RD_STOP,
    RD_WALK,
    RD_FREE1,
    RD_FREE0,
    RD_REST,
    RD_INJECT,
    RD_SIZE,
    RD_SIZE_WAIT,
    RD_READ,
    RD_DRAIN,
    RD_ROUTE,
    RD_PASS_DONE,
    RD_INJECT_DONE
};
enum { RD_IN_REF = 0, RD_IN_ANSWER = 1, RD_IN_PARTNER = 2, RD_IN_CHAIN = 3 };    /* inputs */
enum { RD_OUT_BLOCK = 0, RD_OUT_COORD = 1, RD_OUT_POS = 2, RD_OUT_COMMAND = 3 }; /* outputs */
enum { FIBER = 1 << 17, ANSWER = 1 << 17 }; /* marks of a word of `plan`, of `out` */
enum { RING_WORDS = 8, READ_AHEAD = 3 };

static inline bool ring_room(const ring *r) {
    return r->count < RING_WORDS;
}
static inline uint32_t ring_front(const ring *r) {
    return r->at[r->head];
}
static inline void ring_push(ring *r, uint32_t word) {
    r->at[(r->head + r->count++) & 7] = word;
}
static inline void ring_pop(ring *r) {
    r->head = (r->head + 1) & 7;
    r->count--;
}

static inline uint16_t answers_front(const answer_queue *q) {
    return q->at[q->head];
}
static inline void answers_pop(answer_queue *q, unsigned n) {
    q->head = (q->head + n) & 31;
    q->count -= n;
}

static inline uint32_t read_command(uint32_t op, uint32_t id, uint32_t address) {
    return op << 17 | id << 16 | (address & 0xffff);
}

/* The walker's actions in a cycle. */
typedef struct {
    bool goes, fiber; /* a token leaves the walker, or an entry of a fiber */
    bool pops;        /* the head of `plan` is done with */
    bool ends;        /* the pass */
    uint16_t at;      /* the entry */
    uint16_t ahead;   /* the next entry, further on while skipping */
} walk_acts;

/* Output of this cycle: the head of the queue, with its answer if the head is an answer's place. */
typedef struct {
    uint32_t head;
    bool pops, routes; /* a routing token selects the output of later tokens */
    fifo *to;
    /* Skipping: the entry leaves with its position, and is offered; the entry may be skipped; the walker
     steps back.
     */
    bool gives, offers, below, back;
    uint16_t crd;
} output_plan;

/* Skipping: how far the walker reads from entry to entry. */
uint32_t read_skip_gap(const reader_state *s);
/* Decides the fate of the queue's head, `valid` with its answer. */
void read_skip_plan(const core *c, const skip_view *skip, bool valid, output_plan *o);
/* Returns whether the queue of the other side's coordinates changed. */
bool read_skip_do(core *c, const walk_acts *w, const output_plan *o, const skip_view *view);

#endif
