/* cin_parse.h - concrete index notation, read. */
#ifndef ONYX_FRONTEND_CIN_PARSE_H
#define ONYX_FRONTEND_CIN_PARSE_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"

/* Reads and checks the text of fe_cin_dump. E0150-cin, and errors of fe_parse. */
bool fe_cin_parse(const char *text, name_table *names, arena *mem, diagnostics *d, fe_cin *out);
/* Reads concrete index notation from the reader on, to the end of its piece. */
bool fe_cin_read(fe_reader in, name_table *names, arena *mem, diagnostics *d, fe_cin *out);
/* Reads concrete index notation of one kernel, from the file `path`, as an expression and the schedule that
 * makes these loops of it. E0150-cin, and errors of fe_cin_parse. */
bool fe_cin_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                       const char **expression, const char **schedule);

#endif
