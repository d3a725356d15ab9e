/* grow.h - the ways of one net. */
#ifndef ONYX_PNR_GROW_H
#define ONYX_PNR_GROW_H

#include "pnr/route_int.h"

/* Returns the output at which a wire starts. */
route_port route_start_of(const router *r, uint32_t wire);
/* Returns the fewest hops to a sink from what the tree holds, or from the source. */
uint32_t route_distance(const router *r, const route_tree *t, uint32_t net, uint32_t sink);
/* Frees the wires that a net uses. */
void route_rip_up(router *r, uint32_t net);
/* Leads the net to every sink that it has not reached, nearest first or farthest first. Returns false if one
 * cannot be reached at all. */
bool route_grow(router *r, uint32_t net, bool farthest);
/* Writes the net's tree as a route of the design, which is empty while a sink is unreached. */
void route_write(const router *r, uint32_t net, arena *mem, pnr_route *out);

#endif
