/* Skippable entries of a scanner, cycle for cycle as in onyx_skip_queue.sv, which explains the rules. */
#include "rtl_models/cycle/skip.h"

enum { STOP = 1 << 16, GAP = 1 << 17, PLACES = 8, MOST_STOPS = 255 };

skip_view cycle_skip_look(const skip_queue *q) {
    const uint32_t head = q->queue.at[q->queue.head];
    const bool known = q->queue.count != 0 && q->owed == 0 && !(head & GAP);
    return (skip_view){.bounded = known && !(head & STOP),
                       .rest = known && (head & STOP),
                       .may_end = q->owed != MOST_STOPS,
                       .bound = (uint16_t)head};
}

bool cycle_skip_takes(const skip_queue *q) {
    return q->tail != MOST_STOPS;
}

/* Whether the head leaves: late, or passed by the current fiber. */
static bool leaves(const skip_queue *q, const skip_events *e) {
    const uint32_t head = q->queue.at[q->queue.head];
    if (q->queue.count == 0 || q->owed != 0)
        return q->queue.count != 0;
    if (head & STOP)
        return e->ended;
    return (q->past_valid && (uint16_t)head <= q->past) || (e->passed && (uint16_t)head <= e->crd);
}

bool cycle_skip_advance(skip_queue *q, const skip_events *e) {
    const bool crd = e->comes && !rtl_is_control(e->token), stop = e->comes && rtl_is_stop(e->token);
    const bool room = q->queue.count < PLACES, behind = q->tail != 0, push = room && (behind || crd || stop);
    const bool pop = leaves(q, e), pops_stop = pop && q->queue.at[q->queue.head] & STOP;
    if (push) {
        const uint32_t word = (behind || q->gap ? (uint32_t)GAP : 0) | (behind || stop ? (uint32_t)STOP : 0);
        q->queue.at[(q->queue.head + q->queue.count) & 7] = word | (uint16_t)e->token;
    }
    if (pop)
        q->queue.head = (q->queue.head + 1) & 7;
    q->queue.count = (uint8_t)(q->queue.count + push - pop);
    q->tail = (uint8_t)(q->tail + (stop && (behind || !room)) - (behind && push));
    q->gap = (q->gap || crd) && !stop && !(push && !behind);
    q->owed = (uint8_t)(q->owed + e->ended - pops_stop);
    q->past_valid = !e->ended && (q->past_valid || e->passed);
    if (e->passed)
        q->past = e->crd;
    return push || pop || crd || stop;
}
