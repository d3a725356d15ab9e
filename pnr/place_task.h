/* place_task.h - the placement task, lane by lane or as a whole. */
#ifndef ONYX_PNR_PLACE_TASK_H
#define ONYX_PNR_PLACE_TASK_H

#include "pnr/pnr_int.h"

/* The netlist to place, and the destinations of memory and messages. */
typedef struct {
    const netlist *net;
    const pnr_board *board;
    const pnr_options *options;
    uint32_t lanes; /* lanes in the whole netlist; 1: no lane */
    arena *mem;
    diagnostics *d;
} place_task;

typedef struct placer placer; /* place_int.h */

/* Lays the problem out in flat arrays and puts every cell on an allowed site. Errors: E0512-bad-fixed,
 * E0513-bad-region, E0514-flush-groups. */
bool place_start(const place_task *t, placer *out);
/* Places a netlist cell by cell. Gives `at` by cell and its cost, and adds to `stats`. Errors: as pnr_place.
 */
bool place_whole(const place_task *t, pnr_stats *stats, pnr_site *at, int64_t *cost);
/* Places a netlist of equal lanes; false if the netlist has none, or its lanes do not fit side by side. */
bool place_lanes(const place_task *t, pnr_stats *stats, pnr_site *at);

#endif
