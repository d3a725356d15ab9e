/* items.h - statements on dense tensors that the chip's processor computes by items of a list.
 */
#ifndef ONYX_PROGRAMS_ITEMS_H
#define ONYX_PROGRAMS_ITEMS_H

#include "programs/interpreter.h"

/* A statement of at most two loops, whose values are computed for all coordinates, stored or not. */
enum { COMPILE_DENSE_MODES = 2, COMPILE_DENSE_OPERANDS = 6 };
typedef struct {
    const sam_statement *s;
    sam_var var[COMPILE_DENSE_MODES];         /* the result's indices, then those that are reduced over */
    uint32_t vars, results;                   /* of all; of the result */
    sam_expr operand[COMPILE_DENSE_OPERANDS]; /* accesses, each operand's first one; of calls also numbers */
    uint32_t operands;
    sam_expr body; /* what is reduced, if anything is */
    uint32_t how;  /* by FW_OP_*; FW_OP_SET: nothing is */
    bool calls;    /* one of a function for each */
} compile_dense;

/* Finds whether a statement is made of dense tensors without a fill, of single values and numbers, by what
 * items compute, and by one reduction of it
 * */
bool compile_find_dense(const sam_statement *s, compile_dense *out);
/* Returns which index of the statement mode `m` of an access has; d->vars: none of them. */
uint32_t compile_dense_mode(const compile_dense *d, const sam_expr_data *access, uint32_t m);
/* Where such a statement computes: how far its indices run, a missing one to 1; values; where they begin in
 * the buffer, of each operand and of what is between, so many bytes from the one to the next; and where the
 * result's do, behind its length, how far its indices run, and how many values it has. */
typedef struct {
    uint32_t size[COMPILE_DENSE_MODES], n, inputs;
    uint32_t begin, each, bytes, to, result_size[COMPILE_DENSE_MODES], results, result_bytes;
} compile_layout;
/* Lists the items that compute it of the operands' blocks, which lie at in[], behind their lengths, and
 * returns the words that they make; NULL: there are too many of them. *between becomes how many places they
 * need besides. */
const uint16_t *compile_dense_items(const compile_dense *d, const compile_layout *y, const fw_segments *in,
                                    uint32_t glb, arena *mem, fw_items *items, uint32_t *between);

#endif
