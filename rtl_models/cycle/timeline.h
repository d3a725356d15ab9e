/* timeline.h - what channels do over time, for a page that zooms from a program to a cycle: the file that
 * docs/cycle.md describes under timeline.json. */
#ifndef ONYX_TIMELINE_H
#define ONYX_TIMELINE_H

#include "rtl_models/cycle/cycle.h"

typedef struct timeline timeline;

/* Where a channel begins and ends; `kind` is what it is where that is no connection of two tiles, or NULL. */
typedef struct {
    const char *from, *to, *kind;
} timeline_lane;
typedef VEC(timeline_lane) timeline_lanes;

/* Every lane is idle at first. The texts must outlive it. */
timeline *timeline_begin(const timeline_lanes *lanes, arena *mem);
/* What a lane, by index, does from `cycle` on; cycles of a lane never fall. */
void timeline_put(timeline *t, uint32_t lane, uint64_t cycle, cycle_activity activity);
/* Writes FOLDER/timeline.json. */
bool timeline_end(timeline *t, const char *folder, diagnostics *d);

#endif
