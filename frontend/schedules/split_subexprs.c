/* A statement as several kernels: those that fill workspaces, and what is left of it. */
#include "frontend/schedules/split_subexprs.h"
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"
#include "frontend/schedules/take_out.h"

/* ---- subexpressions as kernels ---------------------------------------------------------------------- */

/* Returns the first of w, w2, w3, ... not used in any kernel. */
static name_id fresh_name(const fe_splitting *t) {
    const char *base = "w";
    name_id name = fe_fresh_name(&t->s, base, t->mem);
    while (t->existing && fe_is_cin_name(t->existing, name)) {
        base = arena_printf(t->mem, "%sw", base);
        name = fe_fresh_name(&t->s, base, t->mem);
    }
    return name;
}

sam_expr fe_split_out(fe_splitting *t, sam_expr subexpr, bool on_host) {
    sam_statement *s = &t->s;
    const uint64_t vars = fe_free_vars(s, subexpr);
    for (uint32_t i = 0; i < t->made.len; i++) {
        if (fe_same_expr(s, t->made.at[i].subexpr, subexpr))
            return fe_add_expr(s, t->made.at[i].access);
    }
    const src_loc loc = sam_expr_at(s, subexpr)->loc;
    fe_taken_out out = {.w = {.name = fresh_name(t), .loc = loc}};
    fe_split_subexpr made = {subexpr, {.kind = SAM_EXPR_ACCESS, .loc = loc}};
    fe_index_workspace(s, vars, &out.w, out.index);
    memcpy(made.access.index, out.index, sizeof out.index);
    fe_search whole = {.s = s, .want = subexpr, .mem = t->mem};
    fe_make_producer(&whole, t->k, &(fe_subexpr_request){0}, &out);
    out.k.on_host = on_host;
    vec_push(t->mem, &t->out->kernels, out.k);
    vec_push(t->mem, &s->tensors, out.w);
    made.access.tensor = (sam_tensor){s->tensors.len};
    vec_push(t->mem, &t->made, made);
    return fe_add_expr(s, made.access);
}

static bool has_access(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS || (x->a.v && has_access(s, x->a)) || (x->b.v && has_access(s, x->b));
}

/* What is around an expression. */
typedef struct {
    bool sums; /* nothing but sums by `operation` is */
    bool sum;  /* directly around is a sum by `operation` */
    uint8_t operation;
    bool met; /* an intersecting operation is around, without a workspace between */
} surroundings;

static sam_expr stage_below(fe_splitting *t, sam_expr e, surroundings around) {
    sam_expr_data x = *sam_expr_at(&t->s, e);
    const bool sum = x.kind == SAM_EXPR_SUM, goes_on = sum && around.sum && around.operation == x.operation;
    const bool outermost = around.sums && sum && (goes_on || !around.sum);
    const bool joins = x.a.v && x.b.v && has_access(&t->s, x.a) && has_access(&t->s, x.b);
    const bool unites = joins && sam_unites(&t->s, e, NULL);
    const bool staged = (t->kinds != FE_STAGED_UNIONS && sum && !outermost && !goes_on) ||
                        (t->kinds != FE_STAGED_SUMS && unites && around.met);
    const surroundings inside = {outermost, sum, x.operation, (joins && !unites) || (around.met && !staged)};
    if (x.a.v)
        x.a = stage_below(t, x.a, inside);
    if (x.b.v)
        x.b = stage_below(t, x.b, inside);
    *sam_expr_at(&t->s, e) = x;
    return staged ? fe_split_out(t, e, false) : e;
}

/* Adds the last kernel of the program: the rest of the statement. */
void fe_end_splitting(fe_splitting *t, bool on_host) {
    fe_compact(&t->s);
    fe_keep_bound_loops(t->k, &t->s);
    vec_push(t->mem, &t->out->kernels,
             ((fe_kernel){.s = t->s, .ordered = t->k->ordered, .on_host = on_host}));
}

bool fe_stage_subexprs(const fe_kernel *k, fe_staged_kinds kinds, arena *mem, fe_cin *out) {
    fe_splitting t = {.k = k, .kinds = kinds, .mem = mem, .out = out};
    if (k->relations.len || k->tags.len)
        return false;
    *out = (fe_cin){0};
    fe_copy_statement(&k->s, mem, &t.s);
    t.s.rhs = stage_below(&t, t.s.rhs, (surroundings){.sums = true});
    fe_end_splitting(&t, false);
    return out->kernels.len > 1;
}

/* ---- kernels that fit ------------------------------------------------------------------------ */

typedef struct {
    fe_splitting at;
    fe_fits *fits;
    void *of;
    sam_expr mask; /* around the current subexpression; masks elsewhere do not count */
    bool any, on_host,
        too_large; /* something does not fit; the right side is the host's; an operation is too large */
} fitting;

