/* wide.c - numbers of more than 16 bits that the host has. */
#include "tiling/wide.h"
#include "sam/operators.h"
#include "tiling/numbers.h"

#include <math.h>

sam_expr tile_inside_sums(const sam_statement *s) {
    sam_expr e = s->rhs;
    for (const sam_expr_data *x = sam_expr_at(s, e);
         x->kind == SAM_EXPR_SUM && x->operation == SAM_OPERATION_add; x = sam_expr_at(s, e))
        e = x->a;
    return e;
}

static bool is_wide_function(const sam_statement *s, const sam_expr_data *x) {
    const bool along = sam_takes_fiber(x) && !x->program->on_processor && !sam_tensor_at(s, s->result)->fill;
    return along && (x->program->places || (x->program->accumulates && s->integers));
}

bool tile_is_wide(const sam_statement *s, sam_expr inside, const tile_tensor *operand) {
    const sam_expr_data *x = sam_expr_at(s, inside);
    return is_wide_function(s, x) || (x->kind == SAM_EXPR_ACCESS && operand && tile_wide(operand));
}

bool tile_is_wide_alone(const sam_statement *s) {
    return is_wide_function(s, sam_expr_at(s, s->rhs));
}

double tile_wide_number(tile_dtype dtype, double x) {
    if (dtype == TILE_DTYPE_BF16 || !(fabs(x) < 0x1p53))
        return dtype == TILE_DTYPE_BF16 ? (double)(float)x : 0;
    const uint32_t low = (uint32_t)((uint64_t)(int64_t)x & UINT32_MAX);
    return low <= INT32_MAX ? (double)low : (double)low - 0x1p32;
}

void tile_set_wide(tile_tensor *t, const double *wide) {
    t->wide = wide;
    t->wide_as = t->val;
}

const double *tile_copy_wide(const tile_tensor *t, arena *mem) {
    double *wide = tile_wide(t) ? arena_new_n(mem, double, t->nnz + 1) : NULL;
    if (wide)
        memcpy(wide, t->wide, t->nnz * sizeof *wide);
    return wide;
}

void tile_widen(const sam_statement *s, const tile_operands *in, const tile_numbers *by, arena *mem,
                tile_tensor *out) {
    const sam_expr inside = tile_inside_sums(s);
    const sam_tensor access = sam_expr_at(s, inside)->tensor;
    if (out->fill || !tile_is_wide(s, inside, access.v ? &in->operand[access.v - 1] : NULL))
        return;
    double *wide = arena_new_n(mem, double, out->nnz + 1);
    for (uint64_t e = 0; e < out->nnz; e++) {
        const tile_number *number = &by->at[by->order[e]];
        wide[e] = tile_wide_number(in->dtype, number->magnitude);
        out->wide_wrapped += in->dtype == TILE_DTYPE_INT16 && (number->lost || wide[e] != number->magnitude);
    }
    tile_set_wide(out, wide);
}

void tile_match_width(tile_tensor *want, bool is_wide) {
    if (is_wide && tile_wide(want))
        want->wrapped = want->wide_wrapped;
    else
        want->wide = NULL;
}
