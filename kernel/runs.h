/* runs.h - operands that are stored by runs of equal values: one value of the result for each run. */
#ifndef ONYX_KERNEL_RUNS_H
#define ONYX_KERNEL_RUNS_H

#include "kernel/rewriting.h"

/* Where no operand changes along rows of so many columns: row i has the segments first[i] to first[i + 1] -
 * 1, of which s ends before coordinate end[s]. */
struct compile_runs {
    name_id operand; /* one that has a value for each segment */
    bool summed;     /* along the rows: the result has no coordinates along them */
    uint32_t columns;
    const uint32_t *first, *end;
};

/* Where the statement computes each value of a matrix of those at the same place, all stored by runs, or sums
 * of such values along rows, of integers, adds these operands with the number of a segment for the column to
 * the user's operands, behind the *n that are there, under names of their own, for sums the segments'
 * lengths, and says in *data where the segments are. At most as many as the statement has tensors, and one.
 * O(entries * log). */
void compile_add_runs(const compile_options *o, compile_context *ctx, const sam_statement *st,
                      compile_data *data, tile_tensor *operands);
/* Finds the statement of segments. */
compile_rewriter compile_rewrite_runs;
/* Gives each coordinate of the result the value of its segment, if the kernel computed segments. */
void compile_expand_runs(compile_context *ctx, const compile_kernel *k, tile_tensor *result);

#endif
