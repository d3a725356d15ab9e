/* fill.h - operands of ones where loops exceed those of the statement. */
#ifndef ONYX_FRONTEND_FILL_H
#define ONYX_FRONTEND_FILL_H

#include "sam/sam.h"

/* Adds operands made by the host (sam_tensor_data.ones) if the statement's own are insufficient. Nesting: if
 * the loop of a sum inside an expression is outside of a loop around the sum, the sum moves out, and its
 * other addend counts in the first iteration only: b(i) - sum(j, C(i,j)) in the order j,i becomes sum(j, b(i)
 * * first(j) - C(i,j)). Filling: a loop that extends beyond the operands gets ones: B(i,j) + c(i) becomes
 * B(i,j) + c(i) * ones(j), and a dense level of the result is united with 0 * ones. A sum over padded levels
 * (sam_statement.tiled) gets ones also for a dense B, since c(i) must not count in the padding. Quotients: in
 * floating point an added quotient gets a denominator of 1 where absent. Values do not change. The old and
 * the new statement satisfy fe_check_packed: the extent of a loop depends on the stored formats. E0105 for a
 * variable of unknown extent, E0118, E0125. */
bool fe_fill(const sam_statement *s, arena *mem, diagnostics *d, sam_statement *out);

#endif
