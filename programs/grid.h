/* grid.h - dense matrices that the chip's processor makes of what statements have left.
 */
#ifndef ONYX_PROGRAMS_GRID_H
#define ONYX_PROGRAMS_GRID_H

#include "programs/layout.h"

/* Returns whether a load or a store of the tensor is that of a dense matrix, without a fill. */
bool compile_is_grid(const sam_tensor_data *t);
/* Finds how the segment `g`, at `to` in the buffer, which has blocks of a dense matrix, out->image.blocks,
 * becomes that: of an image, or if that is NULL of what stores have left of a dense one, cut otherwise, in
 * another order or in parts to be added up. */
bool compile_move_grid(const held *h, const compile_image *image, const fw_segment *g, uint32_t to,
                       arena *mem, compile_move *out);
/* Lists the items that put a dense matrix into the scratch area from `slot` on, row by row behind a block's
 * length, and makes its image. Returns whether they do. */
bool compile_save_grid(const held *h, uint32_t slot, compile_listing list, compile_image *out);
/* Returns the matrix that an image of these words has. */
tile_tensor compile_grid_values(const compile_image *image, const uint8_t *content, const tile_tensor *shape,
                                arena *mem);

#endif
