/* sim_int.h - the simulator's machine: tokens, queues, a unit a node. Private to the simulator and its tests.
 *
 * Tokens are 32-bit words: numbers below 2^31 (coordinates, references, 16-bit values, repeat signals) and
 * control tokens. A stop of level n closes n + 1 nested fibers. Plain SAM streams cannot distinguish a fiber
 * without sub-fibers from a fiber with a single empty sub-fiber: both are a stop S1. Here a stop also carries
 * its hollow depth h: the fibers of levels 0 .. h-1 closed by the stop were never opened. "S1" closes an
 * (empty) innermost fiber and the fiber around it, "S1/1" closes only the outer fiber, which was empty. The
 * hollow depth tells a reducer whether a zero is due, and a writer the number of segments due.
 */
#ifndef ONYX_SAM_SIM_INT_H
#define ONYX_SAM_SIM_INT_H

#include "sam/sam.h"

typedef uint32_t sim_token;
#define SIM_STOP 0x80000000u  /* | hollow depth << 8 | level */
#define SIM_EMPTY 0xC0000000u /* "N": a union's operand without an entry here */
#define SIM_DONE 0xC0000001u

static inline bool sim_is_number(sim_token t) {
    return t < SIM_STOP;
}
static inline bool sim_is_stop(sim_token t) {
    return t >= SIM_STOP && t < SIM_EMPTY;
}
/* A number or "nothing": an element of a fiber. */
static inline bool sim_is_element(sim_token t) {
    return sim_is_number(t) || t == SIM_EMPTY;
}
static inline sim_token sim_stop(uint32_t level, uint32_t hollow) {
    return SIM_STOP | hollow << 8 | level;
}
static inline uint32_t sim_level(sim_token stop) {
    return stop & 0xff;
}
static inline uint32_t sim_hollow(sim_token stop) {
    return stop >> 8 & 0xff;
}

/* A growing ring buffer; begin and end run freely and are taken modulo the size, a power of two. */
typedef struct {
    sim_token *at;
    uint32_t mask;
    uint64_t begin, end;
    uint64_t *ready, ready_bit; /* bit of sim_machine.ready that lets the sink move */
    sam_node source, sink;      /* filler (0: the root reference or a test) and reader */
} sim_queue;

static inline bool sim_has(const sim_queue *q) {
    return q->begin != q->end;
}
static inline sim_token sim_head(const sim_queue *q) {
    return q->at[q->begin & q->mask];
}
static inline sim_token sim_pop(sim_queue *q) {
    return q->at[q->begin++ & q->mask];
}

static inline bool sim_is_writer(sam_primitive k) {
    return k == SAM_FIBERWRITE || k == SAM_ARRAYSTORE;
}

typedef struct {
    sim_queue **to;
    uint32_t n;
} sim_output;

typedef uint16_t (*sim_operation)(uint16_t a, uint16_t b);

typedef struct sim_machine sim_machine;
typedef struct sim_unit sim_unit;
/* Runs a cycle of a unit; returns whether anything moved. */
typedef bool sim_step_function(sim_machine *m, sim_unit *u);

struct sim_unit {
    sim_step_function *step;
    sam_primitive kind;
    sam_node node;
    bool done;
    bool compress, fp; /* as in the node */
    sim_queue **in;
    uint32_t n_in, n_out;
    sim_output *out;
    union {
        struct {
            const sam_level_data *level;
            uint32_t fibers; /* references must be below */
            uint32_t at, end, base;
            bool closing; /* the fiber is out, its stop waits for the next reference */
            uint32_t width,
                word_at;          /* bit vectors: bits a word; position of the next word's first coordinate */
            const uint16_t *vals; /* runs: values at the level's positions; NULL: blocks, or levels below */
            const uint32_t *seg[SAM_MAX_ORDER]; /* lists: segments of the singletons below, NULL behind */
            uint32_t reading;                   /* lists: entries of the coordinate still to be read */
            uint32_t fiber, skip_fiber;         /* stops put out, stops of skip requests taken */
            uint32_t skips;                     /* skip requests from before this cycle */
            bool open;                          /* published timing: in a fiber, its stop is not out */
        } scan;
        struct {
            sim_token *asked; /* by operand: the last skip request of this fiber, 0: none */
            uint32_t lacks;   /* operand that must not have the coordinate, + 1; 0: none */
        } join;
        struct {
            uint32_t width;
            uint32_t word;     /* words of this fiber up to now */
            uint64_t bits;     /* converter: of the word at hand; joiner: still to be put out */
            uint32_t count;    /* converter: coordinates before this word; of runs: the end of `word` on */
            uint64_t *present; /* joiner, by operand: its word at hand */
            sim_token *first;  /* joiner, by operand: the reference of its first bit */
        } bits;
        struct {
            const sam_level_data *level;
            uint32_t fibers;
            sim_token reference;
            bool holds;
        } locate;
        struct {
            uint16_t *vals;
            uint32_t n_vals;
            sim_operation combine; /* NULL: values are written over */
        } store;
        struct {
            const uint16_t *vals;
            uint32_t n_vals;
            uint16_t fill;
        } array;
        struct {
            sim_token reference;
            bool holds, closing;
        } repeat;
        struct {
            sim_operation f;
            const bool *is_constant; /* by operand; n_in operands */
            const uint16_t *constant;
        } alu;
        struct {
            sim_operation add;
            uint16_t sum, empty; /* empty: that of nothing */
            bool any;            /* the fiber has an element */
            bool has_stop;
            sim_token stop; /* still to be sent */
        } reduce;
        struct {
            bool started;   /* the inner fiber at hand has an element */
            bool kept;      /* the current outer fiber has a kept element */
            bool owes_stop; /* S0 of the last kept inner fiber, sent when more follows */
            bool in_fiber;  /* the last outer token was a number */
            uint32_t level; /* of the last inner stop */
        } drop;
        struct {
            sim_operation add;
            uint32_t depth;                     /* coordinates of an entry, outermost first */
            u32_vec points;                     /* `depth` coordinates an entry */
            u16_vec values;                     /* one an entry */
            u32_vec order, spare;               /* entries by point; room for sorting */
            uint32_t sent;                      /* entries that are out */
            bool parted;                        /* the stops before the next element are parted, too */
            sim_token outer_crd[SAM_MAX_ORDER]; /* outer coordinate at hand, by port */
            bool holds[SAM_MAX_ORDER], draining;
            sim_token stop; /* of the innermost level, after the entries */
        } vector;
        struct {
            uint32_t depth, turn; /* turn: the served copy */
            sim_token *owed;      /* parallelizer, by copy: the stop of its last sub-tree, 0: none */
            bool *ended;          /* serializer, by copy: its copy's fiber has ended */
            bool closing;         /* serializer: all sub-trees are out, the stop is not */
            sim_token stop;
        } deal;
        struct {
            VEC(sim_token) tokens;
        } write;
        /* The rest is of the published timing: sim_published.c. */
        struct {
            sim_token at[4]; /* the compared pair of each operand, by input */
            bool loaded;
        } pairs;
        struct {
            sim_token outer;
            bool holds;      /* `outer` waits for the end of its fiber */
            bool seen;       /* which has a coordinate */
            bool after_stop; /* the last outer token was a stop, or none came */
            bool owes_inner; /* an outer stop went by whose inner stop has not come */
        } published_drop;
        sim_unit *hold; /* the repeater inside */
        struct sim_accumulator *accumulator;
    } s;
};

