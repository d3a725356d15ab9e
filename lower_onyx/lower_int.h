/* lower_int.h - the Onyx-aware dataflow IR inside its room: tables made from nodes.def and neighbours.def,
 * the graph, and the helpers its passes share.
 */
#ifndef ONYX_LOWER_INT_H
#define ONYX_LOWER_INT_H

#include "lower_onyx/lower_onyx.h"

/* Both regions of a buffet are half of the SRAM: 2^8 words of 64 bits, 1024 entries. */
enum { ONYX_CAPACITY_LOG = 8 };

/* The widest vector an accumulator has room for: two of them lie beside each other in a memory tile, and how
 * the chip counts the room of a third is known roughly only. */
enum { ONYX_SUM_EDGE = 256 };

/* The widest vector a vector reducer of onyx-ext has room for: two coordinates in a line of its memory. */
enum { ONYX_VECTOR_EDGE = 1024 };
/* Room of a matrix in points, and the edge of a square one. */
enum { ONYX_MATRIX_POINT_BITS = 10, ONYX_MATRIX_EDGE = 32 };

enum { ONYX_INSIDE = 0xff, ONYX_MAX_SETTINGS = 8, ONYX_MAX_WIRES = 3 };

/* clang-format off */
#define ONYX_NODE(kind, name, mode, prefix, doc)
#define ONYX_SETTING(kind, setting, name, bits)
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc)
#define ONYX_WIRE(bundle, signal, name, width, direction)

typedef enum {
    ONYX_NONE,
#undef ONYX_NODE
#define ONYX_NODE(kind, name, mode, prefix, doc) ONYX_##kind,
#include "lower_onyx/nodes.def"
#undef ONYX_NODE
#define ONYX_NODE(kind, name, mode, prefix, doc)
    ONYX_KINDS
} onyx_kind;

/* One port of one kind of node: the kind is implied. */
typedef enum {
    ONYX_PORT_NONE,
#undef ONYX_PORT
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc) ONYX_PORT_##kind##_##port,
#include "lower_onyx/nodes.def"
#undef ONYX_PORT
#define ONYX_PORT(kind, port, name, direction, tile_port, need, when, doc)
    ONYX_PORTS
} onyx_port;

typedef enum {
    ONYX_SET_NONE,
#undef ONYX_SETTING
#define ONYX_SETTING(kind, setting, name, bits) ONYX_SET_##kind##_##setting,
#include "lower_onyx/nodes.def"
#undef ONYX_SETTING
#define ONYX_SETTING(kind, setting, name, bits)
    ONYX_SETTINGS
} onyx_setting;

#undef ONYX_NODE
#undef ONYX_SETTING
#undef ONYX_PORT
#undef ONYX_WIRE
/* clang-format on */

typedef enum {
    ONYX_BUNDLE_NONE,
    ONYX_BUNDLE_STREAM,
    ONYX_BUNDLE_WORD,
    ONYX_BUNDLE_BIT,
    ONYX_BUNDLES
} onyx_bundle;
typedef enum {
    ONYX_SIGNAL_NONE,
    ONYX_SIGNAL_DATA,
    ONYX_SIGNAL_VALID,
    ONYX_SIGNAL_READY,
    ONYX_SIGNALS
} onyx_signal;

typedef struct {
    const char *name, *prefix, *doc;
    net_mode mode;
} onyx_kind_info;

typedef struct {
    onyx_kind kind;
    const char *name;
    bool output;
    uint8_t tile_port; /* 17-bit port of the tile, or ONYX_INSIDE */
    bool required;
    const char *when; /* settings that make the port live; see nodes.def */
    const char *doc;
} onyx_port_info;

typedef struct {
    onyx_kind kind;
    const char *name;
    uint32_t bits;
} onyx_setting_info;

typedef struct {
    onyx_bundle bundle;
    onyx_signal signal;
    uint8_t width;
    bool backward;
} onyx_wire_info;

typedef struct {
    onyx_port source, sink;
    onyx_bundle bundle;
    bool many;
    const char *rule;
} onyx_rule;

/* Registers of the PE's instruction for constants, as bits of a set. */
enum { ONYX_REG_A = 1, ONYX_REG_B = 2, ONYX_REG_C = 4, ONYX_REG_D = 8 };

