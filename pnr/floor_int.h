/* floor_int.h - the period that no design beats, and what nets have to do to keep one. */
#ifndef ONYX_PNR_FLOOR_INT_H
#define ONYX_PNR_FLOOR_INT_H

#include "pnr/pnr_int.h"

/* What bounds the period of a netlist on a board. */
typedef struct {
    const netlist *net;
    const pnr_board *board;
    const pnr_delays *d;
    const bool *early; /* by net: it may have no pair */
    bool paired;       /* others may */
    bool fabric_only;  /* IO on any column */
} pnr_limits;
pnr_limits pnr_limits_of(const netlist *n, const pnr_board *b, const pnr_delays *d, arena *mem);
pnr_limits pnr_design_limits(const pnr_design *design, const pnr_delays *d, arena *mem);
/* Return the period that no placement and no routing can beat: of one net, or of all and the slowest core. */
uint32_t pnr_net_floor(const pnr_limits *l, uint32_t net);
uint32_t pnr_floor(const pnr_limits *l);
/* Must every branch of this net have a pair on its first two hops to keep the period? */
bool pnr_is_led(const pnr_limits *l, uint32_t net, uint32_t period);
/* May this sink be `hops` away, 0 or 1, without a pair? */
bool pnr_may_be_near(const pnr_limits *l, uint32_t net, uint32_t sink, uint32_t hops, uint32_t period);
/* Measures a path without pairs between tiles `distance` apart, over tiles that are fast to cross. */
uint32_t pnr_plain_delay(const pnr_limits *l, net_tile from, net_tile to, uint32_t distance);
/* Returns the sides, bit by bit, by which the first hop of a branch may leave a source's tile, or the one
 * below an IO tile, if a pair follows at once. */
uint32_t pnr_lead_sides(const pnr_limits *l, pnr_site at, uint32_t period);
/* Returns the least period, not below the given one, for which there is such a side. */
uint32_t pnr_lead_period(const pnr_limits *l, pnr_site at, uint32_t period);

#endif
