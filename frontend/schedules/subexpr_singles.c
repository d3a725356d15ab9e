/* subexpr_singles.c - operands read at a single coordinate, in the text of a subexpression.
 *
 * The statement has an index of its own for the coordinate, and a sum over the index
 * (frontend/language/access.c, singles.c). A subexpression of a product is inside of the sum; a term or an
 * argument has the sum inside.
 */
#include "frontend/schedules/subexpr_singles.h"
#include "frontend/language/statement.h"

/* Returns whether index m of y, an access of the statement, is a single coordinate, and the index of x is new
 * or broadcast in y. */
static bool is_single(const sam_statement *s, const sam_expr_data *x, const sam_expr_data *y, uint32_t m,
                      uint32_t vars) {
    const sam_window *w = &sam_tensor_at(s, y->tensor)->window[m];
    const name_id instead = sam_var_at(s, y->index[m])->instead;
    if (!w->stride || w->high != (uint32_t)w->low + 1)
        return false;
    return x->tensor.v == y->tensor.v ? x->index[m].v > vars
                                      : instead.v && name_eq(instead, sam_var_at(s, x->index[m])->name);
}

/* Returns whether the subexpression's access x means the statement's access y. */
static bool is_meant(const sam_statement *s, const sam_expr_data *x, const sam_expr_data *y, uint32_t vars) {
    static const sam_window whole;
    const sam_tensor_data *a = sam_tensor_at(s, x->tensor), *b = sam_tensor_at(s, y->tensor);
    const bool same = x->tensor.v == y->tensor.v;
    bool is = a->order == b->order && name_eq(sam_user_name(a), sam_user_name(b)) && (same || !a->windowed);
    for (uint32_t m = 0; m < a->order && is; m++) {
        const bool alike =
            x->index[m].v == y->index[m].v && (same || memcmp(&b->window[m], &whole, sizeof whole) == 0);
        is = alike || is_single(s, x, y, m, vars);
    }
    return is;
}

/* Returns whether the variable indexes a factor of e outside of additions and calls. */
static bool is_factor(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS
               ? (fe_free_vars(s, e) & fe_bit(v)) != 0
               : x->kind == SAM_EXPR_MUL && (is_factor(s, x->a, v) || is_factor(s, x->b, v));
}

/* Puts the statement's sum over the variable around terms and arguments with the variable. */
static sam_expr with_sum(sam_statement *s, sam_expr e, const sam_expr_data *sum, bool inside) {
    const sam_expr_data x = *sam_expr_at(s, e);
    const bool factor = is_factor(s, e, sum->var), product = x.kind == SAM_EXPR_MUL;
    if (!(fe_free_vars(s, e) & fe_bit(sum->var)) || (factor && !inside))
        return e;
    if (factor) {
        sam_expr_data around = *sum;
        around.a = e;
        vec_push(s->mem, &s->exprs, around);
        return (sam_expr){s->exprs.len};
    }
    const sam_expr a = x.a.v ? with_sum(s, x.a, sum, inside || !product) : x.a,
                   b = x.b.v ? with_sum(s, x.b, sum, inside || !product) : x.b;
    sam_expr_at(s, e)->a = a;
    sam_expr_at(s, e)->b = b;
    return e;
}

/* Gives the accesses the statement's indices; returns the indices of single coordinates. */
static uint64_t take_indices(sam_statement *s, uint32_t vars, uint32_t exprs) {
    uint64_t taken = 0;
    for (uint32_t e = exprs; e < s->exprs.len; e++) {
        sam_expr_data *x = &s->exprs.at[e];
        const sam_expr_data *y = NULL;
        for (uint32_t n = 0; n < exprs && x->kind == SAM_EXPR_ACCESS && !y; n++)
            y = s->exprs.at[n].kind == SAM_EXPR_ACCESS && is_meant(s, x, &s->exprs.at[n], vars)
                    ? &s->exprs.at[n]
                    : NULL;
        for (uint32_t m = 0; y && m < sam_tensor_at(s, y->tensor)->order; m++)
            taken |= x->index[m].v == y->index[m].v ? 0 : fe_bit(y->index[m]);
        if (y) {
            memcpy(x->index, y->index, sizeof x->index);
            x->tensor = y->tensor;
        }
    }
    return taken;
}

void fe_adopt_singles(sam_statement *s, uint32_t vars, uint32_t exprs, sam_expr *want) {
    const uint64_t taken = take_indices(s, vars, exprs);
    if (vars < 64 && !(fe_free_vars(s, *want) >> vars))
        s->vars.len = vars;
    for (uint32_t e = 0; e < exprs && taken; e++) {
        const sam_expr_data sum = s->exprs.at[e];
        if (sum.kind == SAM_EXPR_SUM && taken & fe_bit(sum.var))
            *want = with_sum(s, *want, &sum, false);
    }
}
