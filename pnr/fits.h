/* fits.h - a netlist's needs, and a board's resources. */
#ifndef ONYX_PNR_FITS_H
#define ONYX_PNR_FITS_H

#include "pnr/design.h"

/* Returns the kind of tile of a cell, from its block letter. */
net_tile pnr_cell_tile(const net_cell_data *cell);

/* A netlist's need of a resource. The rows of a table are PE tiles, MEM tiles, load streams (IO inputs),
 * store streams (IO outputs). */
typedef struct {
    const char *what;
    uint32_t need, have;
} pnr_resource;
enum { PNR_RESOURCES = 4 };
void pnr_count_resources(const netlist *n, const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Merges the rows of loads and stores, which share the GLB tiles with pnr_options.own_tiles. */
void pnr_own_tiles(const pnr_board *b, pnr_resource table[PNR_RESOURCES]);

/* Compares the netlist's needs with the board's resources, before any other work: E0510-too-large (exit 2)
 * names the shortages, with the whole table in a note. */
bool pnr_fits(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d);

#endif
