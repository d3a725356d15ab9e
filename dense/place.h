/* place.h - a dense design placed and routed anew, its schedules moved to its new registers. */
#ifndef ONYX_DENSE_PLACE_H
#define ONYX_DENSE_PLACE_H

#include "dense/design.h"

typedef struct {
    dense_design design, from; /* from: the tiles and links that were placed */
    const pnr_site *site;      /* by tile of `from` */
    int32_t *delay[2]; /* by column of IO tiles: cycles by which words come, and leave, later than in the old
                          design */
    uint32_t off;      /* disabled tiles of the design, all enabled now */
    uint32_t lengthened; /* sinks led over longer paths, for their registers */
    uint32_t wires[2];   /* switch-box outputs in use, of words and of bits */
    uint32_t registers;  /* on routes and at operands of PEs */
    uint32_t period_ps;  /* of paths between registers, for which the registers were chosen; 0 for .packed */
    uint64_t seed;       /* of the kept anneal */
} dense_placed;

/* Finds sites, routes and registers for the tiles and links of a design, whose own routes are dropped. IO
 * tiles stay in their columns. A link keeps its registers, corrected by the change of its ends' start cycles;
 * schedules of the ends and of late rows are moved by this change. Errors: those of pnr_place and
 * pnr_route_all, E0984-dense-registers. */
bool dense_place(const dense_design *design, const pnr_options *options, diagnostics *d, dense_placed *out);
/* Returns the design without routes: only tiles with units are left, fed by links. *off counts disabled
 * tiles, which are not kept. */
dense_design dense_unroute(const dense_design *design, arena *mem, uint32_t *off);

#endif
