/* distribute.c - products of sums as sums of products: (B + C) * D becomes B * D + C * D.
 *
 * The joiners of a product of a sum are a union below an intersection. The union's empty token, in place of
 * an operand without the coordinate, would reach a reference input of an intersecter, where the chip takes
 * the token for the end of the fiber. In a sum of products every intersection comes before the unions. The
 * coordinates are equal, since intersection distributes over union, and the values are equal modulo 2^16; D
 * is stored and read twice. In floating point the rounding would differ.
 *
 * Other operations follow the same rule: (B ^ C) & D becomes (B & D) ^ (C & D). If operations do not
 * distribute over each other as values, the union gets a kernel of its own (fe_stage_subexprs).
 *
 * A factor without the sum's variables is joined with none of its operands, and stays a factor: 2 * (b + c).
 * Factors with a sum over a variable are not copied. The number of terms is the product of the sums' lengths,
 * and is bounded: a statement with more than FE_MAX_EXPRS expressions fits no array.
 *
 * The product of a sum with itself is its square: (B - C) * (B - C) is an operation of one value, without a
 * joiner, and reads B and C once, unless another factor is joined with the square.
 *
 * A constant beside a sum has a value everywhere, but a function may hide the value: relu(B - 3) is 0 where B
 * stores nothing. There the addition is a function, too, of one operand and a constant.
 *
 * Factors move out of sums that are terms of an addition: b(i) + sum(j, a * C(i,j)) becomes b(i) + a * sum(j,
 * C(i,j)). Where C lacks i, the loop over j is empty, and a repeater of a along j would meet an empty fiber,
 * which the chip mistakes.
 */
#include "frontend/lowering/distribute.h"
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/lead.h"
#include "sam/coordinates.h"
#include "sam/operators.h"

typedef struct {
    sam_statement *s;
    arena *mem;
    bool calls; /* unions below other operations than the product */
} rewrite;

static bool is_full(const rewrite *r) {
    return r->s->exprs.len > FE_MAX_EXPRS;
}

/* Returns e with its operands rewritten by `operand`. */
static sam_expr_data with_operands(rewrite *r, sam_expr e, sam_expr (*operand)(rewrite *, sam_expr)) {
    sam_expr_data x = *sam_expr_at(r->s, e);
    if (x.a.v)
        x.a = operand(r, x.a);
    if (x.b.v)
        x.b = operand(r, x.b);
    return x;
}

static sam_expr copy(rewrite *r, sam_expr e) {
    return fe_add_expr(r->s, with_operands(r, e, copy));
}

bool fe_has_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_SUM || (x->a.v && fe_has_sum(s, x->a)) || (x->b.v && fe_has_sum(s, x->b));
}

/* Lists the factors of e; returns whether their product is to be negated. */
static bool collect_factors(rewrite *r, sam_expr e, fe_exprs *factors) {
    const sam_expr_data x = *sam_expr_at(r->s, e);
    if (x.kind == SAM_EXPR_NEG)
        return !collect_factors(r, x.a, factors);
    if (x.kind == SAM_EXPR_MUL) {
        bool first = collect_factors(r, x.a, factors);
        return first != collect_factors(r, x.b, factors);
    }
    vec_push(r->mem, factors, e);
    return false;
}

/* Returns whether factor `at` is a sum joined with another factor. */
static bool must_distribute(const rewrite *r, const fe_exprs *factors, uint32_t at) {
    sam_expr_kind kind = sam_expr_at(r->s, factors->at[at])->kind;
    bool joined = false;
    if (kind != SAM_EXPR_ADD && kind != SAM_EXPR_SUB)
        return false;
    for (uint32_t i = 0; i < factors->len; i++) {
        if (i == at)
            continue;
        if (fe_has_sum(r->s, factors->at[i]))
            return false;
        joined = joined || (fe_free_vars(r->s, factors->at[at]) & fe_free_vars(r->s, factors->at[i])) != 0;
    }
    return joined;
}

static sam_expr product(rewrite *r, const fe_exprs *factors, bool negative, src_loc loc);

