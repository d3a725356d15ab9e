/* split_parts.h - parts of a statement become values of kernels that run before it, which fill workspaces;
 * what is left of the statement reads these. */
#ifndef ONYX_FRONTEND_SPLIT_PARTS_H
#define ONYX_FRONTEND_SPLIT_PARTS_H

#include "frontend/take_out.h"

/* An expression, and the access to the workspace that it has. */
typedef struct fe_split_part {
    sam_expr part;
    sam_expr_data access;
} fe_split_part;

typedef struct {
    sam_statement s; /* of the last kernel */
    arena *mem;
    const fe_kernel *k;
    fe_parts parts;
    const fe_cin *beside; /* existing kernels, or NULL */
    fe_cin *out;
    VEC(fe_split_part) made;
} fe_splitting;

/* Returns an access to a workspace with the part, whose kernel is added if none has made it yet. */
sam_expr fe_split_out(fe_splitting *t, sam_expr part, bool on_host);
/* Adds the last kernel of the program: the rest of the statement. */
void fe_end_splitting(fe_splitting *t, bool on_host);
/* Gives workspaces to operands that the host does not take as they are; a function of fibers is all of a
 * kernel. */
sam_expr fe_split_for_host(fe_splitting *t, sam_expr e, bool whole);

#endif
