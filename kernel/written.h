/* written.h - files of results: .mtx, .tns, and .stored, in the result's format of -f. */
#ifndef ONYX_KERNEL_WRITTEN_H
#define ONYX_KERNEL_WRITTEN_H

#include "kernel/kernel.h"

/* A file of a result, in a format or NULL: compressed levels. */
typedef struct {
    const char *path, *format;
    uint32_t order;
} compile_written;
/* Returns whether the file can hold the result. E0311, E0312, E0363. */
bool compile_can_write(const compile_options *o, compile_context *ctx, const compile_written *w);
/* Writes the file. E0364 if the tensor does not suit the format. */
bool compile_write(const compile_options *o, compile_context *ctx, const compile_written *w,
                   const tile_tensor *t);
/* Writes the result to each -o T:FILE; NULL: there is no result, and the request is an error. */
bool compile_write_outputs(const compile_options *o, compile_context *ctx, const tile_tensor *result);
/* Writes the result into the folder: as text, and in its format, if only the host knows the format. */
bool compile_write_result(const compile_options *o, compile_context *ctx, const char *format,
                          const tile_tensor *t);

#endif
