/* timeline.h - activity of channels over time, for a page that zooms from a program to a cycle: the file
 * timeline.json of docs/cycle.md. */
#ifndef ONYX_TIMELINE_H
#define ONYX_TIMELINE_H

#include "rtl_models/cycle/cycle.h"

typedef struct timeline timeline;

/* Start and end of a channel; `kind`: its kind if the channel does not connect two tiles, else NULL. */
typedef struct {
    const char *from, *to, *kind;
} timeline_lane;
typedef VEC(timeline_lane) timeline_lanes;

/* Every lane is idle at first. The texts must outlive the timeline. */
timeline *timeline_begin(const timeline_lanes *lanes, arena *mem);
/* Activity of a lane, by index, from `cycle` on; cycles of a lane never fall. */
void timeline_put(timeline *t, uint32_t lane, uint64_t cycle, cycle_activity activity);
/* Writes FOLDER/timeline.json. */
bool timeline_end(timeline *t, const char *folder, diagnostics *d);

#endif
