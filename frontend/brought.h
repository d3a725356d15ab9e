/* brought.h - other notations than index notation: einsum strings, and files of concrete index notation. */
#ifndef ONYX_FE_BROUGHT_H
#define ONYX_FE_BROUGHT_H

#include "frontend/frontend.h"

/* Returns whether the text is an einsum string, such as "ij,jk->ik": letters, commas, dots, blanks and an
 * arrow, with an arrow or a comma. */
bool fe_is_einsum(const char *text);
/* Returns its expression, "x(i,k) = t0(i,j) * t1(j,k)"; NULL after E0186-einsum. */
const char *fe_einsum(const char *text, arena *mem, diagnostics *d);
/* Reads concrete index notation of one kernel, from the file `path`, as an expression and the schedule that
 * makes these loops of it. E0150-cin, and errors of fe_cin_parse. */
bool fe_cin_expression(const char *path, const char *text, arena *mem, diagnostics *d,
                       const char **expression, const char **schedule);

#endif
