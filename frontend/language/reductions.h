/* reductions.h - reductions in index notation: sum(j, e) and sum_j e. */
#ifndef ONYX_FRONTEND_REDUCTIONS_H
#define ONYX_FRONTEND_REDUCTIONS_H

#include "frontend/language/access.h"
#include "frontend/language/calls.h"

/* Some reductions are of the bits of integers: E0152-function where values are bfloat16. */
bool fe_may_reduce(fe_parser *p, const fe_call *f);
/* A variable of the result is not summed over: E0108-sum. */
bool fe_may_sum_over(fe_parser *p, sam_var v, src_loc loc);
/* Adds the sums of a reduction over vars around e. */
sam_expr fe_add_sums(fe_parser *p, sam_expr e, const fe_vars *vars, const fe_call *by, src_loc loc);
/* Reads the variables of a subscript: j, {jk} or {j,k}. */
bool fe_parse_subscripts(fe_parser *p, fe_vars *vars);
/* Checks that e has all variables: E0108-sum. */
bool fe_check_reduced(fe_parser *p, sam_expr e, const fe_vars *vars, const fe_call *by);

#endif
