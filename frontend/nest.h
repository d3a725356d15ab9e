/* nest.h - sums that move outwards. */
#ifndef ONYX_FRONTEND_NEST_H
#define ONYX_FRONTEND_NEST_H

#include "frontend/frontend.h"

/* Moves sums outwards until every loop lies inside the loops of the scopes around it. In place. E0125. */
bool fe_nest_sums(sam_statement *s, arena *mem, diagnostics *d);
/* Moves every sum that is only a part of the right side out to the outermost scope, whatever the order of the
 * loops. In place. Returns false where one cannot move; then the statement is of no use. */
bool fe_pull_sums(sam_statement *s, arena *mem);

/* Sets the body of the scope that starts at `sum`, or of the outermost one where that is 0. */
void fe_set_body(sam_statement *s, sam_expr sum, sam_expr body);

#endif
