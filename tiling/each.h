/* each.h - a statement computed coordinate by coordinate: what the host does where the array cannot
 * (fe_kernel.on_host). It shares nothing with tile_reference but what a single operation makes of words.
 */
#ifndef ONYX_TILING_EACH_H
#define ONYX_TILING_EACH_H

#include "tiling/tiling.h"

typedef struct {
    uint64_t computed; /* values */
    uint64_t calls;    /* of a function along an index, one for each fiber */
} tile_each_work;

/* Computes the statement's right side, or what the one sum around it sums, wherever its coordinate algebra
 * has coordinates; where the result has another fill than the right side, everywhere. Operands are found in
 * `named` by name, and the extents of variables in `extent` by handle - 1; no access has a variable twice.
 * out has what is not the result's fill; *work counts what was done. Errors:
 * E0322-everywhere (exit 2) where these are more than 2^24, E0161-endless. O(n log n) of the values and
 * entries. */
bool tile_each(const sam_statement *s, const tile_operands *named, const uint32_t *extent, arena *mem,
               diagnostics *d, tile_tensor *out, tile_each_work *work);

#endif
