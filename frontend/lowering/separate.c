/* separate.c - a variable of its own for each factor's sum: sum(j, B(j)) * sum(j, D(j)) becomes sum(j, B(j))
 * * sum(j_2, D(j_2)).
 *
 * A statement that runs sub-tile by sub-tile pairs the sub-tiles of a variable, so the j of two factors would
 * take the same piece in every run, and the product of one factor's first piece with the other's second would
 * be missing. Terms of an addition may share a variable: each counts its own pieces. O(expressions * depth).
 */
#include "frontend/lowering/separate.h"

/* Returns the variables of the sums in e. */
static uint64_t bound_in(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    uint64_t own = x->kind == SAM_EXPR_SUM ? (uint64_t)1 << (x->var.v - 1) : 0;
    return own | (x->a.v ? bound_in(s, x->a) : 0) | (x->b.v ? bound_in(s, x->b) : 0);
}

static void rename_below(sam_statement *s, sam_expr e, sam_var from, sam_var to) {
    sam_expr_data *x = sam_expr_at(s, e);
    for (uint32_t i = 0; x->kind == SAM_EXPR_ACCESS && i < sam_tensor_at(s, x->tensor)->order; i++)
        x->index[i] = x->index[i].v == from.v ? to : x->index[i];
    if (x->kind == SAM_EXPR_SUM && x->var.v == from.v)
        x->var = to;
    if (x->a.v)
        rename_below(s, x->a, from, to);
    if (x->b.v)
        rename_below(s, x->b, from, to);
}

static bool is_taken(const sam_statement *s, const char *name) {
    for (uint32_t v = 0; v < s->vars.len; v++) {
        if (strcmp(names_text(s->names, s->vars.at[v].name), name) == 0)
            return true;
    }
    return false;
}

/* Makes a copy of variable v, with its loop next to v's. */
static sam_var twin_of(sam_statement *s, sam_var v) {
    sam_var_data data = *sam_var_at(s, v);
    const char *old = names_text(s->names, data.name), *name = old;
    for (uint32_t n = 2; is_taken(s, name); n++)
        name = arena_printf(s->mem, "%s_%u", old, n);
    data.name = names_intern(s->names, name);
    vec_push(s->mem, &s->vars, data);
    const sam_var twin = {s->vars.len};
    vec_push(s->mem, &s->loops, twin);
    for (uint32_t l = s->loops.len - 1; l > 0 && s->loops.at[l - 1].v != v.v; l--) {
        s->loops.at[l] = s->loops.at[l - 1];
        s->loops.at[l - 1] = twin;
    }
    return twin;
}

/* Gives the sums below e over one of `vars` variables of their own. */
static void separate_below(sam_statement *s, sam_expr e, uint64_t vars) {
    for (uint32_t v = 1; vars >> (v - 1); v++) {
        if (vars >> (v - 1) & 1)
            rename_below(s, e, (sam_var){v}, twin_of(s, (sam_var){v}));
    }
}

static void separate(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    if (x.kind == SAM_EXPR_MUL || x.kind == SAM_EXPR_DIV)
        separate_below(s, x.b, bound_in(s, x.a) & bound_in(s, x.b));
    if (x.a.v)
        separate(s, x.a);
    if (x.b.v)
        separate(s, x.b);
}

void fe_separate(sam_statement *s) {
    separate(s, s->rhs);
}
