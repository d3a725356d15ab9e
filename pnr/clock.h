/* clock.h - a design for a stated clock, pnr_options.mhz. */
#ifndef ONYX_PNR_CLOCK_H
#define ONYX_PNR_CLOCK_H

#include "pnr/sta.h"

/* Returns the timing to place and route with: 0, the least wire, where that reaches the stated clock. As long
 * as a placement and its routes. */
uint32_t pnr_timing_for(const netlist *n, const pnr_board *b, pnr_options o);
/* Warns of a design that is slower than its clock: E0551-clock. */
void pnr_judge_clock(const pnr_design *design, const pnr_timing *t, diagnostics *d);

#endif
