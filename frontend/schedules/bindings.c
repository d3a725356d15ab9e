/* bindings.c - subexpressions of a statement computed by functions: all results of rewrites, all
 * subexpressions of these, and each function tried on each subexpression. Every match was scheduled and
 * checked like a user's schedule.
 *
 * O(rewritten statements * subexpressions * functions) schedules, of at most MOST_STATEMENTS statements and
 * MOST_TRIES in all: statements with fewer rewrites come first.
 */
#include "frontend/schedules/bindings.h"
#include "frontend/language/apply.h"
#include "frontend/language/calls.h"
#include "frontend/language/check.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/load.h"
#include "frontend/language/statement.h"
#include "frontend/schedules/schedule.h"

#include <stdlib.h>

enum { MOST_STATEMENTS = 200, MOST_IN_CHAIN = 8, MOST_TRIES = 20000 };

typedef struct {
    sam_statement s;
    uint32_t rewrites;
    const char *key;
} variant;

typedef struct {
    const fe_in *in;
    arena *mem;
    const char *given; /* right side */
    uint32_t tries;
    VEC(variant) variants;
    VEC(const char *) kernels; /* text of each binding found */
    fe_subexpr_bindings *out;
} finder;

/* ---- canonical text ------------------------------------------------------------------------------ */

static const char *text_of(const sam_statement *s, sam_expr e, arena *mem) {
    const fe_kernel k = {.s = *s};
    return fe_expr_text(&k, e, mem);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect(const sam_statement *s, sam_expr e, sam_expr_kind kind, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == kind) {
        collect(s, x->a, kind, mem, out);
        collect(s, x->b, kind, mem, out);
    } else {
        vec_push(mem, out, e);
    }
}

/* Returns the expression as text with sorted operands of + and *. */
static const char *key_of(const sam_statement *s, sam_expr e, arena *mem) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const bool adds = x->kind == SAM_EXPR_ADD;
    if (x->kind == SAM_EXPR_SUM)
        return arena_printf(mem, "(%u %u %s)", x->operation, x->var.v, key_of(s, x->a, mem));
    if (x->kind == SAM_EXPR_SUB)
        return arena_printf(mem, "(%s - %s)", key_of(s, x->a, mem), key_of(s, x->b, mem));
    if (!adds && x->kind != SAM_EXPR_MUL)
        return text_of(s, e, mem);
    fe_exprs operands = {0};
    collect(s, e, x->kind, mem, &operands);
    const char **keys = arena_new_n(mem, const char *, operands.len), *text = adds ? "(+" : "(*";
    for (uint32_t i = 0; i < operands.len; i++)
        keys[i] = key_of(s, operands.at[i], mem);
    qsort(keys, operands.len, sizeof *keys, by_text);
    for (uint32_t i = 0; i < operands.len; i++)
        text = arena_printf(mem, "%s %s", text, keys[i]);
    return arena_printf(mem, "%s)", text);
}

/* ---- rewrites ---------------------------------------------------------------------------------- */

static sam_expr binary(sam_statement *s, sam_expr_kind kind, sam_expr a, sam_expr b) {
    return fe_add_expr(s, (sam_expr_data){.kind = kind, .loc = sam_expr_at(s, a)->loc, .a = a, .b = b});
}

static sam_expr product(sam_statement *s, const fe_exprs *factors) {
    sam_expr e = factors->at[0];
    for (uint32_t i = 1; i < factors->len; i++)
        e = binary(s, SAM_EXPR_MUL, e, factors->at[i]);
    return e;
}

static bool adds(const sam_statement *s, sam_expr e) {
    const sam_expr_kind kind = sam_expr_at(s, e)->kind;
    return kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB;
}

static bool is_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_SUM && x->operation == SAM_OPERATION_add;
}

static bool uses(const sam_statement *s, sam_expr e, sam_var v) {
    return fe_free_vars(s, e) >> (v.v - 1) & 1;
}

/* x * (a + b) becomes x * a + x * b; `right`: the sum stands right. */
static bool multiply_in(sam_statement *s, sam_expr e, bool right) {
    const sam_expr_data x = *sam_expr_at(s, e);
    const sam_expr terms = right ? x.b : x.a, factor = right ? x.a : x.b;
    if (x.kind != SAM_EXPR_MUL || !adds(s, terms))
        return false;
    const sam_expr_data t = *sam_expr_at(s, terms);
    const sam_expr a = binary(s, SAM_EXPR_MUL, factor, t.a);
    const sam_expr b = binary(s, SAM_EXPR_MUL, fe_copy_expr(s, factor), t.b);
    sam_expr_data *now = sam_expr_at(s, e);
    now->kind = t.kind;
    now->a = a;
    now->b = b;
    return true;
}

