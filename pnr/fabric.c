/* The fabric: kinds of tiles, the tile at the end of a wire, and the switch box.
 *
 * The switch box joins every pair of sides track by track through a permutation: an output has an input from
 * each other side. Its wires are the table boards/onyx/switch_box.csv.
 */
#include "pnr/pnr_int.h"

#include "boards/onyx/fabric.h"

net_tile pnr_site_tile(const pnr_board *b, uint32_t x, uint32_t y) {
    if (x >= b->width || y >= b->height)
        return NET_TILE_NONE;
    if (y == 0)
        return NET_TILE_IO;
    return x % b->mem_period == b->mem_phase ? NET_TILE_MEM : NET_TILE_PE;
}

net_tile pnr_cell_tile(const net_cell_data *cell) {
    switch (cell->tag) {
    case 'p':
        return NET_TILE_PE;
    case 'm':
        return NET_TILE_MEM;
    case 'I':
        return NET_TILE_IO;
    default:
        return NET_TILE_NONE;
    }
}

bool pnr_neighbour(const pnr_board *b, uint32_t x, uint32_t y, pnr_side side, uint32_t *to_x,
                   uint32_t *to_y) {
    static const int step_x[] = {1, 0, -1, 0}, step_y[] = {0, 1, 0, -1};
    int nx = (int)x + step_x[side], ny = (int)y + step_y[side];
    if (nx < 0 || ny < 0 || nx >= (int)b->width || ny >= (int)b->height)
        return false;
    *to_x = (uint32_t)nx;
    *to_y = (uint32_t)ny;
    return true;
}

/* A wire of a switch box for each t: a track is (plus + times * t) modulo the number of tracks; `times` is +1
 * or -1. */
typedef struct {
    pnr_side from;
    int from_plus, from_times;
    pnr_side to;
    int to_plus, to_times;
} switch_row;
#define X(from, from_plus, from_times, to, to_plus, to_times)                                                \
    {PNR_##from, from_plus, from_times, PNR_##to, to_plus, to_times},
static const switch_row switch_rows[] = {ONYX_SWITCH_WIRES(X)};
#undef X
enum { SWITCH_ROWS = sizeof switch_rows / sizeof *switch_rows };

static uint32_t row_track(int plus, int times, uint32_t t, uint32_t tracks) {
    int w = (int)tracks;
    return (uint32_t)(((plus + times * (int)t) % w + w) % w);
}

bool pnr_switch_track(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                      uint32_t *out_track) {
    for (int i = 0; i < SWITCH_ROWS; i++) {
        const switch_row *r = &switch_rows[i];
        if (r->from != in_side || r->to != out_side)
            continue;
        /* from = from_plus + from_times * t, and from_times is its own inverse. */
        uint32_t t = row_track(-r->from_plus * r->from_times, r->from_times, in_track, b->tracks);
        *out_track = row_track(r->to_plus, r->to_times, t, b->tracks);
        return true;
    }
    return false;
}

bool pnr_switch_select(const pnr_board *b, pnr_side in_side, uint32_t in_track, pnr_side out_side,
                       uint32_t out_track, uint32_t *select) {
    uint32_t place = 0;
    for (uint32_t t = 0; t < b->tracks; t++)
        for (int i = 0; i < SWITCH_ROWS; i++) {
            const switch_row *r = &switch_rows[i];
            if (r->to != out_side || row_track(r->to_plus, r->to_times, t, b->tracks) != out_track)
                continue;
            if (r->from == in_side && row_track(r->from_plus, r->from_times, t, b->tracks) == in_track) {
                *select = place;
                return true;
            }
            place++;
        }
    return false;
}

bool pnr_io_column(const pnr_board *b, bool output, uint32_t x) {
    return x % b->columns_per_glb_tile == (output ? 1u : 0u);
}
