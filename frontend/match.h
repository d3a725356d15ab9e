/* match.h - whether a described function computes a kernel, and how its calls do. */
#ifndef ONYX_FE_MATCH_H
#define ONYX_FE_MATCH_H

#include "frontend/described.h"
#include "sam/binding.h"

/* What is checked, in this order: as bind names it. */
typedef enum { FE_CHECKER, FE_DATATYPES, FE_OPERATORS, FE_INDICES, FE_CONSTRAINTS, FE_MATCHED } fe_match_step;

/* The step that fails, and why; FE_MATCHED where none does. */
typedef struct {
    fe_match_step step;
    const char *why;
} fe_mismatch;

const char *fe_step_text(fe_match_step step);
/* Finds how the function computes the kernel as its binding says: with which indices fixed, which operands
 * promoted or tagged, and its split loops as sizes of a call. Every way to match operands of + and * and
 * indices is tried, until one keeps the conditions. The function's expression has an order of its own only.
 * It runs nothing but the checker. */
fe_mismatch fe_match(const fe_kernel *k, const fe_user_function *f, arena *mem, sam_binding *out);
/* Finds what fix, promote and split have to say so that the function computes the kernel, fewest fixed
 * indices first, and the largest calls that keep the conditions; and says so in *k. */
fe_mismatch fe_find_mapping(fe_kernel *k, const fe_user_function *f, arena *mem);
/* Makes the kernel that a bitstream computes, which `by` lays over *k: the function's expression, loops and
 * formats, with the names, parts and extents of k. It is of the array, and keeps the function's name. Returns
 * an operand that has another fill than the bitstream reads, and what it makes of that is nothing then; or 0.
 */
sam_tensor fe_as_stated(const fe_kernel *k, const sam_binding *by, arena *mem, fe_kernel *out);
/* Adds to what is said of a binding which operands of `reads` are symmetric, because the kernels before that
 * compute them make the same with both indices exchanged: A(i,j) + A(j,i), A(i,k) * A(j,k), and what is of
 * symmetric operands, tagged or found to be. Nothing looks at data. */
void fe_derive_tags(const fe_cin *cin, const fe_kernel *reads, const fe_functions *rules, arena *mem,
                    fe_binding *said);

#endif
