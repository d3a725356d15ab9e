/* absent.h - functions equal to their fill wherever an argument is stored. */
#ifndef ONYX_FRONTEND_ABSENT_H
#define ONYX_FRONTEND_ABSENT_H

#include "sam/sam.h"

/* Rewrites a function equal to its fill wherever an argument with fewer loops than the rest is stored:
 * the function is computed only where the argument has its fill. Other functions stay unchanged
 * (absent.c). */
sam_expr fe_leave_absent(sam_statement *s, sam_expr e);

#endif
