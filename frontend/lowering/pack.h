/* pack.h - a statement in the form that has a graph: stored operands, one for each access. */
#ifndef ONYX_FRONTEND_PACK_H
#define ONYX_FRONTEND_PACK_H

#include "sam/sam.h"

/* Makes every access plain: a stored tensor of its own (the second use of B is B_2), indexed by distinct
 * variables, with dense and compressed levels in the order of the loops. If the user's tensor differs, the
 * stored one is a view (sam_view), made by tile_pack and undone by tile_unpack. With sparse_result the
 * result's dense levels are written compressed, too. The statement must satisfy fe_check. */
bool fe_pack(const sam_statement *s, bool sparse_result, arena *mem, diagnostics *d, sam_statement *out);
/* Returns how the host re-packs a tensor, as "C as ss:1,0" or "the diagonal of B as s, called B_2"; NULL if
 * it does not. */
const char *fe_repacked(const sam_statement *s, sam_tensor t, arena *mem);

#endif
