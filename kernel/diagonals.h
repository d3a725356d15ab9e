/* diagonals.h - a matrix that is stored by diagonals, times a vector: dense products along the diagonals. */
#ifndef ONYX_KERNEL_DIAGONALS_H
#define ONYX_KERNEL_DIAGONALS_H

#include "kernel/rewriting.h"

/* Adds what such a product needs to the user's `data`, behind the *n that are there, as operands with names
 * of their own: for each of up to four diagonals its values and those of the vector that they meet, dense;
 * and both for all diagonals as a band, unless more than half of it were empty. At most ten. */
void compile_add_diagonals(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           tile_tensor *data, uint32_t *n);
/* Finds such products: one for each diagonal, and one along a band. */
compile_rewriter compile_rewrite_diagonals;

#endif
