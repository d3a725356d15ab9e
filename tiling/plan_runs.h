/* plan_runs.h - runs of a plan. */
#ifndef ONYX_TILING_PLAN_RUNS_H
#define ONYX_TILING_PLAN_RUNS_H

#include "tiling/plan_int.h"

/* Returns whether anything of the right side is in the run. */
bool plan_has_work(const tile_planner *p, const uint32_t *sub);
bool plan_refuse_result(tile_planner *p, plan_bound bound);
/* Makes the runs of a box: one, or the runs of its halves if a memory is too small. */
bool plan_emit(tile_planner *p, const uint32_t *sub, const plan_box *box, bool whole);

#endif
