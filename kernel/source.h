/* source.h - where the content of an operand comes from: memory, a file or a generator. */
#ifndef ONYX_KERNEL_SOURCE_H
#define ONYX_KERNEL_SOURCE_H

#include "kernel/kernel.h"

/* The sources that the command names for one tensor; NULL for those that are missing. */
typedef struct {
    const tile_tensor *in_memory;
    const char *file, *generator;
} compile_source;

/* What a tensor becomes whose content is taken. */
typedef struct {
    name_id name;
    const char *called; /* by the user */
    uint32_t order;
    int scale;
    tile_values values; /* of a file */
    uint32_t number;    /* of a generator: its seed */
} compile_taken;

compile_source compile_source_of(const compile_options *o, const char *name);
bool compile_has_source(const compile_source *from);
/* Takes the content from memory, else from the file, else from the generator, in words of the command's type
 * and of the scale. A generator may make a tensor of another order. */
bool compile_take(const compile_options *o, compile_context *ctx, const compile_source *from,
                  const compile_taken *as, tile_tensor *out);
/* Finds the extents of an operand without a message; *inferred: its entries alone say them. A file is read
 * once if the data choose the type. False: nothing has the operand, or reading it reports a mistake. */
bool compile_find_shape(const compile_options *o, compile_context *ctx, const compile_source *from,
                        const compile_taken *as, uint32_t *dim, bool *inferred);

#endif
