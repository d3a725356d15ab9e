/* sample.h - a part of the operands that stands for them. */
#ifndef ONYX_TILING_SAMPLE_H
#define ONYX_TILING_SAMPLE_H

#include "tiling/tiling_int.h"

/* A statement whose variables run less far, its operands, and which part of the whole's work that is. */
typedef struct {
    sam_statement statement;
    tile_operands in;
    double share;
} tile_sampled;
/* Makes a sample of about `most` entries: along as few loops as that takes, those of the most entries first,
 * blocks of coordinates that lie evenly over the range, moved next to each other. What is small
 * enough is its own sample. O(entries). */
void tile_sample(const sam_statement *s, const tile_operands *in, uint64_t most, arena *mem,
                 tile_sampled *out);

#endif
