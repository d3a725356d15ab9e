/* scales.h - scaled integers of a program: one scale a tensor, by the data. */
#ifndef ONYX_PROGRAMS_SCALES_H
#define ONYX_PROGRAMS_SCALES_H

#include "programs/programs.h"

/* Returns the options with a scale of each tensor, such that by the reference no word of an operand or of a
 * statement wraps; with a reason `why` not to take int16, of bf16 where that has the smaller error. NULL
 * after an error of scales alone: of the file and its data, E0184-scale, E0183-range, E0305-value. */
const compile_options *compile_program_scales(const compile_options *o, const char *why,
                                              compile_context *ctx);
/* Reads a program and its first data. Errors as of compile_application_run. */
bool compile_program_read(const compile_options *o, compile_context *ctx, compile_application *a);
/* Runs the reference of a program alone: the plans of *a then have the values that wrapped, and a->accuracy
 * the errors of the results. */
bool compile_program_reference(const compile_options *o, compile_context *ctx, compile_application *a);

#endif
