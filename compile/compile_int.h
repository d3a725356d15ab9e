/* compile_int.h - what the files of compile/ share. */
#ifndef ONYX_COMPILE_INT_H
#define ONYX_COMPILE_INT_H

#include "compile/compile.h"

/* What the frontend is told by the options. */
fe_in compile_frontend_input(const compile_options *o);
/* Every -t and -o T:FILE names a tensor it may name. E0910, E0914. */
bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st);
/* Packs the operands for the statement, once, if it has no others and they are there. */
bool compile_pack_known(compile_context *ctx, const sam_statement *st, compile_data *data);
/* What --deadlock asks for: an error or a warning if fibers of up to `longest` coordinates may need more
 * FIFO. */
bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest);

/* ---- progress (context.c) ---------------------------------------------------------------------- */

/* What is being done now, and how much of it, for whoever waits; nobody may. */
void compile_stage(const compile_context *ctx, const char *what, uint64_t total);
void compile_count(const compile_context *ctx, uint64_t done);

#endif
