/* plain.h - a statement computed as its text defines it: a loop for each variable, a value at each point. A
 * program's interpreter and the predictions for the chip's processor use it, so that tile_reference judges a
 * second opinion. Both share the tables of operators (sam/operations.def), the parsed statement and the
 * operands.
 */
#ifndef ONYX_TILING_PLAIN_H
#define ONYX_TILING_PLAIN_H

#include "tiling/tiling.h"

/* Computes the statement at every coordinate of the result whose value may differ from the result's fill.
 * *out has the values other than the fill; a scalar has one in any case. Loops skip the coordinates where an
 * operand that is absent makes a product or a sum of products 0. Errors: those of tile_extents,
 * E0322-everywhere (exit 2) above 2^27 values, E0161-endless. O(points * accesses * log entries). */
bool tile_plain(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                tile_tensor *out);

#endif
