/* lower_int.h - shared by the files that make a SAM graph of a statement: lower.c (scopes, the whole),
 * lower_iterate.c (loops), lower_compute.c (values), lower_reduce.c (reducers, droppers, writers).
 */
#ifndef ONYX_FE_LOWER_INT_H
#define ONYX_FE_LOWER_INT_H

#include "frontend/lowering/lower.h"
#include "frontend/lowering/presence.h"
#include "sam/coordinates.h"

/* An output port; node 0: the stream "0, D" at the start of a root. */
typedef struct {
    sam_node node;
    uint8_t port;
    bool located; /* coordinates that stand for references */
} stream;

typedef struct {
    sam_var var;
    uint8_t operation; /* of its reduction, if not the result's */
    bool in_result;
    bool dense; /* a dense level of the result: every coordinate must reach its writer */
    stream crd;
    bool may_be_empty; /* its fiber may be empty at some coordinate of the outer loop (outermost: as a whole)
                        */
    bool full;         /* every coordinate of the dimension, in every fiber */
    bool filled;       /* and if not, then after the reducers, by an operand of ones */
} loop;

typedef VEC(loop) loops;

/* A value is a stream or a constant. */
typedef struct {
    stream val;
    bool negative; /* the stream carries minus the value */
    bool is_constant;
    double constant;
} value;

typedef struct {
    sam_statement *s; /* a copy: moving sums adds expressions */
    const fe_lower_options *options;
    arena *mem;
    diagnostics *d;
    sam_graph *g;
    fe_leaves leaves;
    stream *refs; /* by leaf: its reference stream so far */
} lowering;

/* ---- lower.c --------------------------------------------------------------------------------- */

sam_node lower_add_node(lowering *w, sam_primitive kind, src_loc loc);
sam_node lower_add_loop_node(lowering *w, sam_primitive kind, sam_var v, src_loc loc);
/* Adds an edge, or sets the node's root flag where the stream is the root's. */
void lower_feed(lowering *w, stream from, sam_node to, uint8_t port, sam_stream type);
stream lower_out(sam_node n, uint8_t port);
/* Iterates over the scope's loops, outermost first, and appends them to *done. E0126, E0130. */
bool lower_scope(lowering *w, fe_scope *scope, fe_presence *presence, loops *done);

/* ---- lower_iterate.c ------------------------------------------------------------------------- */

/* Makes one loop around `body`: scanners, joiners and repeaters; *presence becomes the presence inside the
 * loop. E0130. */
bool lower_loop(lowering *w, sam_expr body, sam_var v, fe_presence *presence, loops *done);

/* ---- lower_compute.c ------------------------------------------------------------------------- */

/* Makes the values of e, one for each point of the outer loops, as a stream without negation. */
bool lower_values(lowering *w, sam_expr e, const fe_presence *in, stream *result);
/* Adds a scalar reducer by an operation. */
stream lower_reducer(lowering *w, stream val, const loop *of, src_loc loc);
/* Returns a graph's name of an operation; 0 for addition, the default of reducers. */
static inline name_id lower_reduction_name(const lowering *w, uint8_t operation) {
    if (operation == SAM_OPERATION_add)
        return (name_id){0};
    return names_intern(w->g->names, sam_operation_name((sam_operation)operation));
}

/* ---- lower_reduce.c -------------------------------------------------------------------------- */

/* Connects all loops of the outermost scope and the inner values to the result's writers. E0124, E0126. */
bool lower_result(lowering *w, loops *l, stream val);

/* Returns the first of loops [from, to) that may be empty, or `to`. */
static inline uint32_t lower_first_empty(const loops *l, uint32_t from, uint32_t to) {
    while (from < to && !l->at[from].may_be_empty)
        from++;
    return from;
}

#endif
