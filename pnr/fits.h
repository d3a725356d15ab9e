/* fits.h - what a netlist needs, and what a board has. */
#ifndef ONYX_PNR_FITS_H
#define ONYX_PNR_FITS_H

#include "pnr/design.h"

/* Returns what stands on a cell's tile, from its block letter. */
net_tile pnr_cell_tile(const net_cell_data *cell);

/* What a netlist needs of one kind of resource. The rows of a table are PE tiles, MEM tiles, load streams (IO
 * inputs), store streams (IO outputs). */
typedef struct {
    const char *what;
    uint32_t need, have;
} pnr_resource;
enum { PNR_RESOURCES = 4 };
void pnr_count_resources(const netlist *n, const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Makes one row of loads and stores, which share the GLB tiles with pnr_options.own_tiles. */
void pnr_own_tiles(const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Compares what the netlist needs with what the board has, before anything else: E0510-too-large (exit 2)
 * names what is short, with the whole table in a note. */
bool pnr_fits(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d);

#endif
