/* pnr_int.h - what the files of this folder share and nobody else needs. */
#ifndef ONYX_PNR_INT_H
#define ONYX_PNR_INT_H

#include "pnr/pnr.h"

/* pnr_fits under the chip's rules for IO or under those of the fabric alone (pnr_options). */
bool pnr_fits_rules(const netlist *n, const pnr_board *b, bool fabric_only, diagnostics *d);

/* "x3y2" style text of a cell for messages: its block id, "p3". */
const char *pnr_block_id(const net_cell_data *cell, char buffer[16]);

/* May this cell stand in column x of row 0? */
bool pnr_io_column(const pnr_board *b, bool output, bool fabric_only, uint32_t x);

/* Marks SplitFIFO pairs on every safe stretch of two consecutive hops. */
void pnr_pipeline(pnr_design *design, arena *scratch);

#endif
