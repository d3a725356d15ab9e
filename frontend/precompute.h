/* precompute.h - commands about a part of the right side. */
#ifndef ONYX_FRONTEND_PRECOMPUTE_H
#define ONYX_FRONTEND_PRECOMPUTE_H

#include "frontend/text.h"

/* Reads and applies a command about a part of the right side, after its opening parenthesis. `said` is what
 * fix, promote and tag said before, which bind and map take. E0151-subexpression, E0167-bind and others. */
typedef enum { FE_TO_WORKSPACE, FE_TO_BIND, FE_TO_MAP } fe_taking;
bool fe_precompute(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d);

#endif
