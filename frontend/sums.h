/* sums.h - a kernel as several, so that each combines by one operation only, or joins in one way. */
#ifndef ONYX_FE_SUMS_H
#define ONYX_FE_SUMS_H

#include "frontend/frontend.h"

/* Which parts get kernels: sums inside of the expression, after which each kernel has sums around its whole
 * right side only, all by one operation; operations that unite inside of one that does not; or both. */
typedef enum { FE_PARTS_SUMS, FE_PARTS_UNIONS, FE_PARTS_BOTH, FE_PARTS_KINDS } fe_parts;
/* Gives each such part a kernel and a workspace of its own, also where that is a scalar; equal ones share it.
 * Returns false where there are none, and where the schedule splits loops or copies them. O(expressions^2).
 */
bool fe_stage_parts(const fe_kernel *k, fe_parts parts, arena *mem, fe_cin *out);

#endif
