/* links.h - who feeds whom in a dense design, over how many registers: what placing and routing keep. */
#ifndef ONYX_DENSE_LINKS_H
#define ONYX_DENSE_LINKS_H

#include "dense/wires.h"

/* Lists the links of a design, those of its routes and those that it names, by their outputs. A wire without
 * a driver makes none. */
dense_links dense_links_of(const dense_design *design, arena *mem);
/* Orders two links by output, then by input. */
int dense_compare_links(const void *a, const void *b);
static inline bool dense_same_output(const dense_link *a, const dense_link *b) {
    return a->from_x == b->from_x && a->from_y == b->from_y && a->width == b->width && a->place == b->place;
}

#endif
