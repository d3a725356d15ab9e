/* written.h - files of results: .mtx, .tns, and .stored, which is in the format that -f says of the result.
 */
#ifndef ONYX_KERNEL_WRITTEN_H
#define ONYX_KERNEL_WRITTEN_H

#include "kernel/kernel.h"

/* A file of a result, in a format or in none (NULL): then its levels are compressed. */
typedef struct {
    const char *path, *format;
    uint32_t order;
} compile_written;
/* Returns whether the file can hold the result. E0311, E0312, E0363. */
bool compile_can_write(const compile_options *o, compile_context *ctx, const compile_written *w);
/* Writes it. E0364 where it is not what the format is for. */
bool compile_write(const compile_options *o, compile_context *ctx, const compile_written *w,
                   const tile_tensor *t);
/* Writes the result to each -o T:FILE; NULL: there is none, and asking for it is a mistake. */
bool compile_write_outputs(const compile_options *o, compile_context *ctx, const tile_tensor *result);
/* Writes the result into the folder: as text, and in its format, where that is one that only the host knows.
 */
bool compile_write_result(const compile_options *o, compile_context *ctx, const char *format,
                          const tile_tensor *t);

#endif
