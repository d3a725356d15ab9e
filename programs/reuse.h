/* reuse.h - sums that an earlier statement of the same block has computed. */
#ifndef ONYX_PROGRAMS_REUSE_H
#define ONYX_PROGRAMS_REUSE_H

#include "programs/programs.h"

/* Replaces expressions with sums by results of earlier statements of their blocks with the same value
 * (--fuse-statements), and lists them in a->fusions. If any is replaced, a->written becomes the program
 * before, with its plans, and the plans of *a are to be listed anew. Returns whether any is. O(steps^3). */
bool compile_reuse_values(const compile_options *o, arena *mem, compile_application *a);

#endif
