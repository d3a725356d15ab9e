/* singles.c - operands with a single coordinate along a longer index, found by the data.
 *
 * The parser reads the operand at 0 in place of the index (frontend/language/singles.c). */
#include "kernel/singles.h"
#include "frontend/language/language.h"

typedef VEC(fe_single) singles;

/* Returns how far the variables run in operands, by handle - 1. */
static const uint32_t *longest_of(const sam_statement *st, const tile_operands *in, arena *mem) {
    uint32_t *most = arena_new_n(mem, uint32_t, st->vars.len + 1);
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        const tile_tensor *t = x->kind == SAM_EXPR_ACCESS ? &in->operand[x->tensor.v - 1] : NULL;
        for (uint32_t m = 0; t && m < t->order; m++) {
            uint32_t *one = &most[x->index[m].v - 1];
            *one = t->dim[m] != TILE_OPEN && t->dim[m] > *one ? t->dim[m] : *one;
        }
    }
    return most;
}

/* Returns whether index m is an index of the user's tensor as it is, once in the access. */
static bool is_plain(const sam_tensor_data *t, const sam_expr_data *x, uint32_t m) {
    const sam_window *w = &t->window[m];
    uint32_t times = 0;
    for (uint32_t other = 0; other < t->order; other++)
        times += x->index[other].v == x->index[m].v;
    return times == 1 && sam_source_order(t) == t->order && !t->structure &&
           !(w->stride || w->low || w->down || w->permits || w->times);
}

static void add(compile_context *ctx, const sam_statement *st, const sam_expr_data *x, uint32_t m,
                singles *all) {
    const char *name = names_text(ctx->names, sam_user_name(sam_tensor_at(st, x->tensor))),
               *var = names_text(ctx->names, sam_var_at(st, x->index[m])->name);
    for (uint32_t i = 0; i < all->len; i++) {
        if (all->at[i].mode == m && strcmp(all->at[i].tensor, name) == 0 && strcmp(all->at[i].var, var) == 0)
            return;
    }
    vec_push(ctx->mem, all, (fe_single){name, var, m});
    diag_note(ctx->diag, (src_loc){0}, "%s has a single coordinate along %s: its values hold at every %s",
              name, var, var);
}

const compile_options *compile_broadcast(const compile_options *o, compile_context *ctx,
                                         const sam_statement *st, const tile_operands *in) {
    singles all = {0};
    if (!in->operand || o->written.n_singles)
        return NULL;
    const uint32_t *most = longest_of(st, in, ctx->mem);
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        const tile_tensor *t = x->kind == SAM_EXPR_ACCESS ? &in->operand[x->tensor.v - 1] : NULL;
        const sam_tensor_data *as = t ? sam_tensor_at(st, x->tensor) : NULL;
        const bool stated =
            as && compile_argument_for(&o->written.dimensions, names_text(ctx->names, sam_user_name(as)));
        for (uint32_t m = 0; as && !stated && !t->dim_inferred && m < t->order; m++) {
            if (t->dim[m] == 1 && most[x->index[m].v - 1] > 1 && is_plain(as, x, m))
                add(ctx, st, x, m, &all);
        }
    }
    if (!all.len)
        return NULL;
    compile_options *own = arena_new(ctx->mem, compile_options);
    *own = *o;
    own->written.singles = all.at;
    own->written.n_singles = all.len;
    return own;
}
