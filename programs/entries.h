/* entries.h - compressed matrices that the chip's processor makes from lists of their entries (entries.c),
 * with the shared functions of move.c.
 */
#ifndef ONYX_PROGRAMS_ENTRIES_H
#define ONYX_PROGRAMS_ENTRIES_H

#include "programs/layout.h"
#include "sam/operators.h"

/* Finds how the inputs of a compressed matrix, in->input first, become the loads: out[] is by input
 * (entries.c). Returns NULL, or the reason for failure. O(entries * sub-tiles in a row). */
const char *compile_find_entries(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                                 compile_move *out);
/* Adds the commands that list a matrix's entries in the scratch area, to free the matrix's place. Returns a
 * device copy of the list; NULL: impossible. */
const compile_device_copy *compile_list_matrix(interpreter *m, tensor_slot *h, const compile_move_in *in,
                                               arena *mem, compile_move *move);
/* Ends the moves of the current batch: only lists of entries for later reads stay. If the batch is abandoned
 * (`alive` is NULL), lists return to their earlier state. */
void compile_keep_lists(interpreter *m, const bool *alive);
/* Returns the matrix of a list of entries, from memory. */
tile_tensor compile_list_values(const interpreter *m, const compile_device_copy *device_copy,
                                const uint8_t *content, const tile_tensor *shape, arena *mem);

#endif
