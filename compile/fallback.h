/* fallback.h - fallbacks: compiles a refused choice again without choices by the data. */
#ifndef ONYX_COMPILE_FALLBACK_H
#define ONYX_COMPILE_FALLBACK_H

#include "kernel/kernel.h"

/* Runs the action, and again without choices by the data if a chosen mapping is refused. */
bool compile_with_fallbacks(const compile_options *o, compile_context *ctx, compile_kernel *k,
                            compile_action *action);
/* After a refusal of a command of a schedule: an edge that an earlier command states may be too large with
 * the commands in front alone, and is blamed then. Runs these. */
void compile_blame_edge(const compile_options *o, compile_context *ctx, compile_action *action);
/* compile_to_bitstream, once. */
bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k);

#endif
