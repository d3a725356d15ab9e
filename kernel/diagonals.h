/* diagonals.h - a matrix stored by diagonals, times a vector: dense products along the diagonals. */
#ifndef ONYX_KERNEL_DIAGONALS_H
#define ONYX_KERNEL_DIAGONALS_H

#include "kernel/rewriting.h"

/* Adds the operands of a product along diagonals to the user's `data`, after the *n present tensors, with
 * names of their own: for each of up to four diagonals its values and the matching values of the vector,
 * dense; and both for all diagonals as a band, unless more than half of the band is empty. At most ten. */
void compile_add_diagonals(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           tile_tensor *data, uint32_t *n);
/* Finds rewritings: one for each diagonal, and one along a band. */
compile_rewriter compile_rewrite_diagonals;

#endif
