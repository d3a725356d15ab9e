/* random_streams.h - random legal streams for every mode of the PE core, played on the RTL with random gaps,
 * stalls and freezes and compared with the specification. */
#ifndef ONYX_TESTS_RANDOM_STREAMS_H
#define ONYX_TESTS_RANDOM_STREAMS_H

#include "bench.h"

typedef struct {
    const char *name;
    rtl_pe_mode mode;
    /* joiner: 0 intersect, 1 union; repeat: 1 one reference; alu: 0 add, 1 sub, 2 mul, 3 any, 4 bfloat16;
     * reduce: 1 bfloat16, 2 by
     * any operation; joiner by regions: the regions */
    uint32_t variant;
} random_mode;

enum { RANDOM_REGIONS = 16, RANDOM_MODES = RANDOM_REGIONS + 8 };
extern const random_mode random_modes[RANDOM_MODES];

/* A configuration and input streams determined by `seed`. */
void random_case(const random_mode *mode, uint64_t seed, arena *mem, spec_pe_config *config,
                 u32_vec in[BENCH_INS]);

/* Whether the mode is played: with ONYX_MUTANTS defined only modes of the module ONYX_MODULE, if set. */
bool random_plays(const random_mode *mode);

/* Plays cases seed = first .. first + count - 1 of a mode; fails the test at the first difference. Returns
 * the number of output tokens. */
uint64_t random_play_mode(const random_mode *mode, uint64_t first, uint32_t count);

/* Plays cases seed = first .. first + count - 1 of every mode; fails the test at the first difference.
 * Returns the number of tokens that came out, of each mode more than 10 a case. */
uint64_t random_play(uint64_t first, uint32_t count);

#endif