/* Returns the product with factor `at` replaced by `term`, and the other factors or copies of them. */
static sam_expr term_product(rewrite *r, const fe_exprs *factors, uint32_t at, sam_expr term, bool copies,
                             src_loc loc) {
    fe_exprs all = {0};
    bool negative = false;
    for (uint32_t i = 0; i < factors->len; i++) {
        if (i == at)
            negative = collect_factors(r, term, &all);
        else
            vec_push(r->mem, &all, copies ? copy(r, factors->at[i]) : factors->at[i]);
    }
    return product(r, &all, negative, loc);
}

static sam_expr product(rewrite *r, const fe_exprs *factors, bool negative, src_loc loc) {
    sam_expr result = factors->at[0];
    uint32_t at = 0;
    while (at < factors->len && (is_full(r) || !must_distribute(r, factors, at)))
        at++;
    if (at < factors->len) {
        sam_expr_data sum = *sam_expr_at(r->s, factors->at[at]);
        sum.a = term_product(r, factors, at, sum.a, false, loc);
        sum.b = term_product(r, factors, at, sum.b, true, loc);
        result = fe_add_expr(r->s, sum);
    }
    for (uint32_t i = 1; at == factors->len && i < factors->len; i++)
        result = fe_add_expr(
            r->s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = loc, .a = result, .b = factors->at[i]});
    return negative ? fe_add_expr(r->s, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = loc, .a = result})
                    : result;
}

/* ---- other operations ------------------------------------------------------------------------ */

/* Returns whether the operation makes 0 of zeros: then `when`, which gives 0 or its second operand, commutes
 * with the operation. */
static bool keeps_zero(sam_operation g) {
    const sam_operator *of = sam_operator_of(g, false);
    return of->apply && of->apply(0, 0) == 0;
}

/* Returns whether f(.., g(a, b), ..) is g(f(.., a, ..), f(.., b, ..)) for all int16, the operand with g being
 * operand `at` of f. */
static bool distributes_over(sam_operation f, uint32_t at, sam_operation g) {
    const bool bits = g == SAM_OPERATION_and || g == SAM_OPERATION_or || g == SAM_OPERATION_xor;
    switch ((uint32_t)f) {
    case SAM_OPERATION_and:
        return bits;
    case SAM_OPERATION_land:
        return g == SAM_OPERATION_lor;
    case SAM_OPERATION_shl:
        return at == 0 && (bits || g == SAM_OPERATION_add || g == SAM_OPERATION_sub);
    case SAM_OPERATION_ashr:
    case SAM_OPERATION_lshr:
        return at == 0 && bits;
    case SAM_OPERATION_when:
        return at == 1 && keeps_zero(g);
    default:
        return false;
    }
}

/* The operation of two operands; false where e is none. */
static bool operation_of(const sam_statement *s, sam_expr e, sam_operation *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (!x->a.v || !x->b.v)
        return false;
    if (x->kind == SAM_EXPR_CALL)
        *out = (sam_operation)x->operation;
    else if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB)
        *out = x->kind == SAM_EXPR_ADD ? SAM_OPERATION_add : SAM_OPERATION_sub;
    else
        return false;
    return true;
}

static sam_expr distribute_call(rewrite *r, sam_expr e);

/* Moves `when` into the sum of its operand: when(c, sum(j, B * d)) becomes sum(j, when(c, B * d)). `when`
 * gives 0 or its second operand, and zeros sum up to 0. The loop then meets c before the inner scan, and a
 * sub-tile that cuts the loop has no partial sum before an operation. */
static sam_expr sink_when(rewrite *r, sam_expr e) {
    sam_expr_data x = *sam_expr_at(r->s, e), sum = *sam_expr_at(r->s, x.b);
    const sam_special *monoid = &sam_operator_of((sam_operation)sum.operation, false)->monoid;
    if (!monoid->given || monoid->value || (fe_free_vars(r->s, x.a) >> (sum.var.v - 1) & 1))
        return e;
    x.b = sum.a;
    sum.a = distribute_call(r, fe_add_expr(r->s, x));
    return fe_add_expr(r->s, sum);
}

/* Returns whether joiners of e unite streams. An operation with one stream has no joiner: its operand
 * decides. */
