/* split_subexprs.h - subexpressions of a statement become values of kernels that run before it, which fill
 * workspaces; what is left of the statement reads these. Each kernel then combines by one operation only, or
 * joins in one way, or fits the array, and the host computes operations absent from the array. */
#ifndef ONYX_FRONTEND_SPLIT_SUBEXPRS_H
#define ONYX_FRONTEND_SPLIT_SUBEXPRS_H

#include "frontend/language/cin.h"

/* The subexpressions that become kernels: sums inside of the expression, until each kernel has only sums
 * around its whole right side, all by one operation; uniting operations inside of an intersecting one; or
 * both. */
typedef enum { FE_STAGED_SUMS, FE_STAGED_UNIONS, FE_STAGED_BOTH, FE_STAGED_KINDS } fe_staged_kinds;
/* Gives each such subexpression a kernel and a workspace, scalars included; equal subexpressions share one.
 * Returns false without such subexpressions, and if the schedule splits loops or copies them.
 * O(expressions^2).
 */
bool fe_stage_subexprs(const fe_kernel *k, fe_staged_kinds kinds, arena *mem, fe_cin *out);

/* Whether the array can run a kernel: yes; with a larger array; or an ability is missing. */
typedef enum { FE_FITS, FE_TOO_LARGE, FE_LACKED } fe_fit;
typedef fe_fit fe_fits(void *of, const fe_kernel *one);
/* Cuts the right side into kernels that fit, each as large as possible from its operands on. Operands of an
 * operation get workspaces if they do not fit together; if the array lacks an ability for a single operation,
 * the host computes the operation (fe_kernel.on_host). Returns false if all fits, if a single operation is
 * too large, and if the schedule splits loops or copies them. O(expressions^2), and two queries for each. */
bool fe_stage_fitting(const fe_kernel *k, fe_fits *fits, void *of, arena *mem, fe_cin *out);

/* An expression, and the access to the workspace that it has. */
typedef struct fe_split_subexpr {
    sam_expr subexpr;
    sam_expr_data access;
} fe_split_subexpr;

typedef struct {
    sam_statement s; /* of the last kernel */
    arena *mem;
    const fe_kernel *k;
    fe_staged_kinds kinds;
    const fe_cin *existing; /* existing kernels, or NULL */
    fe_cin *out;
    VEC(fe_split_subexpr) made;
} fe_splitting;

/* Returns an access to a workspace with the subexpression, whose kernel is added if none has made it yet. */
sam_expr fe_split_out(fe_splitting *t, sam_expr subexpr, bool on_host);
/* Adds the last kernel of the program: the rest of the statement. */
void fe_end_splitting(fe_splitting *t, bool on_host);
/* Gives workspaces to operands that the host does not take as they are; a function of fibers is all of a
 * kernel. */
sam_expr fe_split_for_host(fe_splitting *t, sam_expr e, bool whole);

#endif
