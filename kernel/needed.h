/* needed.h - which coordinates of an operand the statement can do without. */
#ifndef ONYX_KERNEL_NEEDED_H
#define ONYX_KERNEL_NEEDED_H

#include "tiling/formats.h"

/* Finds which entries of operand t come to nothing: where one of its indices stands twice and they differ,
 * and by the statement's coordinate algebra where a factor or a mask has none. These must have been read, and
 * have no other indices than t. Sets all->needed and all->same. */
void compile_find_needed(const sam_statement *st, sam_tensor t, const tile_tensor *operands, arena *mem,
                         tile_joint *all);

#endif
