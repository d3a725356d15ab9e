/* functions.h - which files of functions are read. */
#ifndef ONYX_KERNEL_FUNCTIONS_H
#define ONYX_KERNEL_FUNCTIONS_H

#include "kernel/kernel.h"

/* Reads the files of --functions into ctx->functions, if there are none yet. Where --functions says nothing,
 * it is those of the library whose functions `text`, an expression or a program, or the schedule names (NULL:
 * none). */
bool compile_read_functions(const compile_options *o, const char *text, compile_context *ctx);
/* Adds the function that ships under a name to *all, where there is one and *all has none of that name. */
bool compile_read_shipped(compile_context *ctx, const char *name, tile_dtype dtype, fe_functions **all);

#endif
