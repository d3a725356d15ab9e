/* fill.c - every loop gets an operand that reaches as far as the loop must.
 *
 * Three kinds of loop reach further than the statement's operands do, and each gets a host-made tensor of
 * ones (sam_tensor_data.ones), dense along its variables:
 *   - an addition of a side that the loop's variable indexes and one that it does not: the sum has a value at
 *     every coordinate, unless the other operands already do. X(i,j) = B(i,j) + c(i) becomes
 *     B(i,j) + c(i) * ones(j); x(i) = b(i) + 1 becomes b(i) + 1 * ones(i). In floating point the same for a
 *     numerator without the variable: x(i) = 1 / b(i) becomes 1 * ones(i) / b(i), infinite where b(i) is 0.
 *   - a variable that no operand has: X(i,j) = b(i) becomes b(i) * ones(j); x = 3 becomes 3 * ones.
 *   - a dense level of the result whose loop leaves coordinates out: X(i,j) = B(i,j) with X dense in i
 *     becomes B(i,j) + 0 * ones(i). A product with 0 is nothing to be filled in the other loops; it only
 *     unites. reach.c says what ones must have where sums are outside of the level.
 *
 * Multiplying by one and adding zero do not change a value, so the statement means the same. The analysis is
 * the one lowering uses (presence.c), so what is filled is what lowering would miss; it is repeated after
 * each change, at most (additions + loops) x variables times.
 *
 * A reduction by an idempotent operation (min, max, and, or) needs what is not stored once for each of its
 * results: ones then have one coordinate at which an operand is absent, or all operands that are united,
 * without which there is nothing, and all where there is none such (sam_tensor_data.gaps). A result without
 * any stored value has the reduction of fills, its own fill, and needs no coordinate, unless the reduction is
 * an operand, or a dense level has the result's coordinate: the reducer would make the operation's identity
 * of the empty fiber (sam_gaps.near).
 */
#include "frontend/lowering/fill.h"
#include "frontend/language/cin.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/guard.h"
#include "frontend/lowering/lead.h"
#include "frontend/lowering/nest.h"
#include "frontend/lowering/presence.h"
#include "frontend/lowering/reach.h"
#include "frontend/lowering/tiled.h"
#include "sam/coordinates.h"

typedef struct {
    sam_statement *s;
    arena *mem;
    diagnostics *d;
    fe_leaves leaves;
    uint64_t full; /* bit v - 1: loop v of the outermost scope reaches every coordinate in every fiber */
} filling;

typedef enum { FILL_DONE, FILL_CHANGED, FILL_FAILED } fill_step;

/* ---- operands of ones ------------------------------------------------------------------------ */

/* The tensor of ones reaches along v too; its levels stay in loop order. */
static void extend_ones(filling *f, sam_expr ones, sam_var v, sam_level_format format) {
    sam_expr_data *x = sam_expr_at(f->s, ones);
    sam_tensor_data *t = sam_tensor_at(f->s, x->tensor);
    uint32_t l = t->order;
    for (; l > 0 && fe_loop_position(f->s, x->index[t->mode[l - 1]]) > fe_loop_position(f->s, v); l--) {
        t->mode[l] = t->mode[l - 1];
        t->level[l] = t->level[l - 1];
    }
    const uint32_t below = (UINT32_C(1) << l) - 1;
    t->whole = (t->whole & below) | (t->whole & ~below) << 1;
    t->mode[l] = (uint8_t)t->order;
    t->level[l] = format;
    x->index[t->order++] = v;
}

/* How an expression gets the coordinates of ones: multiplied by ones, which also drops coordinates absent
 * from ones, or extended to all of their coordinates, with its fill where absent (SAM_OPERATION_reach). */
typedef enum { ONES_TIMES, ONES_REACH } ones_operator;

