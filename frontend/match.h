/* match.h - whether a described function computes a kernel, and how its calls do. */
#ifndef ONYX_FE_MATCH_H
#define ONYX_FE_MATCH_H

#include "frontend/described.h"
#include "sam/binding.h"

/* The steps of the check, in this order, with the names of bind. */
typedef enum { FE_CHECKER, FE_DATATYPES, FE_OPERATORS, FE_INDICES, FE_CONSTRAINTS, FE_MATCHED } fe_match_step;

/* The failing step, and the reason; FE_MATCHED without a failure. */
typedef struct {
    fe_match_step step;
    const char *why;
} fe_mismatch;

const char *fe_step_text(fe_match_step step);
/* Finds how the function computes the kernel by its binding: fixed indices, promoted or tagged operands, and
 * split loops as sizes of a call. Tries all matches of operands of + and * and of indices, until one
 * satisfies the conditions. The function's expression keeps its own order. Runs only the checker. */
fe_mismatch fe_match(const fe_kernel *k, const fe_user_function *f, arena *mem, sam_binding *out);
/* Finds the arguments of fix, promote and split by which the function computes the kernel, fewest fixed
 * indices first, and the largest calls that satisfy the conditions; stores them in *k. */
fe_mismatch fe_find_mapping(fe_kernel *k, const fe_user_function *f, arena *mem);
/* Makes the kernel of a bitstream matched with *k by `by`: the function's expression, loops and formats, with
 * the names, parts and extents of k. The kernel runs on the array, and keeps the function's name. Returns an
 * operand with another fill than the bitstream reads, in which case the result is invalid; or 0.
 */
sam_tensor fe_as_stated(const fe_kernel *k, const sam_binding *by, arena *mem, fe_kernel *out);
/* Adds to the notes of a binding the symmetric operands of `reads`: computed by earlier kernels that are
 * unchanged by exchanging both indices: A(i,j) + A(j,i), A(i,k) * A(j,k), and combinations of symmetric
 * operands, tagged or derived. Never reads data. */
void fe_derive_tags(const fe_cin *cin, const fe_kernel *reads, const fe_functions *rules, arena *mem,
                    fe_binding *said);

#endif
