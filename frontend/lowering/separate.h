/* separate.h - a variable for each factor's sum. */
#ifndef ONYX_FRONTEND_SEPARATE_H
#define ONYX_FRONTEND_SEPARATE_H

#include "sam/sam.h"

/* Gives sums over one variable in several factors of a product a variable each, where the statement runs
 * sub-tile by sub-tile (s->tiled), since sub-tiles of a variable are paired. */
void fe_separate(sam_statement *s);

#endif
