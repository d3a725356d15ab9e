/* command_list.h - the list that waits for the chip's processor: how it grows, and its run. */
#ifndef ONYX_PROGRAMS_COMMAND_LIST_H
#define ONYX_PROGRAMS_COMMAND_LIST_H

#include "programs/layout.h"

enum { COMPILE_LIST_STEPS = 2048 }; /* at most */
/* Returns whether the host may write the segment before the list runs: an operand that does not change may
 * have more sub-tiles behind those of the pass before. */
bool compile_may_write(const machine *m, const fw_segment *g);
/* Adds what the host writes before the list runs; a command. */
void compile_add_segment(machine *m, const fw_segment *g);
void compile_add_step(machine *m, const compile_stage_of *stage, const char *elf, const fw_item *item);
/* Adds the computations that wait, which the list of this statement may begin with. */
void compile_add_calcs(machine *m, const compile_stage_of *stage, const char *elf);
/* Nobody finds there what was there before. */
void compile_add_scratch(machine *m, const fw_put *slot);
/* Adds what is read of a result: its words, and the rows of its run table. */
void compile_add_used(machine *m, const compile_left *of);
/* Has the processor move an operand to where it is loaded from. */
void compile_add_move(machine *m, const compile_stage_of *stage, const char *elf, const compile_move *move);
/* Has what waits run, since the processor cannot go on by itself. */
bool compile_break_list(machine *m, const char *why);
/* Runs the list that waits, and counts what its runs took. E0344-later where it did not make the steps that
 * the cycle model has made. */
bool compile_run_list(machine *m);
/* Has the host write a segment before the list that waits; returns false where it may not. */
bool compile_write_before(machine *m, const fw_segment *g);
/* Adds the computation of a value, before the next batch or test of a list. */
void compile_add_calc(machine *m, const fw_item *item);

#endif
