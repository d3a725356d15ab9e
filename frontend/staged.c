/* staged.c - a kernel as several, by a schedule that the user could have written: fe_staging says how.
 * OuterSPACE multiplies matrices in phases so: k,i,j without a reducer of matrices. */
#include "frontend/fe_int.h"

typedef struct {
    const fe_kernel *k;
    arena *mem;
    const char *text;
} stages;

static void add(stages *t, const char *command) {
    t->text = *t->text ? arena_printf(t->mem, "%s, %s", t->text, command) : command;
}

static const char *list(const stages *t, const fe_vars *vars, const char *suffix) {
    const char *text = "";
    for (uint32_t i = 0; i < vars->len; i++)
        text =
            arena_printf(t->mem, "%s%s%s%s", text, i ? "," : "", fe_var_text(&t->k->s, vars->at[i]), suffix);
    return text;
}

/* Returns the loops of the variables in `bits`, in order. */
static fe_vars loops_of(const stages *t, uint64_t bits) {
    fe_vars vars = {0};
    for (uint32_t i = 0; i < t->k->s.loops.len; i++) {
        if (bits >> (t->k->s.loops.at[i].v - 1) & 1)
            vec_push(t->mem, &vars, t->k->s.loops.at[i]);
    }
    return vars;
}

/* The names of the new kernel's loops: the old ones and a suffix that makes names of nothing else. */
static const char *fresh_suffix(const stages *t) {
    const sam_statement *s = &t->k->s;
    for (const char *suffix = "w";; suffix = arena_printf(t->mem, "%sw", suffix)) {
        bool fresh = true;
        for (uint32_t v = 1; v <= s->vars.len; v++) {
            const char *name = arena_printf(t->mem, "%s%s", fe_var_text(s, (sam_var){v}), suffix);
            name_id id = names_find(s->names, name);
            fresh =
                fresh && !(id.v && (fe_find_var(s, id).v || fe_find_tensor(s, id).v)) && !fe_is_keyword(name);
        }
        if (fresh)
            return suffix;
    }
}

/* "precompute(e,{i,j},{iw,jw})" over `vars`; false: there are none, and it would be a scalar, which
 * is no kernel. */
static bool add_workspace(stages *t, sam_expr e, uint64_t vars, const char *suffix) {
    fe_vars loops = loops_of(t, vars);
    add(t, arena_printf(t->mem, "precompute(%s,{%s},{%s})", fe_expr_text(t->k, e, t->mem),
                        list(t, &loops, ""), list(t, &loops, suffix)));
    return loops.len > 0;
}

static bool split_partial_sums(stages *t, const fe_scope *outer) {
    const sam_statement *s = &t->k->s;
    fe_exprs sums = {0};
    fe_inner_sums(s, outer->body, t->mem, &sums);
    for (uint32_t i = 0; i < sums.len; i++) {
        fe_scope scope = fe_sum_scope(s, sums.at[i], t->mem);
        if (!add_workspace(t, scope.body, fe_free_vars(s, sums.at[i]), ""))
            return false;
    }
    return sums.len > 0;
}

static bool adds(sam_expr_kind kind) {
    return kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB;
}

static bool multiplies(sam_expr_kind kind) {
    return kind == SAM_EXPR_MUL;
}

typedef bool (*is_kind)(sam_expr_kind kind);

/* Operations of one kind that are operands of one of another kind, none inside of another. */
static void find_operands(const stages *t, sam_expr e, is_kind what, is_kind around, bool inside,
                          fe_exprs *found) {
    const sam_expr_data *x = sam_expr_at(&t->k->s, e);
    if (inside && what(x->kind)) {
        vec_push(t->mem, found, e);
        return;
    }
    inside = around(x->kind) || (x->kind == SAM_EXPR_NEG && inside);
    if (x->a.v)
        find_operands(t, x->a, what, around, inside, found);
    if (x->b.v)
        find_operands(t, x->b, what, around, inside, found);
}

static bool split_operands(stages *t, sam_expr body, is_kind what, is_kind around) {
    fe_exprs found = {0};
    find_operands(t, body, what, around, false, &found);
    for (uint32_t i = 0; i < found.len; i++) {
        if (!add_workspace(t, found.at[i], fe_free_vars(&t->k->s, found.at[i]), ""))
            return false;
    }
    return found.len > 0;
}

static bool split_factors(stages *t, const fe_scope *outer) {
    return split_operands(t, outer->body, adds, multiplies);
}

static bool split_terms(stages *t, const fe_scope *outer) {
    return split_operands(t, outer->body, multiplies, adds);
}

static bool split_phases(stages *t, const fe_scope *outer) {
    const sam_statement *s = &t->k->s;
    const char *order = "";
    bool sums = false;
    for (uint32_t i = 0; i < outer->vars.len; i++)
        sums = sums || !sam_is_result_var(s, outer->vars.at[i]);
    if (!sums || !add_workspace(t, outer->body, fe_free_vars(s, outer->body), fresh_suffix(t)))
        return false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->loops.len; i++) {
            if (sam_is_result_var(s, s->loops.at[i]) == (pass == 0))
                order =
                    arena_printf(t->mem, "%s%s%s", order, *order ? "," : "", fe_var_text(s, s->loops.at[i]));
        }
    }
    add(t, arena_printf(t->mem, "reorder(%s)", order));
    return true;
}

const char *fe_staged(const fe_kernel *k, fe_staging how, arena *mem) {
    static bool (*const split[FE_STAGINGS])(stages *, const fe_scope *) = {split_partial_sums, split_factors,
                                                                           split_terms, split_phases};
    stages t = {.k = k, .mem = mem, .text = ""};
    fe_scope outer = fe_outer_scope(&k->s, mem);
    if (k->relations.len || k->tags.len)
        return NULL;
    if (k->ordered) {
        fe_vars loops = {k->s.loops.at, k->s.loops.len, 0};
        add(&t, arena_printf(mem, "reorder(%s)", list(&t, &loops, "")));
    }
    return split[how](&t, &outer) ? t.text : NULL;
}
