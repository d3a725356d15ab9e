/* later.h - batches that run later than they are made, and results that are taken later than they are stored.
 */
#ifndef ONYX_ENGINES_H
#define ONYX_ENGINES_H

#include "engines/bare.h"
#include "engines/batches.h"
#include "engines/beside.h"
#include "engines/early.h"
#include "engines/engine.h"
#include "engines/firmware.h"
#include "engines/model.h"
#include "engines/session.h"

/* Runs all kernels in turn on the user's operands and on the workspaces of those before, each on the engine
 * of the options; k->ran.result is the user's result. */
bool compile_run_kernels(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         const tile_operands *in);
/* Has the session of the kernel do what a file of batches says, and counts what that took. */
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
