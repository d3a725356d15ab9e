/* cases.h - random cases for the whole chain; reducing and printing a failing case. */
#ifndef ONYX_TESTS_RANDOM_CASES_H
#define ONYX_TESTS_RANDOM_CASES_H

#include "tests/notation/notation.h"

/* An expression, formats, a schedule and data from a seed: any operator, sums explicit and implicit, repeated
 * tensors, diagonals, scalars, literals, orders 0 to 4 and rarely to 7, dense and compressed levels, mode and
 * loop orders that fit each other more often than not, dimensions of 1, empty tensors, explicit zeros. */
void case_random(uint64_t seed, note *n);
/* Draws a case for the array: no quotients, no schedule except a loop order, fewer tensors and variables.
 */
void case_random_array(uint64_t seed, note *n);
/* Products with sums among their factors, nested and added up, in any order of loops: for the array, too. */
void case_random_factors(uint64_t seed, note *n);

/* Computes the case; returns whether its result is 0 at all points. */
bool case_is_trivial(note *n);

/* Whether a case shows the sought fault. */
typedef bool case_test(note *n, void *context);

/* The smallest case found that is still wrong: operators are replaced by operands, settings and entries left
 * out, dimensions lowered, a step at a time, until nothing more can go. */
void case_shrink(note *n, case_test *wrong, void *context);

/* Expression, formats and schedule, in the command line's form. */
char *case_settings(const note *n, arena *mem);
/* "onyx WHAT" on the case, with its operands as files below `folder`. */
char *case_command(const note *n, const char *what, const char *folder, arena *mem);

/* ---- counting -------------------------------------------------------------------------------- */

enum { CASE_KINDS = 64 };

/* Number of cases by finding (a code, a hazard), with the settings of the first case of each. */
typedef struct {
    struct {
        const char *what, *example;
        uint32_t count;
    } of[CASE_KINDS];
    uint32_t kinds, total;
    arena mem;
} case_counts;

void case_count(case_counts *c, const char *what, const note *n);
void case_print_counts(case_counts *c); /* most frequent first; frees the memory */

#endif
