/* made.h - netlists and boards of any size, made by a seed, and the same problem in other guises. */
#ifndef ONYX_TESTS_PNR_MADE_H
#define ONYX_TESTS_PNR_MADE_H

#include "tests/pnr/design.h"

#include <math.h>

static inline pnr_board made_board(uint32_t width, uint32_t rows) {
    return (pnr_board){.name = "made",
                       .width = width,
                       .height = rows + 1,
                       .tracks = 5,
                       .mem_period = 4,
                       .mem_phase = 3,
                       .glb_tiles = width / 2,
                       .columns_per_glb_tile = 2,
                       .flush_columns = 4};
}

/* `io` inputs to the first cells, `pe` + `mem` cells in random order, every output to one or two inputs of
 * cells at most 24 on, `io` outputs from the last cells. */
static inline netlist *made_netlist(fixture *f, uint32_t pe, uint32_t mem, uint32_t io, uint64_t seed) {
    netlist *n = new_netlist(f);
    prng r = prng_seed(seed);
    uint32_t cells = pe + mem;
    uint8_t *inputs = arena_new_n(&f->mem, uint8_t, cells + 1);
    for (uint32_t i = 0; i < cells; i++) {
        bool take_pe = prng_below(&r, pe + mem) < pe;
        add_cell(f, n, take_pe ? 'p' : 'm');
        *(take_pe ? &pe : &mem) -= 1;
    }
    for (uint32_t i = 0; i < io; i++)
        connect_cells(f, n, add_cell(f, n, '<'), 0, (net_cell){i + 1}, inputs[i]++);
    for (uint32_t i = 0; i + 1 < cells; i++) {
        net_data *net = add_net(f, n, (net_cell){i + 1}, 0);
        uint32_t sinks = 1 + prng_below(&r, 2), ahead = cells - 1 - i < 24 ? cells - 1 - i : 24;
        for (uint32_t k = 0; k < sinks; k++) {
            uint32_t to = i + 1 + prng_below(&r, ahead);
            if (inputs[to] < 4)
                add_sink(f, net, (net_cell){to + 1}, inputs[to]++);
        }
        if (net->sinks.len == 0)
            n->nets.len--;
    }
    for (uint32_t i = 0; i < io; i++)
        connect_cells(f, n, (net_cell){cells - i}, 1, add_cell(f, n, '>'), 0);
    return n;
}

/* As made_netlist, but sinks stand in any distance d, one in four before its source, with a chance that falls
 * with d by `power`: 1.5 as in circuits of Rent's exponent 0.5, 1 for as many from 1 to 2 as from 512 to
 * 1,024. */
static inline netlist *far_netlist(fixture *f, uint32_t pe, uint32_t mem, uint32_t io, double power) {
    netlist *n = new_netlist(f);
    prng r = prng_seed(1);
    const uint32_t cells = pe + mem, most = cells / 2;
    uint8_t *inputs = arena_new_n(&f->mem, uint8_t, cells + 1);
    for (uint32_t i = 0; i < cells; i++) {
        bool take_pe = prng_below(&r, pe + mem) < pe;
        add_cell(f, n, take_pe ? 'p' : 'm');
        *(take_pe ? &pe : &mem) -= 1;
    }
    for (uint32_t i = 0; i < io; i++) {
        const uint32_t to = (uint32_t)((uint64_t)cells * i / io);
        connect_cells(f, n, add_cell(f, n, '<'), 0, (net_cell){to + 1}, inputs[to]++);
        connect_cells(f, n, (net_cell){to + 1}, 1, add_cell(f, n, '>'), 0);
    }
    for (uint32_t i = 0; i < cells; i++) {
        net_data *net = add_net(f, n, (net_cell){i + 1}, 0);
        for (uint32_t k = 1 + prng_below(&r, 2); k-- > 0;) {
            const double u = prng_below(&r, 1 << 24) / 0x1p24;
            const uint32_t d =
                (uint32_t)(power <= 1 ? pow(most, u)
                                      : pow(1 - u * (1 - pow(most, 1 - power)), 1 / (1 - power)));
            const uint32_t to = (i + (prng_below(&r, 4) ? d : cells - d)) % cells;
            if (to != i && inputs[to] < 4)
                add_sink(f, net, (net_cell){to + 1}, inputs[to]++);
        }
        if (net->sinks.len == 0)
            n->nets.len--;
    }
    return n;
}

/* `k` unconnected copies in a netlist, appended in turn, numbered consecutively. */
static inline netlist *copies_of_netlist(fixture *f, const netlist *one, uint32_t k) {
    netlist *n = new_netlist(f);
    uint32_t numbers = 0;
    for (uint32_t c = 0; c < one->cells.len; c++)
        numbers = one->cells.at[c].number >= numbers ? one->cells.at[c].number + 1 : numbers;
    for (uint32_t first = 0; k-- > 0; first += one->cells.len) {
        for (uint32_t c = 0; c < one->cells.len; c++) {
            net_cell_data cell = one->cells.at[c];
            cell.number += first / one->cells.len * numbers;
            cell.name = names_intern(&f->names, arena_printf(&f->mem, "copy_%u", first + c));
            vec_push(&f->mem, &n->cells, cell);
        }
        for (uint32_t i = 0; i < one->nets.len; i++) {
            const net_data *from = &one->nets.at[i];
            net_data *net = add_net(f, n, (net_cell){from->source.cell.v + first}, from->source.port);
            for (uint32_t s = 0; s < from->sinks.len; s++)
                add_sink(f, net, (net_cell){from->sinks.at[s].cell.v + first}, from->sinks.at[s].port);
        }
    }
    return n;
}

