/* regions.h - complements of tensors as the regions that they lack (profile onyx-ext). */
#ifndef ONYX_KERNEL_REGIONS_H
#define ONYX_KERNEL_REGIONS_H

#include "kernel/kernel.h"

/* Where the graph, of binary joiners, only meets the complement of a tensor, lets it join what the tensor
 * lacks (profile onyx-ext), and says so in the statement. */
void compile_join_regions(sam_statement *st, sam_graph *g);

#endif
