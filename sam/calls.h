/* calls.h - calls of functions that another processor computes. */
#ifndef ONYX_SAM_CALLS_H
#define ONYX_SAM_CALLS_H

#include "sam/operators.h"

/* Calls of a function that another processor computes. They are made once and written down, with what this
 * machine computes; then once more, when what that processor made is there. A call has words: of each operand
 * `in`, its coordinates and its extents where it has such, and of the result `out`, all behind those of the
 * call before. */
enum { SAM_CALL_OPERANDS = 12 };
typedef VEC(uint16_t) sam_call_words;
typedef struct sam_calls {
    arena *mem;
    sam_call_words in[SAM_CALL_OPERANDS], out;
    VEC(int32_t)
    coordinates, extents; /* of a function along an index the extent is the length of the fiber */
    uint32_t operands;    /* of a call */
    uint64_t calls;
    const uint16_t *made; /* results of that processor, as many as in `out`; NULL: calls are written down */
    uint64_t taken;       /* words of them that were taken */
    bool differs;         /* the second time there were other calls, since `made` is not `out` */
} sam_calls;
/* Writes one operand of a call down; the second time it only says whether it is the same. */
void sam_calls_give(sam_calls *c, uint32_t operand, const uint16_t *word, uint64_t n);
/* Ends a call with its result: written down, or replaced by what the other processor made. */
void sam_calls_take(sam_calls *c, uint16_t *word, uint64_t n);

/* Computes a program of one value or two, as a call that p->calls has. */
uint16_t sam_call(sam_program *p, uint16_t a, uint16_t b);

#endif
