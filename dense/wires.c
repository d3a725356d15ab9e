/* Routing: settings of switch and connection boxes as wires, followed backwards step by step. */
#include "dense/wires.h"

#include "boards/onyx/fabric.h"

const dense_port_row dense_ports[DENSE_PORTS] = {
#define PORT(key, name, tile, width, feature, box, last) {width, feature, last, tile, name, box},
#include "dense/ports.def"
#undef PORT
};

const char *const dense_core_outputs[NET_TILE_IO + 1][DENSE_WIDTHS][4] = {
    [NET_TILE_PE] = {{"out0", "out1", "out2", "pond"}, {"bit", "pond_bit0", "pond_bit1"}},
    [NET_TILE_MEM] = {{"out0", "out1", "out2"}, {"bit0", "bit1", "bit2"}},
};

/* ---- names of fields --------------------------------------------------------------------------- */

typedef struct {
    dense_wire_field what;
    const char *before, *between; /* BEFORE T<track>_<SIDE> BETWEEN B<width> _ END */
    const char *end;
} wire_name;

static const wire_name wire_names[] = {
    {DENSE_WIRE_ENABLE, "SB_", "_SB_OUT", "enable"},
    {DENSE_WIRE_SELECT, "SB_", "_SB_OUT", "sel"},
    {DENSE_WIRE_IN, "SB_", "_SB_IN", "enable"},
    {DENSE_WIRE_RMUX, "RMUX_", "", "sel"},
    {DENSE_WIRE_FIFO, "REG_", "", "fifo"},
    {DENSE_WIRE_START, "REG_", "", "start"},
    {DENSE_WIRE_END, "REG_", "", "end"},
};
enum { WIRE_NAMES = sizeof wire_names / sizeof *wire_names };

static void print_name(char name[80], const wire_name *n, dense_origin at, uint32_t width) {
    snprintf(name, 80, "%sT%u_%s%s_B%s_%s", n->before, at.track, bits_side_name[at.side], n->between,
             width == DENSE_WORD ? "17" : "1", n->end);
}

/* Returns the side whose name a text begins with; 4 for none. */
static uint32_t side_at(const char *text) {
    uint32_t side = 0;
    while (side < 4 && strncmp(text, bits_side_name[side], strlen(bits_side_name[side])) != 0)
        side++;
    return side;
}

dense_wire_field dense_wire_field_of(const char *name, dense_origin *at, uint32_t *width) {
    const char *t = strstr(name, "_T"), *b = strstr(name, "_B1");
    if (!t || !b || t[2] < '0' || t[2] > '9' || t[3] != '_')
        return DENSE_WIRE_NONE;
    *at = (dense_origin){.kind = DENSE_FROM_WIRE, .track = (uint32_t)(t[2] - '0'), .side = side_at(t + 4)};
    *width = b[3] == '7' ? DENSE_WORD : DENSE_BIT;
    for (uint32_t i = 0; i < WIRE_NAMES && at->side < 4; i++) {
        char again[80];
        print_name(again, &wire_names[i], *at, *width);
        if (strcmp(again, name) == 0)
            return wire_names[i].what;
    }
    return DENSE_WIRE_NONE;
}

const bits_field *dense_find_wire_field(const bits_map *map, net_tile tile, dense_wire_field what,
                                        dense_origin at, uint32_t width) {
    char name[80] = "";
    for (uint32_t i = 0; i < WIRE_NAMES; i++) {
        if (wire_names[i].what == what)
            print_name(name, &wire_names[i], at, width);
    }
    return bits_find(map, tile, BITS_ANY_FEATURE, name);
}

void dense_set_box(const bits_map *map, dense_tile *t, dense_port port, uint32_t select, arena *mem) {
    const dense_port_row *row = &dense_ports[port];
    char name[80];
    snprintf(name, sizeof name, "%s_enable", row->box);
    dense_set(t, bits_find(map, row->tile, row->feature, name), 1, mem);
    snprintf(name, sizeof name, "%s_sel", row->box);
    dense_set(t, bits_find(map, row->tile, row->feature, name), select, mem);
}

/* ---- wiring ------------------------------------------------------------------------------------ */

uint32_t dense_wire_number(const pnr_board *b, dense_origin at, uint32_t width) {
    return (((at.y * b->width + at.x) * DENSE_WIDTHS + width) * 4 + at.side) * b->tracks + at.track;
}

const dense_wire *dense_wire_at(const dense_wiring *w, dense_origin at, uint32_t width) {
    return &w->wires[dense_wire_number(w->design->board, at, width)];
}

static uint32_t box_number(const dense_wiring *w, const dense_tile *t, dense_port port) {
    return (t->y * w->design->board->width + t->x) * DENSE_PORTS + port;
}