static bool unites_streams(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_NEG || (x->kind == SAM_EXPR_CALL && !x->b.v && !x->program))
        return unites_streams(s, x->a);
    if (x->kind == SAM_EXPR_CALL && x->b.v && sam_expr_at(s, x->b)->kind == SAM_EXPR_LITERAL)
        return unites_streams(s, x->a);
    if (x->kind == SAM_EXPR_CALL && x->b.v && sam_expr_at(s, x->a)->kind == SAM_EXPR_LITERAL)
        return unites_streams(s, x->b);
    return sam_unites(s, e, NULL);
}

/* Moves `when` into an operation of one operand over a union: when(c, abs(a - b)) becomes abs(when(c, a) -
 * when(c, b)). */
static sam_expr pass_unary(rewrite *r, sam_expr e) {
    sam_expr_data x = *sam_expr_at(r->s, e), unary = *sam_expr_at(r->s, x.b);
    const bool call = unary.kind == SAM_EXPR_CALL && !unary.program && !unary.b.v;
    if ((unary.kind != SAM_EXPR_NEG && !(call && keeps_zero((sam_operation)unary.operation))) ||
        !unites_streams(r->s, unary.a))
        return e;
    x.b = unary.a;
    unary.a = distribute_call(r, fe_add_expr(r->s, x));
    return fe_add_expr(r->s, unary);
}

/* Moves a meeting operation into a uniting one, repeatedly. */
static sam_expr distribute_call(rewrite *r, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(r->s, e);
    sam_operation f, g;
    if (x.kind != SAM_EXPR_CALL || !operation_of(r->s, e, &f) || sam_unites(r->s, e, NULL) || is_full(r))
        return e;
    if (f == SAM_OPERATION_when && sam_expr_at(r->s, x.b)->kind == SAM_EXPR_SUM)
        return sink_when(r, e);
    for (uint32_t at = 0; at < 2 && r->calls; at++) {
        const sam_expr inner = at ? x.b : x.a, other = at ? x.a : x.b;
        if (!operation_of(r->s, inner, &g) || !distributes_over(f, at, g) || fe_has_sum(r->s, other) ||
            !unites_streams(r->s, inner) || !(fe_free_vars(r->s, inner) & fe_free_vars(r->s, other)))
            continue;
        sam_expr_data united = *sam_expr_at(r->s, inner), first = x, second = x;
        const sam_expr again = copy(r, other);
        *(at ? &first.b : &first.a) = united.a;
        *(at ? &second.b : &second.a) = united.b;
        *(at ? &second.a : &second.b) = again;
        united.a = distribute_call(r, fe_add_expr(r->s, first));
        united.b = distribute_call(r, fe_add_expr(r->s, second));
        return fe_add_expr(r->s, united);
    }
    return f == SAM_OPERATION_when && r->calls ? pass_unary(r, e) : e;
}

/* Returns the access with all variables of factor `at`, an operation over a union that no product distributes
 * over, with every other factor an intersection; else none. */
static sam_expr leading_factor(const rewrite *r, const fe_exprs *factors, uint32_t at) {
    const sam_statement *s = r->s;
    const sam_expr_data *x = sam_expr_at(s, factors->at[at]);
    sam_expr lead = {0};
    if (x->kind != SAM_EXPR_CALL || x->program || x->operation == SAM_OPERATION_times ||
        fe_has_sum(s, factors->at[at]) || !unites_streams(s, factors->at[at]))
        return lead;
    for (uint32_t i = 0; i < factors->len; i++) {
        const sam_expr f = factors->at[i];
        if (i == at)
            continue;
        if (fe_has_sum(s, f) || unites_streams(s, f))
            return (sam_expr){0};
        if (sam_expr_at(s, f)->kind == SAM_EXPR_ACCESS &&
            !(fe_free_vars(s, factors->at[at]) & ~fe_free_vars(s, f)))
            lead = f;
    }
    return lead;
}

/* Multiplies an operation over a union with its leading factor: A * abs(x - y) becomes A `times` abs(when(A,
 * x) - when(A, y)), whose operands are united. Expressions below `when` have no coordinate outside of A: the
 * union has A's coordinates. At a stored zero of A, the product is zero for any value of the rest. Returns
 * none if no factor is such an operation. */
