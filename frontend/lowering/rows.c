/* rows.c - reductions to one value by operations absent from the chip's reducer, cut into rows.
 *
 * The chip's accumulators combine vectors by operations absent from its reducer. a = max(i, e(i)) with i = i0
 * * n + i1 becomes x(i1) = max(i0, e(i0 * n + i1)), and the host combines the n values of x like results of
 * sub-tiles. n need not divide the extent of i. An idempotent operation takes the last coordinate, of every
 * operand, for each coordinate beyond the end, since a repeated value changes nothing; a sum of bfloat16,
 * which the reducer does not add, takes nothing there (fe_vanishes).
 */
#include "frontend/lowering/rows.h"
#include "frontend/language/relations.h"
#include "sam/operators.h"

/* Returns whether the array's operands can be cut along the loop: no access has the loop twice. */
static bool can_cut(const sam_statement *s, sam_var loop) {
    bool can = true;
    for (uint32_t e = 0; e < s->exprs.len && can; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        uint32_t times = 0;
        for (uint32_t m = 0; x->kind == SAM_EXPR_ACCESS && m < sam_tensor_at(s, x->tensor)->order; m++)
            times += x->index[m].v == loop.v;
        can = times < 2 && !x->program;
    }
    for (uint32_t t = 0; t < s->tensors.len && can; t++)
        can = !s->tensors.at[t].windowed && !s->tensors.at[t].blocked;
    return can;
}

bool fe_row_repeats(const sam_statement *s) {
    return sam_operator_of((sam_operation)sam_expr_at(s, s->rhs)->operation, !s->integers)->idempotent;
}

sam_var fe_row_loop(const fe_kernel *k) {
    const sam_statement *s = &k->s;
    const sam_expr_data *sum = sam_expr_at(s, s->rhs);
    const bool cut = sum->kind == SAM_EXPR_SUM && s->loops.len == 1 && !sam_tensor_at(s, s->result)->order &&
                     !k->relations.len && !k->tags.len && !k->ordered && !k->on_host &&
                     (fe_row_repeats(s) || (sum->operation == SAM_OPERATION_add && !s->integers)) &&
                     can_cut(s, sum->var);
    return cut ? sum->var : (sam_var){0};
}

void fe_cut_rows(const fe_kernel *k, arena *mem, fe_kernel *out) {
    *out = (fe_kernel){0};
    fe_copy_statement(&k->s, mem, &out->s);
    const sam_var loop = fe_row_loop(k);
    BUG_IF(!loop.v, "a kernel without rows is cut in rows");
    fe_split_loop(out, loop, k->s.rows);
}

uint32_t fe_row_extent(const fe_kernel *cut) {
    return sam_var_at(&cut->s, cut->relations.at[0].var[0])->extent;
}

void fe_keep_rows(const fe_kernel *cut, sam_statement *s) {
    const sam_var place = cut->relations.at[0].var[2];
    sam_expr_data *sum = sam_expr_at(s, s->rhs);
    const uint8_t operation = sum->operation;
    sam_tensor_data *result = sam_tensor_at(s, s->result);
    sum->a = sam_expr_at(s, sum->a)->a; /* formerly the sum over the places */
    result->view = (sam_view){.source = result->name, .merge = operation};
    result->view.from[0].divide = 1;
    result->view.from[0].modulo = cut->s.rows;
    result->order = 1;
    result->level[0] = SAM_LEVEL_COMPRESSED;
    result->mode[0] = 0;
    s->result_index[0] = place;
}
