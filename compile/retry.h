/* retry.h - fallbacks: compiles a refused choice again without choices by the data. */
#ifndef ONYX_COMPILE_RETRY_H
#define ONYX_COMPILE_RETRY_H

#include "kernel/kernel.h"

/* Runs the action, and again without choices by the data if a chosen mapping is refused. */
bool compile_retrying(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      compile_action *action);
/* compile_to_bitstream, once. */
bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k);

#endif
