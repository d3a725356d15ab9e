/* commands.h - statements on dense tensors computed by the chip's processor with list commands. */
#ifndef ONYX_PROGRAMS_COMMANDS_H
#define ONYX_PROGRAMS_COMMANDS_H

#include "programs/interpreter.h"

/* A statement of at most two loops, whose values are computed for all coordinates, stored or not. */
enum { COMPILE_DENSE_MODES = 2, COMPILE_DENSE_OPERANDS = 6 };
typedef struct {
    const sam_statement *s;
    sam_var var[COMPILE_DENSE_MODES];         /* the result's indices, then the reduced indices */
    uint32_t vars, results;                   /* of all; of the result */
    sam_expr operand[COMPILE_DENSE_OPERANDS]; /* accesses, the first per operand; for calls also numbers */
    uint32_t operands;
    sam_expr body; /* the reduced expression, if any */
    uint32_t how;  /* by FW_OP_*; FW_OP_SET: nothing is */
    bool calls;    /* a call of a function for each coordinate */
} compile_dense;

/* Finds whether a statement has only dense tensors without a fill, single values and numbers, operations of
 * commands, and at most one reduction */
bool compile_find_dense(const sam_statement *s, compile_dense *out);
/* Returns the statement's index of mode `m` of an access; d->vars: none. */
uint32_t compile_dense_mode(const compile_dense *d, const sam_expr_data *access, uint32_t m);
/* Layout of a statement's computation: extents of its indices, 1 for a missing one; number of values;
 * beginnings in the buffer of each operand and each intermediate, `each` bytes apart; the beginning of the
 * result, after its length, with its extents and its number of values. */
typedef struct {
    uint32_t size[COMPILE_DENSE_MODES], n, inputs;
    uint32_t begin, each, bytes, to, result_size[COMPILE_DENSE_MODES], results, result_bytes;
} compile_layout;
/* Lists the commands that compute the statement from the operands' blocks, which lie at in[], after their
 * lengths, and returns the result words; NULL: too many commands. *between becomes the number of places for
 * intermediates. */
const uint16_t *compile_dense_commands(const compile_dense *d, const compile_layout *y, const fw_segments *in,
                                       uint32_t glb, arena *mem, fw_commands *commands, uint32_t *between);

#endif
