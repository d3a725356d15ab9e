/* staged.h - splits a kernel into several, by a schedule in the user's notation. */
#ifndef ONYX_FRONTEND_STAGED_H
#define ONYX_FRONTEND_STAGED_H

#include "frontend/language/cin.h"

/* Ways to split one kernel into several: partial sums get kernels and workspaces of their own; likewise sums
 * that are factors; or products that are terms; or a multiply phase stores every product, and a merge phase
 * adds them up with the sums innermost, which needs only scalar reducers; or a reduction by an operation
 * other than addition over several loops is made from a vector along the outermost. */
typedef enum {
    FE_STAGE_PARTIAL_SUMS,
    FE_STAGE_FACTORS,
    FE_STAGE_TERMS,
    FE_STAGE_PHASES,
    FE_STAGE_ROWS,
    FE_STAGINGS
} fe_staging;
/* Returns the schedule that stages the kernel, in place of the schedule of k. NULL if the kernel has no
 * matching subexpression, and if the schedule splits loops or copies them. */
const char *fe_staged(const fe_kernel *k, fe_staging how, arena *mem);

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
/* Returns the schedule with which a matrix or tensor is multiplied first by what has some of its
 * indices only, d(i) * A(i,k) * d(k) * H(k,j) as w(i,k) * H(k,j): once for each of its entries, and not for
 * each product. NULL where a product has none, and where no loop is outside of the matrix. O(factors^2). */
const char *fe_scaled(const fe_kernel *k, arena *mem);

#endif
