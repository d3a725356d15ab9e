/* call.h - a statement computed by calls of a function of arrays: the host's computation of a kernel bound to
 * a function (fe_kernel.binding).
 */
#ifndef ONYX_TILING_CALL_H
#define ONYX_TILING_CALL_H

#include "sam/binding.h"
#include "tiling/each.h"

typedef struct {
    const sam_binding *by;
    const sam_statement *s;
    const tile_operands *named; /* operands by name */
    const uint32_t *extent;     /* of the statement's variables, by handle - 1 */
} tile_call_in;

/* Makes arrays of the operands, with the fill at absent places; calls the function once for each coordinate
 * of a fixed index and each tile of a cut index, on copies in the order of its pattern; adds up partial
 * sums. out has the values unequal to the result's fill, *work the number of values and calls. Numbers are
 * exact: a computation that may exceed 2^53 between operands and result is refused. Errors, exit 2:
 * E0322-everywhere for an array of more than 2^24 values, E0168-inexact. */
bool tile_call(const tile_call_in *in, arena *mem, diagnostics *d, tile_tensor *out, tile_each_work *work);

#endif
