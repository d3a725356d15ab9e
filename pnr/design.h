/* design.h - placement and routes. */
#ifndef ONYX_PNR_DESIGN_H
#define ONYX_PNR_DESIGN_H

#include "pnr/fabric.h"

typedef struct {
    uint16_t x, y;
} pnr_site;

/* One switch-box output a net uses. */
typedef struct {
    uint16_t x, y;
    uint8_t side, track;
    bool from_core; /* driven by the tile's core output `port`; otherwise by input (from_side, from_track) */
    uint8_t port;
    uint8_t from_side, from_track;
    bool registered; /* register mux selects the SplitFIFO */
    bool fifo_start, fifo_end;
    uint32_t parent; /* index of the hop whose wire arrives at (from_side, from_track), or PNR_NO_HOP
                        when from_core or when an IO tile drives that wire */
} pnr_hop;

/* How a sink is reached: its connection box picks input (side, track) at the sink's tile. An IO sink at (x,
 * 0) is fed by switch-box output NORTH, track 0, of (x, 1): `hop` is that output and side, track are unused.
 */
typedef struct {
    uint32_t hop; /* last hop, or PNR_NO_HOP when an IO tile drives the wire directly */
    uint8_t side, track;
} pnr_sink;

typedef struct {
    VEC(pnr_hop) hops;   /* parents before children */
    VEC(pnr_sink) sinks; /* one per sink of the net, same order */
    bool early;          /* carries tokens before the flush, which empties no SplitFIFO: has none */
} pnr_route;

/* What the stages measured; pnr_report prints it. */
typedef struct {
    uint64_t seed;             /* of the anneal that was kept */
    uint32_t seeds;            /* anneals tried */
    uint32_t lanes;            /* copies the placement is made of; 0 when placed as a whole */
    uint32_t moves;            /* annealing moves proposed in all */
    bool out_of_time;          /* placement was cut short by the time limit */
    uint32_t route_iterations; /* rounds of negotiation, at least 1 once routed */
    uint32_t refined_hops;     /* hops saved after the routes became legal */
    uint32_t repaired_nets;    /* nets led again for a shorter period */
    double place_seconds, route_seconds;
} pnr_stats;

typedef struct {
    const netlist *net;
    const pnr_board *board;
    bool fabric_only, io_fan_out, own_tiles; /* see pnr_options */
    bool no_pairs;                           /* it is not to be pipelined */
    const uint32_t *flush;                   /* see pnr_options; the caller's */
    VEC(pnr_site) site;                      /* by cell index (handle - 1) */
    VEC(pnr_route) route;                    /* by net index */
    pnr_stats stats;
} pnr_design;

/* A rectangle of tiles. Both corners belong to it. */
typedef struct {
    uint16_t x0, y0, x1, y1;
} pnr_region;

/* Where SplitFIFO pairs stand. NONE: nowhere. EXHAUSTIVE: on every safe stretch of two hops. MIDPOINT: as few
 * as keep the period that all of them would give, each nearest to the middle of the slowest path, and all of
 * them before a join that pnr_balance would name. */
typedef enum { PNR_PIPELINE_NONE, PNR_PIPELINE_EXHAUSTIVE, PNR_PIPELINE_MIDPOINT } pnr_pipelining;

typedef struct {
    uint64_t seed;
    uint32_t moves; /* annealing moves; 0 = by size and effort */
    pnr_pipelining pipeline;
    bool fabric_only; /* IO on any column, IO tiles may fan out: what public netlists and other tools assume.
                         Legal for the routing fabric, but not for the chip as a whole: there GLB tile g has
                         one load and one store stream and owns columns g * columns_per_glb_tile and the
                         next; inputs stand on the first of them, outputs on the second */
    bool io_fan_out;  /* IO tiles may fan out, columns are the chip's: to compare with other tools */
    bool own_tiles;   /* no GLB tile has a load and a store: each stream has two banks for itself, so that the
                         next batch can be loaded while one runs (docs/program.md) */
    const pnr_site *fixed;    /* by cell index; x == PNR_FREE: not fixed. NULL: nothing is */
    const pnr_region *region; /* by cell index: where the cell may stand; x0 == PNR_FREE: anywhere. NULL: so
                                 is every cell */
    const uint32_t *flush; /* by cell index: the number of the flush that resets it. Cells of different ones
                              share no flush group; numbers are the user's. NULL: all have one */
    uint32_t effort;       /* 1 .. 10, every step doubles the annealing moves; 0 = 5 */
    uint32_t timing;   /* 0: least wire. From 1 on, placement and routing look for the period that no design
                          beats; towards 100 placement, too, keeps forked nets short, at the cost of wire */
    uint32_t seeds;    /* anneals from `seed`, `seed` + 1, ...; the cheapest is kept. 0 = 1 */
    uint32_t threads;  /* that anneal at a time; the result does not depend on it. 0 = 1 */
    bool whole;        /* equal unconnected parts, unrolled kernels, are not placed by copying one */
    double time_limit; /* seconds for placement, then for routing; 0 = none. A design that meets it depends on
                          the machine */
} pnr_options;
/* What onyx run, compile and pnr look for; pnr_options_default has the least wire and every pair. */
enum { PNR_TIMING_OF_RUN = 1, PNR_PIPELINE_OF_RUN = PNR_PIPELINE_MIDPOINT };
#define PNR_FREE UINT16_MAX
pnr_options pnr_options_default(void); /* seed 1, moves by size, pipelined, the chip's rules, nothing fixed */

#endif
