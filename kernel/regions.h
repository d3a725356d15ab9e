/* regions.h - complements of tensors as regions of joiners (profile onyx-ext). */
#ifndef ONYX_KERNEL_REGIONS_H
#define ONYX_KERNEL_REGIONS_H

#include "kernel/kernel.h"

/* If the graph, of binary joiners, uses the complement of a tensor only in an intersection, replaces the
 * joiner by a joiner of the source's missing coordinates (profile onyx-ext), and records the change in the
 * statement. */
void compile_join_regions(sam_statement *st, sam_graph *g);

#endif
