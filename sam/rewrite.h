/* rewrite.h - legality of a graph, and rewrites towards the hardware. */
#ifndef ONYX_SAM_REWRITE_H
#define ONYX_SAM_REWRITE_H

#include "sam/graph.h"

/* Checks legality, independently of whatever built the graph: arities, stream types, every input driven once,
 * no cycle but through skip requests, tensors and modes known, every level and the values of the result
 * written once. Errors E0210 to E0218. */
bool sam_check(const sam_graph *g, diagnostics *d);

/* Rewrites that make a graph hardware-legal; each makes a new graph in out (SAM -> SAM), which shares the
 * names of `in`. The input must satisfy sam_check. Joiners with more than two operands become balanced trees
 * of binary joiners (n/2 log2 n, since a binary joiner carries two references); broadcasts become several
 * edges from a port. */
bool sam_to_binary_joiners(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out);
bool sam_remove_broadcasts(const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out);

#endif
