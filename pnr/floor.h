/* floor.h - the fastest clock of a netlist, before placement. */
#ifndef ONYX_PNR_FLOOR_H
#define ONYX_PNR_FLOOR_H

#include "pnr/pnr.h"

/* Returns the period in picoseconds that no placement and no routing of the netlist beats, with SplitFIFO
 * pairs (`paired`) or without; 0: the board states no delays. O(nets). */
uint32_t pnr_fastest(const netlist *n, const pnr_board *b, bool paired, arena *mem);

#endif
