/* grid.h - dense matrices made by the chip's processor from the stores of statements. */
#ifndef ONYX_PROGRAMS_GRID_H
#define ONYX_PROGRAMS_GRID_H

#include "programs/layout.h"

/* Returns whether a load or a store of the tensor is a dense matrix without a fill. */
bool compile_is_grid(const sam_tensor_data *t);
/* Finds how the segment `g`, at `to` in the buffer, gets its blocks of a dense matrix,
 * out->device_copy.blocks: from a device copy, or if NULL from the stores of a dense matrix with other cuts,
 * in another order or in pieces to be added up. */
bool compile_move_grid(const tensor_slot *h, const compile_device_copy *device_copy, const fw_segment *g,
                       uint32_t to, arena *mem, compile_move *out);
/* Lists the commands that put a dense matrix into the scratch area from `slot` on, row by row after a block's
 * length, and makes its device copy. Returns whether this is possible. */
bool compile_save_grid(const tensor_slot *h, uint32_t slot, compile_listing list, compile_device_copy *out);
/* Returns the matrix of a device copy with these words. */
tile_tensor compile_grid_values(const compile_device_copy *device_copy, const uint8_t *content,
                                const tile_tensor *shape, arena *mem);

#endif
