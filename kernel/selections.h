/* selections.h - indices read from tensors, and places computed of indices: X(rows(i),j), X(4*i+k). */
#ifndef ONYX_KERNEL_SELECTIONS_H
#define ONYX_KERNEL_SELECTIONS_H

#include "kernel/kernel.h"

/* Returns options whose expression has products with selections in place of indices read from operands, in
 * tensors of two indices and more and on the left side, and in place of sums of indices on the left side; the
 * selections are operands in memory. Returns `o` where there is none of these. NULL after E0154-semiring,
 * E0182-gather and errors of file readers. */
const compile_options *compile_select(const compile_options *o, compile_context *ctx);

#endif
