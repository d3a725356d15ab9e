/* program_names.h - texts of a program, and names that the reader makes. */
#ifndef ONYX_FE_PROGRAM_NAMES_H
#define ONYX_FE_PROGRAM_NAMES_H

#include "frontend/schedules/program_int.h"

/* Returns a copy of a program's text with blanks in place of comments, with equal positions. */
const char *fe_program_plain(const char *text, size_t length, arena *mem);
/* Returns a name that no tensor has, of a tensor that the reader makes: WHATLineNUMBER. */
const char *fe_program_new_name(const fe_program_reader *r, const char *what, src_loc loc);
/* Returns the text of a piece without blanks at its end. */
const char *fe_program_trimmed(const fe_program_reader *r, const fe_piece *piece);
/* Replaces the typed text of the piece. */
void fe_program_write(const fe_program_reader *r, const char *text, fe_piece *out);

#endif
