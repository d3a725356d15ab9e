/* design.h - placement and routes. */
#ifndef ONYX_PNR_DESIGN_H
#define ONYX_PNR_DESIGN_H

#include "pnr/fabric.h"

typedef struct {
    uint16_t x, y;
} pnr_site;

/* A switch-box output used by a net. */
typedef struct {
    uint16_t x, y;
    uint8_t side, track;
    bool from_core; /* driven by the tile's core output `port`; otherwise by input (from_side, from_track) */
    uint8_t port;
    uint8_t from_side, from_track;
    bool registered; /* register mux selects the SplitFIFO */
    bool fifo_start, fifo_end;
    uint32_t parent; /* index of the hop arriving at (from_side, from_track), or PNR_NO_HOP when from_core or
                        when an IO tile drives this wire */
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
    VEC(pnr_sink) sinks; /* a sink each of the net, same order */
    bool early;          /* carries tokens before the flush, which empties no SplitFIFO: must have none */
} pnr_route;

/* Measurements of the passes, printed by pnr_report. */
typedef struct {
    uint64_t seed;             /* of the kept anneal */
    uint32_t seeds;            /* anneals tried */
    uint32_t lanes;            /* copies the placement is made of; 0 when placed as a whole */
    uint32_t moves;            /* annealing moves proposed in all */
    bool out_of_time;          /* placement was cut short by the time limit */
    uint32_t route_iterations; /* rounds of negotiation, at least 1 once routed */
    uint32_t refined_hops;     /* hops saved after the routes became legal */
    uint32_t repaired_nets;    /* times a net was led again for a shorter period */
    double place_seconds, route_seconds;
} pnr_stats;

typedef struct {
    const netlist *net;
    const pnr_board *board;
    bool fabric_only, io_fan_out, own_tiles; /* see pnr_options */
    bool no_pairs;                           /* must not be pipelined */
    uint32_t mhz;                            /* see pnr_options */
    const uint32_t *flush;                   /* see pnr_options; the caller's */
    VEC(pnr_site) site;                      /* by cell index (handle - 1) */
    VEC(pnr_route) route;                    /* by net index */
    pnr_stats stats;
} pnr_design;

/* A rectangle of tiles, both corners included. */
typedef struct {
    uint16_t x0, y0, x1, y1;
} pnr_region;

/* Places of SplitFIFO pairs. NONE: nowhere. EXHAUSTIVE: on every safe stretch of two hops. MIDPOINT: the
 * fewest pairs with the period of EXHAUSTIVE, each nearest to the middle of the slowest path, and all pairs
 * before a join named by pnr_balance. */
typedef enum { PNR_PIPELINE_NONE, PNR_PIPELINE_EXHAUSTIVE, PNR_PIPELINE_MIDPOINT } pnr_pipelining;

typedef struct {
    uint64_t seed;
    uint32_t moves; /* annealing moves; 0 = by size and effort */
    pnr_pipelining pipeline;
    bool fabric_only; /* IO on any column, IO tiles may fan out: the assumption of public netlists and other
                         tools. Legal for the routing fabric, but not for the chip as a whole: GLB tile g of
                         the chip has one load and one store stream and owns columns g * columns_per_glb_tile
                         and the next; inputs stand on the first column, outputs on the second */
    bool io_fan_out;  /* IO tiles may fan out, columns are the chip's: to compare with other tools */
    bool own_tiles; /* no GLB tile has both a load and a store: each stream has two banks for itself, and the
                       next batch can be loaded during a run (docs/program.md) */
    const pnr_site *fixed;    /* by cell index; x == PNR_FREE: not fixed. NULL: nothing is */
    const pnr_region *region; /* by cell; x0 == PNR_FREE: anywhere. NULL: every cell anywhere */
    const uint32_t *flush; /* by cell index: the number of the cell's flush. Cells of different flushes share
                              no flush group; numbers are the user's. NULL: all have the same flush */
    uint32_t effort;       /* 1 .. 10, every step doubles the annealing moves; 0 = 5 */
    uint32_t timing;   /* 0: least wire. From 1 on, placement and routing look for the period that no design
                          beats; towards 100 placement, too, keeps forked nets short, at the cost of wire */
    uint32_t mhz;      /* a clock that is enough: wire is saved instead of a faster one. 0: the fastest */
    uint32_t seeds;    /* anneals from `seed`, `seed` + 1, ...; the cheapest is kept. 0 = 1 */
    uint32_t threads;  /* number of simultaneous anneals, without influence on the result. 0 = 1 */
    bool whole;        /* equal unconnected lanes, unrolled kernels, are placed without copying */
    double time_limit; /* seconds for placement, and again for routing; 0 = none. A design cut off by the
                          limit depends on the machine */
} pnr_options;
/* Goals of onyx run, compile and pnr; pnr_options_default has the least wire and every pair. */
enum { PNR_TIMING_OF_RUN = 1, PNR_PIPELINE_OF_RUN = PNR_PIPELINE_MIDPOINT };
#define PNR_FREE UINT16_MAX
pnr_options pnr_options_default(void); /* seed 1, moves by size, pipelined, the chip's rules, nothing fixed */

#endif