/* Counts of a watched run; by order and by edge. */
typedef struct {
    sam_unit_statistics *unit; /* by node - 1 */
    sam_edge_statistics *edge; /* by edge of the graph */
    sim_queue **queue;         /* by edge */
    uint64_t *last_end;        /* by edge: sim_queue.end at the last look */
    sam_trace *trace;          /* may be NULL */
    void *trace_context;
} sim_watch;

struct sim_machine {
    const sam_graph *g;
    arena *mem;
    diagnostics *d;
    const sam_tensor_levels *operands;
    uint32_t n_operands;
    sim_unit *units;  /* by node, from 1 */
    sim_unit **order; /* live units, sinks before sources */
    uint32_t n_order;
    uint64_t *ready;     /* a bit by position in order: moved last time, or was given a token since */
    uint32_t unfinished; /* writers, or all units without a writer */
    bool has_writers;
    sam_sim_timing timing;
    uint32_t fifo_depth; /* 0: queues have no bound */
    sim_watch *watch;    /* NULL: nothing is counted */
    uint64_t cycle;
    VEC(uint64_t) words; /* a token of a bit-vector stream is an index into words */
    bool failed;         /* a unit met an unacceptable token; reported */
};

typedef enum { SIM_RUN_FINISHED, SIM_RUN_STUCK, SIM_RUN_FAILED, SIM_RUN_LIMIT } sim_end;

/* ---- simulate.c ------------------------------------------------------------------------------ */
/* Builds the units of m->g, a graph without broadcasts, with m's operands, in m->mem; errors go to m->d. The
 * rest of *m is 0. Inputs without edge stay empty until sim_feed fills them. options may be NULL. */
bool sim_build(sim_machine *m, const sam_sim_options *options);
void sim_feed(sim_machine *m, sam_node n, uint32_t port, const sim_token *tokens, uint32_t count);
void sim_add_sink(arena *mem, sim_unit *u, uint32_t port, sim_queue *q); /* receives all that leaves it */
sim_end sim_run(sim_machine *m, uint64_t max_cycles);
sim_queue *sim_new_queue(arena *mem);
void sim_grow(arena *mem, sim_queue *q); /* twice the size */

static inline void sim_push(arena *mem, sim_queue *q, sim_token t) {
    if (q->end - q->begin > q->mask)
        sim_grow(mem, q);
    q->at[q->end++ & q->mask] = t;
}

/* ---- sim_published.c ------------------------------------------------------------------------- */
/* Makes `u` a unit of the published simulator; false after E0235-unsupported if the published simulator has
 * none. */
bool sim_publish(sim_machine *m, sim_unit *u);

/* ---- sim_stuck.c ----------------------------------------------------------------------------- */
/* E0230-deadlock: the unfinished writer, and the cycle or the chain of mutually waiting units. */
void sim_report_stuck(const sim_machine *m);
bool sim_has_room(const sim_machine *m, const sim_unit *u); /* in every queue that the unit may fill */

/* ---- sim_alu.c ------------------------------------------------------------------------------- */
/* The operation and its largest number of operands; NULL if unknown to the simulator. */
sim_operation sim_find_operation(const char *name, bool fp, uint32_t *most_operands);

#endif
