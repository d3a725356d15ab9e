/* hoist.h - statements of a loop whose value is the same in every pass. */
#ifndef ONYX_PROGRAMS_HOIST_H
#define ONYX_PROGRAMS_HOIST_H

#include "programs/programs.h"

/* Moves assignments in front of the loops in whose passes they give the same value (--fuse-statements), and
 * lists them in a->fusions. If any moved, a->written becomes the program before, with its plans, and the
 * plans of *a are to be listed anew. Returns whether any did. O(steps^2 * tensors) for each. */
bool compile_hoist_statements(const compile_options *o, arena *mem, compile_application *a);

#endif
