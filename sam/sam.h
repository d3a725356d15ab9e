/* sam.h - the Sparse Abstract Machine: the statement to compute, the dataflow graph that computes it,
 * its DOT form, its checks and rewrites, token streams, and a simulator.
 *
 * The statement (index notation) lives here because both frontend/ and tiling/ read it and neither
 * may include the other.
 */
#ifndef ONYX_SAM_H
#define ONYX_SAM_H

#include "support/support.h"

/* ---- the statement: tensor index notation ---------------------------------------------------- */

enum { SAM_MAX_ORDER = 12 }; /* of a tensor as stored; split loops count twice */
enum { SAM_MAX_GAPS = 4 };   /* tensors of which one that the host makes has the gaps */

/* These are 1-based handles into sam_statement; 0 is none. */
typedef struct {
    uint32_t v;
} sam_var;
typedef struct {
    uint32_t v;
} sam_tensor;
typedef struct {
    uint32_t v;
} sam_expr;

/* Graphs and stored tensors have dense and compressed levels only. The others are taco's for tensors as the
 * user declares them; fe_pack replaces them by compressed levels. */
typedef enum {
    SAM_LEVEL_NONE,
    SAM_LEVEL_DENSE,
    SAM_LEVEL_COMPRESSED,
    SAM_LEVEL_COMPRESSED_DUPLICATES, /* a coordinate may come several times in one fiber */
    SAM_LEVEL_SINGLETON,             /* one coordinate below each coordinate of the level above */
    SAM_LEVEL_SINGLETON_DUPLICATES
} sam_level_format;

/* How a stored tensor comes from a tensor of the user's; source 0: it is that tensor, as it is. Coordinate v
 * of the stored tensor is (crd[from[v].mode] / from[v].divide) % from[v].modulo of the source's coordinates
 * (modulo 0: no remainder taken). Entries are kept where crd[m] == crd[equal[m]] for every mode m of the
 * source; equal[m] == m where nothing is asked. For the result it is read backwards: crd[m] is the sum of
 * coordinate v x from[v].divide over its parts. So re-packing, diagonals and split loops are one thing. Where
 * loops are fused, crd[from[v].mode] above is the sum of all crd[m] x fused[m].times with this mode as
 * fused[m].onto, itself among them; and backwards crd[m] is (that sum / fused[m].times) % fused[m].extent. */
typedef struct {
    name_id source;
    uint32_t source_order;
    struct {
        uint8_t mode;
        uint32_t divide, modulo;
    } from[SAM_MAX_ORDER];
    uint8_t equal[SAM_MAX_ORDER];
    struct {
        uint8_t onto;
        uint32_t times, extent; /* 0: it is not fused; no remainder is taken */
    } fused[SAM_MAX_ORDER];
    /* By mode of the source, with a stride: coordinate c counts as low + c * stride of that which the operand
     * `slice` runs over. */
    struct {
        name_id slice;
        uint32_t low, stride;
    } place[SAM_MAX_ORDER];
    /* How far the loop of the mode that is split runs, where the operand's last block holds behind that what
     * the last coordinate does; otherwise 0. */
    uint32_t repeats;
    uint8_t merge; /* of the result: the sam_operation that makes one value of several */
} sam_view;

/* How a level is read: as it is best, coordinate after coordinate, at coordinates that others have, by leaps
 * to the next coordinate of others, or by leaps that others follow. */
typedef enum { SAM_BEST, SAM_WALK, SAM_FOLLOW, SAM_GALLOP, SAM_LEAD } sam_protocol;

/* Which part of a mode of the user's tensor an operand is. With a stride: every stride-th coordinate from low
 * on that is below high, numbered from 0. Without: its coordinate c is c + low of the user's, where that has
 * it; the extent stays. */
typedef struct {
    uint32_t stride, high;
    int32_t low;
    /* Not 0: the mode may lie outside of the user's tensor, where others have the value. Its extent is what
     * the other operands say. */
    uint32_t permits;
    /* Not 0: it goes with the index before. The user's coordinate is the sum of the indices that go together,
     * the first one `times` its coordinate (0: once), every other one `beside` times, and of `low` of the
     * first. */
    int32_t beside;
    uint32_t times;
} sam_window;

/* Where an operand is between the batches of a kernel, and its runs in a program: where the batches leave it;
 * off the chip, so that it is loaded for each; or in the global buffer. */