/* Returns whether the host can take the operand as stored. */
static bool is_plain(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool plain = x->kind == SAM_EXPR_ACCESS;
    for (uint32_t m = 0; plain && m < sam_tensor_at(s, x->tensor)->order; m++) {
        for (uint32_t n = 0; n < m; n++)
            plain = plain && x->index[m].v != x->index[n].v;
    }
    return plain || x->kind == SAM_EXPR_LITERAL;
}

/* Where an expression stands in a statement. */
typedef enum { BELOW_SUMS, IN_OPERATION, IN_SUM_OF_OPERATION } standing;

/* Returns whether an operation takes a sum over a workspace: its extent is unknown before the run, and
 * sub-tiles must not cut a sum taken whole. */
static bool takes_sum_of_workspace(const fe_splitting *t, sam_expr e, standing at) {
    const sam_expr_data *x = sam_expr_at(&t->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return at == IN_SUM_OF_OPERATION && x->tensor.v > t->k->s.tensors.len;
    if (x->kind == SAM_EXPR_SUM ? at == IN_OPERATION : at == BELOW_SUMS)
        at++;
    return (x->a.v && takes_sum_of_workspace(t, x->a, at)) || (x->b.v && takes_sum_of_workspace(t, x->b, at));
}

/* Returns how the rest of the statement, or a workspace of one of its subexpressions, fits. */
static fe_fit subexpr_fits(const fitting *f, sam_expr subexpr, bool whole) {
    fe_cin alone = {0};
    fe_splitting trial = f->at;
    if (takes_sum_of_workspace(&trial, subexpr, BELOW_SUMS))
        return FE_LACKED;
    trial.out = &alone;
    fe_copy_statement(&f->at.s, f->at.mem, &trial.s);
    trial.made.at = NULL;
    trial.made.len = trial.made.cap = 0;
    if (whole)
        fe_end_splitting(&trial, false);
    else
        fe_split_out(&trial, subexpr, false);
    return f->fits(f->of, &alone.kernels.at[0]);
}

/* Returns whether an operand of the program is zero wherever not stored. False for a workspace, whose density
 * is unknown. */
static bool leads(const fitting *f, sam_expr e) {
    const sam_statement *s = &f->at.s;
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && x->tensor.v <= f->at.k->s.tensors.len && is_plain(s, e) &&
           !sam_fill_of(s, e);
}

/* Returns the operand whose zeros determine an operation of integers, for any operand at place `at`: A / (r *
 * c) is 0 wherever A is. */
static sam_expr annihilator(const fitting *f, const sam_expr_data *x, int at) {
    if (!f->at.s.integers || !x->b.v || x->program || (x->kind != SAM_EXPR_DIV && x->kind != SAM_EXPR_CALL))
        return (sam_expr){0};
    const sam_operation by = x->kind == SAM_EXPR_DIV ? SAM_OPERATION_div : (sam_operation)x->operation;
    const sam_special zero = sam_operator_of(by, false)->annihilator;
    const sam_expr lead = at ? x->a : x->b;
    const bool is = zero.given && !zero.value && zero.at != at && leads(f, lead);
    return is ? lead : (sam_expr){0};
}

/* Returns whether the host can compute a subexpression from its operands as stored. */
static bool is_pointwise(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return is_plain(s, e) || (x->kind != SAM_EXPR_ACCESS && x->kind != SAM_EXPR_SUM && !sam_takes_fiber(x) &&
                              is_pointwise(s, x->a) && (!x->b.v || is_pointwise(s, x->b)));
}

/* Returns an operation's operand as stored, or a workspace for the operand. If another operand of the
 * operation, or an outer mask, decides the nonzero points, the workspace holds only these: A / (r * c) as A /
 * when(A, r * c) and mask(c, f(e)) as mask(c, f(when(c, e))), on the chip if possible. The chip has no mask
 * of bf16: the host, which would take all of e, computes e at these points instead. */
static sam_expr store(fitting *f, sam_expr e, sam_expr lead) {
    fe_splitting *t = &f->at;
    const sam_expr by[] = {lead, f->mask};
    if (is_plain(&t->s, e))
        return e;
    bool by_host = false;
    for (int i = 0; i < 2; i++) {
        if (!by[i].v || (fe_free_vars(&t->s, e) & ~fe_free_vars(&t->s, by[i])))
            continue;
        const sam_expr mask = fe_add_expr(&t->s, *sam_expr_at(&t->s, by[i])),
                       needed = fe_add_call(&t->s, sam_expr_at(&t->s, e)->loc, SAM_OPERATION_when, mask, e);
        const fe_fit fit = subexpr_fits(f, needed, false);
        by_host = fit == FE_LACKED && !t->s.integers && is_pointwise(&t->s, e);
        if (fit != FE_FITS && !by_host)
            continue;
        t->s.general = true;
        e = needed;
    }
    return fe_split_out(t, e, by_host);
}

/* Makes workspaces of the operation's operands that are not stored. */
static void store_operands(fitting *f, sam_expr operation) {
    const sam_expr_data was = *sam_expr_at(&f->at.s, operation);
    sam_expr_data x = was;
    x.a = store(f, was.a, annihilator(f, &was, 0));
    x.b = was.b.v ? store(f, was.b, annihilator(f, &was, 1)) : was.b;
    *sam_expr_at(&f->at.s, operation) = x;
}

/* Returns the mask above an operation's operands: its own, or an outer one, unless the operation works along
 * fibers. */
static sam_expr mask_below(const fitting *f, const sam_expr_data *x) {
    if (x->kind == SAM_EXPR_SUM || sam_takes_fiber(x))
        return (sam_expr){0};
    const bool own =
        x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when && leads(f, x->a);
    return own ? x->a : f->mask;
}

/* Returns whether some operand of e has all variables of `vars`. */
static bool has_all_of(const sam_statement *s, sam_expr e, uint64_t vars) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return (vars & ~fe_free_vars(s, e)) == 0;
    return (x->a.v && has_all_of(s, x->a, vars)) || (x->b.v && has_all_of(s, x->b, vars));
}

