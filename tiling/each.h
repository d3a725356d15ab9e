/* each.h - a statement computed coordinate by coordinate: the host's computation of statements outside the
 * array's abilities (fe_kernel.on_host). The module shares with tile_reference only the operations on words.
 */
#ifndef ONYX_TILING_EACH_H
#define ONYX_TILING_EACH_H

#include "tiling/tiling.h"

typedef struct {
    uint64_t computed; /* values */
    uint64_t calls;    /* of a function along an index, one for each fiber */
} tile_each_work;

/* Computes the statement's right side, or the body of the single sum around, at all coordinates of its
 * coordinate algebra; if the result's fill differs from the right side's, everywhere. Operands are in `named`
 * by name, and the extents of variables in `extent` by handle - 1; no access has a variable twice. out has
 * the values unequal to the result's fill; *work counts the work. Errors: E0322-everywhere (exit 2) above
 * 2^24 values, E0161-endless. O(n log n) of the values and entries. */
bool tile_each(const sam_statement *s, const tile_operands *named, const uint32_t *extent, arena *mem,
               diagnostics *d, tile_tensor *out, tile_each_work *work);

#endif
