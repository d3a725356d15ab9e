/* loosen.h - a kernel in whole loops, without what a schedule says of split loops and copies. */
#ifndef ONYX_FRONTEND_LOOSEN_H
#define ONYX_FRONTEND_LOOSEN_H

#include "frontend/language/cin.h"

/* Makes the same kernel with one loop for each of its variables: relations and tags are gone, extents that
 * relations state stay. With `ordered` the loop of a variable stands where the first of its loops stood, and
 * variables whose loops were fused follow each other; else the loops are in the default order, which is open.
 * Tensors in blocks get the formats of their outer levels. */
void fe_loosen(const fe_kernel *k, bool ordered, arena *mem, fe_kernel *out);
/* Returns where the schedule first says something of the kernel's loops; nowhere if nothing is said. */
src_loc fe_first_command(const fe_kernel *k);

#endif
