/* build.h - the passes from a scheduled statement to its graph. */
#ifndef ONYX_FRONTEND_BUILD_H
#define ONYX_FRONTEND_BUILD_H

#include "frontend/lowering/lower.h"

/* Calls fe_pack, fe_fill, fe_pad if requested, and fe_lower. A dense result level that the graph cannot
 * write, or could write on plain streams only with ones, is written compressed: the packed result is then a
 * view. */
bool fe_build(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_statement *packed, sam_graph *out);

#endif
