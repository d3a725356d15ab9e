/* lead_int.h - what the clock asks of a placement. */
#ifndef ONYX_PNR_LEAD_INT_H
#define ONYX_PNR_LEAD_INT_H

#include "pnr/place_int.h"

/* Decides which nets the clock asks to be led, and lists the links. */
void place_list_links(placer *p, arena *mem);

#endif
