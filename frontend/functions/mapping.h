/* mapping.h - commands of a schedule that a match requires. */
#ifndef ONYX_FRONTEND_MAPPING_H
#define ONYX_FRONTEND_MAPPING_H

#include "frontend/functions/match.h"

/* Finds the arguments of fix, promote and split by which the function computes the kernel, fewest fixed
 * indices first, and the largest calls that satisfy the conditions; stores them in *k. */
fe_mismatch fe_find_mapping(fe_kernel *k, const fe_user_function *f, arena *mem);
/* Makes the kernel of a bitstream matched with *k by `by`: the function's expression, loops and formats, with
 * the names, relations and extents of k. The kernel runs on the array, and keeps the function's name. Returns
 * an operand with another fill than the bitstream reads, in which case the result is invalid; or 0.
 */
sam_tensor fe_as_stated(const fe_kernel *k, const sam_binding *by, arena *mem, fe_kernel *out);
/* Adds to the notes of a binding the symmetric operands of `reads`: computed by earlier kernels that are
 * unchanged by exchanging both indices: A(i,j) + A(j,i), A(i,k) * A(j,k), and combinations of symmetric
 * operands, tagged or derived. Never reads data. */
void fe_derive_tags(const fe_cin *cin, const fe_kernel *reads, const fe_functions *rules, arena *mem,
                    fe_binding *said);

#endif
