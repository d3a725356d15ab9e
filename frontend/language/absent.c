/* absent.c - functions of files, equal to their fill wherever an argument is stored.
 *
 * The author of a function may say {x != 0} & ~{y != 0}. No joiner of the chip takes what an operand lacks,
 * so by the operations a loop that y has visits what x stores, and all that x stores inside of it. Where y
 * has fewer loops than the rest, whole rows are visited that have no value. So the call becomes
 *
 *     when(y is its fill, f(x, fill of y) ^ fill of f) ^ fill of f
 *
 * of an operand of ones that the host makes of where y is its fill, or that profile onyx-ext makes of what
 * its joiner finds y to lack. It is the same at each point: where y is its fill, f takes that, and elsewhere
 * the point is outside of the author's set, which was checked on values. Of integers only: a zero of bfloat16
 * has a sign, which an addition that is left out would have changed.
 */
#include "frontend/language/absent.h"
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"

enum { MOST_TERMS = 512 };

/* Bit a of the result: the algebra includes the point at which exactly the arguments with a bit of a differ
 * from their tested values. */
static uint64_t points_of(const char *algebra) {
    uint64_t stack[MOST_TERMS];
    uint32_t n = 0;
    for (const char *term = algebra; *term; term++) {
        BUG_IF(n == MOST_TERMS, "the algebra %s", algebra);
        if (*term == '~') {
            stack[n - 1] = ~stack[n - 1];
        } else if (*term == '|' || *term == '&') {
            n--;
            stack[n - 1] = *term == '|' ? stack[n - 1] | stack[n] : stack[n - 1] & stack[n];
        } else {
            stack[n] = *term == '*' ? UINT64_MAX : 0;
            for (uint32_t a = 0; *term != '*' && a < 64; a++)
                stack[n] |= (uint64_t)(a >> (*term - '0') & 1) << a;
            n++;
        }
    }
    return stack[0];
}

static bool is_number(const sam_statement *s, sam_expr e) {
    return sam_expr_at(s, e)->kind == SAM_EXPR_LITERAL;
}

static bool is_zero(const sam_statement *s, sam_expr e) {
    return is_number(s, e) && sam_expr_at(s, e)->literal == 0;
}

static uint16_t word_of(const sam_statement *s, sam_expr e) {
    return sam_literal_word(sam_expr_at(s, e)->literal, !s->integers);
}

/* Simplifies an operation with a number as a new operand: the number must not give values at other points
 * than before. Returns 0 if impossible. */
static sam_expr simpler(sam_statement *s, sam_expr_data x) {
    const bool a = is_number(s, x.a), b = !x.b.v || is_number(s, x.b), call = x.kind == SAM_EXPR_CALL;
    const sam_operation f = sam_operation_of(&x);
    if (a && b)
        return fe_add_literal(
            s, x.loc,
            sam_apply(sam_operator_of(f, !s->integers), word_of(s, x.a), x.b.v ? word_of(s, x.b) : 0));
    if ((x.kind == SAM_EXPR_ADD || f == SAM_OPERATION_or || f == SAM_OPERATION_xor) && is_zero(s, x.a))
        return x.b;
    if ((x.kind == SAM_EXPR_ADD || x.kind == SAM_EXPR_SUB || f == SAM_OPERATION_or ||
         f == SAM_OPERATION_xor) &&
        x.b.v && is_zero(s, x.b))
        return x.a;
    if (x.kind == SAM_EXPR_SUB && is_zero(s, x.a))
        return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = x.loc, .a = x.b});
    if (a && (f == SAM_OPERATION_when || f == SAM_OPERATION_unless))
        return is_zero(s, x.a) == (f == SAM_OPERATION_unless) ? x.b : fe_add_literal(s, x.loc, 0);
    return call ? fe_add_expr(s, x) : (sam_expr){0};
}

typedef struct {
    sam_statement *s;
    const sam_claim *claim;
    uint32_t absent; /* bits of parameters */
} substitution;

/* Returns e, an instance of the claim's `value`, with the fill in place of each argument assumed absent; 0 if
 * impossible. Subexpressions without such an argument stay. */
static sam_expr put(const substitution *by, sam_expr value, sam_expr e) {
    const sam_expr_data *of = sam_expr_at(&by->claim->s, value);
    sam_expr_data x = *sam_expr_at(by->s, e);
    if (of->kind == SAM_EXPR_ACCESS) {
        const uint32_t p = of->tensor.v - 1;
        return by->absent >> p & 1 ? fe_add_literal(by->s, x.loc, by->claim->of.tested[p]) : e;
    }
    if (of->kind == SAM_EXPR_LITERAL)
        return e;
    const sam_expr a = put(by, of->a, x.a), b = of->b.v ? put(by, of->b, x.b) : x.b;
    if (!a.v || (of->b.v && !b.v) || (x.program && (a.v != x.a.v || b.v != x.b.v)))
        return (sam_expr){0};
    if (a.v == x.a.v && b.v == x.b.v)
        return e;
    x.a = a;
    x.b = b;
    return simpler(by->s, x);
}

