/* early.h - nets whose tokens come before the flush. */
#ifndef ONYX_LOWER_ONYX_EARLY_H
#define ONYX_LOWER_ONYX_EARLY_H

#include "lower_onyx/netlist.h"

/* early[net]: tokens may come on that net before any word from the global buffer, since a dense scanner at
 * the root starts as soon as its column is not stalled. The flush at the start of a run empties the FIFOs of
 * the tiles, but no SplitFIFO: such a net must not have any. O(nets^2 * pins). */
void net_early(const netlist *n, bool *early);

#endif
