/* runs.h - operands stored by runs of equal values: a single value of the result for each run. */
#ifndef ONYX_KERNEL_RUNS_H
#define ONYX_KERNEL_RUNS_H

#include "kernel/rewriting.h"

/* Segments without change of any operand, along rows: row i has the segments first[i] to first[i + 1] - 1;
 * segment s ends before coordinate end[s]. */
struct compile_runs {
    name_id operand; /* an operand with a value for each segment */
    bool summed;     /* along the rows: the result has no coordinates along them */
    uint32_t columns;
    const uint32_t *first, *end;
};

/* If the statement computes each value of a matrix from values at the same place, all stored by runs, or
 * integer sums of such values along rows: adds these operands, with the number of a segment for the column,
 * to the user's operands, after the *n present ones, under names of their own; for sums also the segments'
 * lengths; and records the segments in *data. Adds at most the number of the statement's tensors, plus 1.
 * O(entries * log). */
void compile_add_runs(const compile_options *o, compile_context *ctx, const sam_statement *st,
                      compile_data *data, tile_tensor *operands);
/* Finds the statement of segments. */
compile_rewriter compile_rewrite_runs;
/* Gives each coordinate of the result the value of its segment, if the kernel computed segments. */
void compile_expand_runs(compile_context *ctx, const compile_kernel *k, tile_tensor *result);

#endif
