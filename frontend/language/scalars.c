/* Scalars and the result of a statement, held against its right side. */
#include "frontend/language/scalars.h"
#include "frontend/language/statement.h"

void fe_separate_result(sam_statement *s) {
    sam_tensor old = {0};
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS || x->tensor.v != s->result.v)
            continue;
        if (!old.v) {
            sam_tensor_data data = *sam_tensor_at(s, s->result);
            data.called = data.name;
            data.loc = x->loc;
            data.name = fe_fresh_name(s, arena_printf(s->mem, "%sOld", fe_tensor_text(s, s->result)), s->mem);
            vec_push(s->mem, &s->tensors, data);
            old.v = s->tensors.len;
        }
        x->tensor = old;
    }
}

static bool stands_alone(const fe_parser *p, src_loc loc) {
    for (uint32_t i = 0; i < p->alone.len; i++) {
        if (p->alone.at[i] == loc.offset)
            return true;
    }
    return false;
}

static bool refuse_scalar(const fe_parser *p, const char *name, src_loc loc, sam_var v, const char *hint) {
    diag_error(p->d, loc, "E0117-name-clash", "'%s' is an index here, whose value is no operand", name);
    diag_hint(p->d, hint, name);
    return diag_note(p->d, sam_var_at(p->s, v)->loc, "the index variable");
}

/* A tensor may have the name of an index. A scalar may if the index has no meaning there, or in parentheses:
 * x(i) = b(i) * i has no tensor i. `known`: the variables with a meaning around e, bit (handle - 1). */
static bool check_scalars(const fe_parser *p, sam_expr e, uint64_t known) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    if (x->kind == SAM_EXPR_SUM)
        known |= (uint64_t)1 << (x->var.v - 1);
    const sam_tensor_data *tensor = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(p->s, x->tensor) : NULL;
    if (!tensor || tensor->order)
        return (!x->a.v || check_scalars(p, x->a, known)) && (!x->b.v || check_scalars(p, x->b, known));
    const sam_var v = fe_find_var(p->s, tensor->name);
    return !v.v || !(known >> (v.v - 1) & 1) || stands_alone(p, x->loc) ||
           refuse_scalar(p, names_text(p->s->names, tensor->name), x->loc, v,
                         "a scalar of that name is (%s), in parentheses");
}

bool fe_check_all_scalars(const fe_parser *p) {
    const sam_tensor_data *result = sam_tensor_at(p->s, p->s->result);
    const sam_var v = result->order ? (sam_var){0} : fe_find_var(p->s, result->name);
    uint64_t known = fe_free_vars(p->s, p->s->rhs);
    for (uint32_t m = 0; m < result->order; m++)
        known |= (uint64_t)1 << (p->s->result_index[m].v - 1);
    return v.v ? refuse_scalar(p, names_text(p->s->names, result->name), result->loc, v,
                               "a result needs another name than index %s")
               : check_scalars(p, p->s->rhs, known);
}
