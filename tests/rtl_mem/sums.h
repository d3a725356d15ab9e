/* sums.h - random cases of the vector and the matrix reducer of profile onyx-ext, against the specification.
 */
#ifndef ONYX_TESTS_RTL_MEM_SUMS_H
#define ONYX_TESTS_RTL_MEM_SUMS_H

#include "random_trees.h"

/* Fills CONFIG_SPACE and the streams of a case; and the expected output, from model->in. */
typedef struct {
    void (*make)(uint64_t seed, arena *mem, uint32_t space[4], u32_vec in[BENCH_INS]);
    void (*specify)(spec_streams *model, const uint32_t space[4]);
    int ports; /* inputs, and outputs */
} sum_cases;

enum { SUM_MODE = 3 }; /* of the tile */

/* Runs a case with gaps, stalls and freezes by its seed; the test fails unless all is taken, and given, as it
 * must. Returns how many tokens were given, and adds the case to `shown`. */
uint32_t sums_play(const sum_cases *cases, bench_design design, uint64_t seed, arena *mem, quota *shown);

/* Runs the first part of a case: a sum may remain, or half of its output. */
void sums_cut(const sum_cases *cases, bench_design design, uint64_t seed, arena *mem);

/* Runs cases 1 to `seeds`, which must give more than `least` tokens; some follow a flush in the middle of
 * another case. */
void sums_play_all(const sum_cases *cases, uint64_t seeds, uint64_t least);

#endif
