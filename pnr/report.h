/* report.h - a design in numbers. */
#ifndef ONYX_PNR_REPORT_H
#define ONYX_PNR_REPORT_H

#include "pnr/design.h"

/* Returns the half-perimeter wire length, summed over all nets. */
uint32_t pnr_hpwl(const pnr_design *design);
/* Returns how many switch-box outputs are in use. */
uint32_t pnr_hops(const pnr_design *design);
/* Counts the SplitFIFO pairs on the way to a sink: none serves another sink, each holds two tokens. */
uint32_t pnr_pairs_to(const pnr_route *r, uint32_t sink);
/* Returns {"board", "seed", "tiles": {kind: {"used", "have"}}, "hpwl", "hops", "longest_path", "fifo_pairs",
 * "seconds": {...}, ...}; the caller deletes the report. */
cJSON *pnr_report(const pnr_design *design);

#endif
