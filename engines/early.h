/* early.h - stores whose words come before the first load. */
#ifndef ONYX_ENGINES_EARLY_H
#define ONYX_ENGINES_EARLY_H

#include "kernel/kernel.h"

/* Finds the stores, a bit a GLB tile (modulo 32), whose words come before the first load, as those of a dense
 * level at the root do. E0713-early-output. */
bool compile_find_early(compile_context *ctx, const compile_programmed *p, uint32_t *stores);

#endif
