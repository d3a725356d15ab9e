/* capacity.h - how long the result of a run may be. */
#ifndef ONYX_TILING_CAPACITY_H
#define ONYX_TILING_CAPACITY_H

#include "tiling/plan_int.h"

/* Returns how long the result may be at most, by how many coordinates the sub-tiles (by tensor) have along
 * each variable. */
plan_bound plan_bound_result(const tile_planner *p, const uint32_t *sub, const plan_box *box);
bool plan_result_fits(const tile_planner *p, plan_bound r);
/* Prepares p->walk, if the statement's loops can be visited. */
void plan_begin_walks(tile_planner *p);
/* Lowers *bound to the count of a walk over the sub-tiles, unless the count exceeds the room; with limited
 * steps, to the model's expectation. */
bool plan_count_result(tile_planner *p, const uint32_t *sub, const plan_box *box, plan_bound *bound);

#endif
