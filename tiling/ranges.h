/* ranges.h - ranges of an index of the result, by which tile_reference evaluates: memory holds the points of
 * a range at a time.
 */
#ifndef ONYX_TILING_RANGES_H
#define ONYX_TILING_RANGES_H

#include "tiling/tiling.h"

enum { REFERENCE_RANGES_MOST = 16 };

/* Coordinates from `first` up to below `end`, of a variable handle. */
typedef struct {
    uint32_t var, first, end;
} reference_range;

typedef struct {
    uint32_t n; /* 1: everything at once */
    reference_range at[REFERENCE_RANGES_MOST];
} reference_ranges;

/* Divides the evaluation into ranges with about `entries` entries of operands each. Entries of operands
 * without the index are read for each range: fewer ranges are made where many are. */
reference_ranges reference_ranges_of(const sam_statement *s, const tile_operands *in, uint64_t entries);

/* tile_reference, by these ranges. */
bool tile_reference_by(const sam_statement *s, const tile_operands *in, uint64_t entries, arena *mem,
                       diagnostics *d, tile_tensor *out);

#endif
