/* sums.h - splits a kernel into several: each then combines by one operation only, or joins in one way, or
 * fits the array, and the host computes operations absent from the array. */
#ifndef ONYX_FE_SUMS_H
#define ONYX_FE_SUMS_H

#include "frontend/frontend.h"

/* The parts that become kernels: sums inside of the expression, until each kernel has only sums around its
 * whole right side, all by one operation; uniting operations inside of an intersecting one; or both. */
typedef enum { FE_PARTS_SUMS, FE_PARTS_UNIONS, FE_PARTS_BOTH, FE_PARTS_KINDS } fe_parts;
/* Gives each such part a kernel and a workspace, scalars included; equal parts share one. Returns false
 * without such parts, and if the schedule splits loops or copies them. O(expressions^2).
 */
bool fe_stage_parts(const fe_kernel *k, fe_parts parts, arena *mem, fe_cin *out);

/* Whether the array can run a kernel: yes; with a larger array; or an ability is missing. */
typedef enum { FE_FITS, FE_TOO_LARGE, FE_LACKED } fe_fit;
typedef fe_fit fe_fits(void *of, const fe_kernel *one);
/* Cuts the right side into kernels that fit, each as large as possible from its operands on. Operands of an
 * operation get workspaces if they do not fit together; if the array lacks an ability for a single operation,
 * the host computes the operation (fe_kernel.on_host). Returns false if all fits, if a single operation is
 * too large, and if the schedule splits loops or copies them. O(expressions^2), and two queries for each. */
bool fe_stage_fitting(const fe_kernel *k, fe_fits *fits, void *of, arena *mem, fe_cin *out);
/* A factor of a product, with its variables, a bit (handle - 1) for each. */
typedef struct {
    sam_expr access; /* of an operand; none: an earlier sum */
    uint64_t vars;
    const char *text;
} fe_factor;
/* A product of operands under a sum, or none; `kept` are the variables of the sum. */
typedef struct {
    const fe_factor *factor;
    uint32_t n;
    uint64_t kept;
} fe_product;
/* Lists the products added up by the kernel's outermost sums; returns their number. */
uint32_t fe_products(const fe_kernel *k, arena *mem, const fe_product **out);
/* Returns the variables of the rest if the factors with v, a bit for each in *inside, are multiplied and
 * summed along v and all variables absent from the result and the other factors. */
uint64_t fe_summed_first(const fe_product *of, sam_var v, uint64_t *inside);

/* A product, and the variables of its first sums, in sequence. */
typedef struct {
    fe_product of;
    const sam_var *first;
    uint32_t n;
} fe_contraction;
/* Returns the schedule that, for each product, sums the factors with first[0] along first[0] in a kernel of
 * their own, then the factors with first[1], earlier sums included, and so on: a product of matrices and a
 * vector from the right, with as many steps as entries. NULL if a kernel would have all factors of its
 * product, or be a scalar, or without products. O(sums x factors).
 */
const char *fe_contracted(const fe_kernel *k, const fe_contraction *all, uint32_t n, arena *mem);
/* Returns the schedule with which a matrix or tensor is multiplied first by what has a part of its indices
 * only, d(i) * A(i,k) * d(k) * H(k,j) as w(i,k) * H(k,j): once for each of its entries, and not for each
 * product. NULL where a product has none, and where no loop is outside of the matrix. O(factors^2). */
const char *fe_scaled(const fe_kernel *k, arena *mem);
/* Returns whether the user sets the format of the tensor `name`. */
bool fe_has_format(const fe_in *in, const char *name);
/* Returns whether e contains a sum. */
bool fe_has_sum(const sam_statement *s, sam_expr e);
/* Renames the workspaces of a program apart from the kernels of the program around. */
void fe_name_apart(fe_cin *cin, const fe_cin *others);

#endif
