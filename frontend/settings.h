/* settings.h - what -d says of a statement that was not written as an expression. */
#ifndef ONYX_FRONTEND_SETTINGS_H
#define ONYX_FRONTEND_SETTINGS_H

#include "frontend/frontend.h"

/* Puts the "-d" strings onto the variables, one for a tensor onto those of its accesses. E0102, E0119. */
bool fe_parse_dimensions(const fe_in *in, diagnostics *d, sam_statement *s);

#endif
