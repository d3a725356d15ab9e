/* simulate.h - the simulator. */
#ifndef ONYX_SAM_SIMULATE_H
#define ONYX_SAM_SIMULATE_H

#include "sam/graph.h"
#include "sam/levels.h"

/* SAM_TIMING_IDEAL: every primitive moves whenever its inputs allow. SAM_TIMING_PUBLISHED: the cycle counts
 * of the SAM project's published simulator, with its peculiarities, listed in docs/simulator.md. */
typedef enum { SAM_TIMING_IDEAL, SAM_TIMING_PUBLISHED } sam_sim_timing;

typedef enum {
    SAM_TOKEN_NUMBER,
    SAM_TOKEN_STOP,
    SAM_TOKEN_EMPTY,
    SAM_TOKEN_DONE,
    SAM_TOKEN_KINDS
} sam_token_kind;

/* A stream between two nodes, broadcasts removed; nodes by their DOT ids. */
typedef struct {
    name_id src, dst;
    uint8_t src_port, dst_port;
    sam_stream stream;
    uint64_t tokens[SAM_TOKEN_KINDS]; /* that crossed it, by kind */
    uint32_t high_water;              /* most tokens in its FIFO at the end of a cycle */
} sam_edge_statistics;

/* A node. In each cycle up to its end (or the last) a node is exactly one of active, idle, stalled. */
typedef struct {
    name_id id;
    const char *label;                /* as messages name it */
    uint64_t active, idle, stalled;   /* moved a token; waited for its inputs; waited for room in a FIFO */
    uint64_t done;                    /* the cycle of the end of its streams; 0: not reached */
    uint64_t tokens[SAM_TOKEN_KINDS]; /* emitted, by kind, over all connected ports */
} sam_unit_statistics;

/* A token that enters the FIFO of an edge: a number's value or a stop's level. The sink can take the token in
 * the next cycle. */
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
    sam_trace *trace;    /* called for every token, in order of cycles and, within a cycle, of edges */
    void *trace_context;
} sam_sim_options;

typedef struct {
    uint64_t cycles;
    /* As written. Ideal timing: every fiber has its segment, empty ones included. Published timing: a union
     * may have left explicit zeros at coordinates that are out of order. */
    sam_tensor_levels result;
    uint64_t stored;                  /* written values, explicit zeros included */
    uint64_t tokens;                  /* tokens that crossed an edge */
    const sam_unit_statistics *units; /* with options.statistics, also for a failed run */
    uint32_t n_units;
    const sam_edge_statistics *edges;
    uint32_t n_edges;
} sam_sim_result;

/* Runs a graph on data: a token per port per cycle, FIFOs without bound unless options set one, 1 cycle per
 * primitive, broadcasts free. Operand names are of the graph's name table. int16 arithmetic wraps; fp nodes
 * round to nearest even. A primitive moves only in a cycle with room in every FIFO it may fill, counting the
 * room made by readers in the same cycle. Errors: E0230-deadlock (a run stops moving before every writer is
 * done; reports the waiting units), E0231-stream (streams do not fit together), E0232-result (levels of a
 * result disagree), E0233-operand (missing or malformed operands), E0234-alu and E0235-unsupported (not
 * computable). options may be NULL. Time is proportional to the moves of primitives; with a FIFO depth,
 * statistics or a trace to cycles x nodes. */
bool sam_simulate(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                  const sam_sim_options *options, diagnostics *d, sam_sim_result *out);

#endif