dense_box dense_box_of(const dense_wiring *w, const dense_tile *t, dense_port port) {
    return w->boxes[box_number(w, t, port)];
}

static void take_wire(dense_wire *wire, dense_wire_field what, uint32_t value) {
    switch (what) {
    case DENSE_WIRE_ENABLE:
        wire->enable = value;
        break;
    case DENSE_WIRE_SELECT:
        wire->select = (uint8_t)value;
        break;
    case DENSE_WIRE_RMUX:
        wire->registered = value;
        break;
    case DENSE_WIRE_FIFO:
        wire->fifo = value;
        break;
    case DENSE_WIRE_START:
    case DENSE_WIRE_END:
    case DENSE_WIRE_IN:
    case DENSE_WIRE_NONE:
        break;
    }
}

static void take_box(const dense_wiring *w, const dense_tile *t, const dense_setting *s) {
    for (dense_port p = 0; p < DENSE_PORTS; p++) {
        size_t length = strlen(dense_ports[p].box);
        if (dense_ports[p].tile != t->kind || strncmp(s->field->name, dense_ports[p].box, length) != 0)
            continue;
        dense_box *box = &w->boxes[box_number(w, t, p)];
        if (strcmp(s->field->name + length, "_enable") == 0)
            box->enable = s->value;
        if (strcmp(s->field->name + length, "_sel") == 0)
            box->select = (uint8_t)s->value;
    }
}

static void wire_up_tile(const dense_wiring *w, const dense_tile *t) {
    for (uint32_t i = 0; i < t->settings.len; i++) {
        const dense_setting *s = &t->settings.at[i];
        dense_origin at;
        uint32_t width;
        dense_wire_field what = dense_wire_field_of(s->field->name, &at, &width);
        at.x = t->x;
        at.y = t->y;
        if (what != DENSE_WIRE_NONE)
            take_wire(&w->wires[dense_wire_number(w->design->board, at, width)], what, s->value);
        else
            take_box(w, t, s);
    }
}

dense_wiring dense_wire_up(const dense_design *design, arena *mem) {
    const pnr_board *b = design->board;
    dense_wiring w = {.design = design};
    w.wires = arena_new_n(mem, dense_wire, b->width * b->height * DENSE_WIDTHS * 4 * b->tracks);
    w.boxes = arena_new_n(mem, dense_box, b->width * b->height * DENSE_PORTS);
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        if (design->tiles.at[i].kind == NET_TILE_PE || design->tiles.at[i].kind == NET_TILE_MEM)
            wire_up_tile(&w, &design->tiles.at[i]);
    }
    return w;
}

/* ---- one step back ----------------------------------------------------------------------------- */

/* Returns the driver of the wire arriving at (x, y) on a side and track. */
static dense_origin arriving(const dense_wiring *w, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    dense_origin o = {.kind = DENSE_FROM_NONE, .side = pnr_opposite((pnr_side)side), .track = track};
    if (!pnr_neighbour(w->design->board, x, y, (pnr_side)side, &o.x, &o.y))
        return o;
    o.kind = pnr_site_tile(w->design->board, o.x, o.y) == NET_TILE_IO ? DENSE_FROM_IO : DENSE_FROM_WIRE;
    return o;
}

dense_origin dense_behind_wire(const dense_wiring *w, dense_origin at, uint32_t width) {
    uint32_t select = dense_wire_at(w, at, width)->select;
    if (select >= ONYX_SELECTS)
        return (dense_origin){.kind = DENSE_FROM_CORE, .x = at.x, .y = at.y, .port = select - ONYX_SELECTS};
    uint32_t in = onyx_switch_input[at.side * ONYX_TRACKS + at.track][select];
    return arriving(w, at.x, at.y, in / ONYX_TRACKS, in % ONYX_TRACKS);
}

dense_origin dense_behind_box(const dense_wiring *w, const dense_tile *t, dense_port port, uint32_t select) {
    const dense_port_row *row = &dense_ports[port];
    pnr_side side = PNR_EAST;
    uint32_t track = 0;
    if (bits_cb_wire(w->design->board, select, &side, &track))
        return arriving(w, t->x, t->y, side, track);
    if (select >= row->last)
        return (dense_origin){.kind = select == row->last ? DENSE_FROM_ZERO : DENSE_FROM_NONE};
    /* The link in the tile: the Pond's word or bit to the PE, the PE's result to the Pond. */
    const bool to_pond = port == DENSE_PORT_POND_IN0 || port == DENSE_PORT_POND_IN1;
    const uint32_t from = to_pond ? 0 : row->width == DENSE_WORD ? 3 : 1;
    return (dense_origin){.kind = DENSE_FROM_CORE, .x = t->x, .y = t->y, .port = from};
}
