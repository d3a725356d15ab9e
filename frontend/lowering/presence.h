/* presence.h - present operands, and possibly empty loops. */
#ifndef ONYX_FRONTEND_PRESENCE_H
#define ONYX_FRONTEND_PRESENCE_H

#include "frontend/language/scope.h"

/* One access of the right side during the iteration. */
typedef struct {
    sam_expr access;
    sam_tensor tensor;
    bool always_joined; /* no union leaves the access out: present wherever its expression is computed */
    bool reaches; /* an expression is extended to its coordinates: present also where the expression has its
                     fill */
} fe_leaf;

typedef struct {
    const sam_statement *s;
    VEC(fe_leaf) list;      /* in the order of the text */
    const uint32_t *number; /* by expression - 1: index into list of an access */
} fe_leaves;

enum { FE_EXACT_LEAVES = 10 };

/* The sets of leaves that can be present (reference not empty) together at a point of the iteration, one flag
 * for each of the 2^leaves subsets. NULL: too many leaves; then a leaf counts as present only if
 * always_joined. */
typedef struct {
    uint8_t *possible;
} fe_presence;

/* The range of loop v of an expression, in every possible case. */
typedef struct {
    bool universe; /* nothing in the expression is indexed by v */
    bool full;     /* every coordinate of the dimension */
    bool nonempty; /* at least one coordinate, given that no operand tensor is empty */
    bool corner;   /* coordinate 0, by dense and padded levels */
    sam_expr bad;  /* a union that needs all coordinates for its side without v */
} fe_domain;

/* Lets sam_unites cache its results, while expressions do not change. */
static inline void fe_keep_joins(sam_statement *s, arena *mem) {
    s->unites = arena_new_n(mem, uint8_t, s->exprs.len + 1);
    s->n_unites = s->exprs.len;
}
fe_leaves fe_collect_leaves(const sam_statement *s, arena *mem);
fe_presence fe_presence_start(const fe_leaves *leaves, arena *mem); /* all leaves present */
/* Returns the domain before loop v. O(subsets * e). */
fe_domain fe_domain_of(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v);
/* Returns the presence inside loop v of e, as a new value. O(3^leaves * e). */
fe_presence fe_presence_inside(const fe_leaves *leaves, const fe_presence *p, sam_expr e, sam_var v,
                               arena *mem);

/* Returns whether e is a literal 0, a product with one, or 1 less a scalar of ones. */
bool fe_is_zero(const sam_statement *s, sam_expr e);
/* Lists the operands of the chain of products, or of unions, that e is. Signs and sums do not change where an
 * expression has coordinates and are skipped. */
void fe_chain_operands(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *operands);
/* Returns whether an access without v, inside a term of a union over v, must be repeated by the term's own
 * coordinates: repeated by the whole union's coordinates, the access would iterate further inside where the
 * term is absent. */
bool fe_repeats_inside(const fe_leaves *leaves, sam_expr term, sam_expr access, sam_var v);

#endif
