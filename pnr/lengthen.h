/* lengthen.h - paths for nets whose sinks need different numbers of registers: nets of dense tiles. */
#ifndef ONYX_PNR_LENGTHEN_H
#define ONYX_PNR_LENGTHEN_H

#include "pnr/design.h"

/* Returns the number of the wire that a hop goes over. */
static inline uint32_t pnr_wire_of(const pnr_board *b, const pnr_hop *h) {
    return ((h->y * b->width + h->x) * 4 + h->side) * b->tracks + h->track;
}
static inline uint32_t pnr_away(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* A sink, by net and place, whose path must have room for `registers` registers. */
typedef struct {
    uint32_t net, sink, registers;
} pnr_longer;
/* For routes whose sinks need registers, `wants` of each sink of the net: a common stretch has room for the
 * least number of its sinks. pnr_room returns the room on the path to a sink; pnr_lengthen routes a sink over
 * free wires with room for want.registers registers, and returns whether a path exists; otherwise the route
 * stays. */
uint32_t pnr_room(const pnr_route *r, const uint32_t *wants, uint32_t sink);
bool pnr_lengthen(pnr_design *design, pnr_longer want, const uint32_t *wants, arena *mem);
/* Makes the route without the part needed only by this sink. */
void pnr_drop_branch(const pnr_route *r, uint32_t sink, arena *mem, pnr_route *out);

#endif
