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
/* Return whether the node's stream can be the common one with these contents (contents.def). */
bool lower_reads_from(const sam_node_data *n, int shared);
bool lower_writes_to(const sam_node_data *n, int shared);
/* Return whether several arrays of the result leave on a common stream with these contents, and several of
 * the tensor come on one. */
bool lower_shares_store(const sam_graph *g, int shared);
bool lower_shares_load(const sam_graph *g, name_id tensor, int shared);
/* Lowers a level scanner or value array, filled from the global buffer before reads. A dense level has no
 * content: its scanner has no memory. */
onyx_node lower_reader(lowering *l, sam_node h);
/* Lowers a level or value writer, filled by a stream, then read out to the global buffer as blocks. */
onyx_node lower_writer(lowering *l, sam_node h);
/* Passes the blocks of the arrays on the common store stream, if any, through the read-outs of inner arrays
 * to the global buffer, outermost first. */
void lower_chain_read_outs(lowering *l);

#endif
