/* move.h - how the chip's processor makes an operand of a result that the chip alone has, in place of the
 * host, and where such a result is.
 */
#ifndef ONYX_PROGRAMS_MOVE_H
#define ONYX_PROGRAMS_MOVE_H

#include "programs/layout.h"

/* Finds how the input becomes what is loaded, of what is left of a result; false: by the host alone. Lists
 * live in `mem`. O(parts * (parts + blocks) + words). */
bool compile_find_move(const machine *m, const held *h, const compile_move_in *in, arena *mem,
                       compile_move *out);
/* Finds how one value that the chip alone has becomes all those of a block. */
bool compile_find_broadcast(const machine *m, const held *h, const compile_move_in *in, arena *mem,
                            compile_move *out);
/* Returns whether all of the result is in what was moved to the segment. */
bool compile_is_home(const compile_move *move, const fw_segment *g, const held *h);

/* Finds how a vector that the chip alone has is repeated along the other index of calls that make a matrix;
 * data->mode[0] is the one that it has. */
bool compile_repeat_vector(machine *m, held *h, const compile_move_in *in, arena *mem, compile_move *out);

/* Returns the vector that an image of these words has. */
tile_tensor compile_image_values(const compile_image *image, const uint8_t *content, const tile_tensor *shape,
                                 arena *mem);
/* Returns whether a result is where its stores have left it once this batch has run, whose rows have so many
 * bytes; and an image that has all of it, or NULL. */
bool compile_is_stored(const machine *m, const compile_left *left, const fw_batch *b, uint32_t row_bytes);
const compile_image *compile_image_of(const machine *m, const compile_left *left);

#endif
