/* nest.c - every loop comes inside the loops of the scopes around it; partial sums as sums of everything.
 *
 * x(i) = b(i) - sum(j, C(i,j) * d(j)) wants j inside i: the sum is one value for each i. With loop j outside,
 * the sum moves out over the expression, which becomes one sum over j that a reducer accumulates for all i:
 *   a * sum(v, b) = sum(v, a * b)
 *   a + sum(v, b) = sum(v, a * first(v) + b), where first(v) is 1 at v = 0 and has no other coordinate
 *   sum(w, sum(v, b)) = sum(v, sum(w, b)), and a sign moves in.
 * Two addends that are sums over v become one. So a value counts once, in the first iteration. In int16 both
 * sides are equal; in bfloat16 they round in another order, as with any other order of loops.
 *
 * A sum does not move out of a quotient, nor out of a product with another sum over its variable (E0125).
 * first(v) is a host-made tensor (sam_tensor_data.ones with a compressed level).
 */
#include "frontend/lowering/nest.h"
#include "frontend/language/scope.h"
#include "frontend/language/statement.h"

typedef struct {
    sam_statement *s;
    arena *mem;
    diagnostics *d;
    sam_var v; /* the sum that moves out */
} nesting;

static bool has_sum(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind == SAM_EXPR_SUM && x->var.v == v.v) || (x->a.v && has_sum(s, x->a, v)) ||
           (x->b.v && has_sum(s, x->b, v));
}

/* Returns whether e = sum(v, f) for an expression f that pull_out can make. */
static bool can_move(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_SUM: /* sums by different operations do not change places */
        return !x->operation ? x->var.v == v.v || can_move(s, x->a, v) : !has_sum(s, e, v);
    case SAM_EXPR_NEG:
        return can_move(s, x->a, v);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return can_move(s, x->a, v) && can_move(s, x->b, v);
    case SAM_EXPR_MUL: {
        bool a = has_sum(s, x->a, v), b = has_sum(s, x->b, v);
        return !(a && b) && (!a || can_move(s, x->a, v)) && (!b || can_move(s, x->b, v));
    }
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
        return !has_sum(s, e, v);
    case SAM_EXPR_ACCESS:
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_NONE:
        break;
    }
    return true;
}

static sam_expr times_first(nesting *n, sam_expr e) {
    src_loc loc = sam_expr_at(n->s, e)->loc;
    sam_tensor_data first = {.name = fe_fresh_name(n->s, "first", n->mem),
                             .loc = loc,
                             .order = 1,
                             .level = {SAM_LEVEL_COMPRESSED},
                             .ones = true};
    vec_push(n->mem, &n->s->tensors, first);
    sam_expr access = fe_add_expr(
        n->s,
        (sam_expr_data){.kind = SAM_EXPR_ACCESS, .loc = loc, .tensor = {n->s->tensors.len}, .index = {n->v}});
    return fe_add_expr(n->s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = loc, .a = e, .b = access});
}

/* Returns f with e = sum(v, f). */
static sam_expr pull_out(nesting *n, sam_expr e) {
    if (!has_sum(n->s, e, n->v))
        return times_first(n, e);
    sam_expr_data x = *sam_expr_at(n->s, e);
    if (x.kind == SAM_EXPR_SUM && x.var.v == n->v.v)
        return x.a;
    bool product = x.kind == SAM_EXPR_MUL;
    if (!product || has_sum(n->s, x.a, n->v))
        x.a = pull_out(n, x.a);
    if (x.b.v && (!product || has_sum(n->s, x.b, n->v)))
        x.b = pull_out(n, x.b);
    *sam_expr_at(n->s, e) = x;
    return e;
}

/* A sum whose loop is outside of one of the loops around the sum. */
typedef struct {
    sam_expr scope; /* the sum at the start of its scope; 0: the outermost */
    sam_expr sum;
    sam_var v, around;
} misplaced;

