/* reductions.c - reductions in index notation: their variables, and the sums around an expression. */
#include "frontend/language/reductions.h"
#include "frontend/language/statement.h"

bool fe_may_reduce(fe_parser *p, const fe_call *f) {
    if (!f->words || p->s->integers)
        return true;
    diag_error(p->d, f->loc, "E0152-function", "%s is of the bits of integers, and these are values of bf16",
               f->name);
    return diag_hint(p->d, "use --dtype int16");
}

bool fe_may_sum_over(fe_parser *p, sam_var v, src_loc loc) {
    if (!sam_is_result_var(p->s, v))
        return true;
    diag_error(p->d, loc, "E0108-sum", "the sum runs over '%s', which indexes the result",
               fe_var_text(p->s, v));
    return diag_hint(p->d, "rename the variable of the sum, or remove it from the result");
}

sam_expr fe_add_sums(fe_parser *p, sam_expr e, const fe_vars *vars, const fe_call *by, src_loc loc) {
    if (by->operation == SAM_OPERATION_land || by->operation == SAM_OPERATION_lor)
        e = e.v ? fe_truth(p->s, e) : e;
    for (uint32_t i = vars->len; e.v && i-- > 0;)
        e = fe_push_expr(p, (sam_expr_data){.kind = SAM_EXPR_SUM,
                                            .loc = loc,
                                            .a = e,
                                            .var = vars->at[i],
                                            .operation = (uint8_t)by->operation});
    return e;
}

static bool take_subscript(fe_parser *p, fe_vars *vars) {
    if (p->in.token.kind != FE_NAME)
        return fe_expected(&p->in, "an index variable", p->d);
    sam_var v = fe_use_var(p->s, &p->in.token, p->d);
    if (!v.v || !fe_may_sum_over(p, v, p->in.token.loc))
        return false;
    vec_push(p->s->mem, vars, v);
    return fe_advance(&p->in);
}

bool fe_parse_subscripts(fe_parser *p, fe_vars *vars) {
    if (!fe_take_sign(&p->in, '{'))
        return take_subscript(p, vars);
    do {
        fe_cut_letter(&p->in);
        if (!take_subscript(p, vars))
            return false;
    } while (fe_take_sign(&p->in, ',') || p->in.token.kind == FE_NAME);
    return fe_want_sign(&p->in, '}', "',' or '}'", p->d);
}

bool fe_check_reduced(fe_parser *p, sam_expr e, const fe_vars *vars, const fe_call *by) {
    for (uint32_t i = 0; i < vars->len; i++) {
        if (fe_free_vars(p->s, e) >> (vars->at[i].v - 1) & 1)
            continue;
        diag_error(p->d, by->loc, "E0108-sum", "nothing in %s over '%s' is indexed by it", by->name,
                   fe_var_text(p->s, vars->at[i]));
        return diag_hint(p->d, "%s_j A_{ij} is of the next product, %s_j (A_{ij} + b_j) of a sum", by->name,
                         by->name);
    }
    return true;
}
