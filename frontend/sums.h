/* sums.h - a kernel as several: so that each combines by one operation only, or joins in one way, or so that
 * each fits the array, and the host computes what the array lacks. */
#ifndef ONYX_FE_SUMS_H
#define ONYX_FE_SUMS_H

#include "frontend/frontend.h"

/* Which parts get kernels: sums inside of the expression, after which each kernel has sums around its whole
 * right side only, all by one operation; operations that unite inside of one that does not; or both. */
typedef enum { FE_PARTS_SUMS, FE_PARTS_UNIONS, FE_PARTS_BOTH, FE_PARTS_KINDS } fe_parts;
/* Gives each such part a kernel and a workspace of its own, also where that is a scalar; equal ones share it.
 * Returns false where there are none, and where the schedule splits loops or copies them. O(expressions^2).
 */
bool fe_stage_parts(const fe_kernel *k, fe_parts parts, arena *mem, fe_cin *out);

/* Whether the array can run a kernel: it does; it would if it were larger; or it lacks something for it. */
typedef enum { FE_FITS, FE_TOO_LARGE, FE_LACKED } fe_fit;
typedef fe_fit fe_fits(void *of, const fe_kernel *one);
/* Cuts the right side into kernels that fit, each as large as it can be from its operands on. What an
 * operation is of gets workspaces where they do not fit together; where the array lacks something for it
 * alone, the host computes it (fe_kernel.on_host). Returns false where all fits, where an operation alone is
 * too large, and where the schedule splits loops or copies them. O(expressions^2), and two questions for
 * each. */
bool fe_stage_fitting(const fe_kernel *k, fe_fits *fits, void *of, arena *mem, fe_cin *out);
/* A factor of a product, with its variables, a bit (handle - 1) for each. */
typedef struct {
    sam_expr access; /* of an operand; none: what was summed up before */
    uint64_t vars;
    const char *text;
} fe_factor;
/* A product of operands that a sum is of, or none; `kept` are the variables of what comes of it. */
typedef struct {
    const fe_factor *factor;
    uint32_t n;
    uint64_t kept;
} fe_product;
/* Lists the products that the kernel's outermost sums add up; returns how many they are. */
uint32_t fe_products(const fe_kernel *k, arena *mem, const fe_product **out);
/* Returns the variables of what is left if the factors that have v, a bit for each in *inside, are multiplied
 * and summed up along v and all else that neither the result nor any other factor has. */
uint64_t fe_summed_first(const fe_product *of, sam_var v, uint64_t *inside);

/* A product, and the variables along which it is to be summed up first, one after the other. */
typedef struct {
    fe_product of;
    const sam_var *first;
    uint32_t n;
} fe_contraction;
/* Returns the schedule with which of each product the factors that have first[0] are summed up along it in a
 * kernel of their own, then those that have first[1], what was summed up before among them, and so on: a
 * product of matrices and a vector from the right, with as many steps as they have entries. NULL where a
 * kernel would have all factors of its product, or be a scalar, or where there are none. O(sums x factors).
 */
const char *fe_contracted(const fe_kernel *k, const fe_contraction *all, uint32_t n, arena *mem);
/* Returns the schedule with which a matrix or tensor is multiplied first by what has a part of its indices
 * only, d(i) * A(i,k) * d(k) * H(k,j) as w(i,k) * H(k,j): once for each of its entries, and not for each
 * product. NULL where a product has none, and where no loop is outside of the matrix. O(factors^2). */
const char *fe_scaled(const fe_kernel *k, arena *mem);
/* Returns whether the user says how the tensor of that name is stored. */
bool fe_has_format(const fe_in *in, const char *name);
/* Returns whether e has a sum in it. */
bool fe_has_sum(const sam_statement *s, sam_expr e);
/* Gives the workspaces of a program names that no kernel of another one has, which it becomes a part of. */
void fe_name_apart(fe_cin *cin, const fe_cin *others);

#endif
