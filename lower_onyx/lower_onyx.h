/* lower_onyx.h - from a hardware-legal SAM graph to a netlist of tiles: the Onyx-aware dataflow IR (memory
 * triplets, neighbour rules, concrete signal bundles) and its packing into PE, MEM and IO tiles.
 */
#ifndef ONYX_LOWER_ONYX_H
#define ONYX_LOWER_ONYX_H

#include "sam/sam.h"

/* ---- the netlist of tiles (what pnr/ and bitstream/ read) ------------------------------------ */

typedef enum { NET_TILE_NONE, NET_TILE_PE, NET_TILE_MEM, NET_TILE_IO } net_tile;

/* The tile modes. lower_onyx/tiles.def has one row each. */
typedef enum {
    NET_MODE_NONE,
#define TILE_MODE(constant, ...) NET_MODE_##constant,
#include "lower_onyx/tiles.def"
#undef TILE_MODE
    NET_MODES
} net_mode;

typedef struct {
    const char *name; /* "intersect" spelled as in tiles.def, lower case */
    net_tile tile;
    uint8_t chip_mode;                    /* value of the tile's `mode` field */
    const char *prefix;                   /* of the configuration fields of the mode; NULL = it has none */
    const char *port_in[4], *port_out[3]; /* names by 17-bit port number (nodes.def), NULL = unused */
    const char *doc;
} net_mode_info;
extern const net_mode_info net_mode_table[NET_MODES];

/* One configuration field of a cell, by its name in the board's register map (boards/onyx/config_space.csv or
 * the feature-0 rows of boards/onyx/regmap.csv). Fields left out are 0. The 84-bit PE instruction is split:
 * "PE_onyx_inst_onyxpeintf_inst.opcode" and so on; docs/dump.md lists the parts. */
typedef struct {
    name_id field;
    uint32_t value;
} net_config;

typedef struct {
    uint32_t v;
} net_cell; /* 1-based; 0 = none */

typedef struct {
    net_mode mode;
    name_id name;    /* unique instance name, e.g. "intersect_j" */
    char tag;        /* 'p' PE, 'm' MEM, 'I' IO; with `number` the block id of .packed files: "p3" */
    uint32_t number; /* unique over the whole netlist */
    name_id sam;     /* id of the SAM node it does the work of; 0 = not known */
    src_loc loc;
    VEC(net_config) config; /* sorted by field text */
    /* IO cells only */
    bool output; /* from the array to the global buffer */
    name_id tensor;
    int level;           /* storage level, SAM_MODE_VALS, or SAM_IN_TURN */
    uint32_t num_blocks; /* blocks the stream carries per run */
    uint32_t copy;       /* of the kernel that the stream belongs to */
    uint32_t part;       /* the kernel, of those that share the array */
} net_cell_data;

/* IO cells: an input drives port 0 (io2f_17_0), an output receives at port 0 (f2io_17_0). */
typedef struct {
    net_cell cell;
    uint8_t port; /* 17-bit port number of the tile: in 0..3, out 0..2 */
} net_pin;

typedef struct {
    net_pin source;
    VEC(net_pin) sinks;
    name_id id; /* of a net from a .packed file, "e12"; 0: "e" and its index */
} net_data;

typedef struct {
    arena *mem;
    name_table *names;
    VEC(net_cell_data) cells;
    VEC(net_data) nets; /* sorted by source */
} netlist;

static inline net_cell_data *net_cell_at(const netlist *n, net_cell h) {
    return &n->cells.at[h.v - 1];
}
/* Returns the id of a net, by its index: "e12". */
const char *net_id_text(const netlist *n, uint32_t net, arena *mem);
/* Returns the port's name in .packed files: "MEM_input_width_17_num_2", "io2f_17_0". */
const char *net_port_name(net_tile tile, bool output, uint8_t port);

