/* queue.h - batches of a program that wait in a list for the chip's processor, which goes through many of
 * them by itself; and results that stay on the chip until the host needs their values. */
#ifndef ONYX_PROGRAMS_QUEUE_H
#define ONYX_PROGRAMS_QUEUE_H

#include "programs/interpreter.h"

/* Finds the statements whose results may stay on the chip until somebody needs their values, as far as the
 * program's text tells (application_beside.c). */
void compile_find_waiting(const compile_options *o, compile_context *ctx, compile_application *a);
/* Returns whether a condition compares one value of one tensor, or how many it has (*counts), to a number,
 * *value, or the bf16 that is the number: *holds are the bits of a test (firmware/protocol.h), *operand is
 * the handle less 1. */
bool compile_is_test(const fe_step *step, uint32_t *operand, bool *counts, uint32_t *holds, int32_t *value);

/* Runs the list that waits, and counts what its runs took. E0344-later where it did not make the steps that
 * the cycle model has made. */
bool compile_run_list(machine *m);
/* Does so, and takes a result that the chip alone has, or all of them; `why` the processor does not go on.
 * E0344-later where it is not what the cycle model has found. */
bool compile_settle(machine *m, uint32_t tensor, const char *why);
bool compile_settle_all(machine *m, const char *why);
/* Before a statement or condition is computed by other means: takes what the chip alone has of its operands,
 * or, if it is for the array, which may store over what lies there, of every tensor, and runs what waits. */
bool compile_settle_operands(machine *m, const fe_step *step, bool array, const char *why);
/* Returns whether the chip alone has an operand of the statement or condition. */
bool compile_has_left(const machine *m, const fe_step *step);
/* Runs the statement's kernel by the cycle model, and adds its batch to the list; *out is the value, and
 * *left what the chip has of it, which takes the arena of `ctx`: it is this statement's alone. A batch that
 * cannot wait (stage->waits is false then) or cannot yet (operands are to be read again) is as if nothing
 * happened. */
typedef enum { COMPILE_WAITS, COMPILE_AGAIN, COMPILE_NEVER } compile_waited;
bool compile_wait(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                  tile_tensor *out, compile_left **left, compile_waited *waited);
/* Adds the test of a loop to the list, whose outcome is known. Returns false where the processor cannot make
 * it. */
bool compile_wait_test(machine *m, const fe_step *step, bool over);
/* Ends the session, if there is one, where the statement needs another program, or in any case without one;
 * takes what it recorded, and what the chip alone has. Tensors change by that: so this comes before operands
 * are looked at, which are the tensors' own. */
bool compile_leave_program(machine *m, compile_context *ctx, const compile_stage_of *stage);
/* Makes *k the compiled kernels of the statement, with these operands and what goes on between runs; they are
 * run by compile_run_kernels. What the run needs lives in `ctx`. */
void compile_begin_run(machine *m, compile_context *ctx, compile_stage_of *stage, const compile_data *data,
                       compile_kernel *k);
/* Keeps what later runs need of one that was made, if it was. Returns `ok`. */
bool compile_end_run(machine *m, const compile_context *ctx, compile_stage_of *stage, const compile_kernel *k,
                     bool ok);

#endif
