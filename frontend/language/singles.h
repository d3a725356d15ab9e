/* singles.h - operands with a single coordinate along a longer index. */
#ifndef ONYX_FRONTEND_SINGLES_H
#define ONYX_FRONTEND_SINGLES_H

#include "frontend/language/parse.h"

/* How far the indices of a tensor run; 0: unknown. */
typedef struct {
    uint32_t dim[SAM_MAX_ORDER];
} fe_extents;

/* Returns the extents of variables in accesses, by handle - 1; `of` is by tensor, by handle - 1. 0: no
 * access states an extent, or with `all` an access states none. */
const uint32_t *fe_reach_of_vars(const sam_statement *s, const fe_extents *of, bool all);
/* Returns whether index m of an access, of extent 1 by the data, may be broadcast: a plain index of the
 * user's tensor, once in the access. */
bool fe_is_plain_index(const sam_statement *s, const sam_expr_data *access, uint32_t m);
/* Finds indices with a single coordinate, longer in other accesses, with a note for each. */
fe_singles fe_find_singles(const sam_statement *s, const fe_extents *of, src_loc loc, diagnostics *d);
/* Makes A(i,j) A(0,j) for the accesses of in->singles. *broadcast: the indices replaced in each expression,
 * by handle - 1, for the implicit sums. E0118 for too many variables. */
bool fe_broadcast_singles(const fe_in *in, diagnostics *d, sam_statement *s, uint64_t **broadcast);

#endif
