/* sample.h - a representative sample of the operands. */
#ifndef ONYX_TILING_SAMPLE_H
#define ONYX_TILING_SAMPLE_H

#include "tiling/tiling_int.h"

/* A statement with shorter variables, its operands, and their share of the whole work, which may be 1 for a
 * cut sample, too. */
typedef struct {
    sam_statement statement;
    tile_operands in;
    double share;
    bool cut; /* entries or coordinates are left out */
} tile_sampled;
/* Makes a sample of about `most` entries: blocks of coordinates evenly spread over the range, moved together,
 * along as few loops as possible, loops of the most entries first. A small operand is its own sample.
 * O(entries). */
void tile_sample(const sam_statement *s, const tile_operands *in, uint64_t most, arena *mem,
                 tile_sampled *out);

#endif
