/* scales.h - scaled integers of a program: one scale a tensor, by the data. */
#ifndef ONYX_PROGRAMS_SCALES_H
#define ONYX_PROGRAMS_SCALES_H

#include "programs/programs.h"

/* Returns the options with a scale of each tensor, such that by the reference no word of an operand or of a
 * statement wraps. NULL after an error: of the file and its data, E0184-scale, E0183-range, E0305-value. */
const compile_options *compile_program_scales(const compile_options *o, compile_context *ctx);
/* Reads a program and its first data. Errors as of compile_application_run. */
bool compile_program_read(const compile_options *o, compile_context *ctx, compile_application *a);
/* Runs the reference of a program alone: the stages of *a then have the values that wrapped. */
bool compile_program_reference(const compile_options *o, compile_context *ctx, compile_application *a);

#endif
