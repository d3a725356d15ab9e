/* random_trees.h - random trees for every use of the fiber access, played on the RTL of the MEM core with
 * random gaps, stalls and freezes and compared with the specification. */
#ifndef ONYX_TESTS_RANDOM_TREES_H
#define ONYX_TESTS_RANDOM_TREES_H

#include "mem_design.h"
#include "tests/quota.h"
#include "tests/rtl_pe/bench.h"

/* WRITE_SHARED: a block among blocks of other scanners, WRITE_CHAINED: a stream of data whose blocks leave
 * after other tiles' blocks (onyx-ext). WRITE_SUMS, READ_SUMS and READ_SUM_VALUES: the two tiles of an
 * accumulator, each alone. */
typedef enum { WRITE_BLOCK, WRITE_STREAM, WRITE_PAIRS, WRITE_SHARED, WRITE_CHAINED, WRITE_SUMS } tree_writer;
typedef enum {
    READ_SCAN,
    READ_ROOT,
    READ_LOOKUP,
    READ_OUT,
    READ_OUT_VALUES,
    READ_DENSE,
    READ_DENSE_ROOT,
    READ_SUMS,
    READ_SUM_VALUES
} tree_reader;

typedef struct {
    const char *name;
    tree_writer writer;
    tree_reader reader;
} tree_use;

enum { TREE_USES = 17 };
extern const tree_use tree_uses[TREE_USES];

/* CONFIG_SPACE of a use; capacities as logarithms of 64-bit words, dim_size for READ_DENSE. */
spec_mem_config tree_config(const tree_use *use, uint32_t capacity_log_0, uint32_t capacity_log_1,
                            uint32_t dim_size);

/* A configuration and input streams determined by `seed`. */
void tree_case(const tree_use *use, uint64_t seed, arena *mem, spec_mem_config *config,
               u32_vec in[BENCH_INS]);

/* Makes a case of a skipping scanner (bit SKIPS of word 3), with coordinates of the other side at port 1.
 * `all`: its coordinates and positions without skipping. */
enum { SKIPS = 1 << 16 };
void skip_case(uint64_t seed, arena *mem, spec_mem_config *config, u32_vec in[BENCH_INS], u32_vec all[2]);
/* Plays skipping cases after a reset, and fails the test unless every omission is allowed; returns the number
 * of omitted coordinates, and adds the cases to `shown`, trivial ones without omissions. */
uint64_t skips_play(bench_design design, mem_configure *configure, uint64_t first, uint64_t cases,
                    quota *shown);

/* Gaps, stalls and freezes determined by `seed`. */
bench_pace trees_pace(uint64_t seed);

/* Plays cases seed = first .. first + count - 1 of every use on a design set by `configure`; fails the test
 * at the first difference. Returns the number of output tokens. */
uint64_t trees_play(bench_design design, mem_configure *configure, uint64_t first, uint32_t count);
/* Plays the cases on the core of a MEM tile and prints the number of tokens; fails unless the number exceeds
 * `least`. */
void trees_play_core(uint64_t first, uint32_t count, uint64_t least);

#endif
