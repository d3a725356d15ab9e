/* checkpoint.h - DIR/checkpoint.json: the state of a program at the end of a pass, for a restart of the same
 * command (docs/programs.md). */
#ifndef ONYX_PROGRAMS_CHECKPOINT_H
#define ONYX_PROGRAMS_CHECKPOINT_H

#include "programs/programs.h"
#include "programs/timeline.h"

/* A loop in progress: its step number among the steps around, and its number of finished passes. */
typedef struct {
    uint32_t step, passes;
} compile_loop_state;
typedef VEC(compile_loop_state) compile_loop_states; /* outermost loop first */

/* The changing state of a running program, besides the counts of its statements. */
typedef struct {
    compile_loop_states at;
    tile_tensor *tensors; /* by tensor of the program; only changing tensors are stored */
    compile_timeline *line;
    uint64_t now; /* cycles of the line */
} compile_state;

/* Returns a hash of the program: its text, settings and data type, the board, the engine, the first content
 * of its tensors, and its bitstreams. A checkpoint of another hash is refused. */
uint64_t compile_checkpoint_hash(const compile_options *o, const compile_context *ctx,
                                 const compile_application *a);
/* Replaces the file atomically. Adds the size of the tensors in words of 32 bits to a->checkpoints.
 * E0004-write. */
bool compile_checkpoint_write(const compile_options *o, compile_context *ctx, compile_application *a,
                              uint64_t hash, const compile_state *s);
/* Reads the checkpoint if intact and of this program: *s, with tensors and places in ctx->mem, and the counts
 * of the statements of `a`. Returns false without a usable checkpoint. */
bool compile_checkpoint_read(const compile_options *o, compile_context *ctx, compile_application *a,
                             uint64_t hash, compile_state *s);

#endif