/* Returns whether a loop of `inner` is outside of a loop of `outer`. */
static bool find_outside(const sam_statement *s, const fe_vars *outer, const fe_vars *inner,
                         misplaced *found) {
    for (uint32_t i = 0; i < inner->len; i++) {
        for (uint32_t o = 0; o < outer->len; o++) {
            if (fe_loop_position(s, inner->at[i]) < fe_loop_position(s, outer->at[o])) {
                found->v = inner->at[i];
                found->around = outer->at[o];
                return true;
            }
        }
    }
    return false;
}

static bool find_misplaced(const sam_statement *s, sam_expr scope_sum, arena *mem, misplaced *found) {
    fe_scope scope = scope_sum.v ? fe_sum_scope(s, scope_sum, mem) : fe_outer_scope(s, mem);
    fe_exprs inner = {0};
    fe_inner_sums(s, scope.body, mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        fe_scope sum = fe_sum_scope(s, inner.at[i], mem);
        *found = (misplaced){.scope = scope_sum, .sum = inner.at[i]};
        if (find_outside(s, &scope.vars, &sum.vars, found) || find_misplaced(s, inner.at[i], mem, found))
            return true;
    }
    return false;
}

/* Rewrites body = sum(v, f) for the body of the scope of `scope`; false if impossible. */
static bool take_out(nesting *n, sam_expr scope, sam_var v, src_loc loc) {
    sam_expr body = (scope.v ? fe_sum_scope(n->s, scope, n->mem) : fe_outer_scope(n->s, n->mem)).body;
    const sam_expr_data *around = sam_expr_at(n->s, scope.v ? scope : n->s->rhs);
    bool adds = around->kind != SAM_EXPR_SUM || !around->operation; /* one scope with the moved sum */
    if (!adds || !can_move(n->s, body, v))
        return false;
    n->v = v;
    body = pull_out(n, body);
    fe_set_body(n->s, scope,
                fe_add_expr(n->s, (sam_expr_data){.kind = SAM_EXPR_SUM, .loc = loc, .a = body, .var = v}));
    return true;
}

static bool move_out(nesting *n, const misplaced *m) {
    src_loc loc = sam_expr_at(n->s, m->sum)->loc;
    if (take_out(n, m->scope, m->v, loc))
        return true;
    const char *v = fe_var_text(n->s, m->v), *around = fe_var_text(n->s, m->around);
    diag_error(n->d, loc, "E0125-loop-order",
               "the sum over '%s' is only a part of what loop '%s' computes, but loop '%s' is outside of it",
               v, around, v);
    return diag_hint(n->d, "put the loop of a partial sum inside: -s \"reorder(%s,%s)\"", around, v);
}

/* Each move takes a sum one scope outwards, or merges several. */
bool fe_nest_sums(sam_statement *s, arena *mem, diagnostics *d) {
    nesting n = {.s = s, .mem = mem, .d = d};
    misplaced m;
    while (find_misplaced(s, (sam_expr){0}, mem, &m)) {
        if (!move_out(&n, &m))
            return false;
    }
    return true;
}

/* Each move leaves a sum less inside the body. */
bool fe_pull_sums(sam_statement *s, arena *mem) {
    nesting n = {.s = s, .mem = mem};
    for (;;) {
        fe_exprs inner = {0};
        fe_inner_sums(s, fe_outer_scope(s, mem).body, mem, &inner);
        if (!inner.len)
            return true;
        const sam_expr_data *sum = sam_expr_at(s, inner.at[0]);
        if (!take_out(&n, (sam_expr){0}, sum->var, sum->loc))
            return false;
    }
}

void fe_set_body(sam_statement *s, sam_expr sum, sam_expr body) {
    sam_expr inner = sum.v ? sum : s->rhs, last = {0};
    const uint8_t operation = sam_expr_at(s, inner)->operation;
    for (; sam_expr_at(s, inner)->kind == SAM_EXPR_SUM && sam_expr_at(s, inner)->operation == operation;
         inner = sam_expr_at(s, inner)->a)
        last = inner;
    if (last.v)
        sam_expr_at(s, last)->a = body;
    else
        s->rhs = body;
}
