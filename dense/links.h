/* links.h - connections of a dense design with their numbers of registers, preserved by placing and
 * routing. */
#ifndef ONYX_DENSE_LINKS_H
#define ONYX_DENSE_LINKS_H

#include "dense/wires.h"

/* Lists the links of a design, from its routes and its named links, by their outputs. A wire without a driver
 * makes none. */
dense_links dense_links_of(const dense_design *design, arena *mem);
/* Orders two links by output, and by input. */
int dense_compare_links(const void *a, const void *b);
static inline bool dense_same_output(const dense_link *a, const dense_link *b) {
    return a->from_x == b->from_x && a->from_y == b->from_y && a->width == b->width && a->place == b->place;
}

#endif
