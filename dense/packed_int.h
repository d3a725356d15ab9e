/* packed_int.h - common to the files that read and write netlists of the chip's own flow. */
#ifndef ONYX_DENSE_PACKED_INT_H
#define ONYX_DENSE_PACKED_INT_H

#include "dense/packed.h"
#include "dense/units.h"
#include "pnr/blocks.h"

enum { DENSE_WORD_BITS = 17, DENSE_PLACES = 4 };

/* Numbers of ports in netlists: inputs by dense_port, outputs by width and place; the Pond's first output
 * leads to its own PE alone. */
enum { DENSE_POND_INSIDE = 2 * DENSE_PLACES, DENSE_PLACE_OF_POND = 3 };
extern const pnr_blocks dense_packed_blocks;

/* Returns the name of an input, or of an output; `inside`: on its way to an input of the same tile. */
const char *dense_input_port(dense_port port, uint32_t width);
const char *dense_output_port(net_tile kind, uint32_t width, uint32_t place, bool inside);
/* Returns the width in files. */
static inline uint32_t dense_file_width(uint32_t width) {
    return width == DENSE_BIT ? 1 : DENSE_WORD_BITS;
}
/* Finds an input by its name: DENSE_PORTS for an IO tile's. */
bool dense_find_input(net_tile kind, pnr_word name, dense_port *port, uint32_t *width);
/* Finds an output by its name. */
bool dense_find_output(net_tile kind, pnr_word name, uint32_t *number);

#endif