static sam_expr lead_union(rewrite *r, const fe_exprs *factors, bool negative, src_loc loc) {
    for (uint32_t at = 0; at < factors->len && r->calls && !is_full(r); at++) {
        const sam_expr lead = leading_factor(r, factors, at);
        if (!lead.v)
            continue;
        fe_exprs others = {0};
        for (uint32_t i = 0; i < factors->len; i++) {
            if (i != at)
                vec_push(r->mem, &others, factors->at[i]);
        }
        const sam_expr mask = copy(r, lead),
                       masked = fe_add_call(r->s, loc, SAM_OPERATION_when, mask, factors->at[at]);
        const sam_expr united = distribute_call(r, masked), rest = product(r, &others, negative, loc);
        return fe_add_call(r->s, loc, SAM_OPERATION_times, rest, united);
    }
    return (sam_expr){0};
}

/* Below a mask that leads its operands nothing is united. */
static sam_expr distribute(rewrite *r, sam_expr e) {
    if (sam_expr_at(r->s, e)->b.v && sam_expr_at(r->s, e)->located)
        return e;
    const sam_expr_data x = with_operands(r, e, distribute);
    *sam_expr_at(r->s, e) = x;
    if (x.kind == SAM_EXPR_CALL)
        return distribute_call(r, e);
    if (x.kind != SAM_EXPR_MUL)
        return e;
    fe_exprs factors = {0};
    bool negative = collect_factors(r, e, &factors);
    const sam_expr led = lead_union(r, &factors, negative, x.loc);
    return led.v ? led : product(r, &factors, negative, x.loc);
}

/* ---- factors in front of sums ---------------------------------------------------------------- */

static sam_expr body_of_sums(const sam_statement *s, sam_expr sum, uint64_t *vars, sam_expr *last) {
    for (; sam_expr_at(s, sum)->kind == SAM_EXPR_SUM && !sam_expr_at(s, sum)->operation;
         sum = sam_expr_at(s, sum)->a) {
        *vars |= UINT64_C(1) << (sam_expr_at(s, sum)->var.v - 1);
        *last = sum;
    }
    return sum;
}

/* Moves factors without the sum's variables out of a sum, or out of nested sums. */
static sam_expr factor_sum(rewrite *r, sam_expr sum) {
    uint64_t vars = 0;
    if (sam_expr_at(r->s, sum)->operation)
        return sum;
    sam_expr last = {0}, body = body_of_sums(r->s, sum, &vars, &last);
    fe_exprs factors = {0}, inside = {0}, outside = {0};
    src_loc loc = sam_expr_at(r->s, body)->loc;
    bool negative = collect_factors(r, body, &factors);
    for (uint32_t i = 0; i < factors.len; i++) {
        sam_expr f = factors.at[i];
        bool stays = (fe_free_vars(r->s, f) & vars) || fe_has_sum(r->s, f);
        vec_push(r->mem, stays ? &inside : &outside, f);
    }
    if (!inside.len || !outside.len)
        return sum;
    sam_expr rest = product(r, &inside, negative, loc);
    sam_expr_at(r->s, last)->a = rest;
    vec_push(r->mem, &outside, sum);
    return product(r, &outside, false, loc);
}

static sam_expr factor(rewrite *r, sam_expr e, bool is_term) {
    sam_expr_data x = *sam_expr_at(r->s, e);
    bool sum = x.kind == SAM_EXPR_SUM;
    bool inside = !sum && (is_term || x.kind == SAM_EXPR_ADD || x.kind == SAM_EXPR_SUB);
    if (x.a.v)
        x.a = factor(r, x.a, inside);
    if (x.b.v)
        x.b = factor(r, x.b, inside);
    *sam_expr_at(r->s, e) = x;
    return sum && is_term ? factor_sum(r, e) : e;
}

/* Returns whether two expressions are the same, of operands alone. */
static bool is_twice(const sam_statement *s, sam_expr a, sam_expr b) {
    if (!a.v || !b.v)
        return a.v == b.v;
    const sam_expr_data *x = sam_expr_at(s, a), *y = sam_expr_at(s, b);
    bool same = x->kind == y->kind && x->operation == y->operation && x->kind != SAM_EXPR_SUM &&
                !x->program && !x->claim;
    if (same && x->kind == SAM_EXPR_LITERAL)
        return x->literal == y->literal;
    if (same && x->kind == SAM_EXPR_ACCESS) {
        same = x->tensor.v == y->tensor.v && x->outer_dense == y->outer_dense;
        for (uint32_t m = 0; same && m < sam_tensor_at(s, x->tensor)->order; m++)
            same = x->index[m].v == y->index[m].v && x->protocol[m] == y->protocol[m];
        return same;
    }
    return same && is_twice(s, x->a, y->a) && is_twice(s, x->b, y->b);
}

