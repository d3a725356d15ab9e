/* lower_compute.c - the values of an expression: arrays, operations, and a reducer for each inner sum.
 *
 * Every operand's references have one token for each point of the outer loops: operations pair values point
 * by point. An absent operand has the value 0, as does every absent product; this is correct for additions,
 * and an int16 quotient by 0 is 0. A host-made operand of ones only has coordinates: its value is the
 * constant 1, and a product with ones costs nothing, unless its zeros matter (tiled.c).
 *
 * A negation is carried along and costs an operation only if no other operation can absorb the sign. Under a
 * quotient the negation is computed, since truncation and wrap-around do not commute.
 */
#include <math.h>

#include "frontend/lowering/lower_int.h"
#include "frontend/lowering/tiled.h"
#include "sam/coordinates.h"
#include "sam/operators.h"

static bool compute(lowering *w, sam_expr e, const fe_presence *in, value *result);

static value load_value(lowering *w, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    sam_node n = lower_add_node(w, SAM_ARRAYVALS, x->loc);
    sam_node_at(w->g, n)->tensor = sam_tensor_at(w->s, x->tensor)->name;
    sam_node_at(w->g, n)->fill = sam_tensor_at(w->s, x->tensor)->fill;
    lower_feed(w, w->refs[w->leaves.number[e.v - 1]], n, 0, SAM_STREAM_REF);
    return (value){.val = lower_out(n, 0)};
}

static bool all_ones(const sam_tensor_data *t) {
    bool all = t->ones && t->order > 0;
    for (uint32_t l = 0; l < t->order; l++)
        all = all && sam_level_is_whole(t, l);
    return all;
}

