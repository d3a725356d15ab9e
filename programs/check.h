/* check.h - what judges a program's run: tile_reference, which the interpreter never calls by itself. */
#ifndef ONYX_PROGRAMS_CHECK_H
#define ONYX_PROGRAMS_CHECK_H

#include "programs/interpreter.h"

/* tile_reference, for a machine whose `reference` is set. */
bool compile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                       tile_tensor *out);
/* Holds one value of bf16 to the reference on the same operands: sums of bf16 are rounded in an order that is
 * the engine's, and their errors grow from pass to pass. Sets a->check to "fail" after E0340-mismatch. */
bool compile_check_alone(const machine *m, compile_context *ctx, const fe_step *step,
                         const compile_data *data, const tile_tensor *got);
/* Returns whether the program's results are equal in both machines, which is reported (E0340-mismatch). */
bool compile_same_results(const machine *engine, const machine *reference);
/* Returns how many statements the engine and the reference compute in two ways; *of is how many there are. The others
 * have a function of the user's that the host called for both. */
uint32_t compile_count_independent(const compile_options *o, const compile_application *a, uint32_t *of);
/* Measures how far each result is from double precision: a->accuracy. */
void compile_measure_results(const machine *engine, const machine *reference);

#endif
