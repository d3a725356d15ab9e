/* subexpr_singles.h - operands read at a single coordinate, in the text of a subexpression. */
#ifndef ONYX_FRONTEND_SUBEXPR_SINGLES_H
#define ONYX_FRONTEND_SUBEXPR_SINGLES_H

#include "sam/statement.h"

/* Lets *want, a subexpression that was just parsed, read c(i,0), or c(i,j) broadcast along j, as the
 * statement does: by the statement's index of the single coordinate, with its sums. The statement had `vars`
 * variables and `exprs` expressions before. Other accesses stay. */
void fe_adopt_singles(sam_statement *s, uint32_t vars, uint32_t exprs, sam_expr *want);

#endif
