/* moves.h - the length of an anneal; private to pnr/. */
#ifndef ONYX_PNR_MOVES_H
#define ONYX_PNR_MOVES_H

#include "pnr/place_int.h"

/* Returns the moves of a placement: of a lane its share of the moves of all lanes, some times over, as a poor
 * lane would be copied, but no more than for a netlist of its own. */
uint32_t place_moves(const placer *p);
/* Returns into how many anneals the moves are divided. */
uint32_t place_restarts(const placer *p);
/* Returns the temperature, in tenths of a hop, below which only descents remain. */
uint32_t place_coldest(const placer *p);

#endif
