/* tiled.h - changes for statements that run sub-tile by sub-tile. */
#ifndef ONYX_FRONTEND_TILED_H
#define ONYX_FRONTEND_TILED_H

#include "sam/sam.h"

/* Returns whether a sum over v adds up the padding of dense levels, which must be 0 then. */
bool fe_meets_padding(const sam_statement *s, sam_var v);
/* Returns whether an operand's zeros mark the sub-tiles without its addend. */
bool fe_contributes_once(const sam_statement *s, sam_expr access);
/* Multiplies an addend for one sub-tile only by a scalar of ones, if not 0 at zero operands: the addend, or
 * the subexpression concerned. In place. */
void fe_fill_once(sam_statement *s, arena *mem);

#endif
