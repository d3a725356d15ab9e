/* pnr.h - the fabric, and a netlist's place and routes on it.
 *
 * Coordinates: x grows east, y south, (0,0) top left; row 0 is the IO row. Sides: EAST 0, SOUTH 1, WEST 2,
 * NORTH 3. The routing graph is implicit: a wire is a switch-box output (x, y, side, track); it arrives at
 * the neighbour on that side as a switch-box input on the opposite side, same track.
 */
#ifndef ONYX_PNR_H
#define ONYX_PNR_H

#include "lower_onyx/lower_onyx.h"

typedef enum { PNR_EAST, PNR_SOUTH, PNR_WEST, PNR_NORTH } pnr_side;
#define PNR_NO_HOP UINT32_MAX

/* ---- board ----------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *name;               /* "onyx" */
    const char *folder;             /* where register map tables lie: "boards/onyx" */
    uint32_t width, height;         /* 32, 17: height counts the IO row */
    uint32_t tracks;                /* per side and direction */
    uint32_t mem_period, mem_phase; /* MEM column iff x % period == phase */
    uint32_t glb_tiles, glb_bank_bytes, glb_banks_per_tile, columns_per_glb_tile;
    uint32_t mem_words; /* words of one ID of a MEM tile's buffet */
    const cJSON *json;  /* the whole document, for sections other rooms read (memory map, clocks, delays) */
} pnr_board;

/* Reads boards/NAME.json (or a path that ends in .json), validates it; errors E05nn located. */
bool pnr_board_read(const char *name_or_path, arena *mem, diagnostics *d, pnr_board *out);
net_tile pnr_site_tile(const pnr_board *b, uint32_t x, uint32_t y); /* what stands at (x, y) */

/* The switch box: input (side, track) leads to output track *out_track of out_side; false for a U-turn. */
bool pnr_switch_track(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                      uint32_t *out_track);
/* Mux select of the switch-box output (out_side, out_track) for that input: 0..2 (onyx_hardware 1.2
 * numbering). */
bool pnr_switch_select(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                       uint32_t out_track, uint32_t *select);

/* ---- design: placement and routes -------------------------------------------------------------------------
 */

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
} pnr_route;

typedef struct {
    const netlist *net;
    const pnr_board *board;
    VEC(pnr_site) site;   /* by cell index (handle - 1) */
    VEC(pnr_route) route; /* by net index */
} pnr_design;

typedef struct {
    uint64_t seed;
    uint32_t moves; /* annealing moves; 0 = by size */
    bool pipeline;  /* SplitFIFO pairs on every route that offers two consecutive hops */
} pnr_options;
pnr_options pnr_options_default(void);

/* Resource table before anything else; E0510-too-large (exit 2) names what is short. */
bool pnr_fits(const netlist *n, const pnr_board *b, diagnostics *d);
bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out);
/* Negotiated congestion. Fails with E0520-unroutable (exit 2) naming overused wires; routes so far stay in
 * `design`. */
bool pnr_route_all(pnr_design *design, const pnr_options *o, arena *mem, diagnostics *d);
/* Walks wires from the device model alone: sites, exclusivity, every sink reached once, IO rules, FIFO pairs,
 * broadcast rule. */
bool pnr_check(const pnr_design *design, diagnostics *d);

bool pnr_write_packed(const netlist *n, const char *path, diagnostics *d);
bool pnr_write_place(const pnr_design *design, const char *path, diagnostics *d);
bool pnr_write_route(const pnr_design *design, const char *path, diagnostics *d);

#endif
