/* retry.h - what was chosen by the data and does not run is compiled once more without choosing. */
#ifndef ONYX_COMPILE_RETRY_H
#define ONYX_COMPILE_RETRY_H

#include "kernel/kernel.h"

/* Does it, and where what was chosen by the data is refused, once more without choosing. */
bool compile_retrying(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      compile_action *action);
/* compile_to_bitstream, once. */
bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k);

#endif
