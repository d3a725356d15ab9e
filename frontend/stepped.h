/* stepped.h - loops that the host takes, one run after the other. */
#ifndef ONYX_FRONTEND_STEPPED_H
#define ONYX_FRONTEND_STEPPED_H

#include "frontend/fe_int.h"

/* Marks the outermost loops that the graph can do without (sam_statement.stepped). The statement must come
 * from fe_pack. */
void fe_step(sam_statement *s);
/* Returns whether the references of the level that holds v are its coordinates: it is the outermost one that
 * the graph reads of an operand, or those around it have one coordinate. */
bool fe_is_outermost(const sam_statement *s, sam_expr access, sam_var v);

#endif
