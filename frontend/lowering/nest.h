/* nest.h - sums moved outwards. */
#ifndef ONYX_FRONTEND_NEST_H
#define ONYX_FRONTEND_NEST_H

#include "sam/sam.h"

/* Moves sums outwards until every loop lies inside the loops of the outer scopes. In place. E0125. */
bool fe_nest_sums(sam_statement *s, arena *mem, diagnostics *d);
/* Moves every sum that is a proper subexpression of the right side out to the outermost scope, for any order
 * of the loops. In place. Returns false if a sum cannot move; the statement is then invalid. */
bool fe_pull_sums(sam_statement *s, arena *mem);

/* Sets the body of the scope of `sum`, or of the outermost scope for 0. */
void fe_set_body(sam_statement *s, sam_expr sum, sam_expr body);

#endif
