/* lead.h - masks that lead their operands. */
#ifndef ONYX_FRONTEND_LEAD_H
#define ONYX_FRONTEND_LEAD_H

#include "sam/sam.h"

/* Marks the masks under the right side whose operands are all stored wherever the mask is
 * (sam_expr_data.located). */
void fe_lead_masks(sam_statement *s);
/* Returns whether the access is dense below a marked mask, and must have a value at all coordinates of the
 * mask, which is of another tensor. */
bool fe_is_led(const sam_statement *s, sam_expr access);

#endif
