/* reference.h - the reference of a statement, evaluated by a thread beside the search for a mapping and the
 * run, where --jobs allows several processors. */
#ifndef ONYX_COMPILE_REFERENCE_H
#define ONYX_COMPILE_REFERENCE_H

#include "compile/passes.h"

/* Starts the evaluation of the user's statement on its operands, which are read, unless the evaluation was
 * started, the command uses a single processor or compares nothing, or the statement calls functions of
 * files, whose processes serve one thread. */
void compile_begin_reference(const compile_passing *p);
/* Waits for the evaluation, which is not needed. */
void compile_drop_reference(compile_kernel *k);
/* Returns the value of tile_reference on the operands `in`: by the thread if it was started. *want lives in
 * the memory of the context. */
bool compile_take_reference(compile_context *ctx, compile_kernel *k, const tile_operands *in,
                            tile_tensor *want);

#endif
