/* bindings.h - search of a statement's subexpressions computed by described functions. */
#ifndef ONYX_FE_BINDINGS_H
#define ONYX_FE_BINDINGS_H

#include "frontend/language/parse.h"

enum { FE_MOST_REWRITES = 3 };

/* A schedule that binds a subexpression, of the statement or of an equivalent one. */
typedef struct {
    sam_statement s;
    uint32_t rewrites;    /* that made s */
    const char *text;     /* its right side, if different from the user's; else NULL */
    const char *schedule; /* "map(B(i,k) * C(k,j), gemm)" */
} fe_subexpr_binding;
typedef VEC(fe_subexpr_binding) fe_subexpr_bindings;

/* Finds every subexpression of the statement, and of its results after up to `rewrites` rewrites, that a
 * function of in->functions computes by fe_find_mapping; each subexpression as a schedule. Any factors of a
 * product are a subexpression, and for int16 any addends of a sum. Rewrites concern + and *: multiply a
 * factor into a sum of terms, or take the factor out; reduce two terms separately, or together; move a factor
 * into a reduction, or out. They are exact in int16, which wraps; bf16 and fills other than 0 have no
 * rewrites. Reports nothing. */
void fe_find_bindings(const fe_in *in, const sam_statement *s, uint32_t rewrites, arena *mem,
                      fe_subexpr_bindings *out);

#endif
