/* calls.h - what the chip's processor computes of dense tensors in a list that waits: calls of a
 * function, one for each coordinate, or items that make values of two each, and reduce them.
 */
#ifndef ONYX_PROGRAMS_CALLS_H
#define ONYX_PROGRAMS_CALLS_H

#include "programs/interpreter.h"

/* Returns whether the kernel is one function of one value or two of vectors or matrices at the same
 * coordinate, of vectors along one of two indices, of single values and numbers, none of which has a fill, so
 * that its calls may wait. */
bool compile_may_wait_calls(const compile_kernel *k);
/* Finds which kernels of loops the processor computes so, in place of the host, or of the array where that
 * would load what it cannot make: reductions other than sums, of operands that change. */
void compile_find_dense_kernels(const compile_application *a, compile_stage_of *stage);
/* Lays out the batch of the calls of such a kernel, which was computed, one for each coordinate, as the
 * array's are in l->later: of operands that are dense, blocks with their length before them, and of a result
 * that is one as soon as its length is written; or l->items compute it. Returns the reason why these do not
 * make what was computed; NULL: they do. */
const char *compile_lay_calls(machine *m, compile_context *ctx, const compile_stage_of *stage,
                              compile_left *l, fw_batch *b);

#endif
