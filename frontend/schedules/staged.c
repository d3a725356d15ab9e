/* staged.c - splits a kernel into several, by a schedule in the user's notation: fe_staging has the ways.
 * OuterSPACE multiplies matrices in such phases: k,i,j without a reducer of matrices. */
#include "frontend/schedules/staged.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/statement.h"
#include "frontend/language/words.h"

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

/* The names of the new kernel's loops: the old names with a suffix that makes them unique. */
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

/* "precompute(e,{i,j},{iw,jw})" over `vars`; false: without variables the workspace would be a scalar, which
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

/* Lists operations of one kind that are operands of another kind, none nested. */
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

/* Makes a vector of the values that the reduction along the outermost loop combines. */
static bool split_rows(stages *t, const fe_scope *outer) {
    const sam_statement *s = &t->k->s;
    const sam_expr inner = outer->operation ? sam_expr_at(s, s->rhs)->a : (sam_expr){0};
    return inner.v && outer->vars.len == s->loops.len && sam_expr_at(s, inner)->kind == SAM_EXPR_SUM &&
           add_workspace(t, inner, fe_free_vars(s, inner), "");
}

const char *fe_staged(const fe_kernel *k, fe_staging how, arena *mem) {
    static bool (*const split[FE_STAGINGS])(stages *, const fe_scope *) = {
        split_partial_sums, split_factors, split_terms, split_phases, split_rows};
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

/* ---- order of a product's sums -------------------------------------------------------------------- */

typedef VEC(fe_factor) factors;
typedef VEC(fe_product) products;

static bool list_factors(const stages *t, sam_expr e, factors *out) {
    const sam_expr_data *x = sam_expr_at(&t->k->s, e);
    if (x->kind == SAM_EXPR_MUL)
        return list_factors(t, x->a, out) && list_factors(t, x->b, out);
    vec_push(t->mem, out, ((fe_factor){e, fe_free_vars(&t->k->s, e), fe_expr_text(t->k, e, t->mem)}));
    return x->kind == SAM_EXPR_ACCESS;
}

/* Adds the scope's summed expression, with the variables in `kept` left, if it is a product of operands. */
static void add_product(const stages *t, const fe_scope *scope, uint64_t kept, products *out) {
    factors all = {0};
    if (!scope->operation && list_factors(t, scope->body, &all))
        vec_push(t->mem, out, ((fe_product){all.at, all.len, kept}));
}

uint32_t fe_products(const fe_kernel *k, arena *mem, const fe_product **out) {
    const stages t = {.k = k, .mem = mem};
    const fe_scope outer = fe_outer_scope(&k->s, mem);
    uint64_t result = 0;
    products all = {0};
    fe_exprs sums = {0};
    for (uint32_t m = 0; m < sam_tensor_at(&k->s, k->s.result)->order; m++)
        result |= UINT64_C(1) << (k->s.result_index[m].v - 1);
    if (k->relations.len || k->tags.len)
        return 0;
    add_product(&t, &outer, result, &all);
    fe_inner_sums(&k->s, outer.body, mem, &sums);
    for (uint32_t i = 0; i < sums.len; i++) {
        const fe_scope scope = fe_sum_scope(&k->s, sums.at[i], mem);
        add_product(&t, &scope, fe_free_vars(&k->s, sums.at[i]), &all);
    }
    *out = all.at;
    return all.len;
}

uint64_t fe_summed_first(const fe_product *of, sam_var v, uint64_t *inside) {
    uint64_t have = 0, others = of->kept;
    *inside = 0;
    for (uint32_t i = 0; i < of->n; i++) {
        const bool has = of->factor[i].vars >> (v.v - 1) & 1;
        *inside |= (uint64_t)has << i;
        have |= has ? of->factor[i].vars : 0;
        others |= has ? 0 : of->factor[i].vars;
    }
    return have & others;
}

/* Adds the kernel that sums the product's factors with v along v, and updates the product. */
static bool sum_first(stages *t, sam_var v, uint32_t *names, fe_product *of) {
    uint64_t inside;
    const uint64_t remaining = fe_summed_first(of, v, &inside);
    const fe_vars loops = loops_of(t, remaining);
    const char *product = "", *name = fe_unused_name(&t->k->s, "w", names, t->mem),
               *vars = list(t, &loops, "");
    factors rest = {0};
    for (uint32_t f = 0; f < of->n; f++) {
        if (inside >> f & 1)
            product = arena_printf(t->mem, "%s%s%s", product, *product ? " * " : "", of->factor[f].text);
        else
            vec_push(t->mem, &rest, of->factor[f]);
    }
    if (!rest.len || !inside || !remaining)
        return false;
    add(t, arena_printf(t->mem, "precompute(%s,{%s},{%s},%s)", product, vars, vars, name));
    vec_push(t->mem, &rest, ((fe_factor){{0}, remaining, arena_printf(t->mem, "%s(%s)", name, vars)}));
    *of = (fe_product){rest.at, rest.len, of->kept};
    return true;
}

const char *fe_contracted(const fe_kernel *k, const fe_contraction *all, uint32_t n, arena *mem) {
    stages t = {.k = k, .mem = mem, .text = ""};
    uint32_t names = 0;
    for (uint32_t i = 0; i < n; i++) {
        fe_product of = all[i].of;
        for (uint32_t v = 0; v < all[i].n; v++) {
            if (!sum_first(&t, all[i].first[v], &names, &of))
                return NULL;
        }
    }
    return *t.text ? t.text : NULL;
}

/* ---- scaling of matrices ---------------------------------------------------------------------------- */

/* Adds a kernel that multiplies factor g by the factors whose indices are a proper subset of its own; *taken
 * has the factors already in a kernel, a bit for each. */
static void scale_factor(stages *t, const fe_product *of, uint32_t g, uint32_t *names, uint64_t *taken) {
    const uint64_t vars = of->factor[g].vars;
    const char *product = of->factor[g].text;
    uint64_t with = UINT64_C(1) << g;
    for (uint32_t f = 0; f < of->n; f++) {
        const uint64_t own = of->factor[f].vars;
        if (*taken >> f & 1 || f == g || own == vars || own & ~vars || !own)
            continue;
        with |= UINT64_C(1) << f;
        product = arena_printf(t->mem, "%s * %s", product, of->factor[f].text);
    }
    if (with == UINT64_C(1) << g)
        return;
    const fe_vars loops = loops_of(t, vars);
    const char *list_of = list(t, &loops, "");
    *taken |= with;
    add(t, arena_printf(t->mem, "precompute(%s,{%s},{%s},%s)", product, list_of, list_of,
                        fe_unused_name(&t->k->s, "w", names, t->mem)));
}

const char *fe_scaled(const fe_kernel *k, arena *mem) {
    stages t = {.k = k, .mem = mem, .text = ""};
    const fe_product *of;
    const uint32_t n = fe_products(k, mem, &of);
    uint32_t names = 0;
    for (uint32_t p = 0; p < n; p++) {
        uint64_t all = of[p].kept, taken = 0;
        for (uint32_t f = 0; f < of[p].n; f++)
            all |= of[p].factor[f].vars;
        for (uint32_t f = 0; f < of[p].n && of[p].n <= 64; f++) {
            if (!(taken >> f & 1) && of[p].factor[f].vars != all)
                scale_factor(&t, &of[p], f, &names, &taken);
        }
    }
    return *t.text ? t.text : NULL;
}
