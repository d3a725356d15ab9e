/* netlist.h - the netlist of tiles: input of pnr/ and bitstream/. */
#ifndef ONYX_LOWER_ONYX_NETLIST_H
#define ONYX_LOWER_ONYX_NETLIST_H

#include "sam/sam.h"

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
    const char *prefix;                   /* of the configuration fields of the mode; NULL = none */
    const char *port_in[4], *port_out[3]; /* names by 17-bit port number (nodes.def), NULL = unused */
    const char *doc;
} net_mode_info;
extern const net_mode_info net_mode_table[NET_MODES];

/* One configuration field of a cell, by its name in the board's register map (boards/onyx/config_space.csv or
 * the feature-0 rows of boards/onyx/regmap.csv). Omitted fields are 0. The 84-bit PE instruction is split:
 * "PE_onyx_inst_onyxpeintf_inst.opcode" and so on; docs/dump.md lists the prefixes. */
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
    name_id sam;     /* id of the SAM node of its work; 0 = unknown */
    src_loc loc;
    VEC(net_config) config; /* sorted by field text */
    /* IO cells only */
    bool output; /* from the array to the global buffer */
    name_id tensor;
    int level;           /* storage level, or contents of contents.def */
    uint32_t num_blocks; /* blocks the stream carries per run */
    sam_table table;     /* of a stream with a table: its words, in every run */
    uint32_t copy;       /* of the stream's kernel */
    uint32_t kernel;     /* the kernel, among kernels on a shared array */
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

/* Returns a cell's setting of a configuration field by its name; NULL if absent. O(settings). */
const net_config *net_find_config(const netlist *n, const net_cell_data *c, const char *field);
/* Returns a configuration field of a cell by its name; 0 if absent. */
uint32_t net_config_of(const netlist *n, const net_cell_data *c, const char *field);
/* Returns whether the sink only listens: a scanner that skips takes every word at once, and waits for none
 * (docs/boards.md); the link orders and stalls nothing. */
static inline bool net_listens(const netlist *n, net_pin sink) {
    const net_cell_data *c = net_cell_at(n, sink.cell);
    return c->mode == NET_MODE_FIBER_ACCESS && sink.port == 1 &&
           net_config_of(n, c, "fiber_access_16_inst_read_scanner_skip") != 0;
}
/* Returns whether the sink passes on blocks of a result's outer level, on their way to the global buffer: no
 * word of the kernel waits for them, since memories receive all of a tree before their first output. */
static inline bool net_chains(const netlist *n, net_pin sink) {
    const net_cell_data *c = net_cell_at(n, sink.cell);
    return c->mode == NET_MODE_FIBER_ACCESS && sink.port == 2 &&
           net_config_of(n, c, "fiber_access_16_inst_read_scanner_ahead") != 0;
}
bool net_check(const netlist *n,
               diagnostics *d); /* modes, ports, one driver per input, required ports driven */
/* Write and read netlist.json (docs/dump.md); from_json(to_json(n)) equals n except for source locations. */
cJSON *net_to_json(const netlist *n);
bool net_from_json(const cJSON *json, name_table *names, arena *mem, diagnostics *d, netlist *out);

/* Puts `copies` of a checked netlist beside each other: without common wires and streams, since an IO tile
 * drives one sink and copies work on different sub-tiles. Copy 0 keeps the names, names of copy c end in "_u"
 * and c ("_uu" if such a name exists). Ends with net_check. O(cells^2 * copies). */
bool net_unroll(const netlist *one, uint32_t copies, arena *mem, diagnostics *d, netlist *out);
/* Lists the cells by index, sources first, and for each cell its driven nets: `driven` has a row a cell, all
 * initially empty, as is `order`. The memory of an accumulator precedes its writer, and a listening sink
 * waits for nothing; other cells on a cycle are omitted. O(cells + pins * fields of a cell). */
void net_sort_cells(const netlist *n, arena *mem, u32_vec *order, u32_vec *driven);
/* A sink of a net at a join, whose path has room for fewer tokens than another path from the same fork takes
 * cycles longer: `tokens` are missing. Nets and sinks by index, in their order. */
typedef struct {
    uint32_t net, sink, tokens;
} net_shortage;
typedef VEC(net_shortage) net_shortage_vec;
void net_balance(const netlist *n, arena *mem, net_shortage_vec *out);

#endif
