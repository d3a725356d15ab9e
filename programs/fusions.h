/* fusions.h - the decisions about statements that might become subexpressions of others (fuse.h), written. */
#ifndef ONYX_PROGRAMS_FUSIONS_H
#define ONYX_PROGRAMS_FUSIONS_H

#include "programs/programs.h"

/* Returns the line of a step in the program's text. */
uint32_t compile_line_of_step(const compile_context *ctx, const fe_step *step);
/* Prints the decisions: without --explain only fused sums of bf16. */
void compile_print_fusions(const compile_options *o, const compile_context *ctx, const compile_application *a,
                           FILE *out);
/* Returns the decisions as JSON (docs/report.md). */
cJSON *compile_fusions_json(const compile_context *ctx, const compile_application *a);

#endif
