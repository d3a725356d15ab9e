/* step_operands.h - operands of a statement of a program. */
#ifndef ONYX_PROGRAMS_STEP_OPERANDS_H
#define ONYX_PROGRAMS_STEP_OPERANDS_H

#include "programs/interpreter.h"

/* Whether a statement asks for the stored positions (`struct`) of the tensor, which is compressed and
 * unchanged. */
bool compile_shows_fills(const compile_application *a, uint32_t tensor);
/* Returns whether the machine keeps the numbers behind words that became 0. */
bool compile_keeps_exact(const interpreter *m);
/* Sets the operands of the step from the tensors. With o->asked.fullest a changing operand is the union
 * over all runs of the step, or a full vector if no run was observed. */
bool compile_operands_of(const interpreter *m, compile_context *ctx, const fe_step *step, compile_options *o,
                         compile_data *out);

#endif
