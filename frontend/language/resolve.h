/* resolve.h - fills and masks of an expression with known formats. */
#ifndef ONYX_FRONTEND_RESOLVE_H
#define ONYX_FRONTEND_RESOLVE_H

#include "frontend/language/parse.h"
#include "frontend/language/semirings.h"

/* Reads fills: sets the fills of all tensors, and the values outside of masks. Call after sums are bound,
 * formats are read, and the semiring's operations are in place. E0153-fill. */
bool fe_resolve(const fe_in *in, const fe_semiring *r, diagnostics *d, sam_statement *s);
/* Reads the word of "B:inf". E0153-fill. */
bool fe_read_fill(const char *text, bool integers, uint16_t *out, diagnostics *d);

#endif
