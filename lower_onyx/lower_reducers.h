/* lower_reducers.h - reducers of a graph, lowered. */
#ifndef ONYX_LOWER_ONYX_LOWER_REDUCERS_H
#define ONYX_LOWER_ONYX_LOWER_REDUCERS_H

#include "lower_onyx/lowering.h"

onyx_node lower_reduce(lowering *l, sam_node h);
/* Returns the loop order with the result's variables outside, for which scalar reducers suffice: "i,j,k". */
const char *lower_reducer_alternative(const lowering *l);
onyx_node lower_vector_reducer(lowering *l, sam_node h);

#endif
