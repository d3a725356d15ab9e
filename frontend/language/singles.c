/* singles.c - operands with a single coordinate along a longer index are read at 0 everywhere, as NumPy
 * broadcasts arrays. */
#include "frontend/language/singles.h"
#include "frontend/language/statement.h"
#include "frontend/language/windows.h"

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

bool fe_hold_singles(const fe_in *in, diagnostics *d, sam_statement *s, uint64_t **held) {
    *held = arena_new_n(s->mem, uint64_t, s->exprs.len + 1);
    for (uint32_t e = 0; e < s->exprs.len && in->n_singles; e++) {
        sam_expr_data *x = &s->exprs.at[e];
        const sam_tensor_data t = *sam_tensor_at(s, x->kind == SAM_EXPR_ACCESS ? x->tensor : s->result);
        sam_window w[SAM_MAX_ORDER];
        memcpy(w, t.window, sizeof w);
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && m < t.order; m++) {
            if (!is_single(in, s, &t, m, x->index[m]))
                continue;
            if (s->vars.len == 64) {
                diag_error(d, x->loc, "E0118-too-large", "more than 64 index variables");
                return false;
            }
            (*held)[e] |= fe_bit(x->index[m]);
            vec_push(s->mem, &s->vars,
                     (sam_var_data){.name = fe_fresh_name(s, "only", s->mem), .loc = x->loc});
            x->index[m] = (sam_var){s->vars.len};
            w[m] = (sam_window){.high = 1, .stride = 1};
        }
        if ((*held)[e])
            x->tensor = fe_window_of(s, fe_find_tensor(s, sam_user_name(&t)), w, t.order);
    }
    return true;
}
