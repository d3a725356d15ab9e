/* format_parts.h - operands in formats of several parts. */
#ifndef ONYX_KERNEL_FORMAT_PARTS_H
#define ONYX_KERNEL_FORMAT_PARTS_H

#include "kernel/formats.h"

/* Finds the first operand split into parts by -f, if kernels for its parts are allowed: the statement is a
 * product with the operand once. *tensor is 0 for none; E0357-parts if requested and impossible.
 */
bool compile_find_format_parts(const compile_options *o, compile_context *ctx, const sam_statement *st,
                               sam_tensor *tensor, tile_format *format);
/* Returns the name of a tensor's part, or of the result of the part's kernel: "B_0". */
const char *compile_part_name(const compile_context *ctx, const sam_statement *st, sam_tensor t,
                              uint32_t part);
/* Adds the operand's parts to the user's `data`, after the *n present tensors, as operands with names of
 * their own. At most SAM_MAX_ORDER. */
bool compile_add_parts(const compile_options *o, compile_context *ctx, const sam_statement *st,
                       tile_tensor *data, uint32_t *n);

#endif
