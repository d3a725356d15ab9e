/* gathered.h - indices that gather from tensors of a program. */
#ifndef ONYX_PROGRAMS_GATHERED_H
#define ONYX_PROGRAMS_GATHERED_H

#include "programs/interpreter.h"

/* Checks that the present values of the statement's indices are coordinates. E0182-gather. */
bool compile_check_indices(const interpreter *m, compile_context *ctx, const fe_step *step,
                           const compile_data *data);
/* Returns whether values of the tensor are indices of the statement. */
bool compile_gathers_by(const fe_program *p, const fe_step *step, uint32_t tensor);

#endif
