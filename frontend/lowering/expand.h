/* expand.h - split loops as views. */
#ifndef ONYX_FRONTEND_EXPAND_H
#define ONYX_FRONTEND_EXPAND_H

#include "frontend/language/cin.h"

/* Makes the statement of one kernel with an index for each loop: operands and result of split loops become
 * views. E0149-not-lowered for a relation without a form in the graph. */
bool fe_expand(const fe_kernel *k, arena *mem, diagnostics *d, sam_statement *out);

#endif
