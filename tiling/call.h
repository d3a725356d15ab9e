/* call.h - a statement computed by calls of a function of arrays: what the host does for a kernel that is
 * bound to one (fe_kernel.binding).
 */
#ifndef ONYX_TILING_CALL_H
#define ONYX_TILING_CALL_H

#include "sam/binding.h"
#include "tiling/each.h"

typedef struct {
    const sam_binding *by;
    const sam_statement *s;
    const tile_operands *named; /* operands are found in it by name */
    const uint32_t *extent;     /* of the statement's variables, by handle - 1 */
} tile_call_in;

/* Makes arrays of the operands, with the fill where nothing is stored; calls the function once for each
 * coordinate of a fixed index and each part of one that is cut, on copies that lie as its pattern says; adds
 * up parts of sums. out has what is not the result's fill, *work how many values and calls. Numbers are
 * exact: what may pass 2^53 between operands and result is refused. Errors, exit 2: E0322-everywhere where an
 * array has more than 2^24 values, E0168-inexact. */
bool tile_call(const tile_call_in *in, arena *mem, diagnostics *d, tile_tensor *out, tile_each_work *work);

#endif
