/* memory.h - the memory primitives of one tile: writer, storage and reader. */
#ifndef ONYX_LOWER_MEMORY_H
#define ONYX_LOWER_MEMORY_H

#include "lower_onyx/lower_int.h"

typedef struct {
    onyx_node write, read;
} onyx_memory;

/* Adds a write scanner, a buffet, a read scanner and an SRAM as one linked tile; for `values`, the scanners
 * are of the lowest level. */
onyx_memory onyx_add_memory(onyx_graph *g, const char *tile, src_loc loc, bool values);

#endif
