/* pieces.h - the pieces of a variable that may contribute. */
#ifndef ONYX_TILING_PIECES_H
#define ONYX_TILING_PIECES_H

#include "tiling/plan_int.h"

/* Returns the number of pieces of digit d, given the digits outside. */
uint32_t plan_pieces(const tile_planner *p, uint32_t d);
/* Returns the pieces of digit d usable by the expression at the cursors. */
piece_set plan_candidates(tile_planner *p, const plan_cursor *cursors, uint32_t d);
/* Returns the first sub-tile of the cursor's range whose piece at the cursor's depth is at least `at`. */
uint32_t plan_first_at_least(const plan_operand *o, plan_cursor c, uint32_t at);
/* Returns how many words of piece sets the search may need at once. */
size_t plan_pool_words(const tile_planner *p);

#endif
