/* graphs.h - a SAM graph from a file as a kernel: what it computes, as far as the array's engines have to
 * know. */
#ifndef ONYX_GRAPHS_H
#define ONYX_GRAPHS_H

#include "kernel/kernel.h"

/* Returns whether what is to be run is a graph from a file, and no expression. */
bool compile_is_graph(const char *expression);
/* Makes k->user and k->lowered of the graph, for the chip or for engine sam: the first passes of
 * compile_to_graph. E0915, E0916, E0918, E0919. */
bool compile_graph_kernel(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k);

/* Reads a SAM graph from a .gv file: what `onyx sam` is given instead of an expression. */
bool compile_read_graph(const compile_options *o, compile_context *ctx, compile_kernel *k);

/* Finds the coordinates each of which owns a fiber of `crd`, in *out or in the graph; NULL if that is the
 * outermost, or the graph does not show it. */
const sam_edge_data *compile_around(const sam_graph *g, const sam_edge_data *crd, sam_edge_data *out);
/* Does in a graph without broadcasts what published ones leave to the tools around them (graph_mend.c), and
 * says so. */
void compile_mend_graph(compile_context *ctx, sam_graph *g);

/* A graph read back. The statement has its tensors, indices and loops, and a right side with the coordinates
 * of the graph's: where an operation has no kind of expression, one that meets or unites its operands alike
 * stands for it. */
typedef struct {
    sam_statement statement;
    bool exact; /* nothing stands for something else: the statement can be evaluated */
    /* An operation that gives something else than 0 where the array pads operands with zeros; 0: none. */
    sam_node shows;
    const char *why; /* of that operation: what it makes of zeros */
} graph_reading;

/* Reads back a graph without broadcasts. Returns false with E0918-graph-form where the graph does not say
 * what the array has to know. */
bool compile_read_back(const sam_graph *g, bool integers, compile_context *ctx, graph_reading *out);

#endif
