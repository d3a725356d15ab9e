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

/* ---- board ----------------------------------------------------------------------------------- */

/* Byte addresses and sizes as the processor sees them. */
typedef struct {
    uint32_t code, code_bytes; /* program memory */
    uint32_t sram, sram_bytes; /* data memory */
    uint32_t cgra_data;        /* the global buffer: bank b of GLB tile t at + (t * banks + b) * bank_bytes */
    uint32_t cgra_reg, platform; /* registers of the array, of clocks and resets */
    uint32_t cgra_irq;           /* interrupt number */
} pnr_memory_map;

/* How a host reaches the board's debug port. */
typedef struct {
    const char *openocd; /* path of the OpenOCD configuration; NULL: the board has no link */
    uint32_t idcode;     /* of the JTAG TAP */
    bool simulated;      /* onyx-cosim answers, which whoever wants the board starts */
} pnr_link;

typedef struct {
    const char *name;       /* "onyx" */
    const char *folder;     /* where register map tables lie: "boards/onyx" */
    const char *profile;    /* what the tiles can do: PNR_PROFILE, or one of the document's "profiles" */
    uint32_t width, height; /* 32, 17: height counts the IO row */
    uint32_t tracks;        /* per side and direction */
    uint32_t mem_period, mem_phase; /* MEM column iff x % period == phase */
    uint32_t glb_tiles, glb_bank_bytes, glb_banks_per_tile, columns_per_glb_tile;
    uint32_t flush_columns; /* of a flush group: these columns are flushed together, by one load stream */
    uint32_t mem_words;     /* words of one ID of a MEM tile's buffet */
    pnr_memory_map map;
    uint32_t cpu_mhz, cgra_mhz; /* highest clocks */
    pnr_link link;
    const cJSON *json; /* the whole document; "delays_ps" is read from here */
} pnr_board;

/* A board as read has the profile of the fabricated chip. */
#define PNR_PROFILE "onyx"

/* Reads boards/NAME.json (or a path that ends in .json) from the current folder, else from the source tree,
 * and validates it. Errors: E0001-file, E0002-json, E0003-json-member, E0501-board-member (both show
 * the member), E0502-board-sizes. `out->json` lives until the caller deletes it with pnr_board_free. */
bool pnr_board_read(const char *name_or_path, arena *mem, diagnostics *d, pnr_board *out);
/* Gives the board another profile, one of its "profiles" or PNR_PROFILE. Error: E0503-board-profile. */
bool pnr_board_set_profile(pnr_board *b, const char *profile, diagnostics *d);
/* Returns whether primitives of ours may be used (docs/boards.md). */
bool pnr_board_extended(const pnr_board *b);
void pnr_board_free(pnr_board *b); /* only the JSON document is not in the arena */
net_tile pnr_site_tile(const pnr_board *b, uint32_t x, uint32_t y); /* what stands at (x, y); NONE outside */

/* Says where the switch box leads: input (side, track) goes to output track *out_track of out_side; false for
 * a U-turn. */
bool pnr_switch_track(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                      uint32_t *out_track);
/* Finds the mux select of the switch-box output (out_side, out_track) for that input: 0..2, its place among
 * the wires that end there in the chip's wire list. False when the switch box has no such wire. */
bool pnr_switch_select(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                       uint32_t out_track, uint32_t *select);
/* Returns the side at which a wire that leaves by `side` arrives. */
static inline pnr_side pnr_opposite(pnr_side side) {
    return (pnr_side)(((unsigned)side + 2) % 4);
}
/* Finds the tile at which a wire that leaves (x, y) by `side` arrives; false when it would leave the array.
 */
bool pnr_neighbour(const pnr_board *b, uint32_t x, uint32_t y, pnr_side side, uint32_t *to_x, uint32_t *to_y);

/* Writes a wire's name, "x3y2.EAST.1". */
void pnr_wire_name(uint32_t x, uint32_t y, pnr_side side, uint32_t track, char out[48]);

typedef struct {
    uint32_t outputs; /* switch-box outputs */
    uint32_t wires; /* of them, those that arrive somewhere; of outputs to the IO row only track 0 is used */
    uint32_t switch_wires; /* input-to-output connections of one switch box */
} pnr_fabric;
/* Proves the implicit fabric: every wire's name leads back to it, every output and wire is declared, the
 * switch box is the generator's formula, wires come in opposite pairs; of both networks, 17 and 1 bit, also
 * by the text of their graphs. O(wires). Error: E0562-fabric. */
