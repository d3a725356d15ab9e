/* calls.h - calls of functions computed by another processor. */
#ifndef ONYX_SAM_CALLS_H
#define ONYX_SAM_CALLS_H

#include "sam/operators.h"

/* Calls of a function computed by another processor. The first pass makes and records the calls with this
 * machine's results; a second pass repeats the calls with the other processor's results. A call has words: of
 * each operand `in`, its coordinates and its extents if present, and of the result `out`, appended to the
 * previous calls. */
enum { SAM_CALL_OPERANDS = 12 };
typedef VEC(uint16_t) sam_call_words;
typedef struct sam_calls {
    arena *mem;
    sam_call_words in[SAM_CALL_OPERANDS], out;
    VEC(int32_t)
    coordinates, extents; /* of a function along an index the extent is the length of the fiber */
    uint32_t operands;    /* of a call */
    uint64_t calls;
    const uint16_t *made; /* results of the other processor, as many as in `out`; NULL: calls are recorded */
    uint64_t taken;       /* words taken from `made` */
    bool differs;         /* the second pass made other calls, since `made` differs from `out` */
} sam_calls;
/* Records an operand of a call; the second pass only compares the operand. */
void sam_calls_give(sam_calls *c, uint32_t operand, const uint16_t *word, uint64_t n);
/* Ends a call with its result: recorded, or replaced by the other processor's result. */
void sam_calls_take(sam_calls *c, uint16_t *word, uint64_t n);

/* Computes a program of one value or two, as a call recorded in p->calls. */
uint16_t sam_call(sam_program *p, uint16_t a, uint16_t b);

#endif
