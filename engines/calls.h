/* calls.h - kernels of functions that the chip's processor runs: their calls, written down, made there, or
 * expected. */
#ifndef ONYX_ENGINES_CALLS_H
#define ONYX_ENGINES_CALLS_H

#include "engines/engine.h"

/* How to compute such a kernel. */
typedef struct {
    const compile_options *o;
    const compile_engine_row *engine;
    const tile_operands *named; /* operands are found in it by name */
    bool (*evaluate)(compile_context *ctx, compile_kernel *k,
                     const tile_operands *named); /* by this machine */
} compile_calls_in;
/* With an engine that has the processor the calls are made there, and held against those of this machine
 * (E0343-processor); with another one they are expected to take what the descriptions say. */
bool compile_run_calls(const compile_calls_in *in, compile_context *ctx, compile_kernel *k);

#endif
