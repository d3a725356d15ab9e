/* program_blocks.h - the items "if", "print" and "include" of a program. */
#ifndef ONYX_FE_PROGRAM_BLOCKS_H
#define ONYX_FE_PROGRAM_BLOCKS_H

#include "frontend/schedules/program_int.h"

/* Read an item whose first word is the reader's token. The header of an `if` is all of the piece, and its
 * blocks begin at r->at. E0102, E0118, E0173. */
bool fe_program_if(fe_program_reader *r, const fe_piece *header, fe_steps *steps);
bool fe_program_print(fe_program_reader *r, fe_reader *in, fe_steps *steps);
bool fe_program_include(fe_program_reader *r, fe_reader *in, fe_steps *steps);

#endif
