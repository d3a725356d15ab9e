/* lengthen.h - longer paths: for nets of dense tiles whose sinks need different numbers of registers, and for
 * more tokens on the way to a sink. */
#ifndef ONYX_PNR_LENGTHEN_H
#define ONYX_PNR_LENGTHEN_H

#include "pnr/design.h"

/* A sink, by net and place, whose path must have room for so many registers, or pairs of SplitFIFOs. */
typedef struct {
    uint32_t net, sink, room;
} pnr_longer;
/* For routes whose sinks need registers, `wants` of each sink of the net: a common stretch has room for the
 * least number of its sinks. pnr_room returns the room on the path to a sink; pnr_lengthen routes a sink over
 * free wires with room for want.room registers, and returns whether a path exists; otherwise the route
 * stays. */
uint32_t pnr_room(const pnr_route *r, const uint32_t *wants, uint32_t sink);
bool pnr_lengthen(pnr_design *design, pnr_longer want, const uint32_t *wants, arena *mem);
/* Reroutes sinks with fewer SplitFIFO pairs than wanted over longer paths of their own, with as many pairs as
 * possible. A sink without a longer path keeps its route, and sinks of IO tiles do, too. Call after
 * pnr_route_all. */
void pnr_stretch(pnr_design *design, const pnr_longer *want, uint32_t n, arena *mem);

#endif
