/* diagonals.h - a matrix that is stored by diagonals, times a vector: dense products along the diagonals. */
#ifndef ONYX_COMPILE_DIAGONALS_H
#define ONYX_COMPILE_DIAGONALS_H

#include "compile/choose.h"

/* Adds what such a product needs to the user's `data`, behind the *n that are there, as operands with names
 * of their own: for each of up to four diagonals its values and those of the vector that they meet, dense;
 * and both for all diagonals as a band, unless more than half of it were empty. At most ten. */
void compile_add_diagonals(const compile_options *o, compile_context *ctx, const sam_statement *st,
                           tile_tensor *data, uint32_t *n);
/* Makes of the statement a product for each diagonal, or one along a band, where the chip is expected to take
 * less for it than for *out. Returns whether it did. */
bool compile_choose_diagonals(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out);

#endif
