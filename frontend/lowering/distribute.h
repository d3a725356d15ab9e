/* distribute.h - meets before unions. */
#ifndef ONYX_FRONTEND_DISTRIBUTE_H
#define ONYX_FRONTEND_DISTRIBUTE_H

#include "sam/sam.h"

/* Rewrites integer products of sums as sums of products, (B + C) * D as B * D + C * D, if the sum is joined
 * with the factor: the chip's intersecters cannot take a union's references; with `calls` also other
 * operations that distribute over each other. Masks of sums move inside. Then rewrites, in a term of an
 * addition, sum(j, a * C) as a * sum(j, C): the chip's repeaters mistake fibers that are empty where the term
 * is absent. Values do not change. The statement satisfies fe_check before and after. Returns false with
 * E0118-too-large (exit 2) for a statement beyond any array. */
bool fe_distribute(sam_statement *s, bool calls, diagnostics *d);
/* Returns whether e contains a sum. */
bool fe_has_sum(const sam_statement *s, sam_expr e);

#endif
