/* lengthen.h - paths for nets whose sinks want registers of their own number: those of dense tiles. */
#ifndef ONYX_PNR_LENGTHEN_H
#define ONYX_PNR_LENGTHEN_H

#include "pnr/design.h"

/* A sink, by net and place, whose path is to have room for so many registers. */
typedef struct {
    uint32_t net, sink, registers;
} pnr_longer;
/* For routes whose sinks want registers, `wants` of each sink of the net: a stretch that sinks share has room
 * for as many as the least that one of them wants. pnr_room returns the room on the way to a sink;
 * pnr_lengthen leads a sink over free wires with room for want.registers of them. It returns whether
 * there is a path; else the route stays. */
uint32_t pnr_room(const pnr_route *r, const uint32_t *wants, uint32_t sink);
bool pnr_lengthen(pnr_design *design, pnr_longer want, const uint32_t *wants, arena *mem);
/* Makes the route without what only this sink needs. */
void pnr_drop_branch(const pnr_route *r, uint32_t sink, arena *mem, pnr_route *out);

#endif
