/* delays.h - a board's delays. */
#ifndef ONYX_PNR_DELAYS_H
#define ONYX_PNR_DELAYS_H

#include "pnr/board.h"

/* The board's delays in picoseconds; by net_tile. */
typedef struct {
    uint32_t core[4], launch[4], capture[4];
    uint32_t data[4], valid[4], ready[4]; /* of a switch box */
    uint32_t rmux[4];                     /* launch from a SplitFIFO */
    uint32_t ready_launch[4];             /* of a sink's ready */
    uint32_t box[4]; /* of a connection box, into a unit without handshakes; a board may have none */
} pnr_delays;
/* Returns the name of the first delay of the table unknown to a board, or to a corner; otherwise the first
 * delay needed by timing and missing from a board's table; or NULL. */
const char *pnr_wrong_delay(const cJSON *delays, bool corner);
/* Reads the delays of a board. Error: E0550-no-delay. */
bool pnr_read_delays(const pnr_board *b, diagnostics *d, pnr_delays *out);
/* Overwrites the delays in `out` by the corner's. Returns the corner's name; NULL: the board has no
 * corner. */
const char *pnr_read_corner(const pnr_board *b, pnr_delays *out);

#endif
