/* apart.h - operands in formats that take them apart. */
#ifndef ONYX_KERNEL_APART_H
#define ONYX_KERNEL_APART_H

#include "kernel/formats.h"

/* Finds the first operand that -f takes apart, where kernels for its parts are open: the statement is a
 * product with it and nothing else. *tensor is 0 where there is none; E0357-parts where it is asked for then.
 */
bool compile_find_apart(const compile_options *o, compile_context *ctx, const sam_statement *st,
                        sam_tensor *tensor, tile_format *format);
/* Returns what a part of a tensor, or the result of its kernel, is called: "B_0". */
const char *compile_part_name(const compile_context *ctx, const sam_statement *st, sam_tensor t,
                              uint32_t part);
/* Adds the parts of that operand to the user's `data`, behind the *n that are there, as operands with names
 * of their own. At most SAM_MAX_ORDER. */
bool compile_add_parts(const compile_options *o, compile_context *ctx, const sam_statement *st,
                       tile_tensor *data, uint32_t *n);

#endif
