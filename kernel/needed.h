/* needed.h - finds coordinates of an operand unneeded by the statement. */
#ifndef ONYX_KERNEL_NEEDED_H
#define ONYX_KERNEL_NEEDED_H

#include "tiling/formats.h"

/* Finds entries of operand t without effect: entries with different coordinates at a repeated index, and, by
 * the statement's coordinate algebra, entries without a partner in a factor or a mask. These factors and
 * masks must have been read, and have only indices of t. Sets all->needed and all->same. */
void compile_find_needed(const sam_statement *st, sam_tensor t, const tile_tensor *operands, arena *mem,
                         tile_joint *all);

#endif
