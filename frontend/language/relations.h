/* relations.h - loops made of the variables of an expression. */
#ifndef ONYX_FRONTEND_RELATIONS_H
#define ONYX_FRONTEND_RELATIONS_H

#include "frontend/language/cin.h"

/* Checks that the relation replaces open variables by new ones, and updates both sets (bit v
 * - 1): *open has the replaceable variables, *known all variables so far. E0150. */
bool fe_check_relation(const fe_kernel *k, const fe_relation *r, uint64_t *open, uint64_t *known,
                       diagnostics *d);
/* Returns the relation that replaces v, or NULL; and the relation that introduces v. */
const fe_relation *fe_replacing(const fe_kernel *k, sam_var v);
const fe_relation *fe_making(const fe_kernel *k, sam_var v);
bool fe_is_position(const fe_kernel *k, sam_var v); /* counts stored coordinates, in some way */
/* Lists the variables introduced by a relation; returns their number. */
uint32_t fe_new_vars(const fe_relation *r, sam_var v[2]);
uint64_t fe_roots_of(const fe_kernel *k, sam_var v);     /* bits of the expression's variables behind v */
uint32_t fe_known_extent(const fe_kernel *k, sam_var v); /* 0: only the data say */
/* Splits a loop into two, with `size` coordinates in the inner one. */
void fe_split_loop(fe_kernel *k, sam_var v, uint32_t size);

#endif
