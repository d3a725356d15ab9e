/* choose_dense.h - dense operands of candidates: vectors below a mask, and levels that free streams. */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_DENSE_H
#define ONYX_AUTOSCHEDULE_CHOOSE_DENSE_H

#include "autoschedule/autoschedule_int.h"

/* Makes a kernel in which compressed vectors with a fill that stand below a mask are dense, and lists their
 * formats as -f; false: the kernel has none, or their formats are stated. */
bool compile_dense_below_masks(const compile_trying *c, const fe_kernel *kernel, fe_kernel *out,
                               text_vec *formats);
/* Makes kernel n with a dense outermost level of the operand of an access; false: the operand's format is
 * stated or dense already, or the board has room for no further copy then. */
bool compile_free_streams(compile_trying *c, const fe_cin *cin, uint32_t n, sam_expr access, fe_kernel *out);

#endif
