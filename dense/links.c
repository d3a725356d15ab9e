/* Links: routes followed back from the inputs of units. */
#include "dense/links.h"

#include "dense/place.h"
#include "dense/units.h"

#include <stdlib.h>

/* ---- following --------------------------------------------------------------------------------- */

/* Follows a wire back to an output, and counts the registers on the path. Returns whether an output drives
 * the wire. */
static bool follow(const dense_wiring *w, dense_origin at, dense_link *link) {
    const pnr_board *b = w->design->board;
    for (uint32_t steps = 4 * b->width * b->height * b->tracks; at.kind == DENSE_FROM_WIRE && steps;
         steps--) {
        link->registers += dense_wire_at(w, at, link->width)->registered;
        at = dense_behind_wire(w, at, link->width);
    }
    const dense_tile *from = dense_tile_at(w->design, at.x, at.y);
    link->from_x = at.x;
    link->from_y = at.y;
    link->place = at.kind == DENSE_FROM_CORE ? at.port : 0;
    return (at.kind == DENSE_FROM_CORE || at.kind == DENSE_FROM_IO) && from &&
           dense_units_of(w->design, from);
}

static void link_input(const dense_wiring *w, const dense_tile *t, dense_port port, arena *mem,
                       dense_links *out) {
    const dense_box box = dense_box_of(w, t, port);
    dense_link link = {.x = t->x, .y = t->y, .port = port, .width = dense_ports[port].width, .loc = t->loc};
    pnr_side side;
    uint32_t track;
    if (box.enable && bits_cb_wire(w->design->board, box.select, &side, &track) &&
        !dense_is_constant(w->design, t, port) && follow(w, dense_behind_box(w, t, port, box.select), &link))
        vec_push(mem, out, link);
}

/* An IO tile gives the global buffer the word leaving the tile below by NORTH on track 0. */
static void link_io(const dense_wiring *w, const dense_tile *t, arena *mem, dense_links *out) {
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        const dense_origin below = {.kind = DENSE_FROM_WIRE, .x = t->x, .y = 1, .side = PNR_NORTH};
        dense_link link = {.x = t->x, .y = t->y, .port = DENSE_PORTS, .width = width, .loc = t->loc};
        if (dense_wire_at(w, below, width)->enable && follow(w, below, &link))
            vec_push(mem, out, link);
    }
}

static int compare(uint32_t a, uint32_t b) {
    return a < b ? -1 : a > b;
}

int dense_compare_links(const void *left, const void *right) {
    const dense_link *a = left, *b = right;
    const int by[] = {compare(a->from_x, b->from_x), compare(a->from_y, b->from_y),
                      compare(a->width, b->width),   compare(a->place, b->place),
                      compare(a->x, b->x),           compare(a->y, b->y),
                      compare(a->port, b->port)};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        if (by[i])
            return by[i];
    }
    return 0;
}

dense_links dense_links_of(const dense_design *design, arena *mem) {
    const dense_wiring w = dense_wire_up(design, mem);
    dense_links out = {0};
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        const uint32_t units = dense_units_of(design, t);
        if (units & DENSE_HAS_IO)
            link_io(&w, t, mem, &out);
        for (dense_port port = 0; port < DENSE_PORTS; port++) {
            if (dense_ports[port].tile == t->kind && dense_takes(design, t, units, port))
                link_input(&w, t, port, mem, &out);
        }
    }
    for (uint32_t i = 0; i < design->links.len; i++)
        vec_push(mem, &out, design->links.at[i]);
    if (out.len)
        qsort(out.at, out.len, sizeof *out.at, dense_compare_links);
    return out;
}

/* ---- taking routes away ------------------------------------------------------------------------ */

static bool is_routing(const char *field) {
    dense_origin at;
    uint32_t width;
    return strncmp(field, "CB_", 3) == 0 || dense_wire_field_of(field, &at, &width) != DENSE_WIRE_NONE;
}

static void keep_box(const dense_wiring *w, const dense_tile *from, dense_port port, dense_tile *to,
                     arena *mem) {
    const dense_box box = dense_box_of(w, from, port);
    pnr_side side;
    uint32_t track;
    if (box.enable && !bits_cb_wire(w->design->board, box.select, &side, &track))
        dense_set_box(w->design->map, to, port, box.select, mem);
}

/* Copies a tile's own settings, and its inner links. */
static dense_tile unroute_tile(const dense_wiring *w, const dense_tile *from, uint32_t units, arena *mem,
                               uint32_t *off) {
    dense_tile to = {.x = from->x, .y = from->y, .mode = from->mode, .kind = from->kind, .loc = from->loc};
    to.contents = from->contents;
    for (uint32_t i = 0; i < from->settings.len; i++) {
        const dense_setting *s = &from->settings.at[i];
        *off += strcmp(s->field->name, "ps_en") == 0;
        if (!is_routing(s->field->name) && strcmp(s->field->name, "ps_en") != 0)
            dense_set(&to, s->field, s->value, mem);
    }
    for (dense_port port = 0; port < DENSE_PORTS; port++) {
        if (dense_ports[port].tile == from->kind && dense_takes(w->design, from, units, port))
            keep_box(w, from, port, &to, mem);
    }
    return to;
}

dense_design dense_unroute(const dense_design *design, arena *mem, uint32_t *off) {
    const dense_wiring w = dense_wire_up(design, mem);
    dense_design out = {.board = design->board,
                        .map = design->map,
                        .links = dense_links_of(design, mem),
                        .fixed_times = design->fixed_times};
    *off = 0;
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        const uint32_t units = dense_units_of(design, t);
        if (units)
            vec_push(mem, &out.tiles, unroute_tile(&w, t, units, mem, off));
        else
            *off +=
                t->kind != NET_TILE_NONE && dense_value(design, t, t->kind == NET_TILE_PE ? 15 : 12, "ps_en");
    }
    return out;
}
