/* autoschedule.h - choices that the user leaves open, by the chip's predicted time: the interface for other
 * rooms. */
#ifndef ONYX_AUTOSCHEDULE_H
#define ONYX_AUTOSCHEDULE_H

#include "autoschedule/blocks.h"
#include "autoschedule/choose.h"
#include "autoschedule/parts.h"

/* Returns formats, as -f says them, with which a kernel fits that was refused as too large: of those with the
 * fewest dense levels more, and one more than these, the ones expected to take the fewest cycles; none where
 * no format helps. O(product of the orders) lowerings. */
text_vec compile_find_fitting(const compile_options *o, compile_context *ctx, const compile_kernel *k);

/* Returns whether zero times every value is zero: a dense operand has zeros in place of absent entries. */
bool compile_are_finite(const tile_operands *all);

#endif
