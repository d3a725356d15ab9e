/* pnr.h - the fabric, and a netlist's place and routes on it.
 *
 * Coordinates: x grows east, y south, (0,0) top left; row 0 is the IO row. Sides: EAST 0, SOUTH 1, WEST 2,
 * NORTH 3. The routing graph is implicit: a wire is a switch-box output (x, y, side, track); it arrives at
 * the neighbour on that side as a switch-box input on the opposite side, same track.
 */
#ifndef ONYX_PNR_H
#define ONYX_PNR_H

#include "lower_onyx/lower_onyx.h"
#include "pnr/balance.h"
#include "pnr/board.h"
#include "pnr/clock.h"
#include "pnr/design.h"
#include "pnr/fabric.h"
#include "pnr/files.h"
#include "pnr/fits.h"
#include "pnr/graph.h"
#include "pnr/lengthen.h"
#include "pnr/report.h"
#include "pnr/sta.h"

/* Finds a site for every cell: a constructive start, then simulated annealing of the estimated routed length.
 * The same input and seed give the same sites, whatever the threads. Errors: E0510-too-large,
 * E0511-io-fanout, E0512-bad-fixed, E0513-bad-region, E0514-flush-groups. */
bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out);
/* Routes by negotiated congestion, and pipelines. Fails with E0520-unroutable (exit 2) naming overused wires;
 * the partial routes stay in `design`. */
bool pnr_route_all(pnr_design *design, const pnr_options *o, arena *mem, diagnostics *d);
/* Walks the wires by the device model alone and checks sites (E0530), exclusivity (E0531), connection
 * (E0532), that every sink is reached once (E0533), IO rules (E0534), FIFO pairs (E0535), the broadcast rule
 * (E0536), array edges (E0537) and flush groups (E0538). */
bool pnr_check(const pnr_design *design, diagnostics *d);

#endif