/* Replaces the product of a sum with itself by its square, unless joined with another factor. */
static void make_squares(sam_statement *s, sam_expr e, bool factor) {
    sam_expr_data *x = sam_expr_at(s, e);
    const bool product = x->kind == SAM_EXPR_MUL || x->kind == SAM_EXPR_DIV;
    if (x->kind == SAM_EXPR_MUL && !factor && is_twice(s, x->a, x->b) && sam_unites(s, x->a, NULL)) {
        x->kind = SAM_EXPR_CALL;
        x->operation = SAM_OPERATION_square;
        x->b = (sam_expr){0};
        s->general = true;
    }
    if (x->a.v)
        make_squares(s, x->a, product);
    if (x->b.v)
        make_squares(s, x->b, product);
}

/* Returns whether e adds or subtracts a constant, or subtracts from a constant. */
static bool is_shift(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB) &&
           (sam_expr_at(s, x->a)->kind == SAM_EXPR_LITERAL) !=
               (sam_expr_at(s, x->b)->kind == SAM_EXPR_LITERAL);
}

/* Lists the shifts by constants below functions, without a sum between. */
static void list_shifts(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (is_shift(s, e))
        vec_push(mem, out, e);
    if (x->kind != SAM_EXPR_ADD && x->kind != SAM_EXPR_SUB && x->kind != SAM_EXPR_NEG &&
        x->kind != SAM_EXPR_CALL)
        return;
    if (x->a.v)
        list_shifts(s, x->a, mem, out);
    if (x->b.v)
        list_shifts(s, x->b, mem, out);
}

/* Turns shifts below e into functions if e still has its fill without stored operands: relu(B - 3) is 0
 * there, though B - 3 has a value everywhere. An expression with a value everywhere is assumed to have the
 * fill without the constant, and the result's fill follows. */
static void make_shifts(sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    fe_exprs shifts = {0};
    if (x->kind == SAM_EXPR_CALL)
        list_shifts(s, e, s->mem, &shifts);
    const uint16_t fill = shifts.len ? sam_fill_of(s, e) : 0;
    for (uint32_t i = 0; i < shifts.len; i++) {
        sam_expr_data *shift = sam_expr_at(s, shifts.at[i]);
        shift->operation = shift->kind == SAM_EXPR_ADD ? SAM_OPERATION_add : SAM_OPERATION_sub;
        shift->kind = SAM_EXPR_CALL;
    }
    if (shifts.len && sam_fill_of(s, e) == fill)
        return;
    for (uint32_t i = 0; i < shifts.len; i++) {
        sam_expr_data *shift = sam_expr_at(s, shifts.at[i]);
        shift->kind = shift->operation == SAM_OPERATION_add ? SAM_EXPR_ADD : SAM_EXPR_SUB;
        shift->operation = 0;
    }
    if (x->a.v)
        make_shifts(s, x->a);
    if (x->b.v)
        make_shifts(s, x->b);
}

bool fe_distribute(sam_statement *s, bool calls, diagnostics *d) {
    rewrite r = {.s = s, .mem = s->mem, .calls = calls};
    s->unites = NULL; /* cached facts about expressions that change */
    make_squares(s, s->rhs, false);
    make_shifts(s, s->rhs);
    if (calls)
        fe_lead_masks(s);
    if (!s->integers)
        return true;
    s->rhs = distribute(&r, s->rhs);
    if (!is_full(&r))
        s->rhs = factor(&r, s->rhs, false);
    if (calls)
        fe_lead_masks(s); /* of masks that moved */
    if (!is_full(&r))
        return true;
    diag_unmappable(d, sam_tensor_at(s, s->result)->loc, "E0118-too-large",
                    "as a sum of products, which the chip needs, this has more than %d parts", FE_MAX_EXPRS);
    return diag_hint(d, "compute its sums in kernels of their own: precompute(EXPRESSION,{i},{i})");
}
