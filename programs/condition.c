/* condition.c - conditions that count values, of which there may be more than a word says: computed in double
 * precision, which is exact for whole numbers of 53 bits. The reference has such a number by itself. */
#include "programs/condition.h"
#include "sam/operators.h"

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
    return x->kind == SAM_EXPR_ACCESS || x->kind == SAM_EXPR_LITERAL ||
           (!x->program && x->kind != SAM_EXPR_SUM && is_whole_operation(sam_operation_of(x)) &&
            is_whole(s, x->a) && (!x->b.v || is_whole(s, x->b)));
}

bool compile_is_counted(const fe_step *step) {
    const sam_statement *s = &step->statement;
    bool counts = false;
    if (step->kind != FE_STEP_REPEAT || !step->until || !s->integers)
        return false;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        counts = counts || step->use[t].counts;
    return counts && is_whole(s, s->rhs);
}

static double operand_of(const machine *m, const fe_use *use) {
    const tile_tensor *t = &m->of[use->shared].t;
    double n = 0;
    if (!use->counts)
        return (int16_t)(t->nnz ? t->val[0] : t->fill);
    for (uint64_t e = 0; e < t->nnz; e++)
        n += t->val[e] != t->fill;
    return n;
}

/* A comparison of two numbers is one of their order with 0, and words say whether one is not 0. */
static double decide(sam_operation op, double a, double b) {
    const bool truth = op == SAM_OPERATION_land || op == SAM_OPERATION_lor;
    const int order = (a > b) - (a < b);
    return sam_operator_of(op, false)->apply(truth ? a != 0 : (uint16_t)order, truth ? b != 0 : 0);
}

static double operate(sam_operation op, double a, double b) {
    switch ((int)op) {
    case SAM_OPERATION_add:
        return a + b;
    case SAM_OPERATION_sub:
        return a - b;
    case SAM_OPERATION_mul:
        return a * b;
    case SAM_OPERATION_neg:
        return -a;
    case SAM_OPERATION_div:
        return b == 0 ? 0 : trunc(a / b);
    case SAM_OPERATION_rem:
        return b == 0 ? a : fmod(a, b);
    case SAM_OPERATION_abs:
        return fabs(a);
    case SAM_OPERATION_max:
        return fmax(a, b);
    case SAM_OPERATION_min:
        return fmin(a, b);
    default:
        return decide(op, a, b);
    }
}

static double compute(const machine *m, const fe_step *step, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(&step->statement, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return operand_of(m, &step->use[x->tensor.v - 1]);
    if (x->kind == SAM_EXPR_LITERAL)
        return x->literal;
    return operate(sam_operation_of(x), compute(m, step, x->a), x->b.v ? compute(m, step, x->b) : 0);
}

bool compile_condition_holds(const machine *m, const fe_step *step, const tile_tensor *value) {
    const double *number = tile_given(value);
    if (compile_is_counted(step))
        return (m->reference && number && value->nnz ? number[0] : compute(m, step, step->statement.rhs)) !=
               0;
    return (value->nnz ? value->val[0] : value->fill) != 0;
}
