/* fabric.h - kinds of tiles, and the wires between them. */
#ifndef ONYX_PNR_FABRIC_H
#define ONYX_PNR_FABRIC_H

#include "pnr/board.h"

net_tile pnr_site_tile(const pnr_board *b, uint32_t x, uint32_t y); /* kind of tile at (x, y); NONE outside */

/* Says where the switch box leads: input (side, track) goes to output track *out_track of out_side; false for
 * a U-turn. */
bool pnr_switch_track(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                      uint32_t *out_track);
/* Finds the mux select of the switch-box output (out_side, out_track) for this input: 0..2, its place among
 * the wires of the output in the chip's wire list. False when the switch box has no such wire. */
bool pnr_switch_select(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                       uint32_t out_track, uint32_t *select);
/* Returns the arrival side of a wire that leaves by `side`. */
static inline pnr_side pnr_opposite(pnr_side side) {
    return (pnr_side)(((unsigned)side + 2) % 4);
}
/* Finds the arrival tile of a wire that leaves (x, y) by `side`; false outside of the array. */
bool pnr_neighbour(const pnr_board *b, uint32_t x, uint32_t y, pnr_side side, uint32_t *to_x, uint32_t *to_y);

/* Writes a wire's name, "x3y2.EAST.1". */
void pnr_wire_name(uint32_t x, uint32_t y, pnr_side side, uint32_t track, char out[48]);

#endif
