/* command_list.h - the list that waits for the chip's processor: how it grows, and its run. */
#ifndef ONYX_PROGRAMS_COMMAND_LIST_H
#define ONYX_PROGRAMS_COMMAND_LIST_H

#include "programs/layout.h"

enum { COMPILE_LIST_STEPS = 2048 }; /* at most */
/* Returns whether the host may write the segment before the list runs: a constant operand may have more
 * sub-tiles after the sub-tiles of the previous pass. */
bool compile_may_write(const interpreter *m, const fw_segment *g);
/* Adds what the host writes before the list runs; a command. */
void compile_add_segment(interpreter *m, const fw_segment *g);
void compile_add_step(interpreter *m, const compile_statement_plan *plan, const char *elf,
                      const fw_command *command);
/* Adds the waiting computations, which may begin the list of this statement. */
void compile_add_calcs(interpreter *m, const compile_statement_plan *plan, const char *elf);
/* Earlier content of the place is lost. */
void compile_add_scratch(interpreter *m, const fw_put *slot);
/* Adds the ranges read of a result: its words, and the rows of its run table. */
void compile_add_used(interpreter *m, const compile_resident *of);
/* Adds the commands that move an operand to the place of its load. */
void compile_add_move(interpreter *m, const compile_statement_plan *plan, const char *elf,
                      const compile_move *move);
/* Runs the waiting list, since the processor cannot continue alone. */
bool compile_break_list(interpreter *m, const char *why);
/* Runs the waiting list, and counts the cycles of its runs. E0344-later if its steps differ from the cycle
 * model's steps. */
bool compile_run_list(interpreter *m);
/* Adds a segment to write by the host before the waiting list; returns false if impossible. */
bool compile_write_before(interpreter *m, const fw_segment *g);
/* Adds the computation of a value, before the next batch or test of a list. */
void compile_add_calc(interpreter *m, const fw_command *command);

#endif
