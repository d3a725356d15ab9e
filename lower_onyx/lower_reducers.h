/* lower_reducers.h - reducers of a graph, lowered. */
#ifndef ONYX_LOWER_ONYX_LOWER_REDUCERS_H
#define ONYX_LOWER_ONYX_LOWER_REDUCERS_H

#include "lower_onyx/lowering.h"

/* Returns whether the reducer, which adds, may stand for another operation, for fibers of one value. */
bool lower_reduces_singly(const sam_graph *g, sam_node h);
onyx_node lower_reduce(lowering *l, sam_node h);
/* Returns the loop order with the result's variables outside, for which scalar reducers suffice: "i,j,k". */
const char *lower_reducer_way_out(const lowering *l);
/* Returns the loop of a matrix reducer's outer coordinates. */
name_id lower_outer_index(const sam_graph *g, sam_node reducer);
onyx_node lower_vector_reducer(lowering *l, sam_node h);

#endif
