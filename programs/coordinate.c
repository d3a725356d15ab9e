/* coordinate.c - operands that stand for scalars as coordinates, in slices and in shifts. */
#include "programs/coordinate.h"
#include "programs/read_back.h"

#include <math.h>

/* Finds what a bound is now, a whole number from `least` to `most`. E0961-coordinate. */
static bool find_bound(interpreter *m, const fe_step *step, fe_bound of, int32_t least, int32_t most,
                       int32_t *out) {
    const bool scalar = of.scalar != FE_NO_TENSOR;
    if (scalar && !m->reference && !compile_sync(m, of.scalar, "a coordinate is its value"))
        return false;
    const double at = scalar ? tile_scalar_value(m->o->tensors.dtype, &m->of[of.scalar].t) : of.number;
    const bool is = at >= least && at <= most && at == floor(at);
    *out = is ? (int32_t)at : 0;
    if (!is)
        diag_error(m->ctx->diag, step->loc, "E0961-coordinate", "%s is %.9g here, and coordinates are %s",
                   scalar ? names_text(m->ctx->names, m->of[of.scalar].t.name) : "the coordinate", at,
                   most < INT32_MAX ? arena_printf(m->ctx->mem, "from 0 to %d", most)
                   : least == 0     ? "whole numbers from 0"
                                    : "whole numbers");
    return is;
}

/* Adds the coordinates of the ones. */
static bool add_ones(interpreter *m, const fe_step *step, const tile_tensor *shape, u32_vec *crd) {
    const fe_placing *p = &step->coordinate;
    const bool matrix = shape->order == 2, point = !matrix && !p->ranges;
    const int64_t extent = shape->dim[matrix];
    int32_t low, high;
    if (!find_bound(m, step, p->low, p->shifts ? INT32_MIN : 0, point ? (int32_t)extent - 1 : INT32_MAX,
                    &low) ||
        !find_bound(m, step, p->high, 0, INT32_MAX, &high))
        return false;
    const int64_t begin = p->minus ? -(int64_t)low : low, end = point           ? begin + 1
                                                                : high < extent ? high
                                                                                : extent;
    for (int64_t i = matrix ? 0 : begin; i < (matrix ? (int64_t)shape->dim[0] : end); i++) {
        const int64_t k = matrix ? begin + i * p->along : i;
        if (k < 0 || k >= end)
            continue;
        if (matrix)
            vec_push(m->ctx->mem, crd, (uint32_t)i);
        vec_push(m->ctx->mem, crd, (uint32_t)k);
    }
    return true;
}

bool compile_make_coordinate(interpreter *m, const fe_step *step) {
    const tile_tensor *shape = &m->a->initial[step->coordinate.tensor];
    u32_vec crd = {0};
    if (!add_ones(m, step, shape, &crd))
        return false;
    tile_tensor value = *shape;
    value.nnz = crd.len / shape->order;
    value.crd = crd.at;
    uint16_t *val = arena_new_n(m->ctx->mem, uint16_t, value.nnz + 1);
    for (uint64_t e = 0; e < value.nnz; e++)
        val[e] = sam_literal_word(1, m->o->tensors.dtype == TILE_DTYPE_BF16);
    value.val = val;
    compile_set_slot(&m->of[step->coordinate.tensor], &value, shape, false);
    return true;
}
