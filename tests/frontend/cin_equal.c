#include "tests/frontend/cin_equal.h"
#include "frontend/language/language.h"

static bool same_name(const sam_statement *a, name_id in_a, const sam_statement *b, name_id in_b) {
    return strcmp(names_text(a->names, in_a), names_text(b->names, in_b)) == 0;
}

static bool same_var(const sam_statement *a, sam_var in_a, const sam_statement *b, sam_var in_b) {
    if (!in_a.v || !in_b.v)
        return in_a.v == in_b.v;
    return same_name(a, sam_var_at(a, in_a)->name, b, sam_var_at(b, in_b)->name);
}

static bool same_access(const sam_statement *a, sam_tensor ta, const sam_var *ia, const sam_statement *b,
                        sam_tensor tb, const sam_var *ib) {
    const sam_tensor_data *x = sam_tensor_at(a, ta), *y = sam_tensor_at(b, tb);
    if (!same_name(a, x->name, b, y->name) || x->order != y->order)
        return false;
    for (uint32_t i = 0; i < x->order; i++) {
        if (!same_var(a, ia[i], b, ib[i]))
            return false;
    }
    return true;
}

static bool same_vars(const sam_statement *a, const fe_vars *x, const sam_statement *b, const fe_vars *y) {
    if (x->len != y->len)
        return false;
    for (uint32_t i = 0; i < x->len; i++) {
        if (!same_var(a, x->at[i], b, y->at[i]))
            return false;
    }
    return true;
}

static bool same_scope(const fe_kernel *a, fe_scope x, const fe_kernel *b, fe_scope y, arena *mem);

/* A number, whose sign may be an operation of its own: the text says -3 for both. */
static bool is_number(const sam_statement *s, sam_expr e, double *value) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const bool negative = x->kind == SAM_EXPR_NEG;
    x = negative ? sam_expr_at(s, x->a) : x;
    *value = negative ? -x->literal : x->literal;
    return x->kind == SAM_EXPR_LITERAL;
}

static bool same_expr(const fe_kernel *a, sam_expr x, const fe_kernel *b, sam_expr y, arena *mem) {
    if (!x.v || !y.v)
        return x.v == y.v;
    const sam_expr_data *p = sam_expr_at(&a->s, x), *q = sam_expr_at(&b->s, y);
    double of_x, of_y;
    if (is_number(&a->s, x, &of_x) && is_number(&b->s, y, &of_y))
        return of_x == of_y;
    if (p->kind != q->kind || p->operation != q->operation)
        return false;
    switch (p->kind) {
    case SAM_EXPR_ACCESS:
        return same_access(&a->s, p->tensor, p->index, &b->s, q->tensor, q->index);
    case SAM_EXPR_LITERAL:
        return p->literal == q->literal;
    case SAM_EXPR_SUM:
        return same_scope(a, fe_sum_scope(&a->s, x, mem), b, fe_sum_scope(&b->s, y, mem), mem);
    case SAM_EXPR_NEG:
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
        return same_expr(a, p->a, b, q->a, mem) && same_expr(a, p->b, b, q->b, mem);
    case SAM_EXPR_NONE:
        break;
    }
    return true;
}

/* Two scopes are equal if they have the same loops in the same order around the same body; the nesting of
 * sums does not count. */
static bool same_scope(const fe_kernel *a, fe_scope x, const fe_kernel *b, fe_scope y, arena *mem) {
    fe_vars lx = fe_scope_loops(a, &x, mem), ly = fe_scope_loops(b, &y, mem);
    return same_vars(&a->s, &lx, &b->s, &ly) && same_expr(a, x.body, b, y.body, mem);
}

static bool same_relation(const fe_kernel *a, const fe_relation *x, const fe_kernel *b,
                          const fe_relation *y) {
    bool same = x->kind == y->kind && x->number == y->number && x->bound == y->bound;
    for (uint32_t i = 0; same && i < 3; i++)
        same = same_var(&a->s, x->var[i], &b->s, y->var[i]);
    return same && same_name(&a->s, x->tensor, &b->s, y->tensor);
}

static bool same_tags(const fe_kernel *a, const fe_kernel *b) {
    if (a->tags.len != b->tags.len)
        return false;
    for (uint32_t t = 0; t < a->tags.len; t++) {
        const fe_tag *x = &a->tags.at[t];
        sam_var v = fe_find_var(&b->s, names_find(b->s.names, fe_var_text(&a->s, x->loop)));
        const fe_tag *y = v.v ? fe_tag_of(b, v) : NULL;
        if (!y || x->kind != y->kind || x->copies != y->copies || x->unit != y->unit ||
            x->strategy != y->strategy)
            return false;
    }
    return true;
}

static bool same_kernel(const fe_kernel *a, const fe_kernel *b, arena *mem) {
    if (a->relations.len != b->relations.len || a->on_host != b->on_host || !same_tags(a, b))
        return false;
    const fe_vars la = {a->s.loops.at, a->s.loops.len, 0}, lb = {b->s.loops.at, b->s.loops.len, 0};
    bool nested = fe_loops_nest(a, mem);
    if (nested != fe_loops_nest(b, mem) || (!nested && !same_vars(&a->s, &la, &b->s, &lb)))
        return false;
    for (uint32_t r = 0; r < a->relations.len; r++) {
        if (!same_relation(a, &a->relations.at[r], b, &b->relations.at[r]))
            return false;
    }
    return same_access(&a->s, a->s.result, a->s.result_index, &b->s, b->s.result, b->s.result_index) &&
           same_scope(a, fe_outer_scope(&a->s, mem), b, fe_outer_scope(&b->s, mem), mem);
}

bool cins_equal(const fe_cin *a, const fe_cin *b) {
    arena scratch = {0};
    bool same = a->kernels.len == b->kernels.len;
    for (uint32_t n = 0; same && n < a->kernels.len; n++)
        same = same_kernel(&a->kernels.at[n], &b->kernels.at[n], &scratch);
    arena_free(&scratch);
    return same;
}
