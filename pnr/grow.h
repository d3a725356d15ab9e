/* grow.h - the paths of a net. */
#ifndef ONYX_PNR_GROW_H
#define ONYX_PNR_GROW_H

#include "pnr/route_int.h"

/* Returns the output that drives a wire. */
route_port route_start_of(const router *r, uint32_t wire);
/* Returns the fewest hops to a sink from the tree, or from the source. */
uint32_t route_distance(const router *r, const route_tree *t, uint32_t net, uint32_t sink);
/* Frees the wires of a net. */
void route_rip_up(router *r, uint32_t net);
/* Returns whether another net, too, has a wire of the net. */
bool route_is_shared(const router *r, uint32_t net);
/* Routes the net to every unreached sink, nearest first or farthest first. Returns false if a sink is
 * unreachable. */
bool route_grow(router *r, uint32_t net, bool farthest);
/* Writes the net's tree as a route of the design; the route is empty while a sink is unreached. */
void route_write(const router *r, uint32_t net, arena *mem, pnr_route *out);

#endif
