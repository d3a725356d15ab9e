/* sim_int.h - the simulator's machine: tokens, queues, one unit a node. Private to the simulator and its
 * tests.
 *
 * Tokens are 32-bit words: numbers below 2^31 (coordinates, references, 16-bit values, repeat signals) and
 * control tokens. A stop of level n closes n + 1 nested fibers. Plain SAM streams cannot tell a fiber that
 * has no sub-fibers from one that has a single empty sub-fiber: both are one stop S1. Here a stop also
 * carries its hollow depth h: the fibers of levels 0 .. h-1 that it would close were never opened. "S1"
 * closes an (empty) innermost fiber and the one around it, "S1/1" closes only the outer one, which was empty.
 * So a reducer knows whether it owes a zero, and a writer how many segments it owes.
 */
#ifndef ONYX_SAM_SIM_INT_H
#define ONYX_SAM_SIM_INT_H

#include "sam/sam.h"

typedef uint32_t sim_token;
#define SIM_STOP 0x80000000u  /* | hollow depth << 8 | level */
#define SIM_EMPTY 0xC0000000u /* "N": a union's operand that has nothing here */
#define SIM_DONE 0xC0000001u

static inline bool sim_is_number(sim_token t) {
    return t < SIM_STOP;
}
static inline bool sim_is_stop(sim_token t) {
    return t >= SIM_STOP && t < SIM_EMPTY;
}
/* A number or "nothing": what stands for one element of a fiber. */
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

/* A ring buffer that grows; begin and end run freely and are taken modulo the size, a power of two. */
typedef struct {
    sim_token *at;
    uint32_t mask, begin, end;
    sam_node source; /* who fills it; 0: the root reference or a test */
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

typedef struct {
    sim_queue **to;
    uint32_t n;
} sim_output;

typedef uint16_t (*sim_operation)(uint16_t a, uint16_t b);

typedef struct {
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
        } scan;
        struct {
            const uint16_t *vals;
            uint32_t n_vals;
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
            uint16_t sum;
            bool has_stop;
            sim_token stop; /* still to be sent */
        } reduce;
        struct {
            bool started;   /* the inner fiber at hand has an element */
            bool kept;      /* the outer fiber at hand has an element that stays */
            bool owes_stop; /* S0 of the last kept inner fiber, sent when more follows */
            bool in_fiber;  /* the last outer token was a number */
            uint32_t level; /* of the last inner stop */
        } drop;
        struct {
            sim_operation add;
            uint32_t depth;                /* coordinates of an entry, outermost first */
            u32_vec points;                /* `depth` coordinates an entry */
            u16_vec values;                /* one an entry */
            u32_vec order, spare;          /* entries by point; room for sorting */
            uint32_t sent;                 /* entries that are out */
            bool parted;                   /* so are the stops before the next one */
            sim_token held[SAM_MAX_ORDER]; /* outer coordinate at hand, by port */
            bool holds[SAM_MAX_ORDER], draining;
            sim_token stop; /* of the innermost level, after the entries */
        } vector;
        struct {
            uint32_t depth, turn; /* turn: the copy that is served */
            sim_token *owed;      /* parallelizer, by copy: the stop of its last sub-tree, 0: none */
            bool *ended;          /* serializer, by copy: its part of the fiber has ended */
            bool closing;         /* serializer: all sub-trees are out, the stop is not */
            sim_token stop;
        } deal;
        struct {
            VEC(sim_token) tokens;
        } write;
    } s;
} sim_unit;

typedef struct {
    const sam_graph *g;
    arena *mem;
    diagnostics *d;
    sim_unit *units;     /* by node, from 1 */
    uint32_t *order;     /* units, sinks before sources */
    uint32_t n_order;    /* live units */
    uint32_t unfinished; /* writers, or all units where there is no writer */
    bool has_writers;
    uint64_t cycle, tokens;
    bool failed; /* a unit met a token it cannot take; reported */
} sim_machine;

typedef enum { SIM_RUN_FINISHED, SIM_RUN_STUCK, SIM_RUN_FAILED, SIM_RUN_LIMIT } sim_end;

/* ---- simulate.c ------------------------------------------------------------------------------ */
/* A machine for a graph without broadcasts. Inputs without edge stay empty until sim_feed fills them. */
bool sim_build(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands, arena *mem,
               diagnostics *d, sim_machine *out);
void sim_feed(sim_machine *m, sam_node n, uint32_t port, const sim_token *tokens, uint32_t count);
sim_queue *sim_probe(sim_machine *m, sam_node n, uint32_t port); /* receives all that leaves the port */
sim_end sim_run(sim_machine *m, uint64_t max_cycles);
void sim_report_stuck(const sim_machine *m); /* E0230-deadlock: which writer, and the chain it waits for */
void sim_push(arena *mem, sim_queue *q, sim_token t);

/* ---- sim_units.c ----------------------------------------------------------------------------- */
bool sim_step(sim_machine *m, sim_unit *u); /* one cycle of one unit; whether anything moved */
/* For the units of other files: a token to whoever listens; the end of the unit's work; E0231-stream. */
void sim_emit(sim_machine *m, const sim_unit *u, uint32_t port, sim_token t);
void sim_finish(sim_machine *m, sim_unit *u);
bool sim_refuse(sim_machine *m, const sim_unit *u, const char *why); /* true: the unit is stopped */
const char *sim_token_text(arena *mem, sim_token t);

/* ---- sim_reduce.c ---------------------------------------------------------------------------- */
bool sim_step_vector(sim_machine *m, sim_unit *u);

/* ---- sim_parallel.c -------------------------------------------------------------------------- */
bool sim_step_parallelize(sim_machine *m, sim_unit *u);
bool sim_step_serialize(sim_machine *m, sim_unit *u);

/* ---- sim_alu.c ------------------------------------------------------------------------------- */
/* The operation and the number of operands it may have; NULL if the simulator does not know it. */
sim_operation sim_find_operation(const char *name, bool fp, uint32_t *most_operands);
bool sim_parse_constant(const char *text, bool fp, uint16_t *out);

/* ---- sim_data.c ------------------------------------------------------------------------------ */
/* E0233-operand unless every tensor the graph reads is there, with the levels the graph describes. */
bool sim_check_operands(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                        arena *mem, diagnostics *d);
const sam_tensor_levels *sim_find_operand(const sam_tensor_levels *operands, uint32_t n_operands,
                                          name_id name);
/* Number of fibers of a storage level: 1 for the outermost. */
uint32_t sim_fibers(const sam_tensor_levels *t, uint32_t level);
/* The result from what the writers recorded; E0232-result. */
bool sim_result_of(const sim_machine *m, const sam_tensor_levels *operands, uint32_t n_operands,
                   sam_tensor_levels *out);

#endif
