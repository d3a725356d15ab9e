/* taken.h - the unstored values along an index that a function takes. */
#ifndef ONYX_FRONTEND_TAKEN_H
#define ONYX_FRONTEND_TAKEN_H

#include "sam/statement.h"

/* Sets for each function along an index whether the function takes fills, too (sam_expr_data.takes), from the
 * user's formats of the operands: a dense level has a value at every coordinate. O(expressions). */
void fe_find_taken(sam_statement *s);

#endif
