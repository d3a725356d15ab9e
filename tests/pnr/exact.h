/* exact.h - the least wire length of a tiny netlist by branch and bound, the annealer's reference.
 *
 * Cells are placed in turn, most connected to placed cells first, each on every free site of its kind. Wire
 * length is the half perimeter of each net, exact for nets of up to three cells, the largest nets of the made
 * netlists. Bound: the boxes of placed cells; a net with unplaced cells, begun or not, is at least one tile
 * long per further cell. Exponential; a few million nodes for 4 x 4 tiles.
 */
#ifndef ONYX_TESTS_PNR_EXACT_H
#define ONYX_TESTS_PNR_EXACT_H

#include "tests/pnr/made.h"

enum { EXACT_NODES = 40000000 };

typedef struct {
    const netlist *net;
    pnr_board board;
    uint32_t optimum, found;
    uint64_t nodes;
    bool proved;
    /* the search */
    pnr_site at[64];
    bool placed[64], taken[8][8];
    uint32_t order[64];
} exact_case;

/* A net's share of the bound: its current box, at least one tile per further cell. */
static inline uint32_t exact_net(const exact_case *c, const net_data *net) {
    uint32_t x0 = UINT32_MAX, x1 = 0, y0 = UINT32_MAX, y1 = 0, cells = 0, seen[8];
    for (uint32_t s = 0; s <= net->sinks.len; s++) {
        uint32_t cell = (s ? net->sinks.at[s - 1].cell.v : net->source.cell.v) - 1;
        bool again = false;
        for (uint32_t i = 0; i < cells; i++)
            again |= seen[i] == cell;
        if (again)
            continue;
        seen[cells++] = cell;
        if (!c->placed[cell])
            continue;
        pnr_site at = c->at[cell];
        x0 = at.x < x0 ? at.x : x0;
        x1 = at.x > x1 ? at.x : x1;
        y0 = at.y < y0 ? at.y : y0;
        y1 = at.y > y1 ? at.y : y1;
    }
    uint32_t box = x0 == UINT32_MAX ? 0 : x1 - x0 + y1 - y0;
    return box > cells - 1 ? box : cells - 1;
}

static inline uint32_t exact_bound(const exact_case *c) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < c->net->nets.len; n++)
        sum += exact_net(c, &c->net->nets.at[n]);
    return sum;
}

static inline void exact_order(exact_case *c) {
    bool chosen[64] = {false};
    for (uint32_t i = 0; i < c->net->cells.len; i++) {
        uint32_t best = UINT32_MAX, best_links = 0;
        for (uint32_t cell = 0; cell < c->net->cells.len; cell++) {
            uint32_t links = 0;
            for (uint32_t n = 0; n < c->net->nets.len; n++) {
                const net_data *net = &c->net->nets.at[n];
                uint32_t inside = chosen[net->source.cell.v - 1], mine = net->source.cell.v - 1 == cell;
                for (uint32_t s = 0; s < net->sinks.len; s++) {
                    inside += chosen[net->sinks.at[s].cell.v - 1];
                    mine += net->sinks.at[s].cell.v - 1 == cell;
                }
                links += mine ? 1 + 8 * inside : 0;
            }
            if (!chosen[cell] && (best == UINT32_MAX || links > best_links)) {
                best = cell;
                best_links = links;
            }
        }
        chosen[best] = true;
        c->order[i] = best;
    }
}

static inline bool exact_site(const exact_case *c, const net_cell_data *cell, uint32_t x, uint32_t y) {
    return !c->taken[y][x] && pnr_site_tile(&c->board, x, y) == pnr_cell_tile(cell) &&
           (y > 0 || x % c->board.columns_per_glb_tile == (cell->output ? 1u : 0u));
}

static inline void exact_place(exact_case *c, uint32_t depth) {
    if (c->nodes++ >= EXACT_NODES || exact_bound(c) >= c->optimum)
        return;
    if (depth == c->net->cells.len) {
        c->optimum = exact_bound(c);
        return;
    }
    uint32_t cell = c->order[depth];
    for (uint32_t y = 0; y < c->board.height; y++)
        for (uint32_t x = 0; x < c->board.width; x++) {
            if (!exact_site(c, &c->net->cells.at[cell], x, y))
                continue;
            c->taken[y][x] = c->placed[cell] = true;
            c->at[cell] = (pnr_site){(uint16_t)x, (uint16_t)y};
            exact_place(c, depth + 1);
            c->taken[y][x] = c->placed[cell] = false;
        }
}

/* A made netlist on 4 x 2, 4 x 3 or 4 x 4 tiles, with the result of pnr and the optimum. */
static inline exact_case exact_made(fixture *f, uint64_t seed) {
    exact_case c = {.board = made_board(4, 2 + (uint32_t)(seed % 3))};
    uint32_t rows = c.board.height - 1;
    c.net = made_netlist(f, 2 * rows, rows, 1, seed);
    pnr_options o = pnr_options_default();
    pnr_design design;
    place_and_route(f, c.net, &c.board, &o, &design);
    c.found = pnr_hpwl(&design);
    c.optimum = c.found + 1; /* what is to be beaten */
    exact_order(&c);
    exact_place(&c, 0);
    c.proved = c.nodes < EXACT_NODES;
    return c;
}

#endif
