/* spread.h - room for wires; private to pnr/. */
#ifndef ONYX_PNR_SPREAD_H
#define ONYX_PNR_SPREAD_H

#include "pnr/place_int.h"

/* Stretches a placement over free sites where its nets would need too many of the wires of some place. */
void place_spread(placer *p, arena *mem);

#endif
