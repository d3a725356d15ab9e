/* quotient.h - a quotient of two streams of bfloat16, rounded to nearest even, of PEs and tables. */
#ifndef ONYX_LOWER_QUOTIENT_H
#define ONYX_LOWER_QUOTIENT_H

#include "lower_onyx/alu.h"

/* Makes the PEs and memory tiles of in->constant[] both streams. Every quotient is the one of
 * sam/operations.def: subnormal numbers, zeros, infinities and NaNs included. */
alu_made quotient_make(onyx_graph *g, const alu_wanted *in);

#endif
