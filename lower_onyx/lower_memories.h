/* lower_memories.h - readers and writers of a graph, lowered. */
#ifndef ONYX_LOWER_ONYX_LOWER_MEMORIES_H
#define ONYX_LOWER_ONYX_LOWER_MEMORIES_H

#include "lower_onyx/lowering.h"

/* Returns whether the sums stand in a loop: the memory tiles give done after two levels of stops, no more, no
 * less.
 */
bool lower_any_outermost_sum(const sam_graph *s);
/* Adds a dense root with one coordinate. */
onyx_node lower_single_root(lowering *l, const char *name);
/* Returns whether the node reads what comes on a load stream. */
bool lower_reads_stream(const sam_node_data *n);
/* Returns whether the node writes what leaves on a store stream. */
bool lower_writes_stream(const sam_node_data *n);
/* Returns whether what is written of the result leaves on one store stream, where any does. */
bool lower_leaves_in_turn(const sam_graph *g);
/* Returns whether what is read of the tensor shares a load stream where any does. */
bool lower_comes_in_turn(const sam_graph *g, name_id tensor);
/* Lowers a level scanner or value array, which is filled from the global buffer before it is read. A dense
 * level has no content, so its scanner stands alone. */
onyx_node lower_reader(lowering *l, sam_node h);
/* Lowers a level or value writer, which is filled by a stream, then read out to the global buffer as blocks.
 */
onyx_node lower_writer(lowering *l, sam_node h);
/* Leads the blocks of the result's levels through the read-outs of the levels inside of them, outermost
 * first, behind those of the values to the global buffer. */
void lower_chain_read_outs(lowering *l);

#endif
