/* pnr_int.h - what the files of this folder share and nobody else needs. */
#ifndef ONYX_PNR_INT_H
#define ONYX_PNR_INT_H

#include "pnr/pnr.h"

/* Returns a cell's block id, "p3", for messages and files. */
const char *pnr_block_id(const net_cell_data *cell, char buffer[16]);

/* Returns whether an input, or an output, may stand in column x of row 0. */
bool pnr_io_column(const pnr_board *b, bool output, bool fabric_only, uint32_t x);

/* Marks SplitFIFO pairs where they are safe. */
void pnr_pipeline(pnr_design *design, pnr_pipelining how, arena *scratch);
/* Sets pairs on every safe stretch of two hops of one route, unless it is early; none are left of before. */
void pnr_pair_route(pnr_route *r, arena *scratch);

/* The board's delays in picoseconds; by net_tile. */
typedef struct {
    uint32_t core[4], launch[4], capture[4];
    uint32_t data[4], valid[4], ready[4]; /* of a switch box */
    uint32_t rmux[4];                     /* launch from a SplitFIFO */
    uint32_t ready_launch[4];             /* of a sink's ready */
} pnr_delays;
/* Returns the name of the first delay that timing needs and the board's table lacks, of a corner's that timing
 * does not know; or NULL. */
const char *pnr_wrong_delay(const cJSON *delays, bool corner);
/* Reads the delays of a board. Error: E0550-no-delay. */
bool pnr_read_delays(const pnr_board *b, diagnostics *d, pnr_delays *out);
/* Returns the delay of the slowest path of a routed net. */
uint32_t pnr_net_delay(const pnr_design *design, const pnr_delays *d, uint32_t net);
/* Lists the hops of the slowest path, last first: those that data or valid crosses, and those that ready
 * crosses on its way back. */
void pnr_slowest_hops(const pnr_design *design, const pnr_delays *d, uint32_t net, arena *mem, u32_vec *forth,
                      u32_vec *back);

#endif
