/* take_out.h - a subexpression of the right side, where it stands, and in a kernel of its own. */
#ifndef ONYX_FRONTEND_TAKE_OUT_H
#define ONYX_FRONTEND_TAKE_OUT_H

#include "frontend/functions/match.h"

typedef struct {
    sam_statement *s; /* of the reading kernel */
    sam_expr want;    /* the subexpression as parsed, in s */
    arena *mem;
    fe_exprs sums; /* around the place, outermost first */
    /* Number of innermost sums with only products and signs up to the place. */
    uint32_t product_sums;
    sam_expr *place; /* the position of the subexpression, or of the product with its factors */
    fe_exprs others; /* that product's other factors, or other terms */
    bool terms;      /* the place is a sum that has the subexpression's terms */
    bool negated;    /* with the opposite sign */
    VEC(bool) minus; /* the other terms that are subtracted */
} fe_search;

/* What a command says of the subexpression. */
typedef struct {
    sam_expr want;
    fe_vars from; /* listed variables, and their names in the new kernel */
    VEC(name_id) to;
    name_id workspace; /* 0: choose one */
    bool braces;       /* as taco never writes them */
    src_loc loc;
    fe_binding said; /* of bind and map */
    bool maps;
    const fe_user_function *function; /* NULL: the host */
    const char *family;               /* the named family, whose first member is the function; or NULL */
    fe_mismatch *failed;              /* the furthest failing step, of all ways to take the subexpression */
} fe_subexpr_request;

/* A subexpression of a statement in a kernel of its own. */
typedef struct {
    bool whole;     /* the subexpression is the whole right side: stays one kernel */
    uint64_t moved; /* sums around the subexpression that move inside */
    sam_tensor_data w;
    sam_var index[SAM_MAX_ORDER];
    fe_kernel k;
} fe_taken_out;

/* Returns whether two expressions of a statement are written alike. */
bool fe_same_expr(const sam_statement *s, sam_expr a, sam_expr b);
/* Finds the place of the subexpression in the statement. E0151-subexpression where the right side does not
 * have it. */
bool fe_find_subexpr(fe_search *f, const fe_subexpr_request *r, diagnostics *d);
/* Returns the variables, a bit each, whose sums around the subexpression could be inside of it. */
uint64_t fe_movable_sums(const fe_search *f, const fe_subexpr_request *r);
/* Leaves the loops of a statement that its expressions still have. */
void fe_keep_bound_loops(const fe_kernel *k, sam_statement *s);
/* Returns the value times the factors of the product that the subexpression is not, or plus the other terms.
 */
sam_expr fe_with_others(const fe_search *f, sam_statement *s, sam_expr value);
/* Adds the workspace's indices, in the order of the kernel's loops. */
void fe_index_workspace(const sam_statement *s, uint64_t vars, sam_tensor_data *w, sam_var *index);
/* Makes the new kernel, t->k: w(...) = sums of the subexpression, over the loops of its variables. */
void fe_make_producer(const fe_search *f, const fe_kernel *reads, const fe_subexpr_request *r,
                      fe_taken_out *t);
/* Makes the subexpression a kernel of its own, with the sums whose bits `moved` has. */
fe_taken_out fe_take_out(const fe_search *f, const fe_subexpr_request *r, const fe_kernel *reads,
                         uint64_t moved, const fe_cin *cin);
/* Adds the workspace to a statement, and returns an access to it. */
sam_expr fe_access_to(sam_statement *s, const fe_taken_out *t);
/* Puts a value at the place `at` of the subexpression, and removes the moved sums around. */
void fe_put_in_place(fe_search *f, fe_kernel *reads, sam_expr at, sam_expr value, uint64_t moved);
/* Returns an expression with the sums around the subexpression whose bits are given. */
sam_expr fe_with_sums(const fe_search *f, sam_statement *s, sam_expr e, uint64_t bits);

#endif
