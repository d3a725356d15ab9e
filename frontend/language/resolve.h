/* resolve.h - fills and masks of an expression with known formats. */
#ifndef ONYX_FRONTEND_RESOLVE_H
#define ONYX_FRONTEND_RESOLVE_H

#include "frontend/language/parse.h"
#include "frontend/language/semirings.h"

/* Sets the fills of all tensors: stated ones ("B:inf"), else the identity of the semiring's addition.
 * *stated: the fill of the result is. E0153-fill. */
bool fe_read_fills(const fe_in *in, const fe_semiring *r, diagnostics *d, sam_statement *s, bool *stated);
/* Sets the values outside of masks. Call after sums are bound, formats and fills are read, and the semiring's
 * operations are in place. E0153-fill. */
bool fe_resolve(const fe_in *in, bool stated, diagnostics *d, sam_statement *s);

#endif
