/* calls.h - computations of the chip's processor on dense tensors in a waiting list: calls of a function, one
 * for each coordinate, or commands that combine values in pairs and reduce them.
 */
#ifndef ONYX_PROGRAMS_CALLS_H
#define ONYX_PROGRAMS_CALLS_H

#include "programs/interpreter.h"

/* Returns whether the calls of a kernel may wait: one function of one or two values, of vectors or matrices
 * at equal coordinates, of vectors along one of two indices, of single values and numbers, all without a
 * fill. */
bool compile_may_wait_calls(const compile_kernel *k);
/* Finds the kernels of loops for the processor, in place of the host, or of the array for loads that the
 * array cannot make: reductions other than sums, with changing operands. */
void compile_find_dense_kernels(const compile_application *a, compile_statement_plan *plan);
/* Lays out the batch of a computed kernel's calls, one for each coordinate, like a batch of the array in
 * l->deferred. Operands are dense blocks preceded by their length; the result becomes a block when its length
 * is written. Or l->commands compute the kernel. Returns the reason for a result unlike the computed one;
 * NULL: equal. */
const char *compile_lay_calls(interpreter *m, compile_context *ctx, const compile_statement_plan *plan,
                              compile_resident *l, fw_batch *b);

#endif