/* Returns the operand of ones beside *e, added if missing. */
static sam_expr find_ones(filling *f, sam_expr *e, ones_operator how) {
    const sam_expr_data *x = sam_expr_at(f->s, *e);
    bool there = how == ONES_TIMES ? x->kind == SAM_EXPR_MUL
                                   : x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_reach;
    if (there) {
        const sam_expr_data *b = sam_expr_at(f->s, x->b);
        if (b->kind == SAM_EXPR_ACCESS && sam_tensor_at(f->s, b->tensor)->ones &&
            sam_tensor_at(f->s, b->tensor)->order)
            return x->b;
    }
    src_loc loc = x->loc;
    sam_expr ones = fe_add_ones(f->s, loc, f->mem);
    *e = fe_add_expr(f->s, (sam_expr_data){.kind = how == ONES_TIMES ? SAM_EXPR_MUL : SAM_EXPR_CALL,
                                           .operation = how == ONES_TIMES ? 0 : SAM_OPERATION_reach,
                                           .loc = loc,
                                           .a = *e,
                                           .b = ones});
    return ones;
}

/* Returns whether an operand of the user's says how far v goes, or the user did. */
static bool extent_is_known(const sam_statement *s, sam_var v) {
    bool known = sam_var_at(s, v)->extent > 0;
    for (uint32_t e = 0; e < s->exprs.len && !known; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        known = x->kind == SAM_EXPR_ACCESS && !sam_tensor_at(s, x->tensor)->ones &&
                fe_has_index(s, (sam_expr){e + 1}, v);
    }
    return known;
}

/* A dense level extends beyond the last coordinate of a sub-tile, where values computed from fills would
 * count: removes dense levels along v, except below a mask, which has no coordinate there. Ones have the
 * existing coordinates. */
static void leave_padding(sam_statement *s, sam_var v) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS || !fe_has_index(s, (sam_expr){e}, v))
            continue;
        sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        uint32_t level = fe_level_of(s, (sam_expr){e}, v);
        if (t->level[level] != SAM_LEVEL_DENSE || fe_is_led(s, (sam_expr){e}))
            continue;
        t->level[level] = SAM_LEVEL_COMPRESSED;
        if (t->ones)
            t->whole |= UINT32_C(1) << level;
    }
}

/* Returns whether the result is dense along v: the host drops what is behind the last coordinate. */
static bool is_dense_in_result(const sam_statement *s, sam_var v) {
    const sam_tensor_data *t = sam_tensor_at(s, s->result);
    bool dense = false;
    for (uint32_t l = 0; l < t->order; l++)
        dense = dense || (s->result_index[t->mode[l]].v == v.v && t->level[l] == SAM_LEVEL_DENSE);
    return dense;
}

/* Gives the expression at *e the coordinates of ones along v. */
static fill_step reach_along(filling *f, sam_expr *e, sam_var v, ones_operator how) {
    if (f->s->exprs.len > FE_MAX_EXPRS) {
        diag_error(f->d, sam_expr_at(f->s, *e)->loc, "E0118-too-large",
                   "with what its loops must reach, the expression has more than %d parts", FE_MAX_EXPRS);
        return FILL_FAILED;
    }
    if (!extent_is_known(f->s, v)) {
        const char *name = fe_var_text(f->s, v);
        diag_error(f->d, sam_var_at(f->s, v)->loc, "E0105-result-index",
                   "no operand says which values '%s' takes", name);
        diag_hint(f->d, "give its size with -d %s:100, or index an operand with it", name);
        return FILL_FAILED;
    }
    sam_expr place = *e; /* the list of expressions may move */
    sam_expr ones = find_ones(f, &place, how);
    *e = place;
    if (sam_tensor_at(f->s, sam_expr_at(f->s, ones)->tensor)->order == SAM_MAX_ORDER) {
        diag_unmappable(f->d, sam_expr_at(f->s, ones)->loc, "E0118-too-large",
                        "this has the same value along more than %d indices", SAM_MAX_ORDER);
        return FILL_FAILED;
    }
    extend_ones(f, ones, v, SAM_LEVEL_DENSE);
    if (how == ONES_REACH && f->s->tiled && !is_dense_in_result(f->s, v))
        f->s->exact |= UINT64_C(1) << (v.v - 1);
    return FILL_CHANGED;
}