/* a * x + b * x becomes x * (a + b), for the first common factor. */
static bool take_out_factor(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    fe_exprs p = {0}, q = {0};
    if (!adds(s, e))
        return false;
    collect(s, x.a, SAM_EXPR_MUL, s->mem, &p);
    collect(s, x.b, SAM_EXPR_MUL, s->mem, &q);
    for (uint32_t i = 0; p.len > 1 && i < p.len; i++) {
        for (uint32_t k = 0; q.len > 1 && k < q.len; k++) {
            if (strcmp(key_of(s, p.at[i], s->mem), key_of(s, q.at[k], s->mem)) != 0)
                continue;
            const sam_expr factor = p.at[i];
            p.at[i] = p.at[--p.len];
            q.at[k] = q.at[--q.len];
            const sam_expr a = product(s, &p), b = product(s, &q), terms = binary(s, x.kind, a, b);
            sam_expr_data *now = sam_expr_at(s, e);
            now->kind = SAM_EXPR_MUL;
            now->a = factor;
            now->b = terms;
            return true;
        }
    }
    return false;
}

/* sum(k, a + b) becomes sum(k, a) + sum(k, b). */
static bool reduce_each(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    if (!is_sum(s, e) || !adds(s, x.a))
        return false;
    const sam_expr_data t = *sam_expr_at(s, x.a);
    if (!uses(s, t.a, x.var) || !uses(s, t.b, x.var))
        return false;
    sam_expr_data sum = x;
    sum.a = t.a;
    const sam_expr a = fe_add_expr(s, sum);
    sum.a = t.b;
    const sam_expr b = fe_add_expr(s, sum);
    *sam_expr_at(s, e) = (sam_expr_data){.kind = t.kind, .loc = x.loc, .a = a, .b = b};
    return true;
}

static bool reduce_both(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    if (!adds(s, e) || !is_sum(s, x.a) || !is_sum(s, x.b) ||
        sam_expr_at(s, x.a)->var.v != sam_expr_at(s, x.b)->var.v)
        return false;
    sam_expr_data sum = *sam_expr_at(s, x.a);
    sum.a = binary(s, x.kind, sum.a, sam_expr_at(s, x.b)->a);
    *sam_expr_at(s, e) = sum;
    return true;
}

/* sum(k, a * b) becomes a * sum(k, b), of all factors without k. */
static bool leave_reduction(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    fe_exprs all = {0}, out = {0}, in = {0};
    if (!is_sum(s, e))
        return false;
    collect(s, x.a, SAM_EXPR_MUL, s->mem, &all);
    for (uint32_t i = 0; i < all.len; i++)
        vec_push(s->mem, uses(s, all.at[i], x.var) ? &in : &out, all.at[i]);
    if (!out.len || !in.len)
        return false;
    sam_expr_data sum = x;
    sum.a = product(s, &in);
    const sam_expr inner = fe_add_expr(s, sum), factor = product(s, &out);
    *sam_expr_at(s, e) = (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = x.loc, .a = factor, .b = inner};
    return true;
}

static bool enter_reduction(sam_statement *s, sam_expr e, bool right) {
    const sam_expr_data x = *sam_expr_at(s, e);
    const sam_expr sum = right ? x.b : x.a, factor = right ? x.a : x.b;
    if (x.kind != SAM_EXPR_MUL || !is_sum(s, sum) || uses(s, factor, sam_expr_at(s, sum)->var))
        return false;
    sam_expr_data now = *sam_expr_at(s, sum);
    now.a = binary(s, SAM_EXPR_MUL, factor, now.a);
    *sam_expr_at(s, e) = now;
    return true;
}

/* a + b becomes 1 * a + b: a function may scale a whole operand. */
static bool add_identity(sam_statement *s, sam_expr e, bool right) {
    const sam_expr_data x = *sam_expr_at(s, e);
    const sam_expr of = right ? x.b : x.a;
    if (!adds(s, e) || sam_expr_at(s, of)->kind == SAM_EXPR_LITERAL ||
        sam_expr_at(s, of)->kind == SAM_EXPR_MUL)
        return false;
    const sam_expr one =
                       fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = x.loc, .literal = 1}),
                   scaled = binary(s, SAM_EXPR_MUL, one, of);
    sam_expr_data *now = sam_expr_at(s, e);
    *(right ? &now->b : &now->a) = scaled;
    return true;
}

enum { RULES = 10 };

static bool rewrite(sam_statement *s, sam_expr e, uint32_t rule) {
    switch (rule) {
    case 0:
    case 1:
        return multiply_in(s, e, rule);
    case 2:
    case 3:
        return enter_reduction(s, e, rule == 3);
    case 4:
        return take_out_factor(s, e);
    case 5:
        return reduce_each(s, e);
    case 6:
        return reduce_both(s, e);
    case 7:
    case 8:
        return add_identity(s, e, rule == 8);
    default:
        return leave_reduction(s, e);
    }
}

static void list_below(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    vec_push(mem, out, e);
    if (x->a.v)
        list_below(s, x->a, mem, out);
    if (x->b.v)
        list_below(s, x->b, mem, out);
}

static void add_variant(finder *f, const sam_statement *s, uint32_t rewrites) {
    diagnostics unheard;
    const char *key = key_of(s, s->rhs, f->mem);
    for (uint32_t i = 0; i < f->variants.len; i++) {
        if (strcmp(f->variants.at[i].key, key) == 0)
            return;
    }
    diag_init(&unheard, f->mem);
    if (f->variants.len < MOST_STATEMENTS && fe_check(s, &unheard))
        vec_push(f->mem, &f->variants, ((variant){*s, rewrites, key}));
}

