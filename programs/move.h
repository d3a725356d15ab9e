/* move.h - how the chip's processor, in place of the host, makes an operand from a result on the chip only,
 * and the place of the result.
 */
#ifndef ONYX_PROGRAMS_MOVE_H
#define ONYX_PROGRAMS_MOVE_H

#include "programs/layout.h"

/* Finds how the input becomes the load, from the stores of a result; false: only by the host. Lists live in
 * `mem`. O(pieces * (pieces + blocks) + words). */
bool compile_find_move(const interpreter *m, const tensor_slot *h, const compile_move_in *in, arena *mem,
                       compile_move *out);
/* Finds how one value on the chip only becomes all values of a block. */
bool compile_find_broadcast(const interpreter *m, const tensor_slot *h, const compile_move_in *in, arena *mem,
                            compile_move *out);
/* Returns whether the words moved to the segment contain all of the result. */
bool compile_is_home(const compile_move *move, const fw_segment *g, const tensor_slot *h);

/* Finds how a vector on the chip only is repeated along the other index of calls of a matrix; data->mode[0]
 * is the vector's mode. */
bool compile_repeat_vector(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                           compile_move *out);

/* Returns the vector of a device copy with these words. */
tile_tensor compile_copy_values(const compile_device_copy *device_copy, const uint8_t *content,
                                const tile_tensor *shape, arena *mem);
/* Returns whether a result is still at the place of its stores after this batch, with rows of `row_bytes`
 * bytes; and a device copy of the whole result, or NULL. */
bool compile_is_stored(const interpreter *m, const compile_resident *resident, const fw_batch *b,
                       uint32_t row_bytes);
const compile_device_copy *compile_device_copy_of(const interpreter *m, const compile_resident *resident);

#endif
