/* later.h - batches that run later than they are made, and results that are taken later than they are stored.
 */
#ifndef ONYX_COMPILE_LATER_H
#define ONYX_COMPILE_LATER_H

#include "compile/engine.h"

/* A batch that is to run later: its file, the program, its plan, and what the model has stored by output. */
struct compile_later {
    const char *elf, *batches;
    fw_columns columns;
    fw_batch_stats counts;
    tile_plan plan; /* of the last batch, without words */
    struct {
        const uint8_t *at;
        uint32_t len;
    } stored[TILE_MAX_STREAMS];
    const sam_tensor_data *operands; /* of calls of a function, by input: dense vectors, or one value for all
                                        calls; NULL: the batch is of the array */
};

/* Notes the batch in in->later, and what its stores will leave. Returns true. */
bool compile_firmware_later(const compile_engine_run *r, const compile_outcome *out);

/* Has the session of the kernel do what a file of batches says, and counts what that took (run.c). */
bool compile_ask(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                 const compile_firmware *f, compile_outcome *out);
/* Makes k->ran.result of the results, in a file, of a kernel that ran later: its operands are as they were.
 */
bool compile_take_results(compile_context *ctx, compile_kernel *k, const char *path);
/* Computes a kernel that has nothing on the array, by this machine. */
bool compile_run_on_host(compile_context *ctx, compile_kernel *k, const tile_operands *in);
/* Finds how far the variables of a workspace's kernel run, of operands that it finds by name, and whether the
 * workspace's extents are inferred as theirs are: it may reach further as an operand. */
bool compile_workspace_extents(compile_context *ctx, const compile_kernel *p, const tile_operands *now,
                               uint32_t **extent, bool *inferred);

#endif
