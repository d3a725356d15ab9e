/* unroll.h - a plan dealt to copies of the kernel. */
#ifndef ONYX_TILING_UNROLL_H
#define ONYX_TILING_UNROLL_H

#include "tiling/plan.h"

/* A stream, and its copy of the kernel. */
typedef struct {
    tile_stream stream;
    uint32_t copy;
} tile_copy_stream;

/* How tile pairs are dealt to the copies: in the order of the plan; pairs of similar size together;
 * each to the next free copy (by the engine, with the plan of one copy); or each to the copy of its group. */
typedef enum {
    TILE_DISPATCH_ORDER = 0, /* numbered as the words of --dispatch */
    TILE_DISPATCH_LOAD,
    TILE_DISPATCH_DYNAMIC,
    TILE_DISPATCH_BANKS
} tile_dispatch;

/* Makes the plan of `copies` copies from the plan of one: every new run takes the next `copies` runs of the
 * old plan, each on the streams of its own copy; with TILE_DISPATCH_BANKS the next run of each group, on the
 * group's copy. Copies without work in a run get empty sub-tiles. All copies start together and the slowest
 * ends the run: unless the order is fixed, runs are first sorted by the operands' words, most first. `inputs`
 * and `outputs` name the streams of all copies. The new plan shares the words of the old one. O(runs *
 * (inputs + log runs)). */
void tile_unroll(const tile_plan *one, uint32_t copies, tile_dispatch how, const tile_copy_stream *inputs,
                 uint32_t n_inputs, const tile_copy_stream *outputs, uint32_t n_outputs, arena *mem,
                 tile_plan *out);

/* Plans of kernels that start together: each has the streams of a copy, by its number. */
typedef struct {
    const tile_plan *of; /* without copies: its streams carry nothing here */
    uint32_t n, runs;    /* runs: at least so many */
    const tile_copy_stream *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
} tile_union;
/* Puts the plans beside each other: run r has run r of each. A kernel without a run r gets empty sub-tiles.
 * O(words + runs * inputs). */
void tile_unite(const tile_union *u, arena *mem, tile_plan *out);

#endif
