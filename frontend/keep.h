/* keep.h - slices whose operand stays as it is stored. */
#ifndef ONYX_FE_KEEP_H
#define ONYX_FE_KEEP_H

#include "frontend/frontend.h"

/* Lets loops run over the coordinates of operands that are slices (B(i(lo:hi:st), j)), which are intersected
 * with an operand of ones, so that the user's tensor is stored as it is. That operand is called
 * fe_slice_name, and the user's tensor by its own name. Returns false, and `out` does not count, where no
 * operand is kept so: the statement has other fills or operations, a sum adds something where operands have
 * nothing, or the schedule splits loops.
 */
bool fe_keep(const fe_kernel *k, arena *mem, fe_kernel *out);
/* Returns whether an operand is a slice that may be kept, if the statement lets it. */
bool fe_is_sliced(const sam_tensor_data *t);
/* Returns the name of the operand of ones of a slice: no user's tensor has it. */
name_id fe_slice_name(const sam_statement *s, const sam_tensor_data *part, uint32_t mode);

/* Returns whether e is zero wherever all operands that v indexes are. */
bool fe_vanishes(const sam_statement *s, sam_expr e, sam_var v);

#endif