/* Returns whether an operand has the value 1 wherever its value matters. */
static bool is_ones(const sam_statement *s, sam_expr access) {
    const sam_expr_data *x = sam_expr_at(s, access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    bool one = all_ones(t) && !fe_contributes_once(s, access);
    for (uint32_t i = 0; i < t->order; i++)
        one = one && !fe_meets_padding(s, x->index[i]);
    return one;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void feed_operand(lowering *w, const value *from, sam_node alu, uint8_t port) {
    if (!from->is_constant) {
        lower_feed(w, from->val, alu, port, SAM_STREAM_VAL);
        return;
    }
    name_id key = names_intern(w->g->names, port ? "const1" : "const0");
    name_id text = names_intern(w->g->names, arena_printf(w->mem, "%.17g", from->constant));
    vec_push(w->g->mem, &sam_node_at(w->g, alu)->extra, (sam_attribute){key, text});
}

/* Adds one operation on streams and at most one constant; the caller handles `negative`. */
static value add_alu(lowering *w, const char *operation, const value *a, const value *b, src_loc loc) {
    sam_node n = lower_add_node(w, SAM_ALU, loc);
    sam_node_at(w->g, n)->alu = names_intern(w->g->names, operation);
    feed_operand(w, a, n, 0);
    feed_operand(w, b, n, 1);
    return (value){.val = lower_out(n, 0)};
}

static value add_unary(lowering *w, const char *operation, const value *a, src_loc loc) {
    sam_node n = lower_add_node(w, SAM_ALU, loc);
    sam_node_at(w->g, n)->alu = names_intern(w->g->names, operation);
    feed_operand(w, a, n, 0);
    return (value){.val = lower_out(n, 0)};
}

static value constant(double c) {
    return (value){.is_constant = true, .constant = c};
}

static bool is_constant(const value *v, double c) {
    return v->is_constant && v->constant == c;
}

/* A constant never is `negative`: its sign is its own. */
static value negated(value v) {
    if (v.is_constant)
        return constant(-v.constant);
    v.negative = !v.negative;
    return v;
}

/* Returns the same value without `negative`. */
static value positive(lowering *w, value v, src_loc loc) {
    if (!v.negative)
        return v;
    value zero = constant(0);
    return add_alu(w, "sub", &zero, &v, loc);
}

/* a + b where either may carry its negation. */
static value add_values(lowering *w, value a, value b, src_loc loc) {
    if (a.is_constant && b.is_constant)
        return constant(a.constant + b.constant);
    if (is_constant(&a, 0) || is_constant(&b, 0))
        return is_constant(&a, 0) ? b : a;
    if (a.negative != b.negative)
        return a.negative ? add_alu(w, "sub", &b, &a, loc) : add_alu(w, "sub", &a, &b, loc);
    value sum = add_alu(w, "add", &a, &b, loc);
    sum.negative = a.negative; /* then neither is a constant */
    return sum;
}

static value multiply_values(lowering *w, value a, value b, src_loc loc) {
    if (a.is_constant && b.is_constant)
        return constant(a.constant * b.constant);
    if (is_constant(&a, 1) || is_constant(&b, 1))
        return is_constant(&a, 1) ? b : a;
    value product = add_alu(w, "mul", &a, &b, loc);
    product.negative = a.negative != b.negative;
    return product;
}

/* Returns the first operand under e whose loops have all been iterated, outside of inner sums; an operand of
 * ones if `ones`; 0 if none. */
static sam_expr find_operand(const lowering *w, sam_expr e, bool ones) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return !ones || all_ones(sam_tensor_at(w->s, x->tensor)) ? e : (sam_expr){0};
    sam_expr found = {0};
    if (x->a.v && x->kind != SAM_EXPR_SUM)
        found = find_operand(w, x->a, ones);
    return found.v || !x->b.v ? found : find_operand(w, x->b, ones);
}

/* A constant becomes a stream with the shape of an operand of e: ones, or an operand with factor 0. */
static value as_stream(lowering *w, value v, sam_expr e) {
    if (!v.is_constant)
        return v;
    src_loc loc = sam_expr_at(w->s, e)->loc;
    sam_expr ones = find_operand(w, e, true);
    if (ones.v)
        return multiply_values(w, load_value(w, ones), v, loc);
    value zero = multiply_values(w, load_value(w, find_operand(w, e, false)), constant(0), loc);
    return add_values(w, zero, v, loc);
}

static bool divides_exactly(const value *a, const value *b) {
    return b->constant != 0 && fmod(a->constant, b->constant) == 0;
}

/* Folds a quotient of two constants if equal in integers and in floating point: the graph serves both. */
static bool divide_values(lowering *w, value a, value b, sam_expr e, value *result) {
    src_loc loc = sam_expr_at(w->s, e)->loc;
    if (a.is_constant && b.is_constant) {
        if (divides_exactly(&a, &b)) {
            *result = constant(a.constant / b.constant);
            return true;
        }
        if (!find_operand(w, e, false).v) {
            diag_error(w->d, loc, "E0121-division", "%g / %g has no exact value", a.constant, b.constant);
            return diag_hint(w->d, "write the number that is meant");
        }
        a = as_stream(w, a, e);
    }
    a = positive(w, a, loc);
    b = positive(w, b, loc);
    *result = is_constant(&b, 1) ? a : add_alu(w, "div", &a, &b, loc);
    return true;
}

static bool compute_binary(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    const sam_expr_data x = *sam_expr_at(w->s, e);
    value a, b;
    if (x.kind == SAM_EXPR_MUL && fe_is_zero(w->s, e) && find_operand(w, e, false).v) {
        *result = constant(0);
        return true;
    }
    if (!compute(w, x.a, in, &a) || !compute(w, x.b, in, &b))
        return false;
    if (x.kind == SAM_EXPR_DIV)
        return divide_values(w, a, b, e, result);
    if (x.kind == SAM_EXPR_MUL)
        *result = multiply_values(w, a, b, x.loc);
    else
        *result = add_values(w, a, x.kind == SAM_EXPR_SUB ? negated(b) : b, x.loc);
    return true;
}

/* ---- functions ------------------------------------------------------------------- */

static const char *call_name(const sam_expr_data *x) {
    return x->program ? x->program->name : sam_operation_name((sam_operation)x->operation);
}

/* Folds an operation on constants. Concrete index notation, without a data type, may have operations of
 * integers on bf16 values. */
static bool fold_call(const lowering *w, const sam_operator *f, const sam_expr_data *x, const value *a,
                      const value *b, value *result) {
    const bool fp = !w->s->integers;
    const uint16_t right = b ? sam_literal_word(b->constant, fp) : 0;
    if (!f->apply && !f->program) {
        diag_error(w->d, x->loc, "E0152-function",
                   "%s is of the bits of integers, and these are values of bf16", call_name(x));
        return diag_hint(w->d, "use --dtype int16");
    }
    *result = constant(sam_word_number(sam_apply(f, sam_literal_word(a->constant, fp), right), fp));
    return true;
}

/* Sets the program of the node that computes v, if any. Always returns true. */
static bool set_program(const lowering *w, const value *v, sam_program *program) {
    if (!v->is_constant)
        sam_node_at(w->g, v->val.node)->program = program;
    return true;
}

/* Whether a number is the special value of argument `at`. */
static bool has_special(const lowering *w, const sam_special *special, int at, double number) {
    return w->s->integers && special->given && (special->at == SAM_EACH || special->at == at) &&
           special->value == sam_literal_word(number, false);
}

/* Rules from the operator's properties: f(e, 0) is 0 if 0 is its annihilator, and e if 0 is its identity. */
static bool simplify_call(const lowering *w, const sam_operator *f, const value *a, const value *b,
                          value *result) {
    if (a->is_constant == b->is_constant)
        return false;
    const value *number = a->is_constant ? a : b;
    const int at = a->is_constant ? 0 : 1;
    *result = a->is_constant ? *b : *a;
    return has_special(w, &f->identity, at, number->constant);
}

static bool is_annihilated(const lowering *w, const sam_operator *f, const sam_expr_data *x, value *result) {
    const sam_expr argument[2] = {x->a, x->b};
    for (int i = 0; i < 2 && x->b.v; i++) {
        const sam_expr_data *one = sam_expr_at(w->s, argument[i]);
        if (one->kind != SAM_EXPR_LITERAL || !has_special(w, &f->annihilator, i, one->literal))
            continue;
        *result = constant(one->literal);
        return true;
    }
    return false;
}

/* An operand of ones determines the coordinates of an expression, not its value. */
static bool compute_call(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    const sam_expr_data x = *sam_expr_at(w->s, e);
    const sam_operator *f =
        x.program ? &x.program->of : sam_operator_of((sam_operation)x.operation, !w->s->integers);
    const char *name = call_name(&x);
    value a, b = {0};
    if (is_annihilated(w, f, &x, result))
        return true;
    if (!compute(w, x.a, in, &a))
        return false;
    a = positive(w, a, x.loc);
    if (x.operation == SAM_OPERATION_reach) {
        *result = a;
        return true;
    }
    if (!x.b.v) {
        if (a.is_constant)
            return fold_call(w, f, &x, &a, NULL, result);
        *result = add_unary(w, name, &a, x.loc);
        return set_program(w, result, x.program);
    }
    if (!compute(w, x.b, in, &b))
        return false;
    b = positive(w, b, x.loc);
    if (simplify_call(w, f, &a, &b, result))
        return true;
    if (a.is_constant && b.is_constant)
        return fold_call(w, f, &x, &a, &b, result);
    *result = add_alu(w, name, &a, &b, x.loc);
    return set_program(w, result, x.program);
}

/* ---- sums ------------------------------------------------------------------------ */

/* Returns whether the values at a node's port are 0 and 1, by the node's operation. */
static bool is_truth(const lowering *w, sam_node from, uint32_t port) {
    const sam_node_data *n = sam_node_at(w->g, from);
    const bool drops = n->kind == SAM_CRDDROP && port == 1;
    sam_operation by = SAM_OPERATION_and;
    if (!drops &&
        (n->kind != SAM_ALU || n->program || !sam_find_operation(names_text(w->g->names, n->alu), &by)))
        return false;
    if (by != SAM_OPERATION_and && by != SAM_OPERATION_mul)
        return (by >= SAM_OPERATION_eq && by <= SAM_OPERATION_ge) || by == SAM_OPERATION_land ||
               by == SAM_OPERATION_lor;
    uint32_t truths = 0; /* among its inputs: of a dropper its values, of an operation both sides */
    for (uint32_t p = drops; p < 2; p++) {
        const sam_edge_data *e = sam_edge_into(w->g, from, p);
        truths += e && is_truth(w, e->src, e->src_port);
    }
    return truths >= (by == SAM_OPERATION_mul ? 2 : 1);
}

static stream differs_from_0(lowering *w, stream val, src_loc loc) {
    const value v = {.val = val}, zero = constant(0);
    return add_alu(w, "ne", &v, &zero, loc).val;
}

stream lower_reducer(lowering *w, stream val, const loop *of, src_loc loc) {
    /* The `or` of at most 65535 truth values is a sum above 0. */
    const bool any = of->operation == SAM_OPERATION_lor || of->operation == SAM_OPERATION_or;
    bool counts = w->options->counts && w->s->integers && any;
    if (counts && !is_truth(w, val.node, val.port)) {
        counts = of->operation == SAM_OPERATION_lor;
        val = counts ? differs_from_0(w, val, loc) : val;
    }
    sam_node n = lower_add_node(w, SAM_REDUCE, loc);
    if (!counts)
        sam_node_at(w->g, n)->alu = lower_reduction_name(w, of->operation);
    /* A fiber of one value has the same result for every operation; an empty one gives 0. */
    bool cut = !(w->s->uncut >> (of->var.v - 1) & 1) || sam_var_at(w->s, of->var)->extent == 1;
    if (w->s->singly && cut && of->operation != SAM_OPERATION_add && !counts && !of->may_be_empty) {
        sam_node_at(w->g, n)->index = sam_var_at(w->s, of->var)->name;
        vec_push(w->g->mem, &sam_node_at(w->g, n)->extra,
                 ((sam_attribute){names_intern(w->g->names, "singly"), names_intern(w->g->names, "true")}));
    }
    lower_feed(w, val, n, 0, SAM_STREAM_VAL);
    return counts ? differs_from_0(w, lower_out(n, 0), loc) : lower_out(n, 0);
}

/* Computes a sum inside an expression: its loops, its body, and a reducer for each of its variables. */
static bool compute_sum(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    src_loc loc = sam_expr_at(w->s, e)->loc;
    fe_scope scope = fe_sum_scope(w->s, e, w->mem);
    fe_presence inside = *in;
    loops l = {0};
    if (!lower_scope(w, &scope, &inside, &l) || !compute(w, scope.body, &inside, result))
        return false;
    *result = as_stream(w, *result, scope.body);
    if (scope.operation != SAM_OPERATION_add)
        *result = positive(w, *result, loc);
    for (uint32_t i = 0; i < l.len; i++)
        result->val = lower_reducer(w, result->val, &l.at[l.len - 1 - i], loc);
    return true;
}

static bool compute(lowering *w, sam_expr e, const fe_presence *in, value *result) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        *result = is_ones(w->s, e) ? constant(1) : load_value(w, e);
        return true;
    case SAM_EXPR_LITERAL:
        *result = constant(x->literal);
        return true;
    case SAM_EXPR_NEG:
        if (!compute(w, x->a, in, result))
            return false;
        *result = negated(*result);
        return true;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return compute_binary(w, e, in, result);
    case SAM_EXPR_CALL:
        return compute_call(w, e, in, result);
    case SAM_EXPR_SUM:
        return compute_sum(w, e, in, result);
    case SAM_EXPR_NONE:
        break;
    }
    BUG("an expression of no kind");
}

bool lower_values(lowering *w, sam_expr e, const fe_presence *in, stream *result) {
    value v;
    if (!compute(w, e, in, &v))
        return false;
    *result = positive(w, as_stream(w, v, e), sam_expr_at(w->s, e)->loc).val;
    return true;
}
