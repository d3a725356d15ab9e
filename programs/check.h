/* check.h - the judge of a program's run: tile_reference, never called by the interpreter itself. */
#ifndef ONYX_PROGRAMS_CHECK_H
#define ONYX_PROGRAMS_CHECK_H

#include "programs/interpreter.h"

/* tile_reference, for a machine whose `reference` is set. */
bool compile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                       tile_tensor *out);
/* Compares one value of bf16 with the reference on the same operands: the engine chooses the order of
 * rounding of bf16 sums, and their errors grow from pass to pass. Sets a->check to "fail" after
 * E0340-mismatch. */
bool compile_check_alone(const interpreter *m, compile_context *ctx, const fe_step *step,
                         const compile_data *data, const tile_tensor *got);
/* Returns whether the program's results are equal in both machines; reports E0340-mismatch otherwise. */
bool compile_same_results(const interpreter *engine, const interpreter *reference);
/* Returns the number of statements that the engine and the reference compute independently; *of is the number
 * of statements. The other statements call a function of the user on the host for both. */
uint32_t compile_count_independent(const compile_options *o, const compile_application *a, uint32_t *of);
/* Measures how far each result is from double precision: a->accuracy. */
void compile_measure_results(const interpreter *engine, const interpreter *reference);

#endif
