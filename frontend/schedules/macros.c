/* macros.c - commands that expand to other commands: sPromote() and accelerate(e,f) of Stardust, as text. */
#include "frontend/schedules/macros.h"
#include "frontend/functions/described.h"
#include "frontend/language/cin_dump.h"
#include "frontend/language/expression.h"
#include "frontend/language/load.h"
#include "frontend/language/statement.h"

typedef struct {
    fe_kernel *k;
    const fe_cin *cin;
    arena *mem;
    fe_exprs subexprs; /* of an expression, impossible as a function's operand */
    const char *text;
} macro;

static void add_command(macro *m, const char *command) {
    m->text = *m->text ? arena_printf(m->mem, "%s, %s", m->text, command) : command;
}

/* ---- sPromote() -------------------------------------------------------------------------------- */

static void promote_scope(macro *m, const fe_scope *scope, bool sums) {
    fe_exprs inner = {0};
    if (sums)
        add_command(m, arena_printf(m->mem, "precompute(%s,{},{})", fe_expr_text(m->k, scope->body, m->mem)));
    fe_inner_sums(&m->k->s, scope->body, m->mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        const fe_scope sum = fe_sum_scope(&m->k->s, inner.at[i], m->mem);
        promote_scope(m, &sum, true);
    }
}

const char *fe_promoted(const fe_cin *cin, arena *mem) {
    fe_kernel last = cin->kernels.at[cin->kernels.len - 1];
    macro m = {.k = &last, .mem = mem, .text = ""};
    const fe_scope outer = fe_outer_scope(&last.s, mem);
    bool sums = false;
    for (uint32_t i = 0; i < outer.vars.len; i++)
        sums = sums || !sam_is_result_var(&last.s, outer.vars.at[i]);
    promote_scope(&m, &outer, sums);
    return m.text;
}

/* ---- accelerate(e,f) --------------------------------------------------------------------------- */

/* Returns the expression without enclosing sums. */
static sam_expr below_sums(const sam_statement *s, sam_expr e) {
    while (sam_expr_at(s, e)->kind == SAM_EXPR_SUM)
        e = sam_expr_at(s, e)->a;
    return e;
}

static bool commutes(sam_expr_kind kind) {
    return kind == SAM_EXPR_ADD || kind == SAM_EXPR_MUL;
}

/* Matches the expression of a function with e, and adds to *subexprs the expressions in place of operands
 * that are no tensors; operands of + and * in the order with the fewest subexprs. Returns false for different
 * operators. */
static bool lay_over(const macro *m, const sam_statement *f, sam_expr of_f, sam_expr e, fe_exprs *subexprs) {
    const sam_expr_data x = *sam_expr_at(f, below_sums(f, of_f)), y = *sam_expr_at(&m->k->s, e);
    if (x.kind == SAM_EXPR_ACCESS) {
        if (y.kind != SAM_EXPR_ACCESS && y.kind != SAM_EXPR_LITERAL)
            vec_push(m->mem, subexprs, e);
        return true;
    }
    if (y.kind == SAM_EXPR_SUM)
        return lay_over(m, f, of_f, below_sums(&m->k->s, e), subexprs);
    if (x.kind != y.kind || !x.a.v || !x.b.v || !y.b.v)
        return x.kind == y.kind && (!x.a.v || lay_over(m, f, x.a, y.a, subexprs));
    fe_exprs straight = {0}, crossed = {0};
    const bool fits = lay_over(m, f, x.a, y.a, &straight) && lay_over(m, f, x.b, y.b, &straight);
    const bool turned =
        commutes(x.kind) && lay_over(m, f, x.a, y.b, &crossed) && lay_over(m, f, x.b, y.a, &crossed);
    const fe_exprs *fewest = fits && (!turned || straight.len <= crossed.len) ? &straight : &crossed;
    for (uint32_t i = 0; (fits || turned) && i < fewest->len; i++)
        vec_push(m->mem, subexprs, fewest->at[i]);
    return fits || turned;
}

static bool is_taken(const macro *m, name_id name) {
    bool taken = fe_find_tensor(&m->k->s, name).v != 0;
    for (uint32_t n = 0; n < m->cin->kernels.len && !taken; n++) {
        const sam_statement *s = &m->cin->kernels.at[n].s;
        taken = fe_find_tensor(s, name).v || fe_find_var(s, name).v;
    }
    return taken;
}

/* Gives a subexpression a workspace over all its indices, and replaces the subexpression by the workspace. */
static void stage(macro *m, sam_expr subexpr) {
    sam_statement *s = &m->k->s;
    const uint64_t free = fe_free_vars(s, subexpr);
    const char *vars = "";
    uint32_t n = 1;
    while (is_taken(m, names_intern(s->names, arena_printf(m->mem, n > 1 ? "w%u" : "w", n))))
        n++;
    sam_tensor_data w = {.name = names_intern(s->names, arena_printf(m->mem, n > 1 ? "w%u" : "w", n))};
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = sam_expr_at(s, subexpr)->loc};
    for (uint32_t l = 0; l < s->loops.len; l++) {
        const sam_var v = s->loops.at[l];
        if (!(free >> (v.v - 1) & 1) || w.order == SAM_MAX_ORDER)
            continue;
        access.index[w.order++] = v;
        vars = arena_printf(m->mem, "%s%s%s", vars, *vars ? "," : "", fe_var_text(s, v));
    }
    add_command(m, arena_printf(m->mem, "precompute(%s,{%s},{%s},%s)", fe_expr_text(m->k, subexpr, m->mem),
                                vars, vars, names_text(s->names, w.name)));
    vec_push(s->mem, &s->tensors, w);
    access.tensor.v = s->tensors.len;
    *sam_expr_at(s, subexpr) = access;
}

static const fe_user_function *find_function(const fe_functions *all, const fe_token *name, arena *mem) {
    const char *word = arena_strndup(mem, name->at, name->length);
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        if (fe_is_member(&all->all.at[i], word))
            return &all->all.at[i];
    }
    return NULL;
}

const char *fe_accelerated(fe_reader *in, const fe_cin *cin, diagnostics *d) {
    arena *mem = cin->kernels.at[0].s.mem;
    const fe_kernel *last = &cin->kernels.at[cin->kernels.len - 1];
    fe_kernel reads = *last;
    macro m = {.k = &reads, .cin = cin, .mem = mem, .text = ""};
    fe_copy_statement(&last->s, mem, &reads.s);
    const sam_expr e = fe_parse_terms(in, &reads.s, d);
    if (!e.v)
        return NULL;
    in->underscores = true;
    if (!fe_take_sign(in, ',')) {
        fe_expected(in, "',' and a function", d);
        return NULL;
    }
    const fe_token function = in->token;
    if (function.kind != FE_NAME) {
        fe_expected(in, "a function", d);
        return NULL;
    }
    fe_advance(in);
    const fe_user_function *f = find_function(in->functions, &function, mem);
    if (f && f->described && f->described->array &&
        !lay_over(&m, &f->described->states.s, f->described->states.s.rhs, e, &m.subexprs))
        m.subexprs.len = 0; /* map says how they differ */
    for (uint32_t i = 0; i < m.subexprs.len; i++)
        stage(&m, m.subexprs.at[i]);
    add_command(&m, arena_printf(mem, "map(%s,%.*s)", fe_expr_text(&reads, e, mem), (int)function.length,
                                 function.at));
    return m.text;
}