typedef enum { SAM_REGION_AUTO, SAM_REGION_HOST, SAM_REGION_GLB } sam_region;

typedef enum { SAM_VALUES, SAM_STORED, SAM_COMPLEMENT, SAM_FILLED } sam_structure;

typedef struct {
    name_id name;
    name_id called; /* by the user, where that is not its name: an operand that is the result of before */
    src_loc loc;
    uint32_t order;                        /* number of indices, 0 for a scalar */
    sam_level_format level[SAM_MAX_ORDER]; /* by storage level, outermost first */
    uint8_t mode[SAM_MAX_ORDER];           /* mode[l]: which index (0-based) storage level l holds */
    /* In blocks: level[] is of the blocks, and this of what is in them, for each level when its index is
     * split in two. */
    bool blocked;
    sam_level_format inner[SAM_MAX_ORDER];
    sam_view view;
    /* The host makes the tensor, with value 1 at every coordinate of a dense level, and at coordinate 0 only
     * of a compressed one. */
    bool ones;
    /* Where this names tensors, ones have along their variables, in place of that, one coordinate that they
     * all lack for each combination of those that the result has; all of them where there is none. They have
     * the same variables, in any order. */
    name_id gaps[SAM_MAX_GAPS];
    /* Bit l says that every fiber of compressed level l is to hold coordinate 0; the host adds explicit
     * zeros. */
    uint32_t padded;
    /* Bit l: of a compressed and padded level, every coordinate. It was dense. */
    uint32_t whole;
    uint16_t fill; /* the value of what is not stored */
    /* What the host makes of the tensor that the user gives as `called`: 1 wherever that stores something;
     * wherever it does not; or wherever its value is `filled`, stored or not. */
    sam_structure structure;
    uint16_t filled;
    /* Sub-tiles of a complement hold what it lacks, and a joiner takes what only its other operand has. */
    bool lacked;
    /* It is a part of the tensor that the user gives as `called`: of each mode, one. */
    bool windowed;
    sam_window window[SAM_MAX_ORDER];
    /* Where an index that may is outside of the user's tensor: the operand that has the value there, which is
     * `spare` if no access has it; or if `bounded` a number. */
    name_id beyond;
    bool spare, bounded;
    uint16_t outside;
    sam_region region;
    src_loc region_loc; /* where that was said */
} sam_tensor_data;

/* Returns whether another index than this one, or none, goes with the mode of the user's tensor before. */
static inline bool sam_begins_mode(const sam_tensor_data *t, uint32_t m) {
    return !t->window[m].beside;
}

/* Returns how many modes the user's tensor has that an operand is a part of. */
static inline uint32_t sam_source_order(const sam_tensor_data *t) {
    uint32_t order = 0;
    for (uint32_t m = 0; m < t->order; m++)
        order += sam_begins_mode(t, m);
    return order;
}

/* Returns the name of the tensor whose entries it has: that which it is a view of, or its own. */
static inline name_id sam_stored_name(const sam_tensor_data *t) {
    return t->view.source.v ? t->view.source : t->name;
}
/* Returns the name that the user gave that. */
static inline name_id sam_user_name(const sam_tensor_data *t) {
    return t->called.v ? t->called : sam_stored_name(t);
}
/* Returns whether only the other operands say how far index m of a part runs. */
static inline bool sam_is_open(const sam_tensor_data *t, uint32_t m) {
    const sam_window *w = &t->window[m];
    return w->permits || w->beside || w->times > 1 || (m + 1 < t->order && w[1].beside);
}

/* Returns whether the host makes the tensor of coordinates that another one lacks. */
static inline bool sam_is_complement(const sam_tensor_data *t) {
    return t->structure == SAM_COMPLEMENT || t->structure == SAM_FILLED;
}

/* Whether every fiber of the level has all coordinates. */
static inline bool sam_level_is_whole(const sam_tensor_data *t, uint32_t level) {
    return t->level[level] == SAM_LEVEL_DENSE || (t->whole >> level & 1);
}

typedef struct {
    name_id name;
    src_loc loc;
    uint32_t extent; /* 0: what the operands say */
    /* A split loop: this variable is (split_of / divide) % modulo, modulo 0: no remainder taken. */
    sam_var split_of;
    uint32_t divide, modulo;
} sam_var_data;

