/* condition.h - statements of scalars, and conditions, in whole numbers of 32 bits. */
#ifndef ONYX_PROGRAMS_CONDITION_H
#define ONYX_PROGRAMS_CONDITION_H

#include "programs/interpreter.h"

/* Replaces the value that `evaluate` computed in words by its number of 32 bits, for a statement or condition
 * of int16 with scalars, counts and numbers alone, and operations of whole numbers. The value counts as
 * wrapped where double precision has another number; if reading rounded an operand, one that is off by 2^15.
 */
void compile_widen(const interpreter *m, const fe_step *step, arena *mem, tile_tensor *value);
/* Returns whether a condition holds, by its value. */
bool compile_condition_holds(const tile_tensor *value);

#endif
