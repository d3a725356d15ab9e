/* configured.h - what stays between runs of statements: the session, the program on the chip, packed
 * operands. */
#ifndef ONYX_PROGRAMS_CONFIGURED_H
#define ONYX_PROGRAMS_CONFIGURED_H

#include "programs/interpreter.h"

/* Returns whether the program that runs is that of the stage. */
bool compile_is_configured(const machine *m, const compile_stage_of *stage);
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
