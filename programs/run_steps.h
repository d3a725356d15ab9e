/* run_steps.h - a way through the steps of a program. */
#ifndef ONYX_PROGRAMS_RUN_STEPS_H
#define ONYX_PROGRAMS_RUN_STEPS_H

#include "programs/interpreter.h"

/* Gives the tensors what they hold first, and gives that back at the end. */
void compile_begin_interpreter(interpreter *m);
void compile_end_interpreter(interpreter *m);
/* Finds the statements that may wait, and single kernels of statements of several, and reserves places for
 * their workspaces. */
void compile_find_all_waiting(interpreter *m);
/* Returns the array's expected time for a run of the statement, in cycles. */
double compile_expected_of(const compile_statement_plan *plan);
/* Runs the steps, loops as often as their conditions say. */
bool compile_run_steps(interpreter *m, const fe_steps *steps);
/* Executes the program with the engine, then with the reference. */
bool compile_run_program(interpreter *m);

#endif
