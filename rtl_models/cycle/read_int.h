/* read_int.h - common to the parts of a read scanner; private to cycle_read.c and cycle_read_front.c. */
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
enum { RING_WORDS = 8 };

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

static inline uint32_t read_command(uint32_t op, uint32_t id, uint32_t address) {
    return op << 17 | id << 16 | (address & 0xffff);
}

/* The front's actions in this cycle. If the read port is needed, all actions wait for the grant. */
typedef struct {
    bool needs, wants; /* the read port for `command`; and room for its result */
    uint32_t command;
    bool give; /* `answer` goes to the output queue */
    uint32_t answer;
    bool plan; /* `planned` goes to the walker */
    uint32_t planned;
    bool take;     /* the reference leaves */
    uint8_t state; /* next */
    uint8_t level; /* next: level of the last stop outside the read-out */
    bool done_given;
    bool beyond; /* asks although the chip no longer does */
} front_plan;

/* An input of a reader's part in a cycle; `token` is valid if present. */
typedef struct {
    bool there;
    uint32_t token;
} read_offer;
/* The plan of a cycle, for the reference at the head, and for an answer if taken. */
front_plan read_plan_front(const reader_state *s, read_offer ref, read_offer answered);
/* Takes the reference, carries out the plan, and moves to the next state. `ref` and `answer` as
 * read_plan_front saw them. */
void read_do_front(cycle_model *m, core *c, const front_plan *f, uint32_t ref, uint32_t answer);

#endif
