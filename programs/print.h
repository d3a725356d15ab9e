/* print.h - the step "print" of a program. */
#ifndef ONYX_PROGRAMS_PRINT_H
#define ONYX_PROGRAMS_PRINT_H

#include "programs/interpreter.h"

/* Prints texts and values of tensors as a line of the standard error stream; reads back what only the chip
 * has. */
bool compile_print(interpreter *m, const fe_step *step);

#endif