typedef enum {
    SAM_EXPR_NONE,
    SAM_EXPR_ACCESS,  /* tensor, index[] */
    SAM_EXPR_LITERAL, /* literal */
    SAM_EXPR_NEG,     /* a */
    SAM_EXPR_ADD,     /* a + b */
    SAM_EXPR_SUB,
    SAM_EXPR_MUL,
    SAM_EXPR_DIV,
    SAM_EXPR_SUM,  /* over var of a, by `operation` */
    SAM_EXPR_CALL, /* `operation` of a and b, or of a alone */
} sam_expr_kind;

typedef struct {
    sam_expr_kind kind;
    src_loc loc;
    sam_expr a, b;
    sam_var var;                  /* SUM */
    sam_tensor tensor;            /* ACCESS */
    sam_var index[SAM_MAX_ORDER]; /* ACCESS: one per index of the tensor, in logical order */
    /* ACCESS, bit v - 1: loop v takes the tensor's level at the coordinates that the other operands have,
     * instead of scanning it. It is the tensor's outermost level, and dense, so they are its references. */
    uint64_t located;
    /* ACCESS, bit v - 1: so are the levels of all others that have loop v, all dense and as long, so that
     * their coordinates need no joiner. */
    uint64_t aligned;
    uint64_t walked; /* ACCESS, bit v - 1: loop v scans the tensor's level, whatever could locate it */
    uint8_t protocol[SAM_MAX_ORDER]; /* ACCESS: a sam_protocol for each index, as the user asks for */
    bool outer_dense; /* ACCESS: the outermost level that it reads is dense, whatever that of the tensor is */
    double literal;
    uint8_t operation;             /* SUM, CALL: a sam_operation (sam/operators.h); 0 is addition */
    struct sam_program *program;   /* CALL of operation `program`: what it computes (sam/operators.h) */
    const struct sam_claim *claim; /* the value of a function of a file: what is said of it; or NULL */
} sam_expr_data;

/* result(index...) = rhs, every reduction explicit as SAM_EXPR_SUM, and the loop order. */
typedef struct {
    arena *mem;
    name_table *names;
    VEC(sam_var_data) vars;
    VEC(sam_tensor_data) tensors; /* the result first, then operands in order of first appearance */
    VEC(sam_expr_data) exprs;
    sam_tensor result;
    sam_var result_index[SAM_MAX_ORDER];
    sam_expr rhs;
    VEC(sam_var) loops; /* all variables, outermost first */
    bool integers;      /* the values are int16: x / 0 is 0 */
    /* The result has another fill than the right side, so every coordinate counts. */
    bool everywhere;
    /* Variables, bit (handle - 1), that an operation takes whole sums over: no sub-tile cuts them, so their
     * edges must be as long as they are. */
    uint64_t uncut;
    bool general; /* there are fills that are not 0, or operations besides sums of + - * / */
    /* What sam_unites has found of the first n_unites expressions, by handle - 1: 0 nothing yet, 1 no, 2 yes.
     * NULL: it keeps nothing. Who changes expressions clears it. */
    uint8_t *unites;
    uint32_t n_unites;
    /* The statement runs sub-tile by sub-tile: a dense level goes on behind its variable's last coordinate,
     * where operands hold zeros; and an addend without a variable that is summed up beside it takes part in
     * that variable's first sub-tile only, and has operands of zeros in the others. */
    bool tiled;
    /* Bit (handle - 1) of a variable: what is computed of fills counts along it, so no level goes on behind
     * its last coordinate. */
    uint64_t exact;
    /* Sums by operations that the chip's reducer lacks are cut into sub-tiles of one coordinate, so that it
     * passes on what the host combines. So are loops that are outermost and not the result's, if all operands
     * that have them are dense along them. */
    bool singly;
    /* Bit (handle - 1) of a variable: the graph has no loop of it. A sub-tile is one coordinate long along
     * it, and the host adds up what the runs give. */
    uint64_t stepped;
    /* Bit (handle - 1) of a variable: a sub-tile is one coordinate long along it, so that a dense level
     * inside of it has the references of an outermost one. */
    uint64_t single;
    /* Not 0: the kernel's result is one value, of which its graph makes so many, one for each place in the
     * rows of its loop, and the host combines them (frontend/rows.c). */
    uint32_t rows;
} sam_statement;

