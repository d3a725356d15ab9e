/* settings.h - formats, dimensions, and the default order of loops. */
#ifndef ONYX_FRONTEND_SETTINGS_H
#define ONYX_FRONTEND_SETTINGS_H

#include "frontend/language/cin.h"
#include "frontend/language/parse.h"

/* Applies the "-f" strings to the tensors; the others get compressed levels in order. E0103, E0110, E0111. */
bool fe_parse_formats(const fe_in *in, diagnostics *d, sam_statement *s);
/* Applies the "-f" strings to the workspaces of a schedule; `user` is the user's statement. E0102, E0110 to
 * E0112, E0178. */
bool fe_format_workspaces(const fe_in *in, const sam_statement *user, fe_cin *cin, diagnostics *d);
/* Reads "ss:1,0@glb", as many levels as the tensor has indices, onto it. `called` is the format's name, or
 * NULL; a result has no region. E0102, E0110 to E0112, E0178. */
bool fe_parse_layout(fe_reader *r, const char *called, const sam_statement *s, bool result,
                     sam_tensor_data *t, diagnostics *d);
/* Orders the loops: the result's variables in storage order, then each scope's sums, outer scopes first. */
void fe_default_loops(sam_statement *s);

char fe_level_letter(sam_level_format format); /* 'd', 's', 'u', 'q', 'c' */

/* Applies the "-d" strings to the variables, a tensor's to the indices of its accesses. E0102, E0119. */
bool fe_parse_dimensions(const fe_in *in, diagnostics *d, sam_statement *s);

/* Returns whether the user sets the format of the tensor `name`. */
bool fe_has_format(const fe_in *in, const char *name);

#endif
