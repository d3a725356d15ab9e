/* meet.h - the number of matches of two operands' fibers in a run, for the model of a run's cost. */
#ifndef ONYX_TILING_MEET_H
#define ONYX_TILING_MEET_H

#include "tiling/plan_int.h"

/* Fills p->meetings. */
void plan_find_meetings(tile_planner *p);
/* Counts the matches for a run on these sub-tiles (by tensor): fills p->skew. O(coordinates with entries). */
void plan_meet(tile_planner *p, const uint32_t *sub);

#endif
