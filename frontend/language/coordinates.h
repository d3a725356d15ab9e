/* coordinates.h - the coordinate algebra of a statement as text. */
#ifndef ONYX_FE_COORDINATES_H
#define ONYX_FE_COORDINATES_H

#include <stdio.h>

#include "sam/sam.h"

/* Writes the coordinate algebra of a statement: a line for each operation, operands first, with the set of
 * coordinates outside of which the operation has its fill, and the fill; then a line for each loop with its
 * visited set. */
void fe_coordinates_dump(const sam_statement *s, FILE *out);

#endif
