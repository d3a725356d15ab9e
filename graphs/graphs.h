/* graphs.h - a SAM graph from a file as a kernel: its function, as far as the array's engines need. */
#ifndef ONYX_GRAPHS_H
#define ONYX_GRAPHS_H

#include "kernel/kernel.h"

/* Returns whether the argument is a graph's file, not an expression. */
bool compile_is_graph(const char *expression);
/* Makes k->user and k->lowered of the graph, for the chip or for engine sam: the first passes of
 * compile_to_graph. E0915, E0916, E0918, E0919. */
bool compile_graph_kernel(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k);

/* Reads a SAM graph from a .gv file, the other argument of `onyx sam` besides an expression. */
bool compile_read_graph(const compile_options *o, compile_context *ctx, compile_kernel *k);

/* Finds the coordinates that own the fibers of `crd`, in *out or in the graph; NULL if `crd` is outermost, or
 * the graph does not show the owners. */
const sam_edge_data *compile_around(const sam_graph *g, const sam_edge_data *crd, sam_edge_data *out);
/* Applies to a graph without broadcasts the steps that published graphs leave to their tools (mend.c), with a
 * note. */
void compile_mend_graph(compile_context *ctx, sam_graph *g);

/* Adds a tensor of the graph to the statement. */
void graph_add_tensor(const sam_graph *g, const sam_graph_tensor *t, sam_statement *st);
/* Values that an operation makes of the zeros that pad operands, to be replaced by `identity`. */
typedef struct {
    sam_node node;
    bool results; /* the values that the node gives, else those into its input `port` */
    uint32_t port;
    uint16_t identity;
    sam_expr of; /* their operands, without sums */
} graph_mask;

/* A graph read back. The statement has the graph's tensors, indices and loops, and a right side with the
 * graph's coordinates: an operation without a kind of expression is replaced by an operation with the same
 * intersections and unions. */
typedef struct {
    sam_statement statement;
    bool exact; /* nothing stands for something else: the statement can be evaluated */
    VEC(graph_mask) masks;
    /* An operation of sums with a nonzero value of the zeros that pad operands; 0: none. */
    sam_node shows;
    const char *why; /* its value of zeros */
} graph_reading;

/* Puts the masks behind the values of k->lowered.sam, whose operands are padded, and adds the masks' operands
 * to both statements: ones wherever levels lead to a value that is no padding. */
void graph_mask_padding(const graph_reading *read, compile_context *ctx, compile_kernel *k);

/* Reads back a graph without broadcasts. Returns false with E0918-graph-form if the graph lacks facts needed
 * by the array. */
bool compile_read_back(const sam_graph *g, bool integers, compile_context *ctx, graph_reading *out);

#endif
