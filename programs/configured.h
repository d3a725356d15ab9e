/* configured.h - what stays between runs of statements: the session, the program on the chip, packed
 * operands. */
#ifndef ONYX_PROGRAMS_CONFIGURED_H
#define ONYX_PROGRAMS_CONFIGURED_H

#include "programs/interpreter.h"

/* Returns whether the running program is the plan's. */
bool compile_is_configured(const interpreter *m, const compile_statement_plan *plan);
/* Ends the session, if open, if the statement needs another program, or always without a statement; takes its
 * records, and the results on the chip only. Tensors may change: call before any access to operands. */
bool compile_leave_program(interpreter *m, compile_context *ctx, const compile_statement_plan *plan);
/* Makes *k the compiled kernels of the statement, with these operands and the state between runs;
 * compile_run_kernels runs them. The data of the run live in `ctx`. */
void compile_begin_run(interpreter *m, compile_context *ctx, compile_statement_plan *plan,
                       const compile_data *data, compile_kernel *k);
/* Stores the state of a finished run for later runs. Returns `ok`. */
bool compile_end_run(interpreter *m, const compile_context *ctx, compile_statement_plan *plan,
                     const compile_kernel *k, bool ok);

#endif
