/* coordinate.c - the operand that stands for a scalar as a coordinate. */
#include "programs/coordinate.h"
#include "programs/read_back.h"

#include <math.h>

bool compile_make_coordinate(interpreter *m, const fe_step *step) {
    if (!m->reference && !compile_sync(m, step->coordinate.scalar, "a coordinate is its value"))
        return false;
    const tile_tensor *scalar = &m->of[step->coordinate.scalar].t,
                      *shape = &m->a->initial[step->coordinate.vector];
    const tile_dtype dtype = m->o->tensors.dtype;
    const double at = tile_scalar_value(dtype, scalar);
    if (!(at >= 0 && at < shape->dim[0] && at == floor(at))) {
        diag_error(m->ctx->diag, step->loc, "E0961-coordinate",
                   "%s is %.9g here, and coordinates are from 0 to %u",
                   names_text(m->ctx->names, scalar->name), at, (uint32_t)shape->dim[0] - 1);
        return false;
    }
    uint32_t coordinate = (uint32_t)at;
    uint16_t one = sam_literal_word(1, dtype == TILE_DTYPE_BF16);
    tile_tensor value = *shape;
    value.nnz = 1;
    value.crd = &coordinate;
    value.val = &one;
    compile_set_slot(&m->of[step->coordinate.vector], &value, shape, false);
    return true;
}
