/* judge.h - random kernels, and the results of a configured array by the specification of its primitives.
 */
#ifndef ONYX_TESTS_JUDGE_H
#define ONYX_TESTS_JUDGE_H

#include "bitstream/bitstream.h"
#include "rtl_models/cycle/cycle.h"
#include "tests/spec/spec.h"

/* ---- generate.c ------------------------------------------------------------------------------ */

/* Makes the words after `onyx run` for the kernel of a seed, and writes its operands below `folder`: sums
 * of products with terms that may be absent, dense levels at any depth, operands repeated along a loop,
 * scalars. */
typedef VEC(const char *) judge_words;
void judge_generate(uint64_t seed, const char *folder, arena *mem, judge_words *words);

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/* Words of the IO tiles in a run, and the number of blocks of its outputs. */
typedef struct {
    uint32_t cell;
    const uint16_t *words; /* of inputs */
    uint32_t length, blocks;
    u16_vec got; /* of outputs: all arriving words */
    bool output;
} judge_stream;

/* The streams of a run with a pace possible for the global buffer (generate.c): inputs begin up to 59 cycles
 * late and pause. */
void judge_pace(uint64_t seed, const judge_stream *streams, uint32_t n, cycle_stream *paced);

/* Computes the words of the outputs of one run. Each tile is a function of whole streams (tests/spec); tiles
 * are computed until no stream grows any more. */
void judge_evaluate(const cycle_design *design, spec_meaning meaning, judge_stream *streams, uint32_t n,
                    arena *mem);

/* Returns whether the blocks of all outputs are complete. */
bool judge_complete(const judge_stream *streams, uint32_t n);
/* Returns whether complete outputs have the same words, as far as their blocks go. A block of one value where
 * none is meant is the same, since no coordinate leads to the value, and is counted: the chip's dropper lets
 * the stop behind an empty outer stream through, and a reducer makes a 0 of the stop. */
bool judge_equal(const judge_stream *meant, const judge_stream *chip, uint32_t n, uint32_t *surplus);

#endif
