/* environment.h - copies and edges of sub-tiles stated by a schedule. */
#ifndef ONYX_KERNEL_ENVIRONMENT_H
#define ONYX_KERNEL_ENVIRONMENT_H

#include "kernel/kernel.h"

/* Takes copies and edges from a schedule's environment commands, which may set values left open by the
 * options. E0102, E0179. */
bool compile_take_environment(const char *schedule, arena *mem, diagnostics *d, compile_options *o);

#endif