/* Adds all results of one rewrite of a variant, at any place. */
static void rewrite_all(finder *f, variant from) {
    fe_exprs all = {0};
    list_below(&from.s, from.s.rhs, f->mem, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        for (uint32_t rule = 0; rule < RULES; rule++) {
            sam_statement s;
            fe_copy_statement(&from.s, f->mem, &s);
            if (rewrite(&s, all.at[i], rule)) {
                fe_compact(&s);
                add_variant(f, &s, from.rewrites + 1);
            }
        }
    }
}

/* ---- subexpressions --------------------------------------------------------------------------------- */

static bool is_known(finder *f, const fe_cin *cin) {
    text_out text;
    text_begin(&text);
    fe_cin_dump(cin, text.stream);
    const char *kernels = text_end(&text, f->mem);
    for (uint32_t i = 0; i < f->kernels.len; i++) {
        if (strcmp(f->kernels.at[i], kernels) == 0)
            return true;
    }
    vec_push(f->mem, &f->kernels, kernels);
    return false;
}

/* Tries every function on a subexpression of a statement. */
static void try_subexpr(finder *f, uint32_t rewrites, const sam_statement *s, const char *subexpr) {
    const char *right = text_of(s, s->rhs, f->mem);
    for (uint32_t i = 0; i < f->in->functions->all.len; i++) {
        const fe_user_function *of = &f->in->functions->all.at[i];
        fe_cin cin;
        diagnostics unheard;
        if (!of->described || !of->described->array || of->described->rule || of->other_type ||
            f->tries++ >= MOST_TRIES)
            continue;
        arena scratch = {0};
        const char *schedule = arena_printf(f->mem, "map(%s, %s)", subexpr, of->name);
        fe_in with = *f->in;
        with.schedule = &schedule;
        with.n_schedule = 1;
        diag_init(&unheard, &scratch);
        const bool is = fe_schedule(&with, s, &scratch, &unheard, &cin) && !is_known(f, &cin);
        arena_free(&scratch);
        if (!is)
            continue;
        const bool as_given = strcmp(right, f->given) == 0;
        vec_push(f->mem, f->out, ((fe_subexpr_binding){*s, rewrites, as_given ? NULL : right, schedule}));
    }
}

/* Tries some operands of a chain, 0 < bits < all, as one subexpression. Factors may be at any place; addends
 * must be adjacent. */
static void try_some(finder *f, const variant *v, sam_expr chain, uint32_t bits) {
    sam_statement s;
    arena scratch = {0};
    fe_exprs all = {0};
    const sam_expr_kind kind = sam_expr_at(&v->s, chain)->kind;
    const bool of_factors = kind == SAM_EXPR_MUL;
    sam_expr subexpr = {0}, rest = {0};
    fe_copy_statement(&v->s, of_factors ? &scratch : f->mem, &s);
    collect(&s, chain, kind, &scratch, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        sam_expr *to = bits >> i & 1 ? &subexpr : &rest;
        *to = to->v ? binary(&s, kind, *to, all.at[i]) : all.at[i];
    }
    const char *text = text_of(&s, subexpr, f->mem);
    sam_expr_at(&s, chain)->a = rest;
    sam_expr_at(&s, chain)->b = subexpr;
    arena_free(&scratch);
    try_subexpr(f, v->rewrites, of_factors ? &v->s : &s, text);
}

static void try_below(finder *f, const variant *v, sam_expr e, sam_expr_kind around) {
    const sam_expr_data x = *sam_expr_at(&v->s, e);
    const bool chains = x.kind == SAM_EXPR_MUL || (x.kind == SAM_EXPR_ADD && f->in->integers);
    if (x.a.v && (!chains || x.kind != around))
        try_subexpr(f, v->rewrites, &v->s, text_of(&v->s, e, f->mem));
    if (chains && x.kind != around) {
        fe_exprs all = {0};
        collect(&v->s, e, x.kind, f->mem, &all);
        for (uint32_t bits = 1; all.len <= MOST_IN_CHAIN && bits + 1 < 1u << all.len; bits++) {
            if (bits & (bits - 1))
                try_some(f, v, e, bits);
        }
    }
    if (x.a.v)
        try_below(f, v, x.a, x.kind);
    if (x.b.v)
        try_below(f, v, x.b, x.kind);
}

void fe_find_bindings(const fe_in *in, const sam_statement *s, uint32_t rewrites, arena *mem,
                      fe_subexpr_bindings *out) {
    finder f = {.in = in, .mem = mem, .given = text_of(s, s->rhs, mem), .out = out};
    *out = (fe_subexpr_bindings){0};
    if (!in->functions)
        return;
    add_variant(&f, s, 0);
    for (uint32_t i = 0; i < f.variants.len; i++) {
        const variant v = f.variants.at[i];
        if (v.rewrites < rewrites && in->integers && !s->general)
            rewrite_all(&f, v);
        try_below(&f, &v, v.s.rhs, SAM_EXPR_NONE);
    }
}
