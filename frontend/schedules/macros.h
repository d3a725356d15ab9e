/* macros.h - commands of a schedule that expand to other commands, as text. */
#ifndef ONYX_FE_MACROS_H
#define ONYX_FE_MACROS_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"

/* Returns the expansion of sPromote(): precompute(e,{},{}) of the body of each sum of the last kernel. */
const char *fe_promoted(const fe_cin *cin, arena *mem);
/* Reads accelerate(e,f), after its parenthesis, and returns its expansion: precompute of each subexpression
 * of e that is no tensor in place of an operand of f, then map. NULL after an error. E0102 and errors of
 * terms. */
const char *fe_accelerated(fe_reader *in, const fe_cin *cin, diagnostics *d);

#endif
