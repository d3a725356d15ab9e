/* Extents of the index variables: from the statement, from its operands, and from splits. */
#include "sam/operators.h"
#include "support/refusals.h"
#include "tiling/tiling_int.h"

/* Returns the operand in the user's form. */
static const char *told(const sam_statement *s, const tile_operands *in, const tile_tensor *t, arena *mem) {
    const sam_tensor_data *data = sam_tensor_at(s, (sam_tensor){(uint32_t)(t - in->operand) + 1});
    return arena_printf(mem, "%s%s", data->windowed ? "a part of " : "",
                        names_text(s->names, sam_user_name(data)));
}

/* By variable: its extent, whether the extent is stated, and the tensor with this extent, NULL for the
 * statement. */
typedef struct {
    const sam_statement *s;
    const tile_operands *in;
    uint32_t *extent;
    bool *firm;
    const tile_tensor **from;
    diagnostics *d;
} extents;

/* Visits every access of the expression below h. */
static bool extent_of(const extents *of, sam_expr h) {
    const sam_statement *s = of->s;
    const tile_operands *in = of->in;
    uint32_t *extent = of->extent;
    bool *firm = of->firm;
    const tile_tensor **from = of->from;
    diagnostics *d = of->d;
    if (!h.v)
        return true;
    const sam_expr_data *x = sam_expr_at(s, h);
    if (x->kind != SAM_EXPR_ACCESS)
        return extent_of(of, x->a) && extent_of(of, x->b);
    const tile_tensor *t = &in->operand[x->tensor.v - 1];
    const sam_tensor_data *data = sam_tensor_at(s, x->tensor);
    if (data->ones)
        return true; /* the other operands give its extents */
    for (uint32_t m = 0; m < t->order; m++) {
        uint32_t v = x->index[m].v - 1;
        if (t->dim[m] == TILE_OPEN)
            continue;
        bool clash = firm[v] && (t->dim_inferred ? t->dim[m] > extent[v] : t->dim[m] != extent[v]);
        clash = clash || (!firm[v] && !t->dim_inferred && t->dim[m] < extent[v]);
        if (clash) {
            const char *other = !from[v]       ? "as stated"
                                : from[v] == t ? "in another dimension of it"
                                               : arena_printf(d->mem, "in %s", told(s, in, from[v], d->mem));
            diag_refuse(d, DIAG_ERROR, DIAG_REFUSED_DIMENSION, x->loc,
                        "index %s runs to %u in %s but to %u %s", names_text(s->names, s->vars.at[v].name),
                        t->dim[m], told(s, in, t, d->mem), extent[v], other);
            if (t->dim[m] == 1 || extent[v] == 1)
                diag_hint(d, "0 in place of %s reads the only coordinate everywhere",
                          names_text(s->names, s->vars.at[v].name));
            return false;
        }
        if (t->dim[m] >= extent[v] && !firm[v])
            from[v] = t;
        if (t->dim[m] > extent[v])
            extent[v] = t->dim[m];
        /* An empty slice has no coordinate, for any length of the tensor. */
        const sam_window *w = &data->window[m];
        firm[v] = firm[v] || !t->dim_inferred || (w->stride && w->high <= (uint32_t)w->low);
    }
    return true;
}

/* firm[v]: stated; an extent of 0 then counts. */
static bool known_extents(const sam_statement *s, const tile_operands *in, uint32_t *extent, bool *firm,
                          diagnostics *d) {
    const tile_tensor **from = arena_new_n(d->mem, const tile_tensor *, s->vars.len + 1);
    for (uint32_t v = 0; v < s->vars.len; v++) {
        extent[v] = s->vars.at[v].extent;
        firm[v] = s->vars.at[v].extent != 0;
    }
    if (!extent_of(&(extents){s, in, extent, firm, from, d}, s->rhs))
        return false;
    for (uint32_t v = 0; v < s->vars.len; v++) { /* a split loop comes after its source loop */
        const sam_var_data *var = &s->vars.at[v];
        if (!var->split_of.v || extent[v])
            continue;
        extent[v] = var->modulo ? var->modulo : tile_split_extent(extent[var->split_of.v - 1], var->divide);
        firm[v] = firm[var->split_of.v - 1];
    }
    return true;
}

bool tile_known_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                        uint32_t **extent) {
    *extent = arena_new_n(mem, uint32_t, s->vars.len + 1);
    return known_extents(s, in, *extent, arena_new_n(mem, bool, s->vars.len + 1), d);
}

/* An empty reduction is the identity of its operation, but the array makes no value without a stream: an
 * index without coordinates counts as an index without entries. */
static bool check_reductions(const sam_statement *s, const uint32_t *extent, diagnostics *d) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        if (x->kind != SAM_EXPR_SUM || !x->operation || extent[x->var.v - 1])
            continue;
        const uint16_t nothing = sam_operator_of((sam_operation)x->operation, !s->integers)->monoid.value;
        if (nothing == sam_tensor_at(s, s->result)->fill)
            continue;
        diag_error(d, x->loc, "E0323-reduced-nothing", "%s over index %s, which has no coordinate",
                   sam_operation_name((sam_operation)x->operation),
                   names_text(s->names, s->vars.at[x->var.v - 1].name));
        return diag_hint(d, "it has no value but that which changes no other; a sum of nothing is 0");
    }
    return true;
}

bool tile_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                  uint32_t **extent) {
    *extent = arena_new_n(mem, uint32_t, s->vars.len + 1);
    bool *firm = arena_new_n(mem, bool, s->vars.len + 1);
    if (!known_extents(s, in, *extent, firm, d))
        return false;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        uint32_t v = s->loops.at[l].v - 1;
        if (!(*extent)[v] && !firm[v]) {
            diag_error(d, s->vars.at[v].loc, "E0321-no-extent", "no operand tells how far index %s runs",
                       names_text(s->names, s->vars.at[v].name));
            const char *name = names_text(s->names, s->vars.at[v].name);
            return diag_hint(d, "say so with -d %s:SIZE, or in a program file by an operand that has %s",
                             name, name);
        }
    }
    return check_reductions(s, *extent, d);
}

void tile_result_dim(const sam_statement *s, const uint32_t *extent, uint32_t dim[SAM_MAX_ORDER]) {
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++)
        dim[m] = extent[s->result_index[m].v - 1];
}
