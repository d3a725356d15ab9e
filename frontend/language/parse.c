/* parse.c - fe_parse, and the implicit sums of index notation. */
#include "frontend/language/check.h"
#include "frontend/language/expression.h"
#include "frontend/language/resolve.h"
#include "frontend/language/scales.h"
#include "frontend/language/settings.h"
#include "frontend/language/singles.h"
#include "frontend/language/statement.h"
#include "frontend/language/windows.h"
#include "sam/operators.h"

/* ---- implicit sums --------------------------------------------------------------------------- */

/* The place of the sum over one variable: around the smallest subexpression with every use of the variable.
 */
typedef struct {
    sam_statement *s;
    diagnostics *d;
    VEC(uint64_t) free;        /* by expression - 1: its free variables, except variables already bound */
    const uint64_t *broadcast; /* by expression - 1, of accesses: indices along which they are broadcast */
    uint32_t n_broadcast;
    sam_var v;
} binder;

static uint64_t broadcast_along(const binder *b, sam_expr e) {
    return e.v <= b->n_broadcast ? b->broadcast[e.v - 1] : 0;
}

static bool is_broadcast(const binder *b, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(b->s, e);
    return broadcast_along(b, e) & fe_bit(v) || (x->a.v && is_broadcast(b, x->a, v)) ||
           (x->b.v && is_broadcast(b, x->b, v));
}

static uint64_t collect_free(binder *b, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(b->s, e);
    uint64_t vars = x->kind == SAM_EXPR_ACCESS ? fe_free_vars(b->s, e) | broadcast_along(b, e) : 0;
    if (x->a.v)
        vars |= collect_free(b, x->a);
    if (x->b.v)
        vars |= collect_free(b, x->b);
    if (x->kind == SAM_EXPR_SUM)
        vars &= ~fe_bit(x->var);
    b->free.at[e.v - 1] = vars;
    return vars;
}

static bool uses(const binder *b, sam_expr e) {
    return e.v && b->free.at[e.v - 1] & fe_bit(b->v);
}

static bool is_addition(const binder *b, sam_expr e) {
    sam_expr_kind kind = sam_expr_at(b->s, e)->kind;
    return kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB;
}

/* Some addend of the chain of additions at e lacks the variable, or is broadcast along the variable. */
static bool has_gap(const binder *b, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(b->s, e);
    if (!uses(b, e) || (!is_addition(b, e) && x->kind != SAM_EXPR_NEG))
        return !(fe_free_vars(b->s, e) & fe_bit(b->v));
    return has_gap(b, x->a) || (x->b.v && has_gap(b, x->b));
}

/* Warns of addends in e repeated by a sum around e: they lack the variable, and no factor has the
 * variable. */
static void warn_of_repeated(const binder *b, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(b->s, e);
    if (!uses(b, e)) {
        const char *v = fe_var_text(b->s, b->v);
        diag_warning(
            b->d, x->loc, "E0128-counted-often",
            "this addend is not indexed by '%s', but the sum over '%s' covers it: it counts once for each "
            "'%s'",
            v, v, v);
        diag_hint(b->d, "write sum(%s, ...) around the addends that '%s' indexes if it should count once", v,
                  v);
    } else if (is_addition(b, e)) {
        warn_of_repeated(b, x->a);
        warn_of_repeated(b, x->b);
    } else if (x->kind != SAM_EXPR_ACCESS && !(uses(b, x->a) && uses(b, x->b))) {
        warn_of_repeated(b, uses(b, x->a) ? x->a : x->b);
    }
}

/* The smallest subexpression of e that holds every use. *passes: a sum around all of e has the same value,
 * since only products, signs and other sums lie between. */
static sam_expr smallest(const binder *b, sam_expr e, bool *passes) {
    for (;;) {
        const sam_expr_data *x = sam_expr_at(b->s, e);
        const bool along = sam_takes_fiber(x) && x->var.v == b->v.v;
        if (x->kind == SAM_EXPR_ACCESS || along || (uses(b, x->a) && uses(b, x->b)))
            return e;
        *passes = *passes && (x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_NEG || x->kind == SAM_EXPR_SUM);
        e = uses(b, x->a) ? x->a : x->b;
    }
}

static void wrap(binder *b, sam_expr *e) {
    uint64_t vars = b->free.at[e->v - 1];
    sam_expr_data sum = {.kind = SAM_EXPR_SUM, .loc = sam_expr_at(b->s, *e)->loc, .a = *e, .var = b->v};
    warn_of_repeated(b, *e);
    vec_push(b->s->mem, &b->s->exprs, sum);
    vec_push(b->s->mem, &b->free, vars);
    *e = (sam_expr){b->s->exprs.len};
}

/* Around each addend of a chain of additions that all use the variable. */
static void wrap_addends(binder *b, sam_expr *e) {
    sam_expr_data x = *sam_expr_at(b->s, *e);
    if (!is_addition(b, *e) && x.kind != SAM_EXPR_NEG) {
        wrap(b, e);
        return;
    }
    wrap_addends(b, &x.a);
    if (x.b.v)
        wrap_addends(b, &x.b);
    sam_expr_at(b->s, *e)->a = x.a;
    sam_expr_at(b->s, *e)->b = x.b;
}

/* Returns whether the variable stands for a number, A(i,3): sums over a single coordinate are equal anywhere.
 */
static bool is_coordinate(const binder *b) {
    for (uint32_t e = 0; e < b->s->exprs.len; e++) {
        const sam_expr_data *x = &b->s->exprs.at[e];
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(b->s, x->tensor) : NULL;
        for (uint32_t m = 0; t && m < t->order; m++) {
            if (x->index[m].v == b->v.v)
                return t->window[m].stride && t->window[m].high == (uint32_t)t->window[m].low + 1;
        }
    }
    return false;
}