/* Returns whether the argument is a tensor whose absence saves work: other tensors in e have more loops. */
static bool may_be_absent(const sam_statement *s, sam_expr e, sam_expr argument, uint16_t tested) {
    const sam_expr_data *x = sam_expr_at(s, argument);
    const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
    return t && t->order && !t->structure && !t->windowed && t->fill == tested &&
           (sam_vars_of(s, e) & ~sam_vars_of(s, argument)) != 0;
}

/* Returns the bits of the value's parameters. */
static uint32_t parameters_in(const sam_statement *s, sam_expr value) {
    const sam_expr_data *x = sam_expr_at(s, value);
    if (x->kind == SAM_EXPR_ACCESS)
        return 1u << (x->tensor.v - 1);
    return (x->a.v ? parameters_in(s, x->a) : 0) | (x->b.v ? parameters_in(s, x->b) : 0);
}

/* Makes the author's claim about the function with the fill in place of absent arguments: no point has
 * them. */
static const sam_claim *claim_of_rest(const sam_claim *by, uint32_t absent, arena *mem) {
    sam_claim *rest = arena_new(mem, sam_claim);
    const char *algebra = "";
    *rest = *by;
    rest->s.mem = mem;
    rest->s.exprs.at = NULL;
    rest->s.exprs.len = rest->s.exprs.cap = 0;
    for (uint32_t e = 0; e < by->s.exprs.len; e++)
        vec_push(mem, &rest->s.exprs, by->s.exprs.at[e]);
    rest->value = put(&(substitution){&rest->s, by, absent}, by->value, by->value);
    for (const char *term = by->of.algebra; *term; term++) {
        const bool never = *term >= '0' && *term <= '9' && (absent >> (*term - '0') & 1);
        algebra = never ? arena_printf(mem, "%s*~", algebra) : arena_printf(mem, "%s%c", algebra, *term);
    }
    rest->of.algebra = algebra;
    return rest;
}

sam_expr fe_leave_absent(sam_statement *s, sam_expr e) {
    const sam_claim *by = sam_expr_at(s, e)->claim;
    const src_loc loc = sam_expr_at(s, e)->loc;
    sam_expr argument[SAM_MAX_ARGUMENTS];
    if (!by->of.algebra || !s->integers || !sam_claimed_arguments(s, e, argument))
        return e;
    const uint64_t points = points_of(by->of.algebra);
    const uint16_t outside = sam_compute(&by->s, by->value, by->of.tested);
    substitution put_in = {s, by, 0};
    for (uint32_t p = 0; p < by->parameters && !(points & 1); p++) {
        if (is_number(s, argument[p]))
            return e;
        bool ever = false; /* computed where unequal to its tested value */
        for (uint32_t a = 0; a < 1u << by->parameters; a++)
            ever = ever || ((a >> p & 1) && (points >> a & 1));
        put_in.absent |= (uint32_t)(!ever && may_be_absent(s, e, argument[p], by->of.tested[p])) << p;
    }
    /* The mask around takes its fill, turned into `outside` by this mask. */
    if (!put_in.absent || !points || sam_fill_of(s, e) != outside)
        return e;
    const sam_claim *rest = claim_of_rest(by, put_in.absent, s->mem);
    if (!rest->value.v || parameters_in(&rest->s, rest->value) != (1u << by->parameters) - 1 - put_in.absent)
        return e;
    sam_expr present = put(&put_in, by->value, e);
    BUG_IF(!present.v, "what can be put into a function can be put into its call");
    if (sam_expr_at(&rest->s, rest->value)->kind != SAM_EXPR_ACCESS)
        sam_expr_at(s, present)->claim = rest;
    if (outside)
        present = fe_add_call(s, loc, SAM_OPERATION_xor, present, fe_add_literal(s, loc, outside));
    for (uint32_t p = 0; p < by->parameters; p++) {
        if (put_in.absent >> p & 1)
            present = fe_add_call(s, loc, SAM_OPERATION_when,
                                  fe_made_of(s, argument[p], (fe_made){.structure = SAM_FILLED}), present);
    }
    if (outside)
        present = fe_add_call(s, loc, SAM_OPERATION_xor, present, fe_add_literal(s, loc, outside));
    return s->exprs.len < FE_MAX_EXPRS ? present : e;
}
