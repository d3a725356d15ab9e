/* reference.h - the reference of a statement, evaluated by a thread beside the run where --jobs allows
 * several processors. */
#ifndef ONYX_COMPILE_REFERENCE_H
#define ONYX_COMPILE_REFERENCE_H

#include "kernel/kernel.h"

/* Starts the evaluation of k->user on its operands, unless the command uses a single processor, compares
 * nothing, or calls functions of files, whose processes serve one thread. */
void compile_begin_reference(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Waits for the evaluation, which is not needed. */
void compile_drop_reference(compile_kernel *k);
/* Returns the value of tile_reference on the operands `in`: by the thread if it was started. *want lives in
 * the memory of the context. */
bool compile_take_reference(compile_context *ctx, compile_kernel *k, const tile_operands *in,
                            tile_tensor *want);

#endif
