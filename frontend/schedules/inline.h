/* inline.h - a statement of a program in place of its result in a later statement. */
#ifndef ONYX_FRONTEND_INLINE_H
#define ONYX_FRONTEND_INLINE_H

#include "frontend/schedules/program.h"

/* Returns the reason why the right side of `from` may not stand for its result in `into`, by the two
 * statements alone; NULL: every value of `into` stays the same. The result of `from` has an index. */
const char *fe_inline_refusal(const fe_step *from, const fe_step *into);
/* Makes the statement `into` with the right side of `from` in place of its result. With `lifted` the sums of
 * `from` move out of products, for int16: the values are equal modulo 2^16. The pair must have no refusal.
 * Returns false with E0118-too-large or E0130 for a statement beyond the bounds. */
bool fe_inline(fe_program *p, diagnostics *d, const fe_step *from, const fe_step *into, bool lifted,
               fe_step *out);
/* Makes the statement `into` with the result of `from` in place of an expression equal to the right side of
 * `from`, which has a sum and does not read its result. `from` is before `into`, and its values still hold.
 * Returns false if `into` has no such expression. */
bool fe_reuse(fe_program *p, diagnostics *d, const fe_step *from, const fe_step *into, fe_step *out);
/* Derives what a statement records about its expression, as the reader of expressions does. */
void fe_derive(sam_statement *s);

#endif
