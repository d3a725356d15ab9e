/* floor_int.h - the lower bound of the period, and the conditions on nets to keep a period. */
#ifndef ONYX_PNR_FLOOR_INT_H
#define ONYX_PNR_FLOOR_INT_H

#include "pnr/pnr_int.h"

/* Inputs of the bound of a netlist's period on a board. */
typedef struct {
    const netlist *net;
    const pnr_board *board;
    const pnr_delays *d;
    const bool *early; /* by net: a pair is forbidden */
    bool paired;       /* others may */
    bool fabric_only;  /* IO on any column */
    uint32_t mhz;      /* of pnr_options */
} pnr_limits;
pnr_limits pnr_limits_of(const netlist *n, const pnr_board *b, const pnr_delays *d, arena *mem);
pnr_limits pnr_design_limits(const pnr_design *design, const pnr_delays *d, arena *mem);
/* Return the lower bound of the period: of a net, or of all nets and the slowest core. */
uint32_t pnr_net_floor(const pnr_limits *l, uint32_t net);
uint32_t pnr_floor(const pnr_limits *l);
/* Returns the longest period in picoseconds that is `mhz` when rounded; 0 of 0. */
uint32_t pnr_period_of(uint32_t mhz);
/* Returns the period to look for: the bound of all nets, or a longer period that is enough. */
uint32_t pnr_target(const pnr_limits *l);
/* Must every branch of this net have a pair on its first two hops to keep the period? */
bool pnr_is_led(const pnr_limits *l, uint32_t net, uint32_t period);
/* May this sink be `hops` away, 0 or 1, without a pair? */
bool pnr_may_be_near(const pnr_limits *l, uint32_t net, uint32_t sink, uint32_t hops, uint32_t period);
/* Measures a path without pairs between tiles `distance` apart, over tiles with the fastest crossing. */
uint32_t pnr_plain_delay(const pnr_limits *l, net_tile from, net_tile to, uint32_t distance);
/* Returns the sides, a bit each, allowed for the first hop of a branch from a source's tile, or the tile
 * below an IO tile, if a pair follows at once. */
uint32_t pnr_lead_sides(const pnr_limits *l, pnr_site at, uint32_t period);
/* Returns the least period, not below the given period, with an allowed side. */
uint32_t pnr_lead_period(const pnr_limits *l, pnr_site at, uint32_t period);

#endif
