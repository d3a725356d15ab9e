/* graph.h - the dataflow graph of a statement. */
#ifndef ONYX_SAM_GRAPH_H
#define ONYX_SAM_GRAPH_H

#include "sam/contents.h"

typedef enum {
    SAM_NONE,
#define SAM(name, type, in, out, ports_in, ports_out, doc) SAM_##name,
#include "sam/primitives.def"
#undef SAM
    SAM_PRIMITIVES
} sam_primitive;

enum { SAM_ANY = -1 };
typedef struct {
    const char *name, *type; /* "FIBERLOOKUP", "fiberlookup" */
    int in, out;             /* SAM_ANY = as many as connected */
    const char *ports_in, *ports_out, *doc;
} sam_primitive_info;
extern const sam_primitive_info sam_primitive_table[SAM_PRIMITIVES];

typedef struct {
    uint32_t v;
} sam_node; /* 1-based index into sam_graph.nodes; 0 = none */

typedef enum {
    SAM_STREAM_NONE,
    SAM_STREAM_CRD,
    SAM_STREAM_REF,
    SAM_STREAM_VAL,
    SAM_STREAM_REPSIG,
    SAM_STREAM_BV,  /* bit vectors */
    SAM_STREAM_SKIP /* requests of a joiner to its scanners; only these edges may close a cycle */
} sam_stream;

typedef struct {
    name_id key, value;
} sam_attribute;

/* A word of a bit-vector stream has a bit for each of its coordinates; or is a block of adjacent coordinates;
 * or a run, adjacent coordinates of equal values or a stretch without coordinates. */
typedef enum { SAM_WORDS_BITS, SAM_WORDS_BLOCKS, SAM_WORDS_RUNS } sam_words;
extern const char *const sam_words_name[]; /* "bits", "blocks", "runs", NULL */

typedef struct {
    sam_primitive kind; /* SAM_NONE: the node was removed */
    src_loc loc;
    name_id id;     /* DOT node id, e.g. "12" */
    name_id tensor; /* every reader or writer of a tensor; REPEAT (informative) */
    name_id index;  /* index variable, if any */
    /* FIBERLOOKUP, BVLOOKUP, LOCATE, FIBERWRITE: logical mode (not storage level); SAM_MODE_VALS for values
     */
    int mode;
    sam_level_format format; /* of the level, likewise */
    /* If port 0 takes references: the reference input (port 0) has no edge and receives "0, D". */
    bool root;
    /* ALU: "add", "sub", "mul", "div", "max", ...; see sam_alu_constant. ARRAYSTORE: combines a value
     * with the stored value, none: overwrites. REDUCE, VECTORREDUCER, SPACCUMULATOR: combines values,
     * none: "add". */
    name_id alu;
    struct sam_program *program; /* ALU: a function of a file with loops, whose name `alu` is; or NULL */
    uint16_t fill;               /* ARRAYVALS: the value of absent entries */
    name_id outer, inner;        /* CRDDROP, CRDHOLD: index variables; inner may be "val" */
    /* CRDDROP: both streams have the same depth, a value per coordinate, and pairs with value zero are
     * dropped (DOT: mode="0"). Otherwise inner is a level deeper and empty fibers are dropped. */
    bool compress; /* REDUCE: nothing for an empty fiber instead of a zero (DOT: empty="drop") */
    /* VECTORREDUCER: levels of the added tensors: 1 vectors (set by sam_add_node), 2 matrices, ...
     * PARALLELIZE, SERIALIZE: levels of the dealt sub-trees, 0: single tokens. FIBERLOOKUP: the level and so
     * many below are a list of entries, and a coordinate takes a cycle for each entry (DOT: singletons). */
    uint8_t depth;
    uint8_t width;            /* BVLOOKUP, BVCONVERT, BVINTERSECT, BVUNION: bits of a word, 1 to 64; 0: 64 */
    sam_words words;          /* BVLOOKUP, BVINTERSECT, BVUNION: what a word says */
    bool fp;                  /* ALU, REDUCE, VECTORREDUCER, ARRAYSTORE, CRDDROP with compress: bfloat16 */
    VEC(sam_attribute) extra; /* attributes the reader keeps but does not interpret */
} sam_node_data;

/* A stream. Several edges may leave a port (each gets every token); at most one edge enters a port. */
typedef struct {
    sam_node src, dst; /* src.v == 0: removed */
    uint8_t src_port, dst_port;
    sam_stream stream;
    src_loc loc;
} sam_edge_data;

/* A tensor of the graph comment "X=ss01,B=ss01,C=ss10". */
typedef struct {
    name_id name;
    uint32_t order; /* 0: scalar ("none") */
    sam_level_format level[SAM_MAX_ORDER];
    uint8_t mode[SAM_MAX_ORDER]; /* mode[l]: logical mode held by storage level l */
} sam_graph_tensor;

typedef struct {
    arena *mem;
    name_table *names;
    src_loc loc; /* of the comment with the tensors, else of the graph's first word */
    VEC(sam_node_data) nodes;
    VEC(sam_edge_data) edges;
    VEC(sam_graph_tensor) tensors; /* result first */
} sam_graph;

void sam_graph_init(sam_graph *g, arena *mem, name_table *names);
sam_node sam_add_node(sam_graph *g, sam_primitive kind); /* with a fresh numeric id */
void sam_add_edge(sam_graph *g, sam_node src, uint8_t src_port, sam_node dst, uint8_t dst_port,
                  sam_stream stream);
static inline sam_node_data *sam_node_at(const sam_graph *g, sam_node n) {
    return &g->nodes.at[n.v - 1];
}
static inline bool sam_is_joiner(sam_primitive k) { /* inputs 2k, 2k+1: joined coordinates, references */
    return k == SAM_INTERSECT || k == SAM_UNION || k == SAM_BVINTERSECT || k == SAM_BVUNION;
}
static inline bool sam_reads_level(sam_primitive k) {
    return k == SAM_FIBERLOOKUP || k == SAM_BVLOOKUP || k == SAM_LOCATE;
}
/* Returns how messages name a node: "intersect j (node 10)". */
const char *sam_node_label(const sam_graph *g, sam_node n, arena *mem);
const char *sam_stream_name(sam_stream s); /* as DOT's edge type: "crd", "ref", ...; "" for none */

/* The first function returns the tensor of this name, or NULL; the second the storage level of logical mode
 * `mode`, or -1. */
const sam_graph_tensor *sam_find_tensor(const sam_graph *g, name_id name);
int sam_storage_level(const sam_graph_tensor *t, int mode);

/* An ALU operand may be a constant: attribute "const0" (operand 0), "const1", ... holds a number and no edge
 * enters the port; "rb_const" means "const1" without "const0". Returns its text, or NULL when operand `port`
 * is a stream. */
const char *sam_alu_constant(const sam_graph *g, sam_node n, uint32_t port);
/* Reads the word of a constant's text: an integer from -32768 to 65535, or a number rounded to bfloat16. */
bool sam_parse_constant(const char *text, bool fp, uint16_t *out);
/* Returns the index variable of storage level l of an ARRAYSTORE's result, from its attributes "in0", "in1",
 * ... */
name_id sam_stored_index(const sam_graph *g, sam_node n, uint32_t level);
name_id sam_attribute_of(const sam_graph *g, sam_node n, const char *key); /* from extra; 0 if absent */
/* Finds the edge into a port, or NULL. O(edges). */
static inline const sam_edge_data *sam_edge_into(const sam_graph *g, sam_node node, uint32_t port) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (e->src.v && e->dst.v == node.v && e->dst_port == port)
            return e;
    }
    return NULL;
}

#endif
