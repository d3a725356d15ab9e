/* skip.h - skippable entries of a read scanner; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_SKIP_H
#define ONYX_CYCLE_SKIP_H

#include "rtl_models/cycle/primitives.h"

/* onyx_fifo_pow2 with 8 words. */
typedef struct {
    uint32_t at[8];
    uint32_t head, count;
} ring;

/* onyx_skip_queue: coordinates of the scanner on the other side of an intersecter, in turn with a scanner's
 * own fibers. */
typedef struct {
    ring queue; /* coordinates and stops, marked after a lost coordinate */
    uint8_t tail, owed;
    bool gap, past_valid;
    uint16_t past;
} skip_queue;

/* State before a cycle: the current fiber's entries below `bound`, or all its remaining entries, may be left
 * out; its stop may leave. */
typedef struct {
    bool bounded, rest, may_end;
    uint16_t bound;
} skip_view;

/* Events of a cycle. */
typedef struct {
    bool comes, passed, ended; /* a token of the other side; an own coordinate or stop leaves */
    uint32_t token;
    uint16_t crd;
} skip_events;

skip_view cycle_skip_look(const skip_queue *q);
bool cycle_skip_takes(const skip_queue *q);
bool cycle_skip_advance(skip_queue *q, const skip_events *e); /* returns whether the queue changed */

#endif
