/* calls.h - kernels of functions run by the chip's processor: their calls, recorded, executed, or
 * estimated. */
#ifndef ONYX_ENGINES_CALLS_H
#define ONYX_ENGINES_CALLS_H

#include "engines/engine.h"

/* Inputs of computing a function's kernel. */
typedef struct {
    const compile_options *o;
    const compile_engine_row *engine;
    const tile_operands *named; /* operands are found here by name */
    bool (*evaluate)(compile_context *ctx, compile_kernel *k,
                     const tile_operands *named); /* by this machine */
} compile_calls_in;
/* An engine with the processor executes the calls, compared with this machine's results (E0343-processor);
 * for another engine the descriptions give the expected time. */
bool compile_run_calls(const compile_calls_in *in, compile_context *ctx, compile_kernel *k);

#endif
