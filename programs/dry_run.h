/* dry_run.h - operands of a program's statements, found by its reference before compilation for the array,
 * for choices by the data. */
#ifndef ONYX_PROGRAMS_DRY_RUN_H
#define ONYX_PROGRAMS_DRY_RUN_H

#include "kernel/kernel.h"

/* The union of a changing operand over all runs of a statement: an entry wherever any run had one, with the
 * latest value. A choice with room for the union has room for each run. */
typedef struct {
    uint32_t tensor; /* of the program */
    arena mem;
    tile_tensor all;
    uint64_t entries; /* of all runs */
} compile_operand_profile;
typedef struct {
    VEC(compile_operand_profile) of;
    uint32_t runs;
    bool infinite; /* some run had an operand with an infinite value or fill of bf16, or with a NaN */
} compile_dry_run;

/* Adds the changing operand of a run of a statement. `mem` is the list's arena. O(entries). */
void compile_see(compile_dry_run *r, uint32_t tensor, const tile_tensor *now, arena *mem);
/* Notes whether an operand of bf16, a constant one too, is finite in a run. O(entries). */
void compile_see_infinite(compile_dry_run *r, const tile_tensor *now);
/* Returns the union of an operand, or NULL. */
const compile_operand_profile *compile_profile_of(const compile_dry_run *r, uint32_t tensor);
/* Returns the average share of the union in one run, of the operand with the smallest share: 0 to 1. */
double compile_fraction_of_run(const compile_dry_run *r);
void compile_forget_dry_run(compile_dry_run *r);

#endif
