/* held.h - which values along an index a function takes that are not stored.
 */
#ifndef ONYX_FRONTEND_HELD_H
#define ONYX_FRONTEND_HELD_H

#include "sam/statement.h"

/* Says of each function along an index whether it takes fills, too (sam_expr_data.takes), by the formats that
 * the user gave the operands: a dense level has a value at every coordinate. O(expressions). */
void fe_find_held(sam_statement *s);

#endif
