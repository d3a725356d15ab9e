/* scalar.h - statements of scalars computed by the chip's processor between the batches of a list. */
#ifndef ONYX_PROGRAMS_SCALAR_H
#define ONYX_PROGRAMS_SCALAR_H

#include "programs/interpreter.h"
#include "sam/operators.h"

/* An operation as commands that combine two values: its operands, the previous command's value, or a number.
 */
typedef struct {
    uint32_t how; /* FW_OP_* */
    enum { CALC_FIRST, CALC_SECOND, CALC_SO_FAR, CALC_NUMBER, CALC_OPERANDS } a, b;
    uint16_t number;
} compile_made_of;
enum { COMPILE_MADE_MOST = 3 };
typedef struct {
    sam_operation operation;
    enum { CALC_OF_BOTH, CALC_OF_INTEGERS, CALC_OF_BF16 } type;
    uint32_t n;
    compile_made_of command[COMPILE_MADE_MOST];
} compile_calc_row_of;
/* Returns the commands of an expression's operation, or NULL where the processor has none. */
const compile_calc_row_of *compile_calc_row(const sam_statement *s, const sam_expr_data *x);
/* Returns the result of FW_OP_* for two numbers. */
uint16_t compile_calc_value(uint32_t how, bool fp, uint16_t a, uint16_t b);
/* Returns place `i` at the end of the scratch area, for intermediate values. */
static inline uint32_t compile_scratch_address(uint32_t i) {
    return FW_SCRATCH | (FW_SCRATCH_END - FW_SCRATCH_OFFSET - 4 * (i + 1));
}
/* Returns whether the processor can compute a statement of scalars, by commands that combine two values each.
 */
bool compile_is_calc(const fe_step *step);
/* Adds the statement to the processor's list, after the host has found the value; *left is the chip's result,
 * in the arena of `ctx`. Returns false if impossible now. */
bool compile_enqueue_scalar(interpreter *m, compile_context *ctx, compile_statement_plan *plan,
                            const tile_tensor *value, compile_resident **resident);
/* Returns whether the comparison of two bf16 holds, of one or two bits of FW_TEST_*. */
bool compile_holds_bf16(uint32_t holds, uint16_t now, uint16_t value);
/* Makes the commands by which the processor compares a bf16 on the chip with another; the last command is the
 * test. Returns their number. */
enum { COMPILE_COMPARE_COMMANDS = 3 };
uint32_t compile_compare_bf16(uint32_t holds, uint32_t address, uint16_t value, fw_command *out);

#endif
