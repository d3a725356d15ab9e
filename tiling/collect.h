/* collect.h - results of runs, put together. */
#ifndef ONYX_TILING_COLLECT_H
#define ONYX_TILING_COLLECT_H

#include "tiling/plan.h"

/* Collects results: words[o] are the words output stream o delivered for this run. Adds them (wrap-around
 * int16; bf16 in float32, rounded once for every 2^20 partial results) at the origin of each copy's box;
 * coordinates beyond the box's or the result's extent are dropped. More words than the run's bounds are
 * E0341-result-stream, as is what is no fibertree. `plan` may be filled anew between runs, with the next
 * batch. */
typedef struct tile_collector tile_collector;
tile_collector *tile_collect_begin(const sam_statement *s, const tile_plan *plan, const uint32_t *extent,
                                   tile_dtype dtype, arena *mem);
/* Has the collector take the result of this copy alone, whose edges are those of the plan `own` (tile_unite),
 * and hand each run to the collector `next`, too, unless NULL. */
void tile_collect_copy(tile_collector *c, uint32_t copy, const tile_plan *own, tile_collector *next);
bool tile_collect_run(tile_collector *c, uint32_t run, const uint16_t *const *words, const uint32_t *lengths,
                      diagnostics *d);
bool tile_collect_end(tile_collector *c, arena *mem, tile_tensor *out);
/* Statistics of the collection: entries of partial results; seconds of adding up; words of the longest array
 * written into a memory tile in each run, and the plan's room for them, summed over the runs. */
typedef struct {
    uint64_t entries, words, bound_words;
    double seconds;
} tile_collected;
tile_collected tile_collect_cost(const tile_collector *c);

#endif
