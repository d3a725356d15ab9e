/* unroll.h - copies of loop bodies in a graph. */
#ifndef ONYX_FRONTEND_UNROLL_H
#define ONYX_FRONTEND_UNROLL_H

#include "frontend/language/cin.h"

/* Gives the body of each tagged loop the number of copies in its tag, with parallelizers before and
 * serializers after them. `in` is the kernel's graph. E0149-not-lowered. */
bool fe_unroll(const fe_kernel *k, const sam_graph *in, arena *mem, diagnostics *d, sam_graph *out);

#endif
