/* Computation of scalars by the chip's processor, with commands that combine two values each, and its
 * comparison of bf16. */
#include "programs/scalar.h"
#include "sam/operators.h"

#include <math.h>

static const compile_calc_row_of rows[] = {
    {SAM_OPERATION_add, CALC_OF_BOTH, 1, {{FW_OP_ADD, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_sub, CALC_OF_BOTH, 1, {{FW_OP_SUB, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_mul, CALC_OF_BOTH, 1, {{FW_OP_MUL, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_div, CALC_OF_BOTH, 1, {{FW_OP_DIV, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_min, CALC_OF_BOTH, 1, {{FW_OP_MIN, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_max, CALC_OF_BOTH, 1, {{FW_OP_MAX, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_smin, CALC_OF_INTEGERS, 1, {{FW_OP_MIN, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_smax, CALC_OF_INTEGERS, 1, {{FW_OP_MAX, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_or, CALC_OF_BOTH, 1, {{FW_OP_OR, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_and, CALC_OF_BOTH, 1, {{FW_OP_AND, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_land, CALC_OF_BOTH, 1, {{FW_OP_AND, CALC_FIRST, CALC_SECOND, 0}}}, /* of truths */
    {SAM_OPERATION_lor, CALC_OF_BOTH, 1, {{FW_OP_OR, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_lt, CALC_OF_BOTH, 1, {{FW_OP_LESS, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_le, CALC_OF_BOTH, 1, {{FW_OP_LESS_EQUAL, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_gt, CALC_OF_BOTH, 1, {{FW_OP_LESS, CALC_SECOND, CALC_FIRST, 0}}},
    {SAM_OPERATION_ge, CALC_OF_BOTH, 1, {{FW_OP_LESS_EQUAL, CALC_SECOND, CALC_FIRST, 0}}},
    {SAM_OPERATION_eq, CALC_OF_BOTH, 1, {{FW_OP_EQUAL, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_ne, CALC_OF_BOTH, 1, {{FW_OP_UNEQUAL, CALC_FIRST, CALC_SECOND, 0}}},
    {SAM_OPERATION_rem,
     CALC_OF_INTEGERS,
     3,
     {{FW_OP_DIV, CALC_FIRST, CALC_SECOND, 0},
      {FW_OP_MUL, CALC_SO_FAR, CALC_SECOND, 0},
      {FW_OP_SUB, CALC_FIRST, CALC_SO_FAR, 0}}},
    {SAM_OPERATION_neg, CALC_OF_INTEGERS, 1, {{FW_OP_MUL, CALC_FIRST, CALC_NUMBER, UINT16_MAX}}},
    {SAM_OPERATION_neg, CALC_OF_BF16, 1, {{FW_OP_MUL, CALC_FIRST, CALC_NUMBER, 0xbf80}}},
    {SAM_OPERATION_abs,
     CALC_OF_INTEGERS,
     2,
     {{FW_OP_MUL, CALC_FIRST, CALC_NUMBER, UINT16_MAX}, {FW_OP_MAX, CALC_FIRST, CALC_SO_FAR, 0}}},
    {SAM_OPERATION_abs, CALC_OF_BF16, 1, {{FW_OP_AND, CALC_FIRST, CALC_NUMBER, INT16_MAX}}},
    {SAM_OPERATION_relu, CALC_OF_BOTH, 1, {{FW_OP_MAX, CALC_FIRST, CALC_NUMBER, 0}}},
    {SAM_OPERATION_square, CALC_OF_BOTH, 1, {{FW_OP_MUL, CALC_FIRST, CALC_FIRST, 0}}}};

const compile_calc_row_of *compile_calc_row(const sam_statement *s, const sam_expr_data *x) {
    static const compile_calc_row_of root = {
        SAM_OPERATION_program, CALC_OF_BOTH, 1, {{FW_OP_ROOT, CALC_FIRST, CALC_FIRST, 0}}};
    const bool named = x->kind == SAM_EXPR_CALL;
    if (named && x->program && x->program->root)
        return &root;
    if ((named && x->program) || !x->a.v || x->kind == SAM_EXPR_SUM)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].operation == sam_operation_of(x) &&
            rows[i].type != (s->integers ? CALC_OF_BF16 : CALC_OF_INTEGERS))
            return &rows[i];
    }
    return NULL;
}

static uint16_t root_of(uint16_t of, bool fp) {
    const double x = sam_word_number(of, fp);
    return fp ? sam_literal_word(sqrt(x), true) : (uint16_t)sqrt(x > 0 ? x : 0);
}

uint16_t compile_calc_value(uint32_t how, bool fp, uint16_t a, uint16_t b) {
    static const sam_operation by[FW_OPS] = {
        [FW_OP_ADD] = SAM_OPERATION_add,  [FW_OP_SUB] = SAM_OPERATION_sub,
        [FW_OP_MUL] = SAM_OPERATION_mul,  [FW_OP_DIV] = SAM_OPERATION_div,
        [FW_OP_MIN] = SAM_OPERATION_min,  [FW_OP_MAX] = SAM_OPERATION_max,
        [FW_OP_OR] = SAM_OPERATION_or,    [FW_OP_AND] = SAM_OPERATION_and,
        [FW_OP_LESS] = SAM_OPERATION_lt,  [FW_OP_LESS_EQUAL] = SAM_OPERATION_le,
        [FW_OP_EQUAL] = SAM_OPERATION_eq, [FW_OP_UNEQUAL] = SAM_OPERATION_ne};
    return how == FW_OP_ROOT ? root_of(a, fp) : sam_operator_of(by[how], fp)->apply(a, b);
}

/* Returns whether an expression is a present value, a number, or made of both. */
static bool is_value(const fe_step *step, sam_expr e) {
    const sam_statement *s = &step->statement;
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return !step->use[x->tensor.v - 1].counts;
    return x->kind == SAM_EXPR_LITERAL ||
           (compile_calc_row(s, x) && is_value(step, x->a) && (!x->b.v || is_value(step, x->b)));
}

bool compile_is_calc(const fe_step *step) {
    return !step->statement.vars.len && is_value(step, step->statement.rhs);
}

/* ---- tests of bf16 ------------------------------------------------------------------------------ */

bool compile_holds_bf16(uint32_t holds, uint16_t now, uint16_t value) {
    static const sam_operation by[] = {
        [FW_TEST_LESS] = SAM_OPERATION_lt,
        [FW_TEST_EQUAL] = SAM_OPERATION_eq,
        [FW_TEST_GREATER] = SAM_OPERATION_gt,
        [FW_TEST_LESS | FW_TEST_EQUAL] = SAM_OPERATION_le,
        [FW_TEST_EQUAL | FW_TEST_GREATER] = SAM_OPERATION_ge,
        [FW_TEST_LESS | FW_TEST_GREATER] = SAM_OPERATION_ne,
    };
    return sam_operator_of(by[holds], true)->apply(now, value) != 0;
}

/* FW_OP_COMPARE makes -1, 0 or 1, or 2 if an operand is NaN: 2 is above every "less or equal"; "greater" is
 * "less" with exchanged operands. */
uint32_t compile_compare_bf16(uint32_t holds, uint32_t address, uint16_t value, fw_command *out) {
    const uint32_t to = compile_scratch_address(0);
    const bool turned = holds & FW_TEST_GREATER && !(holds & FW_TEST_LESS),
               or_equal = holds & FW_TEST_EQUAL && holds != FW_TEST_EQUAL;
    const uint32_t less = turned || or_equal ? FW_TEST_LESS : holds;
    uint32_t n = 0;
    if (turned) {
        out[n++] = FW_MAKE(calc, .op = FW_OP_SET, .number = 1, .to = to, .a = to, .b = value);
        out[n++] = FW_MAKE(calc, .op = FW_OP_COMPARE, .to = to, .a = to, .b = address);
    } else {
        out[n++] = FW_MAKE(calc, .op = FW_OP_COMPARE, .number = 1, .to = to, .a = address, .b = value);
    }
    out[n++] = FW_MAKE(test, .holds = less, .word = 1, .place = to, .words = 2, .value = or_equal);
    return n;
}
