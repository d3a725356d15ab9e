/* diagnostics_print.h - prints diagnostics, for people and for programs. */
#ifndef ONYX_SUPPORT_DIAGNOSTICS_PRINT_H
#define ONYX_SUPPORT_DIAGNOSTICS_PRINT_H

#include "support/diagnostics.h"
#include <stdio.h>

/* Writes every diagnostic from index `first` on as `name:line:col: error: message [code]`, the
 * line, a caret. With `colour`, for a terminal, the command that explains the first failure follows. */
void diag_print(const diagnostics *d, uint32_t first, FILE *out, bool colour);
/* Writes the diagnostics as a JSON object a line, for programs: docs/diagnostics.md,
 * docs/diagnostics.schema.json. */
void diag_print_json(const diagnostics *d, uint32_t first, FILE *out);
/* Returns whether to print colours on `out`: a terminal, TERM other than dumb, and NO_COLOR unset or
 * empty. */
bool diag_colour(FILE *out);

#endif
