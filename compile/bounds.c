/* bounds.c - a bound on the results of a statement, so that most statements need no reference to show that
 * int16 holds them.
 *
 * A sum has at most as many addends as a factor stores entries in its longest fiber along the index of the
 * sum. Linear in the entries of the operands, for each sum and access.
 */
#include "compile/typing.h"

#include <math.h>

enum { COUNTED_MOST = 1 << 16 };

/* Entries of the longest fiber along the last mode: entries are sorted by their coordinates. */
static uint64_t longest_row(const tile_tensor *t) {
    uint64_t longest = 0, length = 0;
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *at = t->crd + e * t->order;
        const bool goes_on = e && memcmp(at, at - t->order, (t->order - 1) * sizeof *at) == 0;
        length = goes_on ? length + 1 : 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Entries of a matrix's longest column; UINT64_MAX where a count of each column would take much memory. */
static uint64_t longest_column(const tile_tensor *t) {
    arena scratch = {0};
    uint64_t longest = 0;
    if (t->dim[1] > t->nnz && t->dim[1] > COUNTED_MOST)
        return UINT64_MAX;
    uint32_t *counts = arena_new_n(&scratch, uint32_t, t->dim[1] + 1u);
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t count = ++counts[t->crd[2 * e + 1]];
        longest = count > longest ? count : longest;
    }
    arena_free(&scratch);
    return longest;
}

static uint64_t longest_fiber(const tile_tensor *t, uint32_t mode) {
    return mode + 1 == t->order         ? longest_row(t)
           : t->order == 2 && mode == 0 ? longest_column(t)
                                        : UINT64_MAX;
}

/* Returns the longest fiber of an access along `var`; UINT64_MAX: unknown, or coordinates of `over`, as bits
 * of variables, are united. */
static uint64_t fiber_of_access(const sam_statement *s, const compile_data *data, sam_expr e, sam_var var,
                                uint64_t over) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const tile_tensor *t = &data->operands.operand[x->tensor.v - 1];
    const uint32_t order = sam_tensor_at(s, x->tensor)->order;
    uint32_t mode = 0, times = 0;
    for (uint32_t m = 0; m < order; m++) {
        mode = x->index[m].v == var.v ? m : mode;
        times += x->index[m].v == var.v;
    }
    return times != 1 || sam_vars_of(s, e) & over || t->order != order || sam_tensor_at(s, x->tensor)->fill
               ? UINT64_MAX
               : longest_fiber(t, mode);
}

/* Returns a bound on the coordinates of `var` at which an expression differs from 0, for any coordinates of
 * the other variables outside of `over`. */
static uint64_t addends(const sam_statement *s, const compile_data *data, sam_expr e, sam_var var,
                        uint64_t over) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const uint64_t all = data->extent[var.v - 1];
    if (x->kind == SAM_EXPR_ACCESS) {
        const uint64_t fiber = fiber_of_access(s, data, e, var, over);
        return fiber < all ? fiber : all;
    }
    if (x->kind == SAM_EXPR_SUM)
        return addends(s, data, x->a, var, over | UINT64_C(1) << (x->var.v - 1));
    if (x->kind == SAM_EXPR_NEG)
        return addends(s, data, x->a, var, over);
    if (x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_ADD && x->kind != SAM_EXPR_SUB)
        return all;
    const uint64_t a = addends(s, data, x->a, var, over), b = addends(s, data, x->b, var, over);
    if (x->kind == SAM_EXPR_MUL)
        return a < b ? a : b;
    return a + b < all ? a + b : all;
}

/* Returns the largest absolute value that an access loads: of a border or a chained tensor, too. */
static double largest_value(const typing *t, const sam_statement *st, const compile_data *data,
                            sam_tensor tensor) {
    const tile_tensor *loaded = &data->operands.operand[tensor.v - 1];
    double most = 1;
    for (uint64_t e = 0; e < loaded->nnz; e++)
        most = fmax(most, fabs((double)(int16_t)loaded->val[e]));
    for (uint32_t i = 0; i < t->facts.len; i++) {
        if (name_eq(t->facts.at[i].name, sam_user_name(sam_tensor_at(st, tensor))))
            most = fmax(most, t->facts.at[i].largest);
    }
    return most;
}

static double bound(const typing *t, const sam_statement *st, const compile_data *data, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(st, e);
    const bool call = x->kind == SAM_EXPR_CALL;
    const double a = x->a.v ? bound(t, st, data, x->a) : 0, b = x->b.v ? bound(t, st, data, x->b) : 0;
    if (x->kind == SAM_EXPR_LITERAL)
        return fabs(x->literal);
    if (x->kind == SAM_EXPR_ACCESS)
        return sam_tensor_at(st, x->tensor)->fill ? (double)INFINITY : largest_value(t, st, data, x->tensor);
    if (x->kind == SAM_EXPR_SUM)
        return x->operation == SAM_OPERATION_add ? a * fmax(1, (double)addends(st, data, x->a, x->var, 0))
                                                 : (double)INFINITY;
    if (x->kind == SAM_EXPR_MUL)
        return a * b;
    return call ? (double)INFINITY : a + b;
}

double typing_bound(const typing *t, const sam_statement *st, const compile_data *data) {
    return bound(t, st, data, st->rhs);
}
