/* program_coordinates.h - scalars as coordinates, and rewritten statements. */
#ifndef ONYX_FE_PROGRAM_COORDINATES_H
#define ONYX_FE_PROGRAM_COORDINATES_H

#include "frontend/schedules/program_int.h"

/* Writes the statement, or the value, without scalars as coordinates into *out, and adds the steps before it.
 * Errors of fe_program_statement. */
bool fe_program_coordinate(fe_program_reader *r, const fe_piece *piece, fe_piece *out, fe_steps *steps);

#endif
