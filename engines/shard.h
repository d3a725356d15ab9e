/* shard.h - the runs of a kernel divided between independent commands (onyx run --shard), and joined again
 * (onyx merge). Each command makes every n-th run of each batch, as a process of --jobs does; its results
 * stay in the kernel's folder: shard.json, which identifies the whole, and a file a batch. A kernel that
 * reads a workspace waits for all shards of the workspace's kernel: onyx merge --shard takes these, and
 * divides the runs of the first kernel that has no shards.
 */
#ifndef ONYX_ENGINES_SHARD_H
#define ONYX_ENGINES_SHARD_H

#include "engines/engine.h"

/* Hashes of the kernel's design and, batch by batch, of its runs. Another bitstream or other operands have
 * other hashes. */
typedef struct {
    uint64_t design;
    VEC(uint64_t) batch;
} compile_shard_of;

uint64_t compile_shard_design(const bits_stream *bits);
uint64_t compile_shard_batch(const tile_plan *plan);

/* The file of a batch's runs in a folder. */
const char *compile_shard_file(const char *folder, uint32_t batch, arena *mem);
/* Writes FOLDER/shard.json, last of all, to mark the folder as complete. */
bool compile_shard_write(const compile_engine_in *in, const compile_shard_of *of);

/* Returns the folders of a kernel's shards, within the folders that onyx merge was given. */
text_vec compile_shards_of(const compile_options *o, const compile_context *ctx, const compile_kernel *k);
/* Returns the first kernel on the array of which no shard is given, in the order of execution; or NULL. */
const compile_kernel *compile_without_shards(const compile_options *o, const compile_context *ctx,
                                             const compile_kernel *k);
/* Returns whether the runs of the kernels can be divided, and each folder has shards of some. E0955-shards.
 */
bool compile_may_divide(const compile_options *o, const compile_context *ctx, const compile_kernel *k);

/* The shards to put together, in the order of their numbers. */
typedef struct {
    uint32_t n;
    const char **folder;
    compile_shard_of of; /* all of them */
} compile_shards;
/* Reads the shard.json of every folder: E0955-shards unless each shard is present once, all of the same runs
 * of this design. */
bool compile_shards_read(const compile_engine_in *in, compile_shards *out);
/* Checks that batch `number` equals the shards' batch. E0955-shards. */
bool compile_shards_match(const compile_engine_in *in, const compile_shards *s, uint32_t number,
                          const tile_plan *plan);

#endif
