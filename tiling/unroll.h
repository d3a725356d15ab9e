/* unroll.h - a plan dealt to copies of the kernel. */
#ifndef ONYX_TILING_UNROLL_H
#define ONYX_TILING_UNROLL_H

#include "tiling/plan.h"

/* A stream, and which copy of the kernel it belongs to. */
typedef struct {
    tile_stream stream;
    uint32_t copy;
} tile_copy_stream;

/* How pairs of sub-tiles are dealt to the copies: in the order of the plan, those of like size together, each
 * when a copy is free (which the engine decides; the plan stays that of one copy), or each to the copy of its
 * group. */
typedef enum {
    TILE_DISPATCH_ORDER = 0, /* numbered as the words of --dispatch */
    TILE_DISPATCH_LOAD,
    TILE_DISPATCH_DYNAMIC,
    TILE_DISPATCH_BANKS
} tile_dispatch;

/* Makes of the plan of one copy that of `copies` of them: every run of the new plan takes the next `copies`
 * runs of the old one, each on the streams of its own copy; or with TILE_DISPATCH_BANKS the next one of each
 * group, on that copy. Copies that a run has nothing for get empty sub-tiles. All copies start together and
 * the slowest ends the run, so unless their order is to stay runs are first sorted by how many words the
 * operands have, most first. `inputs` and `outputs` name the streams of all copies. The new plan shares the
 * words of the old one. O(runs * (inputs + log runs)). */
void tile_unroll(const tile_plan *one, uint32_t copies, tile_dispatch how, const tile_copy_stream *inputs,
                 uint32_t n_inputs, const tile_copy_stream *outputs, uint32_t n_outputs, arena *mem,
                 tile_plan *out);

#endif
