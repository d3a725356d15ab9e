/* lead_int.h - clock constraints of a placement. */
#ifndef ONYX_PNR_LEAD_INT_H
#define ONYX_PNR_LEAD_INT_H

#include "pnr/place_int.h"

/* Decides the nets to be led for the clock, and lists the links. */
void place_list_links(placer *p, arena *mem);

#endif
