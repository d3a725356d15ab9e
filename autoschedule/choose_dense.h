/* choose_dense.h - vectors that are stored dense below a mask. */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_DENSE_H
#define ONYX_AUTOSCHEDULE_CHOOSE_DENSE_H

#include "autoschedule/autoschedule_int.h"

/* Makes a kernel in which compressed vectors with a fill that stand below a mask are dense, and lists their
 * formats as -f; false: the kernel has none, or their formats are stated. */
bool compile_dense_below_masks(const compile_trying *c, const fe_kernel *kernel, fe_kernel *out,
                               text_vec *formats);

#endif
