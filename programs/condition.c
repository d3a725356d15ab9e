/* condition.c - statements of scalars, and conditions, in whole numbers of 32 bits. Computed modulo 2^64 in
 * 64 bits; the reference computes these numbers itself. */
#include "programs/condition.h"
#include "sam/operators.h"
#include "tiling/wide.h"

#include <math.h>

static bool is_whole_operation(sam_operation op) {
    switch ((int)op) {
    case SAM_OPERATION_add:
    case SAM_OPERATION_sub:
    case SAM_OPERATION_mul:
    case SAM_OPERATION_neg:
    case SAM_OPERATION_div:
    case SAM_OPERATION_rem:
    case SAM_OPERATION_abs:
    case SAM_OPERATION_relu:
    case SAM_OPERATION_square:
    case SAM_OPERATION_max:
    case SAM_OPERATION_min:
    case SAM_OPERATION_eq:
    case SAM_OPERATION_ne:
    case SAM_OPERATION_lt:
    case SAM_OPERATION_le:
    case SAM_OPERATION_gt:
    case SAM_OPERATION_ge:
    case SAM_OPERATION_land:
    case SAM_OPERATION_lor:
        return true;
    default:
        return false;
    }
}

static bool is_whole(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind == SAM_EXPR_ACCESS && !sam_tensor_at(s, x->tensor)->order) ||
           (x->kind == SAM_EXPR_LITERAL && x->literal == nearbyint(x->literal)) ||
           (!x->program && x->kind != SAM_EXPR_SUM && is_whole_operation(sam_operation_of(x)) &&
            is_whole(s, x->a) && (!x->b.v || is_whole(s, x->b)));
}

/* Returns whether a statement or a condition of int16 has scalars, counts and numbers alone, and operations
 * of whole numbers. */
static bool is_whole_step(const fe_step *step) {
    const sam_statement *s = &step->statement;
    const bool computes = step->kind == FE_STEP_ASSIGN || (step->kind == FE_STEP_REPEAT && step->until);
    return computes && s->integers && !s->vars.len && is_whole(s, s->rhs);
}

static int64_t operand_of(const interpreter *m, const fe_use *use) {
    const tile_tensor *t = &m->of[use->shared].t;
    int64_t n = 0;
    if (!use->counts) /* words: statements align scales */
        return (int64_t)ldexp(tile_scalar_value(TILE_DTYPE_INT16, t), t->scale);
    for (uint64_t e = 0; e < t->nnz; e++)
        n += t->val[e] != t->fill;
    return n;
}

/* A comparison of two numbers compares their order with 0; a truth value is a word unequal to 0. */
static int64_t decide(sam_operation op, int64_t a, int64_t b) {
    const bool truth = op == SAM_OPERATION_land || op == SAM_OPERATION_lor;
    const int order = (a > b) - (a < b);
    return sam_operator_of(op, false)->apply(truth ? a != 0 : (uint16_t)order, truth ? b != 0 : 0);
}

/* Sums, differences and products wrap: casts to a signed type do with all compilers of the project. A
 * quotient by -1 is the negation, of the least number, too. */
static int64_t operate(sam_operation op, int64_t a, int64_t b) {
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch ((int)op) {
    case SAM_OPERATION_add:
        return (int64_t)(x + y);
    case SAM_OPERATION_sub:
        return (int64_t)(x - y);
    case SAM_OPERATION_mul:
        return (int64_t)(x * y);
    case SAM_OPERATION_square:
        return (int64_t)(x * x);
    case SAM_OPERATION_neg:
        return (int64_t)-x;
    case SAM_OPERATION_abs:
        return a < 0 ? (int64_t)-x : a;
    case SAM_OPERATION_div:
        return b == 0 ? 0 : b == -1 ? (int64_t)-x : a / b;
    case SAM_OPERATION_rem:
        return b == 0 ? a : b == -1 ? 0 : a % b;
    case SAM_OPERATION_relu:
        return a > 0 ? a : 0;
    case SAM_OPERATION_max:
        return a > b ? a : b;
    case SAM_OPERATION_min:
        return a < b ? a : b;
    default:
        return decide(op, a, b);
    }
}

static int64_t compute(const interpreter *m, const fe_step *step, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(&step->statement, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return operand_of(m, &step->use[x->tensor.v - 1]);
    if (x->kind == SAM_EXPR_LITERAL)
        return (int64_t)x->literal;
    return operate(sam_operation_of(x), compute(m, step, x->a), x->b.v ? compute(m, step, x->b) : 0);
}

/* Returns whether words of the program differ from their numbers without a wrap. */
static bool is_rounded(const interpreter *m) {
    bool rounded = m->o->tensors.scaled;
    for (uint32_t t = 0; t < m->a->program.tensors.len; t++)
        rounded = rounded || m->a->initial[t].rounded;
    return rounded;
}

void compile_widen(const interpreter *m, const fe_step *step, arena *mem, tile_tensor *value) {
    if (!is_whole_step(step))
        return;
    const double *original = tile_original(value);
    double *wide = arena_new(mem, double);
    uint16_t *word = arena_new(mem, uint16_t);
    double *exact = arena_new(mem, double);
    const int64_t whole = compute(m, step, step->statement.rhs);
    const double room = is_rounded(m) ? 0x1p15 : 0;
    *wide = (int32_t)(uint32_t)whole;
    *word = (uint16_t)(uint32_t)(int32_t)*wide;
    *exact = original && value->nnz ? *original : *wide;
    value->wrapped = room > 0 ? (double)whole != *wide || fabs(*exact - *wide) >= room : *exact != *wide;
    value->nnz = 1;
    value->val = value->original_as = word;
    value->original = exact;
    tile_set_wide(value, wide);
}

bool compile_condition_holds(const tile_tensor *value) {
    return tile_scalar_value(TILE_DTYPE_INT16, value) != 0; /* a word of bf16, too: -0 is not 0 on the chip */
}
