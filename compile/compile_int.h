/* compile_int.h - what the files of compile/ share. */
#ifndef ONYX_COMPILE_INT_H
#define ONYX_COMPILE_INT_H

#include "compile/compile.h"

/* Returns the part of the options that the frontend reads. */
bool compile_frontend_input(const compile_options *o, compile_context *ctx, fe_in *out);
/* Checks that every -t and -o T:FILE names a tensor that it may name. E0910, E0914. */
bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st);
/* Packs the operands for the statement, once, if it has no others and they are there. */
bool compile_pack_known(compile_context *ctx, const sam_statement *st, compile_data *data);
/* Reports, as --deadlock asks, if fibers of up to `longest` coordinates may need more room in FIFOs than
 * there is. */
bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest);

/* Returns whether the host is to compute nothing that the array lacks (--functions none). */
static inline bool compile_array_alone(const compile_options *o) {
    bool none = false;
    for (uint32_t i = 0; i < o->functions.len; i++)
        none = none || strcmp(o->functions.at[i], "none") == 0;
    return none;
}

/* ---- progress (context.c) ---------------------------------------------------------------------- */

/* Tell ctx->progress, if there is one, what is being done now and how much of it is done. */
void compile_stage(const compile_context *ctx, const char *what, uint64_t total);
void compile_count(const compile_context *ctx, uint64_t done);

#endif
