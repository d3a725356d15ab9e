/* contract.h - in which order the sums of a product are taken.
 */
#ifndef ONYX_AUTOSCHEDULE_CONTRACT_H
#define ONYX_AUTOSCHEDULE_CONTRACT_H

#include "kernel/kernel.h"

/* Returns the schedule that takes sums of a kernel's product one after the other, each in a kernel of its
 * own, in the order of the fewest steps that can be told from how many entries the operands have and how far
 * the loops run; NULL where one kernel for all is not expected to take many more. O(sums! x factors). */
const char *compile_contraction(const compile_data *data, const fe_kernel *kernel, arena *mem);

#endif
