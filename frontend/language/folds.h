/* folds.h - functions of two values as reductions: gcd(j, B(i,j)). */
#ifndef ONYX_FRONTEND_FOLDS_H
#define ONYX_FRONTEND_FOLDS_H

#include "frontend/language/access.h"
#include "frontend/language/apply.h"

/* Takes the leading arguments that name indices of the last one, if all others do: they become variables, and
 * leave the arguments. */
void fe_take_folded(fe_parser *p, const fe_user_function *f, fe_exprs *arguments, fe_vars *vars);
/* Makes the reduction of e over vars by the function. E0108-sum, E0152-function. */
sam_expr fe_fold(fe_parser *p, const fe_user_function *f, src_loc loc, sam_expr e, const fe_vars *vars);
/* Checks that folds are of values whose fill is 0, once fills are known. E0152-function. */
bool fe_check_folds(const sam_statement *s, diagnostics *d);

#endif
