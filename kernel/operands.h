/* operands.h - the file, generator or memory of each tensor. */
#ifndef ONYX_KERNEL_OPERANDS_H
#define ONYX_KERNEL_OPERANDS_H

#include "kernel/kernel.h"

/* Checks that every -t and -o T:FILE names an allowed tensor. E0910, E0914. */
bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st);
/* Reads the operands of -i, -g and memory, in the order of the user's tensors, and finds the extent of each
 * variable; out->packed is unchanged. Present operands are not read again. */
bool compile_read_operands(const compile_options *o, compile_context *ctx, const sam_statement *user,
                           compile_data *out);

#endif
