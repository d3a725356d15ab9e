/* macros.h - commands of a schedule that stand for others, which they become as text. */
#ifndef ONYX_FE_MACROS_H
#define ONYX_FE_MACROS_H

#include "frontend/fe_int.h"

/* Returns commands that do what sPromote() does: precompute(e,{},{}) of what each sum of the last kernel
 * sums.
 */
const char *fe_promoted(const fe_cin *cin, arena *mem);
/* Reads accelerate(e,f), after its parenthesis, and returns commands that do the same: precompute of each
 * part of e that is no tensor where f has an operand, then map. NULL after an error. E0102 and those of
 * terms. */
const char *fe_accelerated(fe_reader *in, const fe_cin *cin, diagnostics *d);

#endif
