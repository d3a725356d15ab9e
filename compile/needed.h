/* needed.h - which coordinates of an operand the statement can do without. */
#ifndef ONYX_COMPILE_NEEDED_H
#define ONYX_COMPILE_NEEDED_H

#include "compile/compile.h"
#include "tiling/formats.h"

/* Finds the operands without whose entries those of operand t come to nothing, by the statement's coordinate
 * algebra: factors, and masks. They must have been read, and have no other indices than t. Returns how many
 * there are; `out` has room for as many as the statement has expressions. */
uint32_t compile_find_needed(const sam_statement *st, sam_tensor t, const tile_tensor *operands, arena *mem,
                             tile_needed *out);

#endif
