/* statement.h - small queries on a statement, and additions. */
#ifndef ONYX_FRONTEND_STATEMENT_H
#define ONYX_FRONTEND_STATEMENT_H

#include "sam/sam.h"

/* Returns the bit of a variable in a set. */
static inline uint64_t fe_bit(sam_var v) {
    return (uint64_t)1 << (v.v - 1);
}
/* Returns the place of a variable among n; n if absent. */
static inline uint32_t fe_var_place(const sam_var *list, uint32_t n, sam_var v) {
    uint32_t i = 0;
    while (i < n && list[i].v != v.v)
        i++;
    return i;
}
sam_var fe_find_var(const sam_statement *s, name_id name);
sam_tensor fe_find_tensor(const sam_statement *s, name_id name);
uint32_t fe_loop_position(const sam_statement *s, sam_var v); /* 0 = outermost; loops.len if absent */
uint64_t fe_free_vars(const sam_statement *s, sam_expr e);    /* bit v - 1 for each variable free in e */
const char *fe_var_text(const sam_statement *s, sam_var v);
const char *fe_tensor_text(const sam_statement *s, sam_tensor t);
/* Returns the access as text: "B(i,k)". */
const char *fe_access_text(const sam_statement *s, sam_tensor t, const sam_var *index, arena *mem);

/* Adds an expression to the statement and returns its handle. */
static inline sam_expr fe_add_expr(sam_statement *s, sam_expr_data x) {
    vec_push(s->mem, &s->exprs, x);
    return (sam_expr){s->exprs.len};
}

/* Returns the first of BASE, BASE2, BASE3, ... not used as a name of a tensor or a variable. */
name_id fe_fresh_name(const sam_statement *s, const char *base, arena *mem);
/* Adds an operand of ones without indices. */
sam_expr fe_add_ones(sam_statement *s, src_loc loc, arena *mem);

bool fe_has_index(const sam_statement *s, sam_expr access, sam_var v);
uint32_t fe_level_of(const sam_statement *s, sam_expr access, sam_var v); /* the storage level of v */

/* B_2, B_3, ...: the first name not used by a tensor or a variable. */
name_id fe_copy_name(const sam_statement *s, name_id name);

#endif
