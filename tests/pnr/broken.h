/* broken.h - faults of a placed and routed design: each breaks a legal design in one way, and names the code
 * that the checker finds. */
#ifndef ONYX_TESTS_BROKEN_H
#define ONYX_TESTS_BROKEN_H

#include "tests/pnr/design.h"

/* Breaks the design; false if the design has no place for this fault. */
typedef bool (*breaker)(pnr_design *d);

static pnr_hop *first_hop(pnr_design *d, bool (*wanted)(const pnr_design *, const pnr_route *, uint32_t)) {
    for (uint32_t n = 0; n < d->route.len; n++)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++)
            if (wanted(d, &d->route.at[n], i))
                return &d->route.at[n].hops.at[i];
    return NULL;
}

static bool has_parent(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return r->hops.at[i].parent != PNR_NO_HOP;
}
static bool is_first_of_core(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return r->hops.at[i].from_core;
}
static bool starts_fifo(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return r->hops.at[i].fifo_start;
}
static bool ends_fifo(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return r->hops.at[i].fifo_end;
}
static bool io_driven(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return !r->hops.at[i].from_core && r->hops.at[i].parent == PNR_NO_HOP;
}
static bool enters_io(const pnr_design *d, const pnr_route *r, uint32_t i) {
    (void)d;
    return r->hops.at[i].y == 1 && r->hops.at[i].side == PNR_NORTH;
}

