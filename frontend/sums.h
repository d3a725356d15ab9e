/* sums.h - a kernel as several, so that each combines by one operation only. */
#ifndef ONYX_FE_SUMS_H
#define ONYX_FE_SUMS_H

#include "frontend/frontend.h"

/* Gives every sum inside of the expression a kernel and a workspace of its own, also where that is a scalar;
 * equal ones share it. Then each kernel has sums around its whole right side only, all by one operation.
 * Returns false where there are none, and where the schedule splits loops or copies them. O(expressions^2).
 */
bool fe_stage_sums(const fe_kernel *k, arena *mem, fe_cin *out);

#endif
