/* The assembler: a routed design to configuration words.
 *
 * Every setting is one write of a field; the writes are then sorted by address and merged. Two writes that
 * give one bit different values are an error, so merging never hides a conflict. O(n log n) in the writes.
 */
#include "bitstream/bits_int.h"

#include <stdlib.h>

typedef struct {
    uint32_t address, mask, data;
    uint32_t field, order;
    src_loc loc; /* of the cell, if known */
} bits_write_entry;

typedef struct {
    const bits_map *map;
    arena *mem;
    diagnostics *d;
    VEC(bits_write_entry) writes;
    bool good;
} encoder;

static void put(encoder *e, const bits_field *f, pnr_site at, uint32_t value, src_loc loc) {
    uint32_t width = f->hi - f->lo + 1u;
    if (value & ~bits_mask(width)) {
        diag_error(e->d, loc, "E0606-field-range", "tile x%uy%u: %u does not fit field %s of %u %s", at.x,
                   at.y, value, f->name, width, plural(width, "bit", "bits"));
        diag_hint(e->d, "the largest value is %u", bits_mask(width));
        e->good = false;
        return;
    }
    bits_piece piece[2];
    uint32_t pieces = bits_pieces(e->map, f, piece), number = (uint32_t)(f - e->map->fields.at);
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t mask = bits_mask(piece[i].width);
        vec_push(e->mem, &e->writes,
                 (bits_write_entry){bits_address(piece[i].reg, f->feature, at.x, at.y),
                                    mask << piece[i].shift, (value >> piece[i].from & mask) << piece[i].shift,
                                    number, e->writes.len, loc});
    }
}

static void put_number(encoder *e, uint32_t field, pnr_site at, uint32_t value) {
    put(e, bits_field_at(e->map, field), at, value, (src_loc){0});
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void encode_cell(encoder *e, const netlist *net, const net_cell_data *cell, pnr_site at) {
    const net_mode_info *info = &net_mode_table[cell->mode];
    put(e, bits_field_at(e->map, e->map->tile_en[info->tile]), at, 1, cell->loc);
    if (e->map->mode[info->tile] != BITS_NO_FIELD)
        put(e, bits_field_at(e->map, e->map->mode[info->tile]), at, info->chip_mode, cell->loc);
    for (uint32_t i = 0; i < cell->config.len; i++) {
        const net_config *c = &cell->config.at[i];
        const char *name = names_text(net->names, c->field);
        const bits_field *f = bits_find(e->map, info->tile, 0, name);
        if (f && (!f->space || f->mode == BITS_ANY_MODE || f->mode == info->chip_mode)) {
            put(e, f, at, c->value, cell->loc);
            continue;
        }
        diag_error(e->d, cell->loc, "E0607-unknown-field",
                   "cell '%s': a %s tile in mode %s has no field '%s'", names_text(net->names, cell->name),
                   bits_kind_name[info->tile], info->name, name);
        diag_hint(e->d, "the fields of each mode are listed in %s/config_space.csv", e->map->board->folder);
        e->good = false;
    }
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void encode_hop(encoder *e, const pnr_hop *h) {
    const pnr_board *b = e->map->board;
    pnr_site at = {h->x, h->y};
    const bits_sb *sb = &e->map->sb[pnr_site_tile(b, h->x, h->y)][h->side][h->track];
    uint32_t select = 0;
    if (h->from_core)
        select = 3u + h->port;
    else if (!pnr_switch_select(b, (pnr_side)h->from_side, h->from_track, (pnr_side)h->side, h->track,
                                &select))
        BUG("x%uy%u: no switch from %s track %u to %s track %u", h->x, h->y, bits_side_name[h->from_side],
            h->from_track, bits_side_name[h->side], h->track);
    put_number(e, sb->enable, at, 1);
    put_number(e, sb->sel, at, select);
    put_number(e, sb->rmux, at, h->registered);
    put_number(e, sb->fifo, at, h->registered);
    put_number(e, sb->start, at, h->registered && h->fifo_start);
    put_number(e, sb->end, at, h->registered && h->fifo_end);
}

static void encode_sink(encoder *e, const pnr_design *design, net_pin pin, const pnr_sink *sink) {
    pnr_site at = design->site.at[pin.cell.v - 1];
    net_tile tile = pnr_site_tile(e->map->board, at.x, at.y);
    if (tile == NET_TILE_IO)
        return; /* wired to switch-box output NORTH 0 of the tile below: no connection box */
    const bits_cb *cb = &e->map->cb[tile][pin.port];
    put_number(e, cb->enable, at, 1);
    put_number(e, cb->sel, at, bits_cb_select(sink->side, sink->track));
}

static void encode_route(encoder *e, const pnr_design *design, uint32_t index) {
    const pnr_route *route = &design->route.at[index];
    const net_data *net = &design->net->nets.at[index];
    BUG_IF(route->sinks.len != net->sinks.len, "net %u has %u sinks, its route %u", index, net->sinks.len,
           route->sinks.len);
    for (uint32_t i = 0; i < route->hops.len; i++)
        encode_hop(e, &route->hops.at[i]);
    for (uint32_t i = 0; i < route->sinks.len; i++)
        encode_sink(e, design, net->sinks.at[i], &route->sinks.at[i]);
}

/* ---- merging --------------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right) {
    const bits_write_entry *a = left, *b = right;
    uint32_t key_a = bits_key(a->address), key_b = bits_key(b->address);
    if (key_a != key_b)
        return key_a < key_b ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Merges the writes of one address, writes.at[first .. end). */
static void merge(encoder *e, uint32_t first, uint32_t end, bits_stream *out) {
    uint32_t data = 0, written = 0, address = e->writes.at[first].address;
    for (uint32_t i = first; i < end; i++) {
        const bits_write_entry *w = &e->writes.at[i];
        if ((data ^ w->data) & written & w->mask) {
            diag_error(e->d, w->loc, "E0605-field-conflict",
                       "tile x%uy%u: field %s is set to two different values", bits_x(address),
                       bits_y(address), bits_field_at(e->map, w->field)->name);
            diag_hint(e->d, "two nets share a multiplexer, or a cell's config contradicts its mode");
            e->good = false;
        }
        data |= w->data;
        written |= w->mask;
    }
    if (data)
        vec_push(e->mem, &out->words, (bits_word){address, data, {0}});
}

bool bits_encode(const pnr_design *design, const bits_map *map, arena *mem, diagnostics *d,
                 bits_stream *out) {
    encoder e = {.map = map, .mem = mem, .d = d, .good = true};
    *out = (bits_stream){0};
    for (uint32_t i = 0; i < design->net->cells.len; i++)
        encode_cell(&e, design->net, &design->net->cells.at[i], design->site.at[i]);
    for (uint32_t i = 0; i < design->net->nets.len; i++)
        encode_route(&e, design, i);
    if (e.writes.len)
        qsort(e.writes.at, e.writes.len, sizeof *e.writes.at, by_address);
    for (uint32_t first = 0, end; first < e.writes.len; first = end) {
        for (end = first + 1; end < e.writes.len && e.writes.at[end].address == e.writes.at[first].address;)
            end++;
        merge(&e, first, end, out);
    }
    return e.good;
}