static bool cell_on_wrong_kind(pnr_design *d) {
    d->site.at[1].x = 0;
    return d->net->cells.at[1].tag == 'm';
}
static bool cell_outside(pnr_design *d) {
    d->site.at[1].y = (uint16_t)d->board->height;
    return true;
}
static bool cell_behind_the_last_column(pnr_design *d) {
    d->site.at[1].x = (uint16_t)d->board->width;
    return true;
}
static bool two_cells_on_one_site(pnr_design *d) {
    d->site.at[2] = d->site.at[3];
    return d->net->cells.at[2].tag == 'p' && d->net->cells.at[3].tag == 'p';
}
static bool input_on_odd_column(pnr_design *d) {
    d->site.at[0].x++;
    return true;
}
static bool site_missing(pnr_design *d) {
    d->site.at[--d->site.len] = (pnr_site){0, 0}; /* nothing reads the place behind the end */
    return true;
}
static bool cell_moved_after_routing(pnr_design *d) {
    pnr_site kept = d->site.at[2];
    d->site.at[2] = d->site.at[3];
    d->site.at[3] = kept;
    return true;
}
/* Two neighbouring hops of different nets: the second net's wire becomes the first's. */
static bool wire_of_another_net(pnr_design *d) {
    pnr_hop *mine = first_hop(d, is_first_of_core);
    for (uint32_t n = d->route.len; n-- > 0;)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++) {
            pnr_hop *h = &d->route.at[n].hops.at[i];
            if (h == mine)
                continue;
            h->x = mine->x;
            h->y = mine->y;
            h->side = mine->side;
            h->track = mine->track;
            return true;
        }
    return false;
}
static bool wire_twice_in_one_net(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++)
        if (d->route.at[n].hops.len > 1) {
            pnr_hop *h = d->route.at[n].hops.at;
            h[1].x = h[0].x;
            h[1].y = h[0].y;
            h[1].side = h[0].side;
            h[1].track = h[0].track;
            return true;
        }
    return false;
}
/* Each edge by itself: the first wire is moved there. */
static bool moved_over(pnr_design *d, uint32_t x, uint32_t y, pnr_side side) {
    pnr_hop *h = first_hop(d, has_parent);
    h->x = (uint16_t)x;
    h->y = (uint16_t)y;
    h->side = (uint8_t)side;
    return true;
}
static bool wire_over_the_west(pnr_design *d) {
    return moved_over(d, 0, 2, PNR_WEST);
}
static bool wire_over_the_east(pnr_design *d) {
    return moved_over(d, d->board->width - 1, 2, PNR_EAST);
}
static bool wire_over_the_south(pnr_design *d) {
    return moved_over(d, 2, d->board->height - 1, PNR_SOUTH);
}
static bool wire_outside(pnr_design *d) {
    first_hop(d, has_parent)->x = (uint16_t)d->board->width;
    return true;
}
static bool track_too_high(pnr_design *d) {
    first_hop(d, has_parent)->track = (uint8_t)d->board->tracks;
    return true;
}
static bool io_wire_on_another_track(pnr_design *d) {
    pnr_hop *h = first_hop(d, enters_io);
    if (h)
        h->track = 1;
    return h;
}
static bool turn_the_box_lacks(pnr_design *d) {
    pnr_hop *h = first_hop(d, has_parent);
    h->track = (uint8_t)((h->track + 1) % d->board->tracks);
    return true;
}
/* No hop follows, which would not follow from the turned one either. */
static bool is_last(const pnr_design *d, const pnr_route *r, uint32_t i) {
    bool last = has_parent(d, r, i);
    for (uint32_t k = 0; k < r->hops.len; k++)
        last = last && r->hops.at[k].parent != i;
    return last;
}
static bool u_turn(pnr_design *d) {
    pnr_hop *h = first_hop(d, is_last);
    h->side = h->from_side;
    h->track = h->from_track;
    return true;
}
static bool parent_elsewhere(pnr_design *d) {
    pnr_hop *h = first_hop(d, has_parent);
    h->from_track = (uint8_t)((h->from_track + 1) % d->board->tracks);
    return true;
}
static bool parent_later(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++)
        if (d->route.at[n].hops.len > 1) {
            pnr_hop *h = d->route.at[n].hops.at, kept = h[0];
            h[0] = h[1];
            h[1] = kept;
            return true;
        }
    return false;
}
/* Exchanges the first two hops of a route on the same wires: the child stands in front of its parent. */
static bool child_first(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++) {
        pnr_route *r = &d->route.at[n];
        pnr_hop *h = r->hops.at;
        if (r->hops.len < 2 || !h[0].from_core || h[1].parent != 0)
            continue;
        const pnr_hop kept = h[0];
        h[0] = h[1];
        h[1] = kept;
        h[0].parent = 1;
        for (uint32_t i = 2; i < r->hops.len; i++)
            h[i].parent = h[i].parent < 2 ? !h[i].parent : h[i].parent;
        for (uint32_t i = 0; i < r->sinks.len; i++)
            r->sinks.at[i].hop = r->sinks.at[i].hop < 2 ? !r->sinks.at[i].hop : r->sinks.at[i].hop;
        return true;
    }
    return false;
}
static bool parent_forgotten(pnr_design *d) {
    first_hop(d, has_parent)->parent = PNR_NO_HOP;
    return true;
}
static bool from_core_elsewhere(pnr_design *d) {
    pnr_hop *h = first_hop(d, has_parent);
    h->from_core = true;
    h->parent = PNR_NO_HOP;
    return true;
}
static bool from_another_port(pnr_design *d) {
    first_hop(d, is_first_of_core)->port++;
    return true;
}
static bool io_hop_from_the_west(pnr_design *d) {
    pnr_hop *h = first_hop(d, io_driven);
    if (h)
        h->from_side = PNR_WEST;
    return h;
}
static bool is_free(const pnr_design *d, const pnr_hop *h) {
    for (uint32_t n = 0; n < d->route.len; n++)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++) {
            const pnr_hop *g = &d->route.at[n].hops.at[i];
            if (g->x == h->x && g->y == h->y && g->side == h->side && g->track == h->track)
                return false;
        }
    return true;
}
/* The hop after hop i towards `side`; false if no such wire exists or the wire is used. */
static bool following_hop(const pnr_design *d, const pnr_route *r, uint32_t i, pnr_side side, pnr_hop *out) {
    const pnr_hop *h = &r->hops.at[i];
    uint32_t x, y, track, far_x, far_y;
    if (!pnr_neighbour(d->board, h->x, h->y, h->side, &x, &y) || y == 0 ||
        !pnr_switch_track(d->board, pnr_opposite(h->side), h->track, side, &track) ||
        !pnr_neighbour(d->board, x, y, side, &far_x, &far_y) || far_y == 0)
        return false;
    *out = (pnr_hop){
        .x = (uint16_t)x, .y = (uint16_t)y, .side = (uint8_t)side, .track = (uint8_t)track, .parent = i};
    out->from_side = (uint8_t)pnr_opposite(h->side);
    out->from_track = h->track;
    return is_free(d, out);
}
/* Appends a legal, useless hop. */
static bool dangling_hop(pnr_design *d) {
    static pnr_hop longer[256];
    for (uint32_t n = 0; n < d->route.len; n++) {
        pnr_route *r = &d->route.at[n];
        for (uint32_t i = 0; i < r->hops.len && r->hops.len < 256; i++)
            for (pnr_side side = PNR_EAST; side <= PNR_NORTH; side++)
                if (following_hop(d, r, i, side, &longer[r->hops.len])) {
                    memcpy(longer, r->hops.at, r->hops.len * sizeof *longer);
                    r->hops.at = longer;
                    r->hops.len++;
                    return true;
                }
    }
    return false;
}
static bool sink_forgotten(pnr_design *d) {
    d->route.at[0].sinks.len--;
    return true;
}
static bool sink_on_another_hop(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++)
        if (d->route.at[n].hops.len > 1 && d->route.at[n].sinks.len == 1) {
            d->route.at[n].sinks.at[0].hop = 0;
            return true;
        }
    return false;
}
static bool sink_reads_another_track(pnr_design *d) {
    pnr_sink *s = &d->route.at[1].sinks.at[0];
    s->track = (uint8_t)((s->track + 1) % d->board->tracks);
    return true;
}
static bool sink_reads_another_side(pnr_design *d) {
    d->route.at[1].sinks.at[0].side ^= 1;
    return true;
}
static bool sink_straight_from_io(pnr_design *d) {
    d->route.at[1].sinks.at[0].hop = PNR_NO_HOP;
    return true;
}
static bool route_forgotten(pnr_design *d) {
    d->route.len--;
    return true;
}
static bool input_pin_driven_twice(pnr_design *d) {
    net_data *net = d->net->nets.at;
    net[2].sinks.at[0].port = 0; /* the second layer's first cell gets input 0 from both of the first */
    net[3].sinks.at[0].port = 0;
    return net[2].sinks.at[0].cell.v == net[3].sinks.at[0].cell.v;
}
static bool fifo_start_only(pnr_design *d) {
    pnr_hop *h = first_hop(d, ends_fifo);
    if (h)
        h->registered = h->fifo_end = false;
    return h;
}
static bool fifo_end_only(pnr_design *d) {
    pnr_hop *h = first_hop(d, starts_fifo);
    if (h)
        h->registered = h->fifo_start = false;
    return h;
}
static bool fifo_both(pnr_design *d) {
    pnr_hop *h = first_hop(d, starts_fifo);
    if (h)
        h->fifo_end = true;
    return h;
}
static bool fifo_neither(pnr_design *d) {
    pnr_hop *h = first_hop(d, starts_fifo);
    if (h)
        h->fifo_start = false;
    return h;
}
static bool fifo_not_registered(pnr_design *d) {
    pnr_hop *h = first_hop(d, starts_fifo);
    if (h)
        h->registered = false;
    return h;
}
/* Registers a pair whose end forks later or itself. */
static bool fifo_before_a_fork(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++) {
        pnr_route *r = &d->route.at[n];
        for (uint32_t i = 0; i < r->hops.len; i++)
            for (uint32_t k = i + 1; k < r->hops.len; k++) {
                uint32_t p = r->hops.at[i].parent;
                if (r->hops.at[k].parent != i || p == PNR_NO_HOP || r->hops.at[i].registered ||
                    r->hops.at[p].registered)
                    continue;
                r->hops.at[p].registered = r->hops.at[p].fifo_start = true;
                r->hops.at[i].registered = r->hops.at[i].fifo_end = true;
                return true;
            }
    }
    return false;
}
/* A wire enters an IO tile without being a sink's net. */
static bool output_moved_away(pnr_design *d) {
    for (uint32_t c = 0; c < d->net->cells.len; c++)
        if (d->net->cells.at[c].output) {
            d->site.at[c].x = (uint16_t)(d->site.at[c].x < 2 ? d->site.at[c].x + 2 : d->site.at[c].x - 2);
            return true;
        }
    return false;
}

