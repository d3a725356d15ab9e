/* workspace.h - which workspace a kernel needs, and what on the array is it: --explain. */
#ifndef ONYX_KERNEL_WORKSPACE_H
#define ONYX_KERNEL_WORKSPACE_H

#include "kernel/kernel.h"

/* Returns what the loops of a kernel of the user's append and what they scatter; NULL where its split loops
 * have no form in a graph. */
const char *compile_workspace_as_written(const fe_kernel *kernel, arena *mem);
/* Returns the same of a kernel on the array, and what holds the workspace there. */
const char *compile_workspace_on_array(const compile_kernel *k, arena *mem);

#endif
