/* compile_plans.h - the statements of a program, compiled. */
#ifndef ONYX_PROGRAMS_COMPILE_PLANS_H
#define ONYX_PROGRAMS_COMPILE_PLANS_H

#include "programs/interpreter.h"

/* Distributes the schedules of -s to the statements, by the name of the statement's folder. */
bool compile_schedule_plans(const compile_options *o, compile_context *ctx, compile_application *a);
/* Adds the program's statements and loops, in the order of its text. */
void compile_list_plans(const compile_options *o, compile_context *ctx, compile_application *a,
                        const fe_steps *steps, uint32_t loops, bool multi);
/* Compiles each statement. Returns false after errors. */
bool compile_every_plan(const interpreter *m);
/* The expected cycles of a run of a statement: of the array, and with configuration and what drives the
 * array. INFINITY: the array refuses the statement, or leaves a subexpression to the host; NAN: no
 * prediction. */
typedef struct {
    double cost, array;
} compile_predicted;
/* Compiles a statement in silence, up to its copies or, with `whole`, up to its bitstream and the search for
 * deadlocks. Returns the prediction. */
compile_predicted compile_predict_plan(const interpreter *m, compile_context *ctx,
                                       compile_statement_plan *plan, bool whole);
/* Executes the program by the reference, to find its operands, within a bound on their size. Its messages
 * come later, from the engine's execution. */
void compile_dry_run_plans(interpreter *engine);

#endif