bool pnr_fabric_check(const pnr_board *b, diagnostics *d, pnr_fabric *out);

/* These write the fabric as the public tools' files. `width` is 17 or 1, for the two networks; `counts` asks
 * for the newer .layout, a number of sites per tile, not the older one, a digit per tile. The checks read a
 * file (either dialect) and compare it with the board; errors located: E0560-graph-differs,
 * E0561-layout-differs. */
bool pnr_write_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d);
bool pnr_check_graph(const pnr_board *b, uint32_t width, const char *path, diagnostics *d);
bool pnr_write_layout(const pnr_board *b, bool counts, const char *path, diagnostics *d);
bool pnr_check_layout(const pnr_board *b, const char *path, diagnostics *d);

/* ---- design: placement and routes ------------------------------------------------------------ */

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

/* Returns what stands on a cell's tile, from its block letter. */
net_tile pnr_cell_tile(const net_cell_data *cell);

/* What a netlist needs of one kind of resource. The rows of a table are PE tiles, MEM tiles, load streams (IO
 * inputs), store streams (IO outputs). */
typedef struct {
    const char *what;
    uint32_t need, have;
} pnr_resource;
enum { PNR_RESOURCES = 4 };
void pnr_count_resources(const netlist *n, const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Makes one row of loads and stores, which share the GLB tiles with pnr_options.own_tiles. */
void pnr_own_tiles(const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Compares what the netlist needs with what the board has, before anything else: E0510-too-large (exit 2)
 * names what is short, with the whole table in a note. */
bool pnr_fits(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d);
/* Finds a site for every cell: a constructive start, then simulated annealing of the estimated routed length.
 * The same input and seed give the same sites, whatever the threads. Errors: E0510-too-large,
 * E0511-io-fanout, E0512-bad-fixed, E0513-bad-region, E0514-flush-groups. */
bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out);
/* Routes by negotiated congestion, then pipelines. Fails with E0520-unroutable (exit 2) naming overused
 * wires; routes so far stay in `design`. */
bool pnr_route_all(pnr_design *design, const pnr_options *o, arena *mem, diagnostics *d);
/* Leads sinks whose paths have fewer SplitFIFO pairs than wanted (net and sink by index) over longer ways of
 * their own, with pairs as close as they go. A sink for which there is no such way stays as it is, and so do
 * those of IO tiles. Call it after pnr_route_all. */
typedef struct {
    uint32_t net, sink, pairs;
} pnr_want;
void pnr_stretch(pnr_design *design, const pnr_want *want, uint32_t n, arena *mem);
/* Walks the wires by the device model alone and checks sites (E0530), exclusivity (E0531), connection
 * (E0532), that every sink is reached once (E0533), IO rules (E0534), FIFO pairs (E0535), the broadcast rule
 * (E0536), array edges (E0537) and flush groups (E0538). */
bool pnr_check(const pnr_design *design, diagnostics *d);

/* Returns the half-perimeter wire length, summed over all nets. */
uint32_t pnr_hpwl(const pnr_design *design);
/* Returns how many switch-box outputs are in use. */
uint32_t pnr_hops(const pnr_design *design);
/* Counts the SplitFIFO pairs on the way to a sink: none serves another sink, each holds two tokens. */
uint32_t pnr_pairs_to(const pnr_route *r, uint32_t sink);
/* Returns {"board", "seed", "tiles": {kind: {"used", "have"}}, "hpwl", "hops", "longest_path", "fifo_pairs",
 * "seconds": {...}, ...}; the caller deletes it. */
cJSON *pnr_report(const pnr_design *design);

/* ---- timing (docs/pnr.md, Timing) ------------------------------------------------------------ */

/* What a path between FIFOs carries: data and valid, ready, or, LOOP, ready back to the source tile and valid
 * out again. */
typedef enum { PNR_PATH_DATA, PNR_PATH_LOOP, PNR_PATH_READY } pnr_path_kind;

typedef struct {
    const char *what; /* "launch", "data", "valid", "ready", "capture", "launch from SplitFIFO" */
    bool on_hop;      /* the switch-box output (at, side, track) it concerns is stated */
    pnr_site at;
    uint8_t side, track;
    uint32_t delay_ps, arrival_ps;
} pnr_timing_step;

/* The slowest FIFO-to-FIFO path of a net. */
typedef struct {
    uint32_t net, sink; /* sink: the one it ends at, PNR_NO_HOP if it ends at a SplitFIFO or goes back */
    pnr_path_kind kind;
    uint32_t delay_ps;
    uint32_t floor_ps; /* no placement and no routing is faster */
    bool shared_trunk; /* the net forks after a hop, so that no FIFO may stand before that fork */
    VEC(pnr_timing_step) steps;
} pnr_timing_path;

enum { PNR_SLACK_BINS = 10 };
typedef struct {
    VEC(pnr_timing_path) paths; /* one per routed net, in order of nets */
    uint32_t worst_net;         /* index into paths; PNR_NO_HOP if a tile's core is slower than every net */
    uint32_t period_ps, core_ps, floor_ps;
    uint32_t histogram[PNR_SLACK_BINS]; /* paths by slack, in tenths of the period */
    const char *corner;                 /* name of the board's other table of delays; NULL: it has none */
    uint32_t corner_ps;                 /* the period by that */
} pnr_timing;

/* Measures every path between FIFOs by the board's delays. Error: E0550-no-delay. */
bool pnr_sta(const pnr_design *design, arena *mem, diagnostics *d, pnr_timing *out);
/* Returns {"period_ps", "fmax_mhz", "floor_ps", "corner": {"name", "period_ps", "fmax_mhz"}, "limited_by",
 * "critical_path": [{"what", "x", "y", "side", "track", "delay_ps", "arrival_ps"}, ...], "slack_histogram",
 * "exceptions": [...]}; an exception is a net slower than the design's floor, with the reason. The caller
 * deletes it. */
cJSON *pnr_timing_report(const pnr_design *design, const pnr_timing *t);

/* ---- balance --------------------------------------------------------------------------------- */

/* Paths that fork at one cell and meet at another, where the shortest cannot hold the tokens that wait for
 * the longest: the kernel then runs below a token a cycle. pnr_balance lists the worst of each join, by cell
 * index. */
typedef struct {
    uint32_t fork, join;
    uint32_t latency, room; /* cycles of the longest path, tokens the shortest holds */
} pnr_imbalance;
typedef VEC(pnr_imbalance) pnr_imbalance_vec;
void pnr_balance(const pnr_design *design, arena *mem, pnr_imbalance_vec *out);

/* ---- files (docs/pnr.md) --------------------------------------------------------------------- */

/* Reads a .packed netlist of any tool: cells get their kind from the block letter and no mode; net i of the
 * result is the i-th by source. Errors located: E0540-packed-syntax, E0541-packed-block, E0546-packed-width.
 */
bool pnr_read_packed(const char *path, name_table *names, arena *mem, diagnostics *d, netlist *out);
/* Reads a .place file as fixed sites: *fixed has one entry per cell, PNR_FREE where the file has none. Errors
 * located: E0542-place-syntax, E0543-place-block. */
bool pnr_read_place(const netlist *n, const char *path, arena *mem, diagnostics *d, pnr_site **fixed);
bool pnr_write_packed(const netlist *n, const char *path, diagnostics *d);
bool pnr_write_place(const pnr_design *design, const char *path, diagnostics *d);
/* Routes need not have passed pnr_check; those that leave the array or have more sinks than the netlist are
 * refused: E0533-sink-missed, E0537-off-array. */
bool pnr_write_route(const pnr_design *design, const char *path, diagnostics *d);
/* Reads the routes of a placed design. They are what the file says; pnr_check is the judge. Errors located:
 * E0544-route-syntax. */
bool pnr_read_route(pnr_design *design, const char *path, arena *mem, diagnostics *d);
/* A design.info file says where layout and graphs lie. */
bool pnr_write_info(const char *layout, const char *graph_17, const char *graph_1, const char *path,
                    diagnostics *d);
/* Draws the placement with its routes, or, `heat`, with how full the channels are. */
bool pnr_write_svg(const pnr_design *design, bool heat, const char *path, diagnostics *d);

#endif
