/* condition.h - statements of scalars, and conditions, in whole numbers of 32 bits.
 */
#ifndef ONYX_PROGRAMS_CONDITION_H
#define ONYX_PROGRAMS_CONDITION_H

#include "programs/interpreter.h"

/* Returns whether a statement or a condition of int16 has scalars, counts and numbers alone, and operations
 * of whole numbers. */
bool compile_is_whole(const fe_step *step);
/* Replaces the value that `evaluate` computed in words, of a statement or condition as above, by its number
 * of 32 bits. The value counts as wrapped where double precision has another number; if reading rounded an
 * operand, one that is off by 2^15. */
void compile_widen(const interpreter *m, const fe_step *step, arena *mem, tile_tensor *value);
/* Returns whether a condition holds, by its value. */
bool compile_condition_holds(const tile_tensor *value);

#endif
