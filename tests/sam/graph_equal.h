/* graph_equal.h - what it means that a graph comes back: from its text, from a rewrite, from another way to
 * make it. */
#ifndef ONYX_TESTS_GRAPH_EQUAL_H
#define ONYX_TESTS_GRAPH_EQUAL_H

#include "sam/sam.h"

/* Whether both have the same tensors, the same live nodes in the same order and the same set of edges; names
 * compare as text, locations and removed nodes do not count. */
bool graphs_equal(const sam_graph *a, const sam_graph *b);
char *graph_text(const sam_graph *g, arena *mem); /* as sam_dump prints it */

#endif
