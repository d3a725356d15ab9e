/* cin.h - concrete index notation: relations, loops, tags. */
#ifndef ONYX_FRONTEND_CIN_H
#define ONYX_FRONTEND_CIN_H

#include "frontend/scope.h"

void fe_copy_statement(const sam_statement *s, arena *mem, sam_statement *out);
/* Removes expressions not under rhs, and tensors not used; the others get new handles. */
void fe_compact(sam_statement *s);
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
/* Returns the loops of a scope's variables, outermost first. */
fe_vars fe_scope_loops(const fe_kernel *k, const fe_scope *scope, arena *mem);
/* Returns whether every loop of a sum lies inside the loops of the outer scopes. Otherwise fe_fill moves
 * sums. */
bool fe_loops_nest(const fe_kernel *k, arena *mem);
uint64_t fe_roots_of(const fe_kernel *k, sam_var v);     /* bits of the expression's variables behind v */
uint32_t fe_known_extent(const fe_kernel *k, sam_var v); /* 0: only the data say */
const fe_tag *fe_tag_of(const fe_kernel *k, sam_var loop);

#endif