/* The cells in another order (a permutation: cell i goes to place[i]), numbered anew, and the nets reversed.
 */
static inline netlist *permuted_netlist(fixture *f, const netlist *n, const uint32_t *place) {
    netlist *out = new_netlist(f);
    for (uint32_t i = 0; i < n->cells.len; i++)
        vec_push(&f->mem, &out->cells, (net_cell_data){0});
    for (uint32_t i = 0; i < n->cells.len; i++) {
        out->cells.at[place[i]] = n->cells.at[i];
        out->cells.at[place[i]].number = place[i];
    }
    for (uint32_t i = n->nets.len; i-- > 0;) {
        const net_data *net = &n->nets.at[i];
        net_data *copy = add_net(f, out, (net_cell){place[net->source.cell.v - 1] + 1}, net->source.port);
        for (uint32_t s = net->sinks.len; s-- > 0;)
            add_sink(f, copy, (net_cell){place[net->sinks.at[s].cell.v - 1] + 1}, net->sinks.at[s].port);
    }
    return out;
}

static inline uint32_t *random_permutation(fixture *f, uint32_t n, uint64_t seed) {
    uint32_t *place = arena_new_n(&f->mem, uint32_t, n);
    prng r = prng_seed(seed);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = prng_below(&r, i + 1);
        place[i] = place[k];
        place[k] = i;
    }
    return place;
}

/* Copies the netlist with other names and numbers of its cells. */
static inline netlist *renamed_netlist(fixture *f, const netlist *n) {
    netlist *out = new_netlist(f);
    for (uint32_t i = 0; i < n->cells.len; i++) {
        net_cell_data c = n->cells.at[i];
        c.number += 1000;
        c.name = names_intern(&f->names, arena_printf(&f->mem, "other_%u", i));
        vec_push(&f->mem, &out->cells, c);
    }
    for (uint32_t i = 0; i < n->nets.len; i++)
        vec_push(&f->mem, &out->nets, n->nets.at[i]);
    return out;
}

/* IO cells in a row from the left, or, mirrored, from the right; other cells are free. */
static inline pnr_site *io_in_a_row(fixture *f, const netlist *n, const pnr_board *b, bool mirrored) {
    pnr_site *fixed = arena_new_n(&f->mem, pnr_site, n->cells.len);
    uint32_t x = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        fixed[c] = (pnr_site){PNR_FREE, PNR_FREE};
        if (n->cells.at[c].tag != 'I')
            continue;
        fixed[c] = (pnr_site){(uint16_t)(mirrored ? b->width - 1 - x : x), 0};
        x++;
    }
    return fixed;
}

typedef enum { GUISE_SAME, GUISE_RENAMED, GUISE_PERMUTED, GUISE_MIRRORED, GUISE_LARGER, GUISE_WIDER } guise;
enum { GUISES = GUISE_WIDER + 1 };
static const char *const guise_names[GUISES] = {"as it is",         "cells renamed", "cells permuted",
                                                "mirrored in east", "array 32 x 16", "8 tracks"};

/* Mean hops over seeds 1 .. `seeds` of a made netlist on 16 x 8 tiles, IO in a row, in one of its guises. */
static inline double mean_hops(fixture *f, uint64_t netlist_seed, guise g, uint32_t seeds) {
    netlist *n = made_netlist(f, 36, 12, 4, netlist_seed);
    pnr_board b = g == GUISE_LARGER ? made_board(32, 16) : made_board(16, 8);
    const uint32_t *place = random_permutation(f, n->cells.len, netlist_seed);
    pnr_site *fixed = io_in_a_row(f, n, &b, g == GUISE_MIRRORED);
    if (g == GUISE_RENAMED)
        n = renamed_netlist(f, n);
    if (g == GUISE_MIRRORED)
        b.mem_phase = b.mem_period - 1 - b.mem_phase;
    if (g == GUISE_WIDER)
        b.tracks = 8;
    if (g == GUISE_PERMUTED) {
        pnr_site *moved = arena_new_n(&f->mem, pnr_site, n->cells.len);
        for (uint32_t c = 0; c < n->cells.len; c++)
            moved[place[c]] = fixed[c];
        n = permuted_netlist(f, n, place);
        fixed = moved;
    }
    double sum = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        pnr_options o = pnr_options_default();
        pnr_design design;
        o.seed = seed;
        o.moves = 100000;
        o.fixed = fixed;
        o.fabric_only = true;
        place_and_route(f, n, &b, &o, &design);
        sum += pnr_hops(&design);
    }
    return sum / seeds;
}

#endif
