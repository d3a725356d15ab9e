/* singles.h - operands with a single coordinate along a longer index. */
#ifndef ONYX_FRONTEND_SINGLES_H
#define ONYX_FRONTEND_SINGLES_H

#include "frontend/language/parse.h"

/* Makes A(i,j) A(0,j) for the accesses of in->singles. *held: the indices replaced in each expression, by
 * handle - 1, for the implicit sums. E0118 for too many variables. */
bool fe_hold_singles(const fe_in *in, diagnostics *d, sam_statement *s, uint64_t **held);

#endif