/* Returns a configuration field of a cell by its name; 0 where the cell does not have it. */
uint32_t net_config_of(const netlist *n, const net_cell_data *c, const char *field);
/* Returns whether the sink only listens: a scanner that skips takes what comes there at once, and waits for
 * none of it (docs/boards.md), so such a link orders nothing and holds nothing up. */
static inline bool net_listens(const netlist *n, net_pin sink) {
    const net_cell_data *c = net_cell_at(n, sink.cell);
    return c->mode == NET_MODE_FIBER_ACCESS && sink.port == 1 &&
           net_config_of(n, c, "fiber_access_16_inst_read_scanner_skip") != 0;
}
/* Returns whether the sink takes blocks of a result's level ahead, on their way to the global buffer: no word
 * of the kernel waits for them, since memories have all of a tree before they give any. */
static inline bool net_chains(const netlist *n, net_pin sink) {
    const net_cell_data *c = net_cell_at(n, sink.cell);
    return c->mode == NET_MODE_FIBER_ACCESS && sink.port == 2 &&
           net_config_of(n, c, "fiber_access_16_inst_read_scanner_ahead") != 0;
}
bool net_check(const netlist *n,
               diagnostics *d); /* modes, ports, one driver per input, required ports driven */
/* These write and read netlist.json (docs/dump.md); from_json(to_json(n)) equals n but for source
 * locations. */
cJSON *net_to_json(const netlist *n);
bool net_from_json(const cJSON *json, name_table *names, arena *mem, diagnostics *d, netlist *out);

/* Puts `copies` of a checked netlist beside each other: they share no wire and no stream, since an IO tile
 * drives one sink and copies work on different sub-tiles. Copy 0 keeps the names, those of copy c end in "_u"
 * and c ("_uu" where that is a name already). Ends with net_check. O(cells^2 * copies). */
bool net_unroll(const netlist *one, uint32_t copies, arena *mem, diagnostics *d, netlist *out);
/* Lists the cells by index, sources first, and for each cell the nets it drives: `driven` has a row a cell,
 * all empty like `order`. The memory of an accumulator comes before what writes it, and what listens
 * waits for nothing; other cells on a cycle are left out. O(cells + pins * fields of a cell). */
void net_sort_cells(const netlist *n, arena *mem, u32_vec *order, u32_vec *driven);
/* A sink of a net at a join, whose path has room for fewer tokens than another path from the same fork takes
 * cycles longer: `tokens` are missing. Nets and sinks by index, in their order. */
typedef struct {
    uint32_t net, sink, tokens;
} net_shortage;
typedef VEC(net_shortage) net_shortage_vec;
void net_balance(const netlist *n, arena *mem, net_shortage_vec *out);

/* ---- deadlock (docs/deadlock.md) ------------------------------------------------------------- */

/* Two ways between the same tiles: while the join waits for the other one, the pins' way holds tokens. */
typedef struct {
    uint32_t net, sink;  /* the way that must hold; its fork is the net's source, its join the sink's cell */
    uint32_t have, need; /* tokens; need NET_NO_ROOM: no number is enough for all data */
    uint32_t fiber;      /* enough if no fiber has more coordinates; NET_ANY_FIBER: whatever the data */
} net_reconvergence;
enum { NET_NO_ROOM = UINT16_MAX, NET_ANY_FIBER = UINT16_MAX };

/* A step of a circle of waiting: the cell waits for the source of the pin's net to send (`full` false), or
 * for the pin's cell to take a token. Net and sink by index. */
typedef struct {
    uint32_t cell, net, sink;
    bool full;
} net_wait;

typedef struct {
    VEC(net_reconvergence) pairs; /* by net and sink */
    VEC(net_wait) circle;         /* of the worst reconvergence, empty where all are safe */
    uint32_t fiber;               /* the least of all pairs; 0: not even with fibers of one */
    bool undecided;               /* cells on a cycle, or too many circles to look at: counted as unsafe */
} net_liveness;

