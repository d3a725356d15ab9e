/* einsum.h - einsum strings as expressions. */
#ifndef ONYX_FRONTEND_EINSUM_H
#define ONYX_FRONTEND_EINSUM_H

#include "sam/sam.h"

/* Returns whether the text is an einsum string, such as "ij,jk->ik": letters, commas, dots, blanks and an
 * arrow, with an arrow or a comma. */
bool fe_is_einsum(const char *text);
/* Returns its expression, "x(i,k) = t0(i,j) * t1(j,k)"; NULL after E0186-einsum. */
const char *fe_einsum(const char *text, arena *mem, diagnostics *d);

#endif
