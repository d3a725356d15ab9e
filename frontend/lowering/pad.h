/* pad.h - levels that the host pads with zeros. */
#ifndef ONYX_FRONTEND_PAD_H
#define ONYX_FRONTEND_PAD_H

#include "sam/sam.h"

/* Marks the levels that the host pads (sam_tensor_data.padded) for the chip, whose repeaters and droppers
 * mistake empty fibers: no loop may meet an empty fiber with a dependent repeater or dependent coordinates of
 * the result. All operands of such a loop then share coordinate 0, and an explicit zero changes no value. A
 * loop that stays empty where a term of a union is absent keeps its droppers, and its inner scanned dense
 * levels become compressed levels with all coordinates; likewise dense levels of absent operands whose
 * coordinates are used. `locates`: fe_locate follows, and located levels are not scanned. The statement must
 * come from fe_fill. */
void fe_pad(sam_statement *s, bool locates, arena *mem);

#endif
