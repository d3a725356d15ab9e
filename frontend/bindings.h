/* bindings.h - parts of a statement that described functions compute, found by search. */
#ifndef ONYX_FE_BINDINGS_H
#define ONYX_FE_BINDINGS_H

#include "frontend/frontend.h"

enum { FE_MOST_REWRITES = 3 };

/* A schedule that binds a part, of the statement or of one that computes the same. */
typedef struct {
    sam_statement s;
    uint32_t rewrites;    /* that made s */
    const char *text;     /* its right side, where that is not the user's; else NULL */
    const char *schedule; /* "map(B(i,k) * C(k,j), gemm)" */
} fe_part_binding;
typedef VEC(fe_part_binding) fe_part_bindings;

/* Finds every part of the statement, and of what up to so many rewrites make of it, that a function of
 * in->functions computes by fe_find_mapping; each is what the schedule says. Any factors of a product are a
 * part, and of int16 any addends of a sum. Rewrites are of + and *: a factor is multiplied into a sum of
 * terms, or taken out of it; a reduction is of each of two terms, or of both; a factor moves into a
 * reduction, or out of it. They are exact in int16, which wraps; of bf16, and with other fills than 0, there
 * are none. Nothing is reported. */
void fe_find_bindings(const fe_in *in, const sam_statement *s, uint32_t rewrites, arena *mem,
                      fe_part_bindings *out);

#endif
