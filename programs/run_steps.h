/* run_steps.h - a way through the steps of a program. */
#ifndef ONYX_PROGRAMS_RUN_STEPS_H
#define ONYX_PROGRAMS_RUN_STEPS_H

#include "programs/interpreter.h"

/* Whether a statement asks where the tensor is stored (`struct`), which is compressed and nothing changes. */
bool compile_shows_fills(const compile_application *a, uint32_t tensor);
/* Gives the tensors what they hold first, and gives that back at the end. */
void compile_begin_machine(machine *m);
void compile_end_machine(machine *m);
/* Finds what may wait, kernels of statements of several one by one, and makes room for their workspaces. */
void compile_find_all_waiting(machine *m);
/* Makes the operands of the step what the tensors hold now; with o->asked.fullest those that change are as
 * full as all runs of the step together make them, or vectors as they may get, where nobody has seen these.
 */
bool compile_operands_of(const machine *m, compile_context *ctx, const fe_step *step, compile_options *o,
                         compile_data *out);
/* Returns what the array is expected to take for a run of the statement, in cycles. */
double compile_expected_of(const compile_stage_of *stage);
/* Runs the steps, loops as often as their conditions say. */
bool compile_run_steps(machine *m, const fe_steps *steps);
/* Runs the engine's way through the program, then the reference's. */
bool compile_run_program(machine *m);

#endif
