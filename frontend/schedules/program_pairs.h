/* program_pairs.h - a statement of two results: values, and their places. */
#ifndef ONYX_FE_PROGRAM_PAIRS_H
#define ONYX_FE_PROGRAM_PAIRS_H

#include "frontend/schedules/program_int.h"

/* Reads "m(i), p(i) = argmax(j, e)" into the steps that it stands for. E0102-syntax, E0174-multi, and errors
 * of fe_program_statement. */
bool fe_program_pair(fe_program_reader *r, const fe_piece *piece, fe_steps *steps);

#endif
