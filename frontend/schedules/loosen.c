/* loosen.c - a kernel in whole loops. A relation changes in which order and in which pieces points are
 * visited, never which points: the statement over its own variables has the same values. */
#include "frontend/schedules/loosen.h"
#include "frontend/language/relations.h"
#include "frontend/language/settings.h"
#include "frontend/language/statement.h"

/* Adds the variables of the expression that are behind loop v, outermost first. */
static void add_roots(const fe_kernel *k, sam_var v, sam_statement *s) {
    const fe_relation *r = fe_making(k, v);
    if (r) {
        add_roots(k, r->var[0], s);
        if (r->kind == FE_FUSE)
            add_roots(k, r->var[1], s);
    } else if (fe_loop_position(s, v) == s->loops.len) {
        vec_push(s->mem, &s->loops, v);
    }
}

void fe_loosen(const fe_kernel *k, bool ordered, arena *mem, fe_kernel *out) {
    *out = (fe_kernel){.ordered = ordered && k->ordered, .order_at = k->order_at};
    fe_copy_statement(&k->s, mem, &out->s);
    sam_statement *s = &out->s;
    s->loops.len = 0;
    for (uint32_t v = 1; v <= s->vars.len; v++) {
        if (!fe_making(k, (sam_var){v}))
            sam_var_at(s, (sam_var){v})->extent = fe_known_extent(k, (sam_var){v});
    }
    for (uint32_t l = 0; l < k->s.loops.len && ordered; l++)
        add_roots(k, k->s.loops.at[l], s);
    if (!ordered)
        fe_default_loops(s);
    for (uint32_t t = 0; t < s->tensors.len; t++)
        s->tensors.at[t].blocked = false;
}

src_loc fe_first_command(const fe_kernel *k) {
    return k->order_at.source ? k->order_at
           : k->relations.len ? k->relations.at[0].loc
           : k->tags.len      ? k->tags.at[0].loc
                              : (src_loc){0};
}