/* Whether the FIFOs of a netlist suffice for every input that unbounded ones would suffice for. `extra[net]`
 * has for each sink of the net the tokens that SplitFIFOs on its own way hold; NULL: none. No deadlock is
 * overlooked; a circle of waiting that is reported may be impossible. The method, why it is right and what it
 * costs: docs/notebook/deadlock_proof.md. */
void net_deadlock(const netlist *n, const uint32_t *const *extra, arena *mem, net_liveness *out);

/* Reports what is not safe with fibers of up to `longest` coordinates: E0450-deadlock (exit 2), or a warning
 * if `warn`, which names the circle and where room is missing. False after the error. */
bool net_deadlock_report(const netlist *n, const net_liveness *found, uint32_t longest, bool warn,
                         diagnostics *d);
/* Returns {"verdict": "safe" | "bounded" | "unsafe", "fiber", "reconvergences", "circle"} (docs/report.md);
 * the caller deletes it. */
cJSON *net_deadlock_to_json(const netlist *n, const net_liveness *found);

/* early[net]: tokens may come on that net before any word from the global buffer, since a dense scanner at
 * the root starts as soon as its column is not stalled. The flush at the start of a run empties the FIFOs of
 * the tiles, but no SplitFIFO: such a net must not have any. O(nets^2 * pins). */
void net_early(const netlist *n, bool *early);

/* ---- lowering -------------------------------------------------------------------------------- */

typedef struct onyx_graph onyx_graph; /* the Onyx-aware IR; docs/ir_onyx.md */

typedef struct {
    name_id index;
    uint32_t edge;
} lower_piece;
typedef struct {
    uint32_t tile_edge; /* extent of dense levels inside a sub-tile, and of vectors that are summed up */
    const lower_piece *edges; /* along these index variables, instead of tile_edge */
    uint32_t n_edges;
    bool extended; /* primitives of profile onyx-ext may be used (docs/boards.md) */
    bool in_turn;  /* of these: the levels and values of an operand come on one load stream, in turn */
    bool stored;   /* .. and those of the result leave on one store stream */
    bool skips;    /* .. scanners leave out coordinates that the other side of their intersecter lacks */
} lower_options;
/* Returns the largest sub-tile edge along `index` that the graph has room for, with `extended` of
 * lower_options. */
uint32_t lower_widest(const sam_graph *g, name_id index, bool extended);
/* Counts the global buffer's streams that the netlist of the graph will have, with `in_turn` and
 * `stored` of lower_options. */
void lower_count_streams(const sam_graph *g, bool in_turn, bool stored, uint32_t *loads, uint32_t *stores);

/* Lowers a SAM graph that passed sam_check (binary joiners, no broadcasts) to the Onyx-aware IR: every memory
 * primitive becomes write scanner, buffet and read scanner; streams become bundles of wires. A dense operand
 * level becomes a scanner without memory, a dense result level whose coordinates all come becomes nothing.
 * False after a diagnostic (docs/errors/lower_onyx.md); E0410-not-on-chip names a primitive the chip lacks
 * (exit 2). */
bool lower_run(const sam_graph *g, const lower_options *options, arena *mem, diagnostics *d,
               onyx_graph **out);
/* Checks neighbour rules, wires, tiles, cycles, and the tokens the chip's primitives mistake. It reads the
 * tables nodes.def and neighbours.def and the graph, and knows nothing of how lower_run builds one. */
bool lower_check(const onyx_graph *g, diagnostics *d);
/* These write and read the text form (docs/ir_onyx.md). lower_parse(lower_dump(g)) dumps to the same text. */
void lower_dump(const onyx_graph *g, FILE *out);
bool lower_parse(const char *name, const char *text, size_t length, name_table *names, arena *mem,
                 diagnostics *d, onyx_graph **out);
/* Packs a graph that passed lower_check: one PE primitive a tile, each memory triplet into one MEM tile, each
 * GLB stream into one IO tile. Cells come in the order of the graph's nodes, so inputs by operand and level
 * (values last), then processing, then results. Ends with net_check. */
bool lower_pack(const onyx_graph *g, arena *mem, diagnostics *d, netlist *out);

#endif
