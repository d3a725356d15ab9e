/* program_values.h - values of indices, and functions of whole tensors, in the statements of a program. */
#ifndef ONYX_FE_PROGRAM_VALUES_H
#define ONYX_FE_PROGRAM_VALUES_H

#include "frontend/schedules/program_int.h"

/* Writes the statement, or the value, without them into *out, and adds the tensors and the statements before
 * it. E0152-function, errors of fe_program_statement. */
bool fe_program_values(fe_program_reader *r, const fe_piece *piece, fe_piece *out, fe_steps *steps);

#endif
