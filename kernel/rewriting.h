/* rewriting.h - equivalent statements, on operands made by the host from the user's. */
#ifndef ONYX_KERNEL_REWRITING_H
#define ONYX_KERNEL_REWRITING_H

#include "kernel/kernel.h"

/* Another statement with the same result. */
typedef struct {
    sam_statement *statement;
    fe_in in;
    text_vec formats;       /* -f of its operands */
    const char *how, *than; /* "a dense band along diagonal 3 of B", in place of an operand "re-packed" */
} compile_rewriting;
enum { COMPILE_REWRITINGS = 2 }; /* limit of a rewriter's statements */
/* Finds equivalent statements of the user's statement, with these operands; returns their number. */
typedef uint32_t compile_rewriter(const compile_options *o, compile_context *ctx, const fe_in *in,
                                  const sam_statement *user, const compile_data *data,
                                  compile_rewriting *out);

#endif
