/* reach.h - dense levels of the result. */
#ifndef ONYX_FRONTEND_REACH_H
#define ONYX_FRONTEND_REACH_H

#include "frontend/language/scope.h"

/* Returns the outermost dense level with missing coordinates and without a filling term, or 0. `full` has bit
 * v - 1 for each loop that reaches every coordinate by itself. */
sam_var fe_unfilled_level(const sam_statement *s, const fe_vars *loops, uint64_t full, arena *mem);

/* Coordinates of an operand of ones along its variables, a bit v - 1 for each. */
typedef struct {
    uint64_t dense; /* with all coordinates */
    uint64_t first; /* with coordinate 0 only */
} fe_reach;

/* Returns the reach of a term 0 * ones that fills level v. `loops` has the loops of the outermost scope,
 * outermost first. */
fe_reach fe_level_reach(const sam_statement *s, const fe_vars *loops, sam_var v);
bool fe_level_is_filled(const sam_statement *s, const fe_vars *loops, sam_var v, arena *mem);

#endif
