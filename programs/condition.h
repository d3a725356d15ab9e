/* condition.h - conditions that count values, of which there may be more than a word says.
 */
#ifndef ONYX_PROGRAMS_CONDITION_H
#define ONYX_PROGRAMS_CONDITION_H

#include "programs/interpreter.h"

/* Returns whether a condition of int16 has nnz(), and operations of whole numbers alone: it holds by these,
 * whatever 16 bits would make of them. */
bool compile_is_counted(const fe_step *step);
/* Returns whether a condition holds, by the value that `evaluate` made of it. */
bool compile_condition_holds(const machine *m, const fe_step *step, const tile_tensor *value);

#endif
