/* read_back.h - results that the chip alone has, and how the host takes them. */
#ifndef ONYX_PROGRAMS_READ_BACK_H
#define ONYX_PROGRAMS_READ_BACK_H

#include "programs/interpreter.h"

/* Runs the list that waits, and takes a result that the chip alone has, or all of them; `why` the processor
 * does not go on. E0344-later where it is not what the cycle model has found. */
bool compile_sync(interpreter *m, uint32_t tensor, const char *why);
bool compile_sync_all(interpreter *m, const char *why);
/* Prepares for a statement or condition computed by other means: takes the operands' values from the chip,
 * or, for the array, whose stores may overwrite any place, the values of every tensor, and runs the waiting
 * list. */
bool compile_sync_operands(interpreter *m, const fe_step *step, bool array, const char *why);
/* Returns whether the chip alone has an operand of the statement or condition. */
bool compile_has_resident(const interpreter *m, const fe_step *step);

#endif