/* Binds the variable, used by e, inside e or around e. */
static bool bind(binder *b, sam_expr *e) {
    sam_expr_data *x = sam_expr_at(b->s, *e);
    bool passes = true;
    sam_expr subexpr = smallest(b, *e, &passes);
    if (sam_expr_at(b->s, subexpr)->kind == SAM_EXPR_CALL && sam_expr_at(b->s, subexpr)->b.v) {
        diag_error(b->d, sam_expr_at(b->s, subexpr)->loc, "E0109-ambiguous-sum",
                   "several arguments are indexed by '%s', and nothing says how it is reduced",
                   fe_var_text(b->s, b->v));
        return diag_hint(
            b->d,
            "write it out: sum(%s, ...) or another reduction around the call, or one inside an argument",
            fe_var_text(b->s, b->v));
    }
    if (subexpr.v == e->v && is_addition(b, subexpr) && !has_gap(b, subexpr)) {
        wrap_addends(b, e);
        return true;
    }
    if (subexpr.v == e->v || (passes && !is_addition(b, *e) && x->kind != SAM_EXPR_NEG)) {
        wrap(b, e);
        return true;
    }
    if (x->kind == SAM_EXPR_DIV && !uses(b, x->a) && !is_coordinate(b)) {
        diag_error(b->d, x->loc, "E0109-ambiguous-sum",
                   "does the sum over '%s' cover this quotient, or only what divides?",
                   fe_var_text(b->s, b->v));
        return diag_hint(b->d, "write the sum out: sum(%s, ...)", fe_var_text(b->s, b->v));
    }
    bool left = uses(b, x->a);
    sam_expr inner = left ? x->a : x->b;
    bool ok = bind(b, &inner);
    *(left ? &sam_expr_at(b->s, *e)->a : &sam_expr_at(b->s, *e)->b) = inner; /* exprs may have moved */
    return ok;
}

static bool refuse_sum(const binder *b, const sam_expr_data *x) {
    const char *v = fe_var_text(b->s, x->var);
    if (is_broadcast(b, x->a, x->var)) {
        diag_error(
            b->d, x->loc, "E0320-dimension",
            "every operand in the sum over '%s' has a single coordinate, and '%s' runs further elsewhere", v,
            v);
        return diag_hint(b->d, "name the index of this sum otherwise, or write 0 in its place");
    }
    diag_error(b->d, x->loc, "E0108-sum", "nothing in the sum over '%s' is indexed by it", v);
    return diag_hint(b->d, "index one of its operands by '%s', or remove the sum", v);
}

/* Explicit sums under e: each must use its variable, and must not rebind one of `bound`. */
static bool check_sums(const binder *b, sam_expr e, uint64_t bound) {
    const sam_expr_data *x = sam_expr_at(b->s, e);
    if (x->kind == SAM_EXPR_SUM) {
        if (bound & fe_bit(x->var)) {
            diag_error(b->d, x->loc, "E0108-sum", "'%s' is already bound around this sum",
                       fe_var_text(b->s, x->var));
            return diag_hint(b->d, "rename the variable of one of them");
        }
        if (!(fe_free_vars(b->s, x->a) & fe_bit(x->var)))
            return refuse_sum(b, x);
        bound |= fe_bit(x->var);
    }
    return (!x->a.v || check_sums(b, x->a, bound)) && (!x->b.v || check_sums(b, x->b, bound));
}

/* Puts a sum over each unbound variable around the smallest subexpression with every use of the variable, or
 * further out if only products and signs lie between; over additions that all use the variable, term by term.
 * E0108, E0109, warning E0128. */
static bool bind_sums(sam_statement *s, const uint64_t *broadcast, diagnostics *d) {
    binder b = {.s = s, .d = d, .broadcast = broadcast, .n_broadcast = s->exprs.len};
    uint64_t result_vars = 0;
    for (uint32_t i = 0; i < sam_tensor_at(s, s->result)->order; i++)
        result_vars |= fe_bit(s->result_index[i]);
    for (uint32_t e = 0; e < s->exprs.len; e++)
        vec_push(s->mem, &b.free, 0);
    uint64_t implicit = collect_free(&b, s->rhs) & ~result_vars;
    for (uint32_t v = s->vars.len; v >= 1; v--) {
        b.v = (sam_var){v};
        if (implicit & fe_bit(b.v) && !bind(&b, &s->rhs))
            return false;
    }
    return check_sums(&b, s->rhs, 0);
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool fe_parse(const fe_in *in, name_table *names, arena *mem, diagnostics *d, sam_statement *out) {
    *out = (sam_statement){.mem = mem, .names = names, .integers = in->integers};
    uint64_t *broadcast;
    if (!fe_parse_expression(in, d, out) || !fe_broadcast_singles(in, d, out, &broadcast) ||
        !bind_sums(out, broadcast, d))
        return false;
    if (in->scales)
        fe_scales_apply(in->scales, out);
    bool literals = !in->integers || in->scales ||
                    (in->scaled ? fe_check_scaled_literals(out, d) : fe_check_literals(out, 0, d));
    bool formats = fe_parse_formats(in, d, out);
    bool dimensions = fe_parse_dimensions(in, d, out);
    fe_semiring r;
    bool stated;
    if (!literals || !formats || !dimensions || !fe_find_semiring(in, mem, d, &r) ||
        !fe_read_fills(in, &r, d, out, &stated) || !fe_apply_semiring(out, &r, d) ||
        !fe_resolve(in, stated, d, out))
        return false;
    fe_set_protocols(in, out, d);
    fe_default_loops(out);
    return true;
}
