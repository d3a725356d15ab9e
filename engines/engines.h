/* engines.h - runs of kernels on the engines, deferred batches, and deferred reading of stored results. */
#ifndef ONYX_ENGINES_H
#define ONYX_ENGINES_H

#include "engines/bare.h"
#include "engines/batches.h"
#include "engines/early.h"
#include "engines/engine.h"
#include "engines/firmware.h"
#include "engines/model.h"
#include "engines/overlap.h"
#include "engines/session.h"
#include "engines/shard.h"

/* Runs all kernels in turn on the user's operands and on the workspaces of those before, each on the engine
 * of the options; k->ran.result is the user's result. */
bool compile_run_kernels(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         const tile_operands *in);
/* Makes the session of the kernel execute a file of batches, and adds the counts. */
bool compile_ask(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                 const compile_firmware *f, compile_outcome *out);
/* Makes k->ran.result from the results, in a file, of a deferred kernel: its operands are unchanged. */
bool compile_take_results(compile_context *ctx, compile_kernel *k, const char *path);
/* Computes a kernel without an array, on this machine. */
bool compile_run_on_host(compile_context *ctx, compile_kernel *k, const tile_operands *in);
/* Finds the extents of a workspace's kernel, from operands found by name, and whether the workspace's extents
 * are inferred from inferred ones: as an operand the workspace may reach further. */
bool compile_workspace_extents(compile_context *ctx, const compile_kernel *p, const tile_operands *now,
                               uint32_t **extent, bool *inferred);

#endif