static inline sam_var_data *sam_var_at(const sam_statement *s, sam_var h) {
    return &s->vars.at[h.v - 1];
}
static inline sam_tensor_data *sam_tensor_at(const sam_statement *s, sam_tensor h) {
    return &s->tensors.at[h.v - 1];
}
static inline sam_expr_data *sam_expr_at(const sam_statement *s, sam_expr h) {
    return &s->exprs.at[h.v - 1];
}
/* Returns the first access of an operand; NULL: nothing uses it. */
static inline const sam_expr_data *sam_access_of(const sam_statement *s, sam_tensor t) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS && s->exprs.at[e].tensor.v == t.v)
            return &s->exprs.at[e];
    }
    return NULL;
}
/* Returns how many of the first n expressions read the tensor. */
static inline uint32_t sam_count_reads(const sam_statement *s, sam_tensor t, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t e = 1; e <= n; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        count += x->kind == SAM_EXPR_ACCESS && x->tensor.v == t.v;
    }
    return count;
}
/* Returns the variables, by mode, of the result or of the first access of an operand. */
static inline const sam_var *sam_index_of(const sam_statement *s, sam_tensor t) {
    const sam_expr_data *access = t.v == s->result.v ? NULL : sam_access_of(s, t);
    return access ? access->index : s->result_index;
}

/* These return whether v indexes the result; the result's format along v, SAM_LEVEL_NONE if v is summed over;
 * and the variables that index operands in e, bit (handle - 1) each. */
bool sam_is_result_var(const sam_statement *s, sam_var v);
sam_level_format sam_result_level(const sam_statement *s, sam_var v);
uint64_t sam_vars_of(const sam_statement *s, sam_expr e);

/* ---- the graph ------------------------------------------------------------------------------- */

enum { SAM_ANY = -1 };

typedef enum {
    SAM_NONE,
#define SAM(name, type, in, out, ports_in, ports_out, doc) SAM_##name,
#include "sam/primitives.def"
#undef SAM
    SAM_PRIMITIVES
} sam_primitive;

typedef struct {
    const char *name, *type; /* "FIBERLOOKUP", "fiberlookup" */
    int in, out;             /* SAM_ANY = as many as connected */
    const char *ports_in, *ports_out, *doc;
} sam_primitive_info;
extern const sam_primitive_info sam_primitive_table[SAM_PRIMITIVES];

typedef enum {
    SAM_STREAM_NONE,
    SAM_STREAM_CRD,
    SAM_STREAM_REF,
    SAM_STREAM_VAL,
    SAM_STREAM_REPSIG,
    SAM_STREAM_BV,  /* bit vectors */
    SAM_STREAM_SKIP /* requests of a joiner to the scanners that feed it; only they may close a cycle */
} sam_stream;

typedef struct {
    uint32_t v;
} sam_node; /* 1-based index into sam_graph.nodes; 0 = none */

enum {
    SAM_MODE_VALS = -1,
    SAM_IN_TURN = -2
}; /* of a stream: compressed levels, outermost first, then values */

typedef struct {
    name_id key, value;
} sam_attribute;

typedef struct {
    sam_primitive kind; /* SAM_NONE: the node was removed */
    src_loc loc;
    name_id id;     /* DOT node id, e.g. "12" */
    name_id tensor; /* whatever reads or writes one; REPEAT (informative) */
    name_id index;  /* index variable, where there is one */
    /* FIBERLOOKUP, BVLOOKUP, LOCATE, FIBERWRITE: logical mode (not storage level); SAM_MODE_VALS for values
     */
    int mode;
    sam_level_format format; /* of the level, likewise */
    /* Where port 0 takes references: the reference input (port 0) has no edge, it receives "0, D". */
    bool root;
    /* ALU: "add", "sub", "mul", "div", "max", ...; see sam_alu_constant. ARRAYSTORE: what combines a value
     * with the one that is there, none: it is written over. REDUCE, VECTORREDUCER, SPACCUMULATOR: what
     * combines values, none: "add". */
    name_id alu;
    struct sam_program *program; /* ALU: a function of a file with loops, whose name `alu` is; or NULL */
    uint16_t fill;               /* ARRAYVALS: the value of what is not stored */
    name_id outer, inner;        /* CRDDROP, CRDHOLD: index variables; inner may be "val" */
    /* CRDDROP: both streams have the same depth, one value per coordinate, and pairs whose value is zero
     * are dropped (DOT: mode="0"). Otherwise inner is one level deeper and empty fibers are dropped. */
    bool compress; /* REDUCE: nothing for an empty fiber instead of a zero (DOT: empty="drop") */
    /* VECTORREDUCER: levels of the tensors it adds up: 1 vectors (what sam_add_node sets), 2 matrices, ...
     * PARALLELIZE, SERIALIZE: levels of the sub-trees they deal out, 0: single tokens. */
    uint8_t depth;
    uint8_t width;            /* BVLOOKUP, BVCONVERT, BVINTERSECT, BVUNION: bits of a word, 1 to 64; 0: 64 */
    bool fp;                  /* ALU, REDUCE, VECTORREDUCER, ARRAYSTORE, CRDDROP with compress: bfloat16 */
    VEC(sam_attribute) extra; /* attributes the reader keeps but does not interpret */
} sam_node_data;

