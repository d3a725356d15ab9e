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
/* Returns whether the node reads a load stream. */
bool lower_reads_stream(const sam_node_data *n);
/* Returns whether the node writes a store stream. */
bool lower_writes_stream(const sam_node_data *n);
/* Returns whether the written levels of the result leave on one store stream, if in-turn streams are in
 * use. */
bool lower_leaves_in_turn(const sam_graph *g);
/* Returns whether the read levels of the tensor share a load stream, if in-turn streams are in use. */
bool lower_comes_in_turn(const sam_graph *g, name_id tensor);
/* Lowers a level scanner or value array, filled from the global buffer before reads. A dense level has no
 * content: its scanner has no memory. */
onyx_node lower_reader(lowering *l, sam_node h);
/* Lowers a level or value writer, filled by a stream, then read out to the global buffer as blocks. */
onyx_node lower_writer(lowering *l, sam_node h);
/* Passes the blocks of the result's levels through the read-outs of inner levels, outermost first, behind the
 * blocks of the values to the global buffer. */
void lower_chain_read_outs(lowering *l);

#endif
