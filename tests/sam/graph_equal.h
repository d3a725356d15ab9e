/* graph_equal.h - equality of graphs after a round trip through text, a rewrite, or another construction. */
#ifndef ONYX_TESTS_GRAPH_EQUAL_H
#define ONYX_TESTS_GRAPH_EQUAL_H

#include "sam/sam.h"

/* Whether both have the same tensors, the same live nodes in the same order and the same set of edges; names
 * compare as text, locations and removed nodes do not count. */
bool graphs_equal(const sam_graph *a, const sam_graph *b);
char *graph_text(const sam_graph *g, arena *mem); /* as sam_dump prints it */

#endif
