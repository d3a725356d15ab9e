/* functions.h - reading of files of functions. */
#ifndef ONYX_KERNEL_FUNCTIONS_H
#define ONYX_KERNEL_FUNCTIONS_H

#include "kernel/kernel.h"

/* Reads the files of --functions into ctx->functions, unless read already. Without --functions, the library's
 * functions that occur in `text`, an expression or a program, or in the schedule are read (NULL: none). */
bool compile_read_functions(const compile_options *o, const char *text, compile_context *ctx);
/* Adds the shipped function of this name to *all, if it exists and *all lacks the name. */
bool compile_read_shipped(compile_context *ctx, const char *name, tile_dtype dtype, fe_functions **all);
/* Completes E0152 of an unknown function, as the last message, by the function of the library that may be
 * meant. Returns false. */
bool compile_propose_functions(compile_context *ctx);

#endif
