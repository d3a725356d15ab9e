/* checkpoint.h - DIR/checkpoint.json: what a program has at the end of a pass, from which the same command
 * goes on after a cut (docs/programs.md). */
#ifndef ONYX_PROGRAMS_CHECKPOINT_H
#define ONYX_PROGRAMS_CHECKPOINT_H

#include "programs/programs.h"
#include "programs/timeline.h"

/* A loop that the program is in: which step it is of those around it, and how many of its passes are over. */
typedef struct {
    uint32_t step, passes;
} compile_place;
typedef VEC(compile_place) compile_places; /* outermost loop first */

/* What changes while a program runs, besides what its statements count. */
typedef struct {
    compile_places at;
    tile_tensor *tensors; /* by tensor of the program; only those that change are kept */
    compile_line *line;
    uint64_t now; /* cycles of the line */
} compile_state;

/* Returns a hash of what the program is: its text, settings and data type, the board, the engine, what its
 * tensors hold first, and its bitstreams. What another one kept is not for this one. */
uint64_t compile_checkpoint_hash(const compile_options *o, const compile_context *ctx,
                                 const compile_application *a);
/* Writes the file anew; it is whole or as it was. Adds the words of 32 bits that the tensors take to
 * a->checkpoints. E0004-write. */
bool compile_checkpoint_write(const compile_options *o, compile_context *ctx, compile_application *a,
                              uint64_t hash, const compile_state *s);
/* Takes what was kept, if it is of this program and whole: *s, whose tensors and places live in ctx->mem, and
 * what the statements of `a` have counted. Returns false where there is nothing to go on with. */
bool compile_checkpoint_read(const compile_options *o, compile_context *ctx, compile_application *a,
                             uint64_t hash, compile_state *s);

#endif
