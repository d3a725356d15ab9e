/* scope.c - the scopes of a statement. */
#include "frontend/language/scope.h"
#include "frontend/language/statement.h"

static bool is_sum_by(const sam_statement *s, sam_expr e, uint8_t operation) {
    return sam_expr_at(s, e)->kind == SAM_EXPR_SUM && sam_expr_at(s, e)->operation == operation;
}

/* Sums by different operations are different scopes, since their order matters. */
static void peel_sums(const sam_statement *s, sam_expr e, arena *mem, fe_scope *scope) {
    scope->operation = sam_expr_at(s, e)->operation;
    for (; is_sum_by(s, e, scope->operation); e = sam_expr_at(s, e)->a) {
        if (!(s->stepped & fe_bit(sam_expr_at(s, e)->var)))
            vec_push(mem, &scope->vars, sam_expr_at(s, e)->var);
    }
    scope->body = e;
}

fe_scope fe_outer_scope(const sam_statement *s, arena *mem) {
    fe_scope scope = {0};
    for (uint32_t i = 0; i < sam_tensor_at(s, s->result)->order; i++) {
        bool again = false; /* X(i,i) */
        for (uint32_t k = 0; k < i; k++)
            again = again || s->result_index[k].v == s->result_index[i].v;
        if (!again)
            vec_push(mem, &scope.vars, s->result_index[i]);
    }
    peel_sums(s, s->rhs, mem, &scope);
    return scope;
}

fe_scope fe_sum_scope(const sam_statement *s, sam_expr sum, arena *mem) {
    fe_scope scope = {0};
    peel_sums(s, sum, mem, &scope);
    return scope;
}

void fe_scope_order(const sam_statement *s, fe_scope *scope) {
    for (uint32_t i = 1; i < scope->vars.len; i++) {
        for (uint32_t k = i; k > 0; k--) {
            sam_var *at = scope->vars.at;
            if (fe_loop_position(s, at[k - 1]) < fe_loop_position(s, at[k]))
                break;
            sam_var swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
    }
}

void fe_inner_sums(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_SUM) {
        vec_push(mem, out, e);
    } else {
        if (x->a.v)
            fe_inner_sums(s, x->a, mem, out);
        if (x->b.v)
            fe_inner_sums(s, x->b, mem, out);
    }
}