typedef struct {
    const char *name;
    bool bf16;
    uint8_t streams; /* 1 or 2 */
    uint8_t kind, opcode, is_signed;
    uint8_t constants; /* set of registers with a constant, whose values follow; d's is bit0 */
    uint16_t value[3];
    uint8_t bit0;
    uint8_t constant_in; /* ONYX_REG_C: the second operand is a constant in C; else 0 */
} onyx_alu_op;

extern const onyx_kind_info onyx_kind_table[ONYX_KINDS];
extern const onyx_port_info onyx_port_table[ONYX_PORTS];
extern const onyx_setting_info onyx_setting_table[ONYX_SETTINGS];
extern const char *const onyx_signal_name[ONYX_SIGNALS];
extern const onyx_wire_info onyx_wire_table[];
extern const uint32_t onyx_wire_count;
extern const onyx_rule onyx_rule_table[];
extern const uint32_t onyx_rule_count;
extern const onyx_alu_op onyx_alu_table[];
extern const uint32_t onyx_alu_count;

typedef struct {
    uint32_t v;
} onyx_node; /* 1-based; 0 = none */

typedef struct {
    onyx_kind kind;
    src_loc loc;
    name_id name; /* unique; members of a memory triplet are "TILE.suffix" */
    name_id tile; /* the tile the node is packed into; its own name outside triplets */
    name_id sam;  /* id of its SAM node; not in the text form */
    uint32_t setting[ONYX_MAX_SETTINGS];
    /* GLB_IN, GLB_OUT */
    name_id tensor;
    int level; /* storage level, or contents of contents.def */
    uint32_t blocks;
    sam_table table; /* GLB_IN of a table: its words, whatever the data */
    bool whole;      /* READ_SCANNER: of a compressed level with every coordinate in every fiber */
    /* ALU */
    const onyx_alu_op *op;
    uint8_t constants; /* ONYX_REG_A, B or C: the register with an operand, constant[0], [1] or [2] */
    uint16_t constant[3];
} onyx_node_data;

typedef struct {
    onyx_signal signal;
    uint8_t width;
    bool backward; /* driven by the link's sink */
} onyx_wire;

/* A link with its wires. */
typedef struct {
    onyx_node source, sink;
    onyx_port source_port, sink_port;
    src_loc loc;
    onyx_wire wire[ONYX_MAX_WIRES];
    uint32_t wires;
} onyx_link;

struct onyx_graph {
    arena *mem;
    name_table *names;
    VEC(onyx_node_data) nodes;
    VEC(onyx_link) links;
};

static inline onyx_node_data *onyx_node_at(const onyx_graph *g, onyx_node h) {
    return &g->nodes.at[h.v - 1];
}
const char *onyx_node_name(const onyx_graph *g, onyx_node h);

/* Finds the rule of a pair of ports; NULL: the link is not allowed. */
const onyx_rule *onyx_rule_find(onyx_port source, onyx_port sink);
/* Finds the operation by name, or NULL. */
const onyx_alu_op *onyx_alu_find(const char *name, bool bf16);

/* Settings are stored by their position among the kind's settings. A setting of another kind is a BUG. */
void onyx_set(onyx_node_data *node, onyx_setting setting, uint32_t value);
uint32_t onyx_get(const onyx_node_data *node, onyx_setting setting);
/* Returns whether the node's settings make the port live. */
bool onyx_port_live(const onyx_node_data *node, onyx_port port);

/* A stream of a SAM graph, by its source; node 0: none. */
typedef struct {
    sam_node node;
    uint8_t port;
} sam_end;
/* The summed loop of a vector reducer: its coordinates, one for each added vector (node 0: unknown), the
 * coordinates of the outer loop, and the number of outer loops. */
typedef struct {
    sam_end loop, outer;
    uint32_t around;
} summed_loop;
summed_loop lower_summed_loop(const sam_graph *s, sam_node reducer);

onyx_node onyx_add_node(onyx_graph *g, onyx_kind kind, const char *name, const char *tile, src_loc loc);
/* Links two ports and elaborates the link into the wires of its rule; a pair without a rule is a BUG. */
void onyx_connect(onyx_graph *g, onyx_node source, onyx_port source_port, onyx_node sink,
                  onyx_port sink_port);

#endif
