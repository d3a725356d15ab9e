/* blocks.h - .packed files by their kinds of blocks: tiles of streams, or tiles of the dense fabric. */
#ifndef ONYX_PNR_BLOCKS_H
#define ONYX_PNR_BLOCKS_H

#include "pnr/text.h"

/* A port of a block. */
typedef struct {
    bool output;
    uint8_t number, width; /* width: 17 or 1; 0: as its net */
} pnr_port;

/* The blocks of a kind of netlist: letters, with an example for messages, and ports by their names. `drives`:
 * the port is the first of its net, which decides about ports that are inputs and outputs. */
typedef struct {
    const char *tags, *what;
    bool (*find)(char tag, pnr_word name, bool drives, pnr_port *out);
} pnr_blocks;
enum { PNR_BLOCK_PORTS = 32 }; /* numbers of inputs of a block */

/* Reads a .packed netlist of this kind as pnr_read_packed does. */
bool pnr_read_blocks(const char *path, const pnr_blocks *blocks, name_table *names, arena *mem,
                     diagnostics *d, netlist *out);

#endif
