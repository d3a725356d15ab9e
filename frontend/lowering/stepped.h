/* stepped.h - loops of the host, one run after the other. */
#ifndef ONYX_FRONTEND_STEPPED_H
#define ONYX_FRONTEND_STEPPED_H

#include "sam/sam.h"

/* Marks the outermost loops not needed in the graph (sam_statement.stepped). The statement must come from
 * fe_pack. */
void fe_step_loops(sam_statement *s);
/* Returns whether the references of the level of v are its coordinates: the outermost level that the graph
 * reads of an operand, or a level whose outer levels have one coordinate. */
bool fe_is_outermost(const sam_statement *s, sam_expr access, sam_var v);

#endif
