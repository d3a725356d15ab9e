/* lower_processing.h - joiners, operations and droppers of a graph, lowered. */
#ifndef ONYX_LOWER_ONYX_LOWER_PROCESSING_H
#define ONYX_LOWER_ONYX_LOWER_PROCESSING_H

#include "lower_onyx/lowering.h"

/* Returns whether the intersecter becomes the joiner by regions, which passes empty tokens on. Beside a
 * repeater the FIFOs rarely suffice, unlike for a kernel of the union. */
bool lower_takes_empty_references(const lowering *l, sam_node h);
onyx_node lower_joiner(lowering *l, sam_node h);
onyx_node lower_alu(lowering *l, sam_node h);
/* Dropper and hold take the values the Onyx compiler programs; the chip's logic reads neither. */
onyx_node lower_dropper(lowering *l, sam_node h);
onyx_node lower_hold(lowering *l, sam_node h);
onyx_node lower_repeat(lowering *l, sam_node h);
/* Returns whether an operation asks for tables, or for what the array lacks. */
bool lower_lacks_pe(const sam_node_data *s, const name_table *names);
/* Returns how many tables an operation becomes: lowers the operation alone. */
uint32_t lower_count_tables(const sam_graph *g, sam_node h);

#endif
