/* stepped.c - loops of the host, one run after the other.
 *
 * A sum outside of the result's loops needs a reducer that holds the whole result, absent on the chip. The
 * host adds up the runs' results: a run with one coordinate of such a loop has nothing to reduce. If the loop
 * is outermost, and every operand with the loop is dense along it, the sub-tile of an operand is its block at
 * this coordinate, with its next level first: the graph needs no loop. Sums of products only: the result of
 * one of two addends is not in the sum of both.
 */
#include "frontend/lowering/stepped.h"
#include "frontend/language/statement.h"

bool fe_is_outermost(const sam_statement *s, sam_expr access, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, access);
    for (uint32_t l = 0; l < fe_level_of(s, access, v); l++) {
        if (!((s->stepped | s->single) >> (x->index[sam_tensor_at(s, x->tensor)->mode[l]].v - 1) & 1))
            return false;
    }
    return true;
}

/* Returns whether e is a product of accesses, under sums by addition. */
static bool is_product(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        return sam_tensor_at(s, x->tensor)->fill == 0;
    case SAM_EXPR_LITERAL:
        return true;
    case SAM_EXPR_SUM:
    case SAM_EXPR_NEG:
        return !x->operation && is_product(s, x->a);
    case SAM_EXPR_MUL:
        return is_product(s, x->a) && is_product(s, x->b);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
    case SAM_EXPR_NONE:
        break;
    }
    return false;
}

/* Returns whether all operands under e with v have a dense level along v, outermost except stepped ones. */
static bool dense_outside(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS && fe_has_index(s, e, v)) {
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        return fe_is_outermost(s, e, v) && t->level[fe_level_of(s, e, v)] == SAM_LEVEL_DENSE;
    }
    return (!x->a.v || dense_outside(s, x->a, v)) && (!x->b.v || dense_outside(s, x->b, v));
}

void fe_step_loops(sam_statement *s) {
    s->stepped = 0;
    for (uint32_t l = 0; l < s->loops.len && !s->general && is_product(s, s->rhs); l++) {
        const sam_var v = s->loops.at[l];
        if (sam_is_result_var(s, v) || !dense_outside(s, s->rhs, v))
            return;
        s->stepped |= UINT64_C(1) << (v.v - 1);
    }
}
