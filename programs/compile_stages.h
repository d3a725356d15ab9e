/* compile_stages.h - the statements of a program, compiled. */
#ifndef ONYX_PROGRAMS_COMPILE_STAGES_H
#define ONYX_PROGRAMS_COMPILE_STAGES_H

#include "programs/interpreter.h"

/* Gives the statements what -s says of each by its name, which is that of its folder. */
bool compile_schedule_stages(const compile_options *o, compile_context *ctx, compile_application *a);
/* Adds the program's statements and loops, in the order of its text. */
void compile_list_stages(const compile_options *o, compile_context *ctx, compile_application *a,
                         const fe_steps *steps, uint32_t loops, bool multi);
/* Compiles each statement. Returns false after errors. */
bool compile_every_stage(const machine *m);
/* Goes through the program by the reference, to see what operands there will be, as far as a bound on these
 * lets it. What it would say is said when the engine comes there. */
void compile_rehearse_stages(machine *engine);

#endif
