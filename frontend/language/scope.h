/* scope.h - the scopes of a statement. */
#ifndef ONYX_FRONTEND_SCOPE_H
#define ONYX_FRONTEND_SCOPE_H

#include "sam/sam.h"

enum { FE_MAX_EXPRS = 4096, FE_MAX_DEPTH = 256 };

typedef VEC(sam_var) fe_vars;
/* Returns whether a variable is in the list. */
static inline bool fe_lists_var(const fe_vars *vars, sam_var v) {
    for (uint32_t i = 0; i < vars->len; i++) {
        if (vars->at[i].v == v.v)
            return true;
    }
    return false;
}

/* The variables of one scope and the expression inside all its loops. The outermost scope has the variables
 * of the result and of the sums around the whole right side; each sum inside a body starts an inner scope. */
typedef struct {
    fe_vars vars;      /* result variables, then sums, outermost first; fe_scope_order: in loop order */
    uint8_t operation; /* that its sums are by */
    sam_expr body;
} fe_scope;

fe_scope fe_outer_scope(const sam_statement *s, arena *mem);
fe_scope fe_sum_scope(const sam_statement *s, sam_expr sum, arena *mem);
void fe_scope_order(const sam_statement *s, fe_scope *scope); /* sorts vars by their place in s->loops */
/* Returns whether loop `at`, or an inner loop, is a loop of the result: its coordinates depend on loop `at`.
 */
static inline bool fe_results_hang_on(const sam_statement *s, const fe_vars *loops, uint32_t at) {
    while (at < loops->len && !sam_is_result_var(s, loops->at[at]))
        at++;
    return at < loops->len;
}
/* Lists the sums inside e not contained in another sum of e, from left to right. */
typedef VEC(sam_expr) fe_exprs;
void fe_inner_sums(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out);

#endif
