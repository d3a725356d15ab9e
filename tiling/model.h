/* model.h - what a run is expected to cost; private to tiling/. */
#ifndef ONYX_TILING_MODEL_H
#define ONYX_TILING_MODEL_H

#include "tiling/plan_int.h"

/* Finds the levels of the operands along each variable, which plan_cost reads. */
void plan_find_levels(tile_planner *p);

/* Returns the expected cycles of a run on these sub-tiles (by tensor); docs/tiling.md has the model. Adds
 * their components to work[TILE_WORKS], and finds in nodes[] the expected number of coordinates of each
 * compressed level of the result. */
double plan_cost(tile_planner *p, const uint32_t *sub, const plan_box *box, double *work, uint64_t *nodes);

#endif
