/* cases.h - random cases for the whole chain, and how a failing one is made small and told. */
#ifndef ONYX_TESTS_RANDOM_CASES_H
#define ONYX_TESTS_RANDOM_CASES_H

#include "tests/notation/chain.h"

/* An expression, formats, a schedule and data from a seed: any operator, sums explicit and implicit, repeated
 * tensors, diagonals, scalars, literals, orders 0 to 4 and rarely to 7, dense and compressed levels, mode and
 * loop orders that fit each other more often than not, dimensions of 1, empty tensors, explicit zeros. */
void case_random(uint64_t seed, note *n);

/* The smallest case found that is still WRONG: operators replaced by operands, settings and entries left out,
 * dimensions lowered, one at a time, until nothing more can go. */
void case_shrink(note *n);

/* Expression, formats and schedule, as the command line takes them. */
char *case_settings(const note *n, arena *mem);
/* The command that runs the case, with its operands written as files below `folder`. */
char *case_command(const note *n, const char *folder, arena *mem);

#endif
