/* denser.h - a statement of a program whose vectors and matrices are stored in dense levels. */
#ifndef ONYX_FRONTEND_DENSER_H
#define ONYX_FRONTEND_DENSER_H

#include "frontend/schedules/program.h"

/* Returns whether the tensor is a vector or a matrix of dense and compressed levels, and not of dense ones.
 */
bool fe_may_be_denser(const sam_tensor_data *t);
/* Returns the reason why the statement may not have the program's tensor `shared`, a compressed one that
 * statements assign, in dense levels; NULL: every value stays the same, or the statement lacks the tensor.
 */
const char *fe_dense_refusal(const fe_step *step, uint32_t shared);
/* Makes the statement with dense levels for these tensors of the program, by number, none of which it
 * refuses; struct(T) becomes a comparison. The tensors have the handles that they had. Returns false with
 * E0118-too-large or E0130 for a statement beyond the bounds. */
bool fe_make_dense(fe_program *p, diagnostics *d, const fe_step *from, const bool *dense, fe_step *out);

#endif
