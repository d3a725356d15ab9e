/* cut.h - the sub-tiles of an operand, and their words. */
#ifndef ONYX_TILING_CUT_H
#define ONYX_TILING_CUT_H

#include "tiling/plan_int.h"

/* Returns the piece of sub-tile `tile` at digit k of the operand. */
static inline uint32_t plan_piece(const plan_operand *o, uint32_t tile, uint32_t k) {
    return o->cut.piece[(size_t)tile * o->n_digits + k];
}
/* Sorts the operand's entries by digits and storage order and finds the uniform sub-tiles. */
void plan_cut(tile_planner *p, plan_operand *o);
/* Forgets the sub-tiles of the last batch and makes sub-tile 0. Returns false after E0330 or E0331, where not
 * even a single entry fits. */
bool plan_begin_batch(tile_planner *p, plan_operand *o);
/* Finds the whole uniform sub-tile; *sub is its index in o->subs. Returns false after E0331. */
bool plan_whole(tile_planner *p, plan_operand *o, uint32_t tile, const plan_box *box, uint32_t *sub);
/* Clips sub-tile `from` to a smaller box, 0 if empty. Returns false after E0331. */
bool plan_clip(tile_planner *p, plan_operand *o, uint32_t from, const plan_box *box, uint32_t *sub);
/* Finds the mode's variable, among variables with more than one coordinate, whose halving leaves the least.
 */
bool plan_halve(tile_planner *p, plan_operand *o, uint32_t sub, const plan_box *box, sam_var *out);
/* Finds the sub-tile's blocks, and makes them on first use. */
bool plan_block(tile_planner *p, plan_operand *o, uint32_t sub, uint32_t *block);
/* Finds the levels of a fitting sub-tile, and makes them on first use. */
bool plan_tree(tile_planner *p, plan_operand *o, uint32_t sub, const plan_level **levels);

#endif