/* One stream. Several edges may leave one port (each gets every token); at most one enters a port. */
typedef struct {
    sam_node src, dst; /* src.v == 0: removed */
    uint8_t src_port, dst_port;
    sam_stream stream;
    src_loc loc;
} sam_edge_data;

/* This is one tensor of the graph comment "X=ss01,B=ss01,C=ss10". */
typedef struct {
    name_id name;
    uint32_t order; /* 0: scalar ("none") */
    sam_level_format level[SAM_MAX_ORDER];
    uint8_t mode[SAM_MAX_ORDER]; /* mode[l]: logical mode held by storage level l */
} sam_graph_tensor;

typedef struct {
    arena *mem;
    name_table *names;
    src_loc loc; /* of the comment that describes the tensors, else of the graph's first word */
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
static inline bool sam_is_joiner(sam_primitive k) { /* inputs 2k, 2k+1 are what to join on and references */
    return k == SAM_INTERSECT || k == SAM_UNION || k == SAM_BVINTERSECT || k == SAM_BVUNION;
}
static inline bool sam_reads_level(sam_primitive k) {
    return k == SAM_FIBERLOOKUP || k == SAM_BVLOOKUP || k == SAM_LOCATE;
}
/* Returns how messages name a node: "intersect j (node 10)". */
const char *sam_node_label(const sam_graph *g, sam_node n, arena *mem);
const char *sam_stream_name(sam_stream s); /* as DOT's edge type: "crd", "ref", ...; "" for none */

/* The first returns the tensor of that name, or NULL; the second the storage level that holds logical mode
 * `mode`, or -1. */
const sam_graph_tensor *sam_find_tensor(const sam_graph *g, name_id name);
int sam_storage_level(const sam_graph_tensor *t, int mode);

/* An ALU operand may be a constant: attribute "const0" (operand 0), "const1", ... holds a number and no
 * edge enters that port; "rb_const" is another word for "const1" where there is no "const0". Returns its
 * text, or NULL when operand `port` is a stream. */
const char *sam_alu_constant(const sam_graph *g, sam_node n, uint32_t port);
/* Reads the word that a constant's text stands for: an integer from -32768 to 65535, or a number rounded to
 * bfloat16. */
bool sam_parse_constant(const char *text, bool fp, uint16_t *out);
/* Returns the index variable of storage level l of the result that an ARRAYSTORE writes, from its attributes
 * "in0", "in1", ... */
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

/* ---- DOT, checks, rewrites ------------------------------------------------------------------- */

/* These read and write the SAM project's DOT dialect; docs/ir_sam.md is the contract. parse(dump(g)) equals
 * g. */
bool sam_parse(const char *name, const char *text, size_t length, name_table *names, arena *mem,
               diagnostics *d, sam_graph *out);
void sam_dump(const sam_graph *g, FILE *out);

/* Checks legality, independently of whatever built the graph: arities, stream types, every input driven once,
 * no cycle but through skip requests, tensors and modes known, every level and the values of the result
 * written once. Errors E0210 to E0218. */
bool sam_check(const sam_graph *g, diagnostics *d);

/* Rewrites that make a graph hardware-legal, each makes a new graph in out (SAM -> SAM), which shares the
 * names of `in`. The input must satisfy sam_check.
 * Joiners with more than two operands become balanced trees of binary ones (n/2 log2 n of them, since a
 * binary joiner carries two references); broadcasts become several edges from one port. */
bool sam_to_binary_joiners(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out);
bool sam_remove_broadcasts(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out);

/* ---- data of a graph: what its memories hold ------------------------------------------------- */

/* One storage level. Compressed: crd of fiber f is crd[seg[f] .. seg[f+1]); dense: dim only. */
typedef struct {
    sam_level_format format;
    uint32_t dim;
    const uint32_t *seg, *crd;
    uint32_t n_seg, n_crd;
} sam_level_data;

/* A tensor as levels and values; values are raw 16-bit words (int16 or bfloat16). */
typedef struct {
    name_id name;
    uint32_t order;
    sam_level_data level[SAM_MAX_ORDER]; /* by storage level */
    const uint16_t *vals;
    uint32_t n_vals;
} sam_tensor_levels;

/* ---- simulator ------------------------------------------------------------------------------- */

/* SAM_TIMING_IDEAL: every primitive moves whenever its inputs allow. SAM_TIMING_PUBLISHED: the cycle counts
 * of the simulator that the SAM project published, with its peculiarities; docs/simulator.md lists them. */
typedef enum { SAM_TIMING_IDEAL, SAM_TIMING_PUBLISHED } sam_sim_timing;

typedef enum {
    SAM_TOKEN_NUMBER,
    SAM_TOKEN_STOP,
    SAM_TOKEN_EMPTY,
    SAM_TOKEN_DONE,
    SAM_TOKEN_KINDS
} sam_token_kind;

/* One stream between two nodes, broadcasts removed; nodes by their DOT ids. */
typedef struct {
    name_id src, dst;
    uint8_t src_port, dst_port;
    sam_stream stream;
    uint64_t tokens[SAM_TOKEN_KINDS]; /* that crossed it, by kind */
    uint32_t high_water;              /* most tokens in its FIFO at the end of a cycle */
} sam_edge_statistics;

/* One node. In each cycle up to the one it was done in (or the last) it is one of active, idle, stalled. */
typedef struct {
    name_id id;
    const char *label;                /* as messages name it */
    uint64_t active, idle, stalled;   /* moved a token; waited for its inputs; waited for room in a FIFO */
    uint64_t done;                    /* the cycle in which it took the end of its streams; 0: it did not */
    uint64_t tokens[SAM_TOKEN_KINDS]; /* put out, by kind, over all ports that somebody listens to */
} sam_unit_statistics;

/* A token that enters the FIFO of an edge: a number's value or a stop's level. It can be taken in the next
 * cycle. */
typedef struct {
    uint64_t cycle;
    const sam_edge_statistics *edge;
    sam_token_kind kind;
    uint32_t value;
} sam_trace_event;
typedef void sam_trace(void *context, const sam_trace_event *event);

typedef struct {
    uint64_t max_cycles; /* 0: no limit besides the watchdog; else E0236-cycle-limit */
    sam_sim_timing timing;
    uint32_t fifo_depth; /* tokens a FIFO holds, ideal timing only; 0: no bound */
    bool statistics;     /* fill the statistics of the result */
    sam_trace *trace;    /* called for every token, in the order of cycles and, within one, of edges */
    void *trace_context;
} sam_sim_options;

typedef struct {
    uint64_t cycles;
    /* As written. Ideal timing: every fiber has its segment, empty ones included. Published timing: a union
     * may have left explicit zeros at coordinates that are out of order. */
    sam_tensor_levels result;
    uint64_t stored;                  /* values that were written, explicit zeros included */
    uint64_t tokens;                  /* tokens that crossed an edge */
    const sam_unit_statistics *units; /* with options.statistics, also of a run that failed */
    uint32_t n_units;
    const sam_edge_statistics *edges;
    uint32_t n_edges;
} sam_sim_result;

/* Runs a graph on data: one token per port per cycle, FIFOs without bound unless options say otherwise, 1
 * cycle per primitive, broadcasts free. Operand names are of the graph's name table. int16 arithmetic wraps;
 * fp nodes round to nearest even. A primitive moves only in a cycle in which every FIFO it may fill has room,
 * counting what its readers took in the same cycle. A run that stops moving before every writer is done
 * reports who waits for whom (E0230-deadlock); streams that do not fit together E0231-stream; a result whose
 * levels disagree E0232-result; missing or malformed operands E0233-operand; what it cannot compute
 * E0234-alu, E0235-unsupported. options may be NULL. Time is proportional to the moves of primitives; with a
 * FIFO depth, statistics or a trace to cycles x nodes. */
bool sam_simulate(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                  const sam_sim_options *options, arena *mem, diagnostics *d, sam_sim_result *out);

#endif
