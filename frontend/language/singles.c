/* singles.c - operands with a single coordinate along a longer index are read at 0 everywhere, as NumPy
 * broadcasts arrays. */
#include "frontend/language/singles.h"
#include "frontend/language/statement.h"
#include "frontend/language/windows.h"

/* ---- single coordinates ----------------------------------------------------------------------- */

const uint32_t *fe_reach_of_vars(const sam_statement *s, const fe_extents *of, bool all) {
    uint32_t *reach = arena_new_n(s->mem, uint32_t, s->vars.len + 1);
    uint64_t unknown = 0;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const uint32_t order = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor)->order : 0;
        for (uint32_t m = 0; m < order; m++) {
            const uint32_t v = x->index[m].v - 1, now = of[x->tensor.v - 1].dim[m];
            reach[v] = now > reach[v] ? now : reach[v];
            unknown |= now ? 0 : fe_bit(x->index[m]);
        }
    }
    for (uint32_t v = 0; v < s->vars.len && all; v++)
        reach[v] = unknown >> v & 1 ? 0 : reach[v];
    return reach;
}

bool fe_is_plain_index(const sam_statement *s, const sam_expr_data *access, uint32_t m) {
    const sam_tensor_data *t = sam_tensor_at(s, access->tensor);
    const sam_window *w = &t->window[m];
    uint32_t times = 0;
    for (uint32_t other = 0; other < t->order; other++)
        times += access->index[other].v == access->index[m].v;
    return times == 1 && sam_source_order(t) == t->order && !t->structure &&
           !(w->stride || w->low || w->down || w->permits || w->times);
}

/* Adds the index, once. */
static void add(const sam_statement *s, const sam_expr_data *x, uint32_t m, src_loc loc, diagnostics *d,
                fe_singles *all) {
    const char *name = names_text(s->names, sam_user_name(sam_tensor_at(s, x->tensor))),
               *var = fe_var_text(s, x->index[m]);
    for (uint32_t i = 0; i < all->len; i++) {
        if (all->at[i].mode == m && strcmp(all->at[i].tensor, name) == 0 && strcmp(all->at[i].var, var) == 0)
            return;
    }
    vec_push(s->mem, all, (fe_single){name, var, m});
    diag_note(d, loc, "%s has a single coordinate along %s: its values hold at every %s", name, var, var);
}

fe_singles fe_find_singles(const sam_statement *s, const fe_extents *of, src_loc loc, diagnostics *d) {
    const uint32_t *reach = fe_reach_of_vars(s, of, false);
    fe_singles all = {0};
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const uint32_t order = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor)->order : 0;
        for (uint32_t m = 0; m < order; m++) {
            if (of[x->tensor.v - 1].dim[m] == 1 && reach[x->index[m].v - 1] > 1 && fe_is_plain_index(s, x, m))
                add(s, x, m, loc, d, &all);
        }
    }
    return all;
}

/* ---- the statement --------------------------------------------------------------------------------- */

/* Returns whether the data have a single coordinate along the mode of an access. */
static bool is_single(const fe_in *in, const sam_statement *s, const sam_tensor_data *t, uint32_t m,
                      sam_var v) {
    for (uint32_t i = 0; i < in->n_singles; i++) {
        const fe_single *one = &in->singles[i];
        if (one->mode == m && strcmp(one->tensor, names_text(s->names, sam_user_name(t))) == 0 &&
            strcmp(one->var, fe_var_text(s, v)) == 0)
            return true;
    }
    return false;
}

bool fe_broadcast_singles(const fe_in *in, diagnostics *d, sam_statement *s, uint64_t **broadcast) {
    *broadcast = arena_new_n(s->mem, uint64_t, s->exprs.len + 1);
    for (uint32_t e = 0; e < s->exprs.len && in->n_singles; e++) {
        sam_expr_data *x = &s->exprs.at[e];
        const sam_tensor_data t = *sam_tensor_at(s, x->kind == SAM_EXPR_ACCESS ? x->tensor : s->result);
        sam_window w[SAM_MAX_ORDER];
        memcpy(w, t.window, sizeof w);
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && m < t.order; m++) {
            if (!is_single(in, s, &t, m, x->index[m]))
                continue;
            if (s->vars.len == 64)
                return diag_error(d, x->loc, "E0118-too-large", "more than 64 index variables");
            (*broadcast)[e] |= fe_bit(x->index[m]);
            vec_push(s->mem, &s->vars,
                     (sam_var_data){.name = fe_fresh_name(s, "only", s->mem),
                                    .loc = x->loc,
                                    .instead = sam_var_at(s, x->index[m])->name});
            x->index[m] = (sam_var){s->vars.len};
            w[m] = (sam_window){.high = 1, .stride = 1};
        }
        if ((*broadcast)[e])
            x->tensor = fe_window_of(s, fe_find_tensor(s, sam_user_name(&t)), w, t.order);
    }
    return true;
}
