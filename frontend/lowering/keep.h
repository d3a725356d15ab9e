/* keep.h - slices whose operand keeps its storage. */
#ifndef ONYX_FE_KEEP_H
#define ONYX_FE_KEEP_H

#include "frontend/language/cin.h"

/* Lets loops run over the coordinates of sliced operands (B(i(lo:hi:st), j)), intersected with an operand of
 * ones: the user's tensor keeps its storage. The operand of ones is called fe_slice_name, the user's tensor
 * by its own name. Returns false, with `out` invalid, if no operand is kept: the statement has other fills or
 * operations, a sum adds something at absent operands, or the schedule splits loops.
 */
bool fe_keep(const fe_kernel *k, arena *mem, fe_kernel *out);
/* Returns whether an operand is a slice that may be kept, if the statement allows. */
bool fe_is_sliced(const sam_tensor_data *t);
/* Returns the name of the operand of ones of a slice, different from all user's tensors. */
name_id fe_slice_name(const sam_statement *s, const sam_tensor_data *operand, uint32_t mode);

/* Returns whether e is zero wherever all operands indexed by v are zero. */
bool fe_vanishes(const sam_statement *s, sam_expr e, sam_var v);

#endif
