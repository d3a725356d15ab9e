/* levels.h - contents of a graph's memories. */
#ifndef ONYX_SAM_LEVELS_H
#define ONYX_SAM_LEVELS_H

#include "sam/statement.h"

/* A storage level. Compressed: crd of fiber f is crd[seg[f] .. seg[f+1]); dense: dim only. */
typedef struct {
    sam_level_format format;
    uint32_t dim;
    const uint32_t *seg, *crd;
    uint32_t n_seg, n_crd;
} sam_level_data;

/* A tensor as levels and values; values are raw 16-bit words (int16 or bfloat16). */
typedef struct {
    name_id name;
    uint32_t order;
    sam_level_data level[SAM_MAX_ORDER]; /* by storage level */
    const uint16_t *vals;
    uint32_t n_vals;
} sam_tensor_levels;

/* Words of a stream with a table instead of a tensor; n 0: the stream has a tensor. */
typedef struct {
    const uint16_t *word;
    uint32_t n;
} sam_table;

#endif
