/* entries.h - compressed matrices that the chip's processor makes of lists of their entries
 * (application_entries.c), and what that has of application_move.c.
 */
#ifndef ONYX_PROGRAMS_ENTRIES_H
#define ONYX_PROGRAMS_ENTRIES_H

#include "programs/layout.h"
#include "sam/operators.h"

/* Finds how the inputs of a compressed matrix, of which in->input is the first, become what is loaded: out[]
 * is by input (application_entries.c). Returns NULL, or why the processor cannot. O(entries * sub-tiles in a
 * row). */
const char *compile_find_entries(machine *m, held *h, const compile_move_in *in, arena *mem,
                                 compile_move *out);
/* Lists the items that list a matrix's entries in the scratch area, so that it may be stored over; where the
 * list is: an image of it. NULL: it cannot. */
const compile_image *compile_list_matrix(machine *m, held *h, const compile_move_in *in, arena *mem,
                                         compile_move *move);
/* The batch that was being made has all its moves: only lists of entries that may be read later stay. Or it
 * is not made now (`alive` is NULL): lists are as they were. */
void compile_keep_lists(machine *m, const bool *alive);
/* Returns the matrix that a list of entries has, as it lies in memory. */
tile_tensor compile_list_values(const machine *m, const compile_image *image, const uint8_t *content,
                                const tile_tensor *shape, arena *mem);

#endif
