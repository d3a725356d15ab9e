/* tiled.h - what a statement needs because it runs sub-tile by sub-tile. */
#ifndef ONYX_FRONTEND_TILED_H
#define ONYX_FRONTEND_TILED_H

#include "frontend/frontend.h"

/* Returns whether a sum over v adds up the padding of dense levels, which must be 0 then. */
bool fe_meets_padding(const sam_statement *s, sam_var v);
/* Returns whether an operand's zeros say in which sub-tiles its addend does not take part. */
bool fe_takes_part_once(const sam_statement *s, sam_expr access);
/* Multiplies by a scalar of ones what takes part in one sub-tile only and would not be 0 if its operands
 * were: an addend, or the part of it of which that holds. In place. */
void fe_fill_once(sam_statement *s, arena *mem);

#endif