/* Cells of two flushes in every other column: some group of columns has both. */
static bool flushes_mixed(pnr_design *d) {
    static uint32_t flush[64];
    assert_true(d->net->cells.len <= 64);
    for (uint32_t c = 0; c < d->net->cells.len; c++)
        flush[c] = d->site.at[c].x % 2;
    d->flush = flush;
    return true;
}

/* Makes the cell a dense scanner at the root, which needs no load. */
static void make_root(const netlist *n, net_cell_data *c) {
    static const char *const fields[] = {"fiber_access_16_inst_read_scanner_dense",
                                         "fiber_access_16_inst_read_scanner_root"};
    c->mode = NET_MODE_FIBER_ACCESS;
    for (int i = 0; i < 2; i++)
        vec_push(n->mem, &c->config, (net_config){names_intern(n->names, fields[i]), 1});
}

/* The driver of a net with a FIFO has tokens before the flush. */
static bool early_behind_a_fifo(pnr_design *d) {
    for (uint32_t n = 0; n < d->route.len; n++) {
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++) {
            if (!d->route.at[n].hops.at[i].fifo_start)
                continue;
            make_root(d->net, net_cell_at(d->net, d->net->nets.at[n].source.cell));
            return true;
        }
    }
    return false;
}

/* The first cell of a kind, which the design has. */
static uint32_t cell_of(const pnr_design *d, char tag, bool output) {
    uint32_t c = 0;
    while (d->net->cells.at[c].tag != tag || d->net->cells.at[c].output != output)
        c++;
    return c;
}
static bool core_in_the_io_row(pnr_design *d) {
    d->site.at[2].y = 0;
    return d->net->cells.at[2].tag == 'p';
}
static bool io_below_the_io_row(pnr_design *d) {
    d->site.at[0].y = 1;
    return d->net->cells.at[0].tag == 'I';
}
static bool output_on_even_column(pnr_design *d) {
    d->site.at[cell_of(d, 'I', true)].x ^= 1;
    return true;
}
/* Tensors of one tile for a load and a store of other designs. */
static bool load_and_store_in_a_tile(pnr_design *d) {
    d->own_tiles = true;
    d->site.at[cell_of(d, 'I', true)].x = (uint16_t)(d->site.at[0].x + 1);
    return true;
}
/* An input with two sinks, both at the places of the first. */
static bool input_with_two_sinks(pnr_design *d) {
    net_data *net = &d->net->nets.at[0];
    vec_push(d->net->mem, &net->sinks, net->sinks.at[0]);
    vec_push(d->net->mem, &d->route.at[0].sinks, d->route.at[0].sinks.at[0]);
    return d->net->cells.at[net->source.cell.v - 1].tag == 'I';
}
static bool wire_of_the_io_row(pnr_design *d) {
    first_hop(d, has_parent)->y = 0;
    return true;
}
static bool wire_below_the_array(pnr_design *d) {
    first_hop(d, has_parent)->y = (uint16_t)d->board->height;
    return true;
}
static bool side_that_no_tile_has(pnr_design *d) {
    first_hop(d, has_parent)->side = PNR_NORTH + 1;
    return true;
}
static bool parent_in_the_next_row(pnr_design *d) {
    first_hop(d, has_parent)->y += 1;
    return true;
}
static bool from_side_of_another_wire(pnr_design *d) {
    pnr_hop *h = first_hop(d, has_parent);
    h->from_side = (uint8_t)(h->from_side ^ 1);
    return true;
}
/* Moves the first hop behind an IO tile. */
static bool io_hop_moved(pnr_design *d, uint32_t columns, uint32_t rows) {
    pnr_hop *h = first_hop(d, io_driven);
    if (h) {
        h->x = (uint16_t)(columns ? columns : h->x);
        h->y = (uint16_t)(h->y + rows);
    }
    return h;
}
static bool io_hop_in_the_second_row(pnr_design *d) {
    return io_hop_moved(d, 0, 1);
}
static bool io_hop_in_another_column(pnr_design *d) {
    return io_hop_moved(d, d->board->width - 2, 0);
}
static bool sink_on_no_hop(pnr_design *d) {
    pnr_route *r = &d->route.at[1];
    vec_push(d->net->mem, &r->hops, r->hops.at[r->sinks.at[0].hop]); /* the right hop lies behind the end */
    r->sinks.at[0].hop = --r->hops.len;
    return true;
}
static bool fifo_end_behind_no_start(pnr_design *d) {
    pnr_hop *h = first_hop(d, starts_fifo);
    if (h) {
        h->fifo_start = false;
        h->fifo_end = true;
    }
    return h;
}

