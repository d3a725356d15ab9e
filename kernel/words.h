/* words.h - words of operands whose type, or scale, the data choose. */
#ifndef ONYX_KERNEL_WORDS_H
#define ONYX_KERNEL_WORDS_H

#include "kernel/kernel.h"

/* Returns the files of levels of the tensor in a folder of such files; any other path as it is. */
const char *compile_operand_path(compile_context *ctx, const char *path, const char *name);
/* Returns the tensor of a file, of the type of->dtype, which is read once; NULL after an error. */
const tile_tensor *compile_read_once(compile_context *ctx, const compile_file *of);
/* Reads a file as compile_file says, and makes words of its values by the command's type and `scale`. A file
 * that compile_read_once has read is not read again. */
bool compile_read_values(const compile_options *o, compile_context *ctx, const compile_file *of, int scale,
                         tile_tensor *out);
/* Makes words of a tensor in memory that was taken before its type was known; others stay as they are. */
bool compile_type_original(const compile_options *o, compile_context *ctx, int scale, tile_tensor *t);
/* Makes words of a generator's numbers by the scale. */
bool compile_scale_words(const compile_options *o, compile_context *ctx, int scale, tile_tensor *t);
/* Returns a phrase for a message about values beyond 16 bits in a statement. */
const char *compile_beyond_range(const sam_statement *s);

#endif
