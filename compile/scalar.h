/* scalar.h - statements of scalars that the chip's processor computes between the batches of a list.
 */
#ifndef ONYX_COMPILE_SCALAR_H
#define ONYX_COMPILE_SCALAR_H

#include "compile/machine.h"

/* Returns whether the processor can compute a statement of scalars: one value of two, *a and *b, of which one
 * may be a number, by an item that is *what; or one value alone, *a, where *b has no kind. */
bool compile_is_calc(const fe_step *step, uint32_t *what, sam_expr_data *a, sam_expr_data *b);
/* Has it do so, once the host has found the value; *left is what the chip has of it, in the arena of `ctx`.
 * Returns false where it cannot now. */
bool compile_wait_scalar(machine *m, compile_context *ctx, compile_stage_of *stage, const tile_tensor *value,
                         compile_left **left);
/* Has the host write a segment before the list that waits; returns false where it may not. */
bool compile_write_before(machine *m, const fw_segment *g);
/* Adds the computation of a value, before the next batch or test of a list. */
void compile_add_calc(machine *m, const fw_item *item);

#endif
