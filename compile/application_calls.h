/* application_calls.h - calls of a function of the chip's processor in a list that waits: one for each
 * coordinate of a vector.
 */
#ifndef ONYX_COMPILE_APPLICATION_CALLS_H
#define ONYX_COMPILE_APPLICATION_CALLS_H

#include "compile/machine.h"

/* Returns whether the kernel is one function of one value or two of vectors at the same coordinate, of single
 * values and numbers, none of which has a fill, so that its calls may wait. */
bool compile_may_wait_calls(const compile_kernel *k);
/* Lays out the batch of the calls of such a kernel, which was computed, one for each coordinate, as the
 * array's are in l->later: of operands that are dense vectors, blocks with their length before them, and of a
 * result that is one as soon as its length is written. Returns the reason why these calls do not make what
 * was computed; NULL: they do. */
const char *compile_lay_calls(machine *m, compile_context *ctx, const compile_stage_of *stage,
                              compile_left *l, fw_batch *b);

#endif
