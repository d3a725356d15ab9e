/* meet.h - how often the fibers of two operands meet in a run, for the model of what a run costs.
 */
#ifndef ONYX_TILING_MEET_H
#define ONYX_TILING_MEET_H

#include "tiling/plan_int.h"

/* Fills p->meetings. */
void plan_find_meetings(tile_planner *p);
/* Counts them for a run on these sub-tiles (by tensor): fills p->skew. O(coordinates with entries). */
void plan_meet(tile_planner *p, const uint32_t *sub);

#endif
