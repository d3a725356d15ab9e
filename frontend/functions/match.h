/* match.h - whether a described function computes a kernel, and how its calls do. */
#ifndef ONYX_FE_MATCH_H
#define ONYX_FE_MATCH_H

#include "frontend/language/apply.h"
#include "frontend/language/cin.h"
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

#endif
