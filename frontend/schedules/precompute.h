/* precompute.h - commands about a subexpression of the right side. */
#ifndef ONYX_FRONTEND_PRECOMPUTE_H
#define ONYX_FRONTEND_PRECOMPUTE_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"

/* Reads and applies a command about a subexpression of the right side, after its opening parenthesis. `said`
 * has the earlier statements of fix, promote and tag, for bind and map. E0151-subexpression, E0167-bind and
 * others. */
typedef enum { FE_TO_WORKSPACE, FE_TO_BIND, FE_TO_MAP } fe_taking;
bool fe_precompute(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d);

#endif
