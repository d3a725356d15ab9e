/* pnr_int.h - common to the files of this folder and private to them. */
#ifndef ONYX_PNR_INT_H
#define ONYX_PNR_INT_H

#include "pnr/delays.h"
#include "pnr/pnr.h"

/* Returns a cell's block id, "p3", for messages and files. */
const char *pnr_block_id(const net_cell_data *cell, char buffer[16]);

/* Returns whether an input, or an output, may stand in column x of row 0 if it is a stream of the global
 * buffer. */
bool pnr_io_column(const pnr_board *b, bool output, uint32_t x);

/* Marks SplitFIFO pairs at safe places. */
void pnr_pipeline(pnr_design *design, pnr_pipelining how, arena *scratch);
/* Sets pairs on every safe stretch of two hops of a route, unless the route is early; removes earlier
 * pairs. */
void pnr_pair_route(pnr_route *r, arena *scratch);

/* Returns the delay of the slowest path of a routed net. */
uint32_t pnr_net_delay(const pnr_design *design, const pnr_delays *d, uint32_t net);
/* Lists the hops of the slowest path, last first: hops crossed by data or valid, and hops crossed by ready on
 * its way back. */
void pnr_slowest_hops(const pnr_design *design, const pnr_delays *d, uint32_t net, arena *mem, u32_vec *forth,
                      u32_vec *back);

#endif
