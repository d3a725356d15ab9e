/* scalars.h - the two sides of a statement, held against each other. */
#ifndef ONYX_FRONTEND_SCALARS_H
#define ONYX_FRONTEND_SCALARS_H

#include "frontend/language/access.h"

/* The result on the right side means its earlier content: a separate operand, with the result's name for the
 * user. */
void fe_separate_result(sam_statement *s);
/* The result is no scalar with the name of an index: i = b(i) is rather a slip. */
bool fe_check_all_scalars(const fe_parser *p);

#endif
