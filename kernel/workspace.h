/* workspace.h - the workspace of a kernel, and its implementation on the array: --explain. */
#ifndef ONYX_KERNEL_WORKSPACE_H
#define ONYX_KERNEL_WORKSPACE_H

#include "kernel/kernel.h"

/* Returns the appended and scattered pieces of a user's kernel; NULL if its split loops have no form in a
 * graph. */
const char *compile_workspace_as_written(const fe_kernel *kernel, arena *mem);
/* Returns the same for a kernel on the array, and the storage of its workspace. */
const char *compile_workspace_on_array(const compile_kernel *k, arena *mem);

#endif
