/* operands.h - which file, generator or memory gives each tensor. */
#ifndef ONYX_KERNEL_OPERANDS_H
#define ONYX_KERNEL_OPERANDS_H

#include "kernel/kernel.h"

/* Checks that every -t and -o T:FILE names a tensor that it may name. E0910, E0914. */
bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st);
/* Reads the operands of -i, -g and memory, in the order of the user's tensors, and finds how far each
 * variable runs; out->packed stays as it is. Once they are there they are not read again. */
bool compile_read_operands(const compile_options *o, compile_context *ctx, const sam_statement *user,
                           compile_data *out);

#endif
