/* dry_run.h - what the operands of a program's statements will be: found by its reference, before anything
 * is compiled for the array, so that what is open can be chosen by the data. */
#ifndef ONYX_PROGRAMS_DRY_RUN_H
#define ONYX_PROGRAMS_DRY_RUN_H

#include "kernel/kernel.h"

/* What an operand that changes held in all runs of a statement together: an entry wherever it had one in any
 * of them, with its latest value. A choice that has room for that has room for each run. */
typedef struct {
    uint32_t tensor; /* of the program */
    arena mem;
    tile_tensor all;
    uint64_t entries; /* of all runs */
} compile_seen;
typedef struct {
    VEC(compile_seen) of;
    uint32_t runs;
} compile_rehearsed;

/* Adds what an operand holds in a run of a statement. `mem` is that of the list. O(entries). */
void compile_see(compile_rehearsed *r, uint32_t tensor, const tile_tensor *now, arena *mem);
/* Returns what was seen of an operand, or NULL. */
const compile_seen *compile_seen_of(const compile_rehearsed *r, uint32_t tensor);
/* Returns what part of what was seen a run has on average, of the operand of which it has least: 0 to 1. */
double compile_part_of_run(const compile_rehearsed *r);
void compile_forget_rehearsed(compile_rehearsed *r);

#endif