static const struct {
    const char *name, *code;
    breaker apply;
} faults[] = {
    {"core in the row of IO tiles", "E0530-bad-site", core_in_the_io_row},
    {"IO cell below its row", "E0530-bad-site", io_below_the_io_row},
    {"output on an input's column", "E0534-io-rule", output_on_even_column},
    {"load and store in a tile of their own", "E0534-io-rule", load_and_store_in_a_tile},
    {"input with two sinks", "E0534-io-rule", input_with_two_sinks},
    {"wire of the IO row", "E0537-off-array", wire_of_the_io_row},
    {"wire below the array", "E0537-off-array", wire_below_the_array},
    {"side that no tile has", "E0537-off-array", side_that_no_tile_has},
    {"parent in the next row", "E0532-broken-route", parent_in_the_next_row},
    {"parent at another side", "E0532-broken-route", from_side_of_another_wire},
    {"IO tile above the first row", "E0532-broken-route", io_hop_in_the_second_row},
    {"IO tile of another column", "E0532-broken-route", io_hop_in_another_column},
    {"sink on a hop that is none", "E0533-sink-missed", sink_on_no_hop},
    {"FIFO that ends at its first hop", "E0535-fifo-pair", fifo_end_behind_no_start},
    {"cell on a site of another kind", "E0530-bad-site", cell_on_wrong_kind},
    {"cell outside the array", "E0530-bad-site", cell_outside},
    {"cell behind the last column", "E0530-bad-site", cell_behind_the_last_column},
    {"two cells on one site", "E0530-bad-site", two_cells_on_one_site},
    {"a site missing", "E0530-bad-site", site_missing},
    {"input on an output's column", "E0534-io-rule", input_on_odd_column},
    {"cells exchanged after routing", "E0532-broken-route", cell_moved_after_routing},
    {"wire of another net", "E0531-wire-shared", wire_of_another_net},
    {"wire twice in one net", "E0531-wire-shared", wire_twice_in_one_net},
    {"wire over the west", "E0537-off-array", wire_over_the_west},
    {"wire over the east", "E0537-off-array", wire_over_the_east},
    {"wire over the south", "E0537-off-array", wire_over_the_south},
    {"wire outside the array", "E0537-off-array", wire_outside},
    {"track the board lacks", "E0537-off-array", track_too_high},
    {"IO entered on another track", "E0537-off-array", io_wire_on_another_track},
    {"turn the switch box lacks", "E0532-broken-route", turn_the_box_lacks},
    {"U-turn", "E0532-broken-route", u_turn},
    {"parent arrives elsewhere", "E0532-broken-route", parent_elsewhere},
    {"parent after its child", "E0532-broken-route", parent_later},
    {"child before its parent", "E0532-broken-route", child_first},
    {"parent forgotten", "E0532-broken-route", parent_forgotten},
    {"core output of another tile", "E0532-broken-route", from_core_elsewhere},
    {"another core output", "E0532-broken-route", from_another_port},
    {"IO tile west of its column", "E0532-broken-route", io_hop_from_the_west},
    {"hop that leads nowhere", "E0532-broken-route", dangling_hop},
    {"sink forgotten", "E0533-sink-missed", sink_forgotten},
    {"sink on a hop that arrives elsewhere", "E0533-sink-missed", sink_on_another_hop},
    {"sink reads another track", "E0533-sink-missed", sink_reads_another_track},
    {"sink reads another side", "E0533-sink-missed", sink_reads_another_side},
    {"sink straight from an IO tile", "E0533-sink-missed", sink_straight_from_io},
    {"route forgotten", "E0533-sink-missed", route_forgotten},
    {"input driven twice", "E0533-sink-missed", input_pin_driven_twice},
    {"output cell moved away", "E0534-io-rule", output_moved_away},
    {"FIFO without an end", "E0535-fifo-pair", fifo_start_only},
    {"FIFO without a start", "E0535-fifo-pair", fifo_end_only},
    {"register that is start and end", "E0535-fifo-pair", fifo_both},
    {"register that is neither", "E0535-fifo-pair", fifo_neither},
    {"start that is no register", "E0535-fifo-pair", fifo_not_registered},
    {"FIFO before a fork", "E0536-broadcast", fifo_before_a_fork},
    {"FIFO that the flush leaves full", "E0539-early-pair", early_behind_a_fifo},
    {"two flushes in one group", "E0538-flush-group", flushes_mixed},
};

#endif
