/* contract.h - the order of the sums of a product. */
#ifndef ONYX_AUTOSCHEDULE_CONTRACT_H
#define ONYX_AUTOSCHEDULE_CONTRACT_H

#include "kernel/kernel.h"

/* Returns the schedule that takes the sums of a kernel's product in sequence, each in its own kernel, in the
 * order with the fewest steps by the operands' entries and the loops' extents; NULL if a single kernel takes
 * few more steps. `another`: the best order with another first sum, NULL if the order takes many more steps.
 * O(sums! x factors). */
const char *compile_contraction(const compile_data *data, const fe_kernel *kernel, bool another, arena *mem);

#endif
