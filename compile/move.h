/* move.h - how the chip's processor makes an operand of a result that the chip alone has, in place of the
 * host, and where such a result is.
 */
#ifndef ONYX_COMPILE_MOVE_H
#define ONYX_COMPILE_MOVE_H

#include "compile/machine.h"

/* What is asked of a move: the batch that waits, what lay on the chip before it, which of its inputs, and the
 * tensor that it carries, as packed. */
typedef struct {
    const compile_later *to;
    const fw_batch *batch;
    const fw_memory *was;
    uint32_t input, stay; /* a bit for each input that is loaded where a store has left it */
    const sam_tensor_data *data;
} compile_move_in;
/* What the processor does to have the words of an input there, in place of the host; `image` is what they are
 * of the result. */
typedef struct {
    fw_items items;
    bool spread; /* by the rows of the result's run table */
    compile_image image;
    compile_left *of; /* NULL: nothing is moved */
} compile_move;
/* Finds how the input becomes what is loaded, of what is left of a result; false: by the host alone. Lists
 * live in `mem`. O(parts * (parts + blocks) + words). */
bool compile_find_move(const machine *m, const compile_left *left, const compile_move_in *in, arena *mem,
                       compile_move *out);
/* Returns whether all of the result is in what was moved to the segment. */
bool compile_is_home(const compile_move *move, const fw_segment *g, const held *h);
/* Returns the vector that an image of these words has. */
tile_tensor compile_image_values(const compile_image *image, const uint8_t *content, const tile_tensor *shape,
                                 arena *mem);
/* Returns whether a result is where its stores have left it once this batch has run, whose rows have so many
 * bytes; and an image that has all of it, or NULL. */
bool compile_is_stored(const machine *m, const compile_left *left, const fw_batch *b, uint32_t row_bytes);
const compile_image *compile_image_of(const machine *m, const compile_left *left);

#endif