/* ---- one change ------------------------------------------------------------------------------ */

/* A product with ones has fill 0. */
static ones_operator ones_operator_of(const filling *f, sam_expr e) {
    return f->s->general && sam_fill_of(f->s, e) ? ONES_REACH : ONES_TIMES;
}

static bool is_reached(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_reach &&
           sam_expr_at(s, x->b)->kind == SAM_EXPR_ACCESS;
}

/* Returns the variables of the reductions from `sum` to the body if all use one idempotent operation;
 * otherwise 0. */
static uint64_t reduced_once(const sam_statement *s, sam_expr sum, sam_expr body) {
    uint64_t vars = 0;
    const sam_expr first = sum.v ? sum : s->rhs;
    for (sam_expr e = first; e.v != body.v; e = sam_expr_at(s, e)->a) {
        const sam_expr_data *x = sam_expr_at(s, e);
        if (x->operation != sam_expr_at(s, first)->operation ||
            !sam_operator_of((sam_operation)x->operation, !s->integers)->idempotent)
            return 0;
        vars |= UINT64_C(1) << (x->var.v - 1);
    }
    return vars;
}

/* Returns whether the access may have gaps: each of its variables is a variable of the result or of
 * `reduced`, with at least one of the latter, and no other access has them twice. */
static bool may_have_gaps(const sam_statement *s, sam_expr access, uint64_t reduced) {
    const sam_expr_data *x = sam_expr_at(s, access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    uint64_t seen = 0;
    bool may = !t->ones && !t->lacked && t->structure != SAM_COMPLEMENT;
    for (uint32_t m = 0; m < t->order; m++) {
        const uint64_t bit = UINT64_C(1) << (x->index[m].v - 1);
        may = may && !(seen & bit) && (bit & reduced || sam_is_result_var(s, x->index[m]));
        seen |= bit;
    }
    return may && seen & reduced;
}

/* Accesses of the same variables, at least one needed for any value; none: unknown. */
typedef struct {
    sam_expr of[SAM_MAX_GAPS];
    uint32_t n;
} deciding;

static uint32_t order_of(const filling *f, const deciding *x) {
    return sam_tensor_at(f->s, sam_expr_at(f->s, x->of[0])->tensor)->order;
}

/* Returns whether the tensors of the accesses have no other ones, with other indices perhaps. */
static bool are_read_once(const filling *f, const deciding *x) {
    bool once = true;
    for (uint32_t i = 0; i < x->n; i++)
        once = once && sam_count_reads(f->s, sam_expr_at(f->s, x->of[i])->tensor, f->s->exprs.len) == 1;
    return once;
}

/* Returns the union of a and b; none if their variables differ. */
static deciding united(const filling *f, const deciding *a, const deciding *b) {
    deciding both = *a;
    if (!a->n || !b->n || a->n + b->n > SAM_MAX_GAPS ||
        fe_free_vars(f->s, a->of[0]) != fe_free_vars(f->s, b->of[0]))
        return (deciding){0};
    memcpy(both.of + a->n, b->of, b->n * sizeof *b->of);
    both.n += b->n;
    return are_read_once(f, &both) ? both : (deciding){0};
}

/* Returns the accesses that decide the presence of the set: of an intersection, the operand of the highest
 * order. */
static deciding find_gaps(const filling *f, const sam_algebra *algebra, sam_set set, uint64_t reduced) {
    const sam_set_data *x = set.v ? &algebra->sets.at[set.v - 1] : NULL;
    if (x && x->kind == SAM_SET_STORED)
        return (deciding){{x->of}, may_have_gaps(f->s, x->of, reduced)};
    if (!x || (x->kind != SAM_SET_MEET && x->kind != SAM_SET_UNITE))
        return (deciding){0};
    const deciding a = find_gaps(f, algebra, x->a, reduced), b = find_gaps(f, algebra, x->b, reduced);
    if (x->kind == SAM_SET_UNITE)
        return united(f, &a, &b);
    if (!a.n || !b.n)
        return a.n ? a : b;
    return order_of(f, &b) > order_of(f, &a) ? b : a;
}

/* Returns the accesses whose common gaps are enough for the reductions around the body, if any. */
static deciding gaps_of(const filling *f, sam_expr sum, sam_expr body) {
    const uint64_t reduced = reduced_once(f->s, sum, body);
    const sam_expr plain = is_reached(f->s, body) ? sam_expr_at(f->s, body)->a : body;
    sam_algebra algebra = {.mem = f->mem};
    if (!reduced || !f->s->tiled || f->s->everywhere)
        return (deciding){0};
    const sam_coordinates c = sam_coordinates_of(&algebra, f->s, plain, NULL);
    return find_gaps(f, &algebra, c.set, reduced);
}

/* Returns whether only reductions are around the sum: else an operand beside it may have a value where
 * nothing of the sum is stored, and the value wants the sum's own. */
static bool is_reduced_alone(const sam_statement *s, sam_expr sum) {
    sam_expr e = s->rhs;
    while (sum.v && e.v != sum.v) {
        const sam_expr_data *x = sam_expr_at(s, e);
        if (x->kind != SAM_EXPR_SUM && !is_reached(s, e))
            return false;
        e = x->a;
    }
    return true;
}

/* Returns whether the access has fibers without entries at coordinates of the result: the innermost of the
 * result's levels is dense, and a level behind is not. */
static bool has_empty_fibers(const sam_statement *s, sam_expr access) {
    const sam_expr_data *x = sam_expr_at(s, access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    bool behind = false;
    for (uint32_t l = t->order; l-- > 0;) {
        if (sam_is_result_var(s, x->index[t->mode[l]]))
            return behind && t->level[l] == SAM_LEVEL_DENSE;
        behind = behind || t->level[l] != SAM_LEVEL_DENSE;
    }
    return false;
}

static fill_step fill_body(filling *f, sam_expr sum, sam_expr body, sam_var v, ones_operator how) {
    const deciding gaps = how == ONES_REACH ? gaps_of(f, sum, body) : (deciding){0};
    const uint64_t exact = f->s->exact;
    fill_step done = reach_along(f, &body, v, how);
    if (gaps.n && done == FILL_CHANGED) {
        const sam_expr ones = sam_expr_at(f->s, body)->b;
        sam_tensor_data *t = sam_tensor_at(f->s, sam_expr_at(f->s, ones)->tensor);
        bool compressed = true;
        t->gaps.near =
            sam_reach_of_sum(f->s, sum.v ? sum : f->s->rhs) == SAM_SUM_ALONG && is_reduced_alone(f->s, sum);
        for (uint32_t i = 0; i < gaps.n; i++) {
            const sam_tensor_data *g = sam_tensor_at(f->s, sam_expr_at(f->s, gaps.of[i])->tensor);
            t->gaps.of[i] = g->name;
            t->gaps.near = t->gaps.near && !has_empty_fibers(f->s, gaps.of[i]);
            compressed = compressed && fe_has_index(f->s, gaps.of[i], v) &&
                         g->level[fe_level_of(f->s, gaps.of[i], v)] == SAM_LEVEL_COMPRESSED;
        }
        if (fe_has_index(f->s, gaps.of[0], v)) {
            t->level[fe_level_of(f->s, ones, v)] = SAM_LEVEL_COMPRESSED;
            /* Nothing is behind the last coordinate then. Further inside, a located operand beside a union
             * would wait. */
            if (compressed && f->s->loops.at[0].v == v.v)
                f->s->exact = exact;
        }
    }
    fe_set_body(f->s, sum, body);
    return done;
}

/* Fills the side of the addition without variable v. */
static fill_step fill_addition(filling *f, sam_expr addition, sam_var v) {
    sam_expr_data x = *sam_expr_at(f->s, addition);
    bool a_has_v = fe_free_vars(f->s, x.a) >> (v.v - 1) & 1;
    sam_expr *side = a_has_v ? &x.b : &x.a;
    fill_step done = reach_along(f, side, v, ones_operator_of(f, *side));
    *sam_expr_at(f->s, addition) = x;
    return done;
}

/* Returns whether the loop must visit all coordinates: for a sum that makes values of fills, or a result
 * whose fill differs from the right side's, and for a sum around one of its loops: an empty fiber would skip
 * the loop. */
static bool must_be_full(const filling *f, sam_expr sum, const fe_scope *scope, uint32_t at) {
    const sam_var v = scope->vars.at[at];
    if (f->s->everywhere && fe_results_hang_on(f->s, &scope->vars, at))
        return true;
    if (sam_is_result_var(f->s, v))
        return false;
    if (f->s->everywhere && f->s->tiled && !sam_tensor_at(f->s, f->s->result)->order)
        return true; /* some sub-tile must be run */
    sam_expr e = sum.v ? sum : f->s->rhs;
    while (sam_expr_at(f->s, e)->var.v != v.v)
        e = sam_expr_at(f->s, e)->a;
    return sam_reach_of_sum(f->s, e) != SAM_SUM_STORED;
}

static bool is_reached_along(const sam_statement *s, sam_expr e, sam_var v) {
    return is_reached(s, e) && fe_has_index(s, sam_expr_at(s, e)->b, v);
}

/* Returns the variables of the body that a sum around must cover: all, or the variables of the inner loops,
 * which run for stored entries at one coordinate of the sum. */
static uint64_t reached_by(const filling *f, sam_expr sum, sam_expr body) {
    const sam_statement *s = f->s;
    const uint64_t all = fe_free_vars(s, body);
    sam_sum_reach reach = sam_reach_of_sum(s, sum);
    uint64_t inside = 0;
    for (uint32_t v = 1; v <= s->vars.len; v++) {
        if (fe_loop_position(s, (sam_var){v}) > fe_loop_position(s, sam_expr_at(s, sum)->var))
            inside |= all & UINT64_C(1) << (v - 1);
    }
    /* Another sub-tile along the sum's variable may have the missing entry, and both count. */
    bool everywhere = reach == SAM_SUM_EVERYWHERE || (reach == SAM_SUM_ALONG && s->tiled);
    return everywhere ? all : reach == SAM_SUM_ALONG ? inside : 0;
}

/* Returns a variable not covered by the body of the scope though a sum around requires coverage, or 0. */
static sam_var missed_everywhere(const filling *f, sam_expr sum, const fe_scope *scope) {
    uint64_t vars = 0;
    sam_expr e = sum.v ? sum : f->s->rhs;
    for (; e.v != scope->body.v; e = sam_expr_at(f->s, e)->a)
        vars |= reached_by(f, e, scope->body);
    for (uint32_t v = 1; v <= f->s->vars.len; v++) {
        if ((vars >> (v - 1) & 1) && !is_reached_along(f->s, scope->body, (sam_var){v}))
            return (sam_var){v};
    }
    return (sam_var){0};
}

/* Returns whether the loop visits every coordinate. Sub-tiles without entries have no run, even with dense
 * levels: they need ones. */
static bool reaches_all(const filling *f, sam_expr body, fe_domain domain, sam_var v) {
    const sam_expr_data *ones = is_reached(f->s, body) ? sam_expr_at(f->s, sam_expr_at(f->s, body)->b) : NULL;
    const bool full = domain.full || (ones && sam_tensor_at(f->s, ones->tensor)->gaps.of[0].v);
    return full && (!f->s->tiled || is_reached_along(f->s, body, v));
}

/* Iterates a scope like the lowering, up to the first loop without an operand. */
static fill_step fill_scope(filling *f, sam_expr sum, fe_presence presence) {
    fe_scope scope = sum.v ? fe_sum_scope(f->s, sum, f->mem) : fe_outer_scope(f->s, f->mem);
    fe_scope_order(f->s, &scope);
    sam_var missed = missed_everywhere(f, sum, &scope);
    if (missed.v)
        return fill_body(f, sum, scope.body, missed, ONES_REACH);
    for (uint32_t i = 0; i < scope.vars.len; i++) {
        sam_var v = scope.vars.at[i];
        fe_domain domain = fe_domain_of(&f->leaves, &presence, scope.body, v);
        if (domain.universe)
            return fill_body(f, sum, scope.body, v, ones_operator_of(f, scope.body));
        if (domain.bad.v)
            return fill_addition(f, domain.bad, v);
        if (must_be_full(f, sum, &scope, i) && !reaches_all(f, scope.body, domain, v))
            return fill_body(f, sum, scope.body, v, ONES_REACH);
        if (!sum.v && domain.full)
            f->full |= (uint64_t)1 << (v.v - 1);
        presence = fe_presence_inside(&f->leaves, &presence, scope.body, v, f->mem);
    }
    fe_exprs inner = {0};
    fe_inner_sums(f->s, scope.body, f->mem, &inner);
    fill_step done = FILL_DONE;
    for (uint32_t i = 0; i < inner.len && done == FILL_DONE; i++)
        done = fill_scope(f, inner.at[i], presence);
    return done;
}

static fill_step fill_once(filling *f) {
    for (uint32_t v = 1; v <= f->s->vars.len; v++) {
        if (f->s->exact >> (v - 1) & 1)
            leave_padding(f->s, (sam_var){v});
    }
    fe_keep_joins(f->s, f->mem);
    f->leaves = fe_collect_leaves(f->s, f->mem);
    f->full = 0;
    return fill_scope(f, (sam_expr){0}, fe_presence_start(&f->leaves, f->mem));
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Fills one dense level of the result with missing coordinates: body + 0 * ones. */
static fill_step fill_result(filling *f) {
    fe_scope scope = fe_outer_scope(f->s, f->mem);
    fe_scope_order(f->s, &scope);
    sam_var v = fe_unfilled_level(f->s, &scope.vars, f->full, f->mem);
    if (!v.v)
        return FILL_DONE;
    fe_reach reach = fe_level_reach(f->s, &scope.vars, v);
    src_loc loc = sam_expr_at(f->s, scope.body)->loc;
    sam_expr zero = fe_add_expr(f->s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc});
    sam_expr ones = find_ones(f, &zero, ONES_TIMES);
    for (uint32_t i = 0; i < scope.vars.len; i++) {
        uint32_t bit = scope.vars.at[i].v - 1;
        if ((reach.dense | reach.first) >> bit & 1)
            extend_ones(f, ones, scope.vars.at[i],
                        reach.dense >> bit & 1 ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED);
    }
    sam_expr sum =
        fe_add_expr(f->s, (sam_expr_data){.kind = SAM_EXPR_ADD, .loc = loc, .a = scope.body, .b = zero});
    fe_set_body(f->s, (sam_expr){0}, sum);
    return FILL_CHANGED;
}

bool fe_fill(const sam_statement *s, arena *mem, diagnostics *d, sam_statement *out) {
    fe_copy_statement(s, mem, out);
    if (!fe_nest_sums(out, mem, d))
        return false;
    fe_guard_quotients(out, mem);
    if (out->everywhere && out->tiled && !out->loops.len) { /* else no run */
        const src_loc loc = sam_expr_at(out, out->rhs)->loc;
        const sam_expr ones = fe_add_ones(out, loc, mem);
        out->rhs = fe_add_expr(out, (sam_expr_data){.kind = SAM_EXPR_CALL,
                                                    .operation = SAM_OPERATION_reach,
                                                    .loc = loc,
                                                    .a = out->rhs,
                                                    .b = ones});
    }
    filling f = {.s = out, .mem = mem, .d = d};
    fill_step step;
    do {
        step = fill_once(&f);
        if (step == FILL_DONE)
            step = fill_result(&f);
    } while (step == FILL_CHANGED);
    out->unites = NULL;
    if (step == FILL_FAILED)
        return false;
    if (!fe_collect_leaves(out, mem).list.len) {
        sam_expr body = fe_outer_scope(out, mem).body;
        find_ones(&f, &body, ONES_TIMES);
        fe_set_body(out, (sam_expr){0}, body);
    }
    fe_fill_once(out, mem);
    return true;
}