/* Returns whether the host computes a mask of bf16 and all its operands: no operand of the masked expression
 * has all indices of the mask, and together they have values at many more points than the mask stores. */
static bool is_masked_by_host(const fitting *f, const sam_expr_data *x) {
    const sam_statement *s = &f->at.s;
    return !s->integers && x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when &&
           leads(f, x->a) && is_pointwise(s, x->b) && !has_all_of(s, x->b, fe_free_vars(s, x->a));
}

static sam_expr fit_below(fitting *f, sam_expr e, bool whole) {
    fe_splitting *t = &f->at;
    sam_expr_data x = *sam_expr_at(&t->s, e);
    const sam_expr around = f->mask;
    if (is_masked_by_host(f, &x) && subexpr_fits(f, e, whole) != FE_FITS) {
        f->any = true;
        f->on_host = whole;
        return whole ? e : fe_split_out(t, e, true);
    }
    f->mask = mask_below(f, &x);
    if (x.a.v)
        x.a = fit_below(f, x.a, false);
    if (x.b.v)
        x.b = fit_below(f, x.b, false);
    f->mask = around;
    *sam_expr_at(&t->s, e) = x;
    if (!x.a.v || !has_access(&t->s, e) || subexpr_fits(f, e, whole) == FE_FITS)
        return e;
    f->any = true;
    store_operands(f, e);
    const fe_fit alone = subexpr_fits(f, e, whole);
    f->too_large = f->too_large || alone == FE_TOO_LARGE;
    if (alone != FE_LACKED)
        return e;
    f->on_host = whole;
    return whole ? e : fe_split_out(t, e, true);
}

bool fe_stage_fitting(const fe_kernel *k, fe_fits *fits, void *of, arena *mem, fe_cin *out) {
    fitting f = {.at = {.k = k, .mem = mem, .out = out}, .fits = fits, .of = of};
    if (k->relations.len || k->tags.len)
        return false;
    *out = (fe_cin){0};
    fe_copy_statement(&k->s, mem, &f.at.s);
    f.at.s.rhs = fit_below(&f, f.at.s.rhs, true);
    fe_end_splitting(&f.at, f.on_host);
    return f.any && !f.too_large;
}

/* Gives workspaces to expressions unsuitable for the host; a function of fibers fills a kernel. */
sam_expr fe_split_for_host(fe_splitting *t, sam_expr e, bool whole) {
    sam_expr_data x = *sam_expr_at(&t->s, e);
    if (x.kind == SAM_EXPR_SUM || (x.kind == SAM_EXPR_ACCESS && !is_plain(&t->s, e)))
        return fe_split_out(t, e, false);
    x.a = x.a.v ? fe_split_for_host(t, x.a, false) : x.a;
    x.b = x.b.v ? fe_split_for_host(t, x.b, false) : x.b;
    *sam_expr_at(&t->s, e) = x;
    if (!sam_takes_fiber(&x))
        return e;
    if (!is_plain(&t->s, x.a))
        sam_expr_at(&t->s, e)->a = fe_split_out(t, x.a, true);
    return whole ? e : fe_split_out(t, e, true);
}
