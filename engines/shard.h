/* shard.h - the runs of a kernel divided between commands that know nothing of each other (onyx run --shard),
 * and put together again (onyx merge). Each command makes every n-th run of each batch, as a process of
 * --jobs does; what it found stays in the folder: shard.json, which says of what it is, and a file a batch.
 */
#ifndef ONYX_ENGINES_SHARD_H
#define ONYX_ENGINES_SHARD_H

#include "engines/engine.h"

/* What the kernel is made of, and what batch by batch its runs are of. Whoever has another bitstream or other
 * operands has other ones. */
typedef struct {
    uint64_t design;
    VEC(uint64_t) batch;
} compile_shard_of;

uint64_t compile_shard_design(const bits_stream *bits);
uint64_t compile_shard_batch(const tile_plan *plan);

/* The file of a batch's runs in a folder. */
const char *compile_shard_file(const char *folder, uint32_t batch, arena *mem);
/* Writes FOLDER/shard.json, last of all: the folder is whole then. */
bool compile_shard_write(const compile_engine_in *in, const compile_shard_of *of);

/* The shards to put together, in the order of their numbers. */
typedef struct {
    uint32_t n;
    const char **folder;
    compile_shard_of of; /* all of them */
} compile_shards;
/* Reads the shard.json of every folder: E0955-shards unless there is each shard once, all of the same runs of
 * this design. */
bool compile_shards_read(const compile_engine_in *in, compile_shards *out);
/* Checks that batch `number` is the one they made. E0955-shards. */
bool compile_shards_match(const compile_engine_in *in, const compile_shards *s, uint32_t number,
                          const tile_plan *plan);

#endif
