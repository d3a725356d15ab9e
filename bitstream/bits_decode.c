/* The disassembler: words to cells, and nets found by following the configured multiplexers backwards.
 *
 * From every enabled connection box, and from the switch-box output under every IO tile that receives, the
 * walk goes against the data: a switch-box output names its input, the input is the neighbour's output, until
 * a core output or an IO tile is reached or an output some earlier walk already claimed. Each output is
 * claimed once, so the walk is linear in the hops. Nothing here knows how a router or an assembler worked.
 */
#include "bitstream/bits_int.h"

#include <stdlib.h>

typedef struct {
    bool used;       /* its enable bit */
    bool registered; /* register mux takes the SplitFIFO */
    bool start, end;
    uint8_t select;
    uint32_t net, hop; /* claimed by hop `hop - 1` of net `net - 1`; 0 = not yet */
} wire;

typedef struct {
    net_pin pin;
    net_data net;
    pnr_route route;
} found_net;

typedef struct {
    const bits_map *map;
    const pnr_board *b;
    arena *mem;
    diagnostics *d;
    name_table *names;
    bits_stream words; /* sorted */
    netlist *net;
    pnr_design *design;
    wire *wires;    /* [(y * width + x) * 4 * tracks + 4 * track + side] */
    uint32_t *cell; /* [y * width + x]: handle of the cell, or 0 */
    VEC(found_net) nets;
    uint32_t unknown;
} decoder;

static wire *wire_at(const decoder *c, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    return &c->wires[((y * c->b->width + x) * c->b->tracks + track) * 4 + side];
}

static uint32_t *cell_at(const decoder *c, uint32_t x, uint32_t y) {
    return &c->cell[y * c->b->width + x];
}

static net_mode mode_at(const decoder *c, uint32_t x, uint32_t y) {
    uint32_t cell = *cell_at(c, x, y);
    return cell ? c->net->cells.at[cell - 1].mode : NET_MODE_NONE;
}

static uint32_t value(const decoder *c, uint32_t field, uint32_t x, uint32_t y) {
    return bits_value(c->map, &c->words, bits_field_at(c->map, field), x, y);
}

/* Place of the first word of a tile in the file: where messages about the tile point. */
static src_loc tile_loc(const decoder *c, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        if (bits_x(w->address) == x && bits_y(w->address) == y)
            return w->loc;
    }
    return (src_loc){0};
}

/* ---- every bit must have a meaning
 * ---------------------------------------------------------------------------- */

typedef struct {
    const decoder *c;
    const bits_word *word;
    net_tile tile;
} word_context;

/* Fields a netlist of sparse tiles has no place for: 1-bit routing, Pond, flush routing, power switches. */
static bool expressible(const word_context *w, const bits_field *f) {
    const bits_map *map = w->c->map;
    if (f->feature == 0)
        return true;
    if (w->tile == NET_TILE_IO)
        return false;
    uint32_t number = (uint32_t)(f - map->fields.at);
    for (uint32_t port = 0; port < 4; port++) {
        const bits_cb *cb = &map->cb[w->tile][port];
        if (number == cb->enable || number == cb->sel)
            return true;
    }
    return f->feature == bits_field_at(map, map->sb[w->tile][0][0].sel)->feature &&
           !strstr(f->name, "_SB_IN_");
}

static void check_field(void *context, const bits_field *f) {
    const word_context *w = context;
    uint32_t x = bits_x(w->word->address), y = bits_y(w->word->address);
    uint32_t v = bits_value(w->c->map, &w->c->words, f, x, y);
    if (!v || expressible(w, f))
        return;
    diag_error(w->c->d, w->word->loc, "E0622-not-expressible",
               "tile x%uy%u: %s = %u is outside what a sparse netlist says", x, y, f->name, v);
    diag_hint(w->c->d, "1-bit routing, ponds, routed flush and power switches belong to dense applications");
}

static void check_word(decoder *c, const bits_word *w) {
    uint32_t x = bits_x(w->address), y = bits_y(w->address), feature = bits_feature(w->address);
    word_context context = {c, w, bits_tile(c->map, w->address)};
    if (bits_is_sram(context.tile, feature)) {
        diag_error(c->d, w->loc, "E0622-not-expressible",
                   "tile x%uy%u: SRAM contents are not part of a netlist", x, y);
        return;
    }
    uint32_t known = bits_each_field(c->map, context.tile, bits_mode(c->map, &c->words, x, y), feature,
                                     bits_reg(w->address), check_field, &context);
    uint32_t unknown = w->data & ~known;
    if (!unknown)
        return;
    for (uint32_t v = unknown; v; v &= v - 1)
        c->unknown++;
    diag_error(c->d, w->loc, "E0620-unknown-bit",
               "tile x%uy%u (%s), feature %u, register %u: no field explains bits %08X", x, y,
               bits_kind_name[context.tile], feature, bits_reg(w->address), unknown);
    if (context.tile == NET_TILE_NONE)
        diag_hint(c->d, "the array is %u x %u: is the bitstream for another board?", c->b->width,
                  c->b->height);
}

/* The chip keeps the last write of an address; a file of merged words has one each. */
static void check_repeats(const decoder *c) {
    for (uint32_t i = 1; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        if (w->address != w[-1].address ||
            bits_is_sram(bits_tile(c->map, w->address), bits_feature(w->address)))
            continue;
        diag_error(c->d, w->loc, "E0621-repeated-address", "address %08X is written twice", w->address);
        diag_hint(c->d, "the chip keeps the last word only; merge the words of one address");
        diag_note(c->d, w[-1].loc, "written here first");
    }
}

/* ---- cells
 * ------------------------------------------------------------------------------------------------------ */

static wire *io_output_wire(const decoder *c, uint32_t x) {
    return wire_at(c, x, 1, PNR_NORTH, 0);
}

static net_mode tile_mode(const decoder *c, net_tile tile, uint32_t chip_mode, uint32_t x) {
    if (tile == NET_TILE_IO)
        return io_output_wire(c, x)->used ? NET_MODE_IO_OUT : NET_MODE_IO_IN;
    for (uint32_t m = NET_MODE_NONE + 1; m < NET_MODES; m++) {
        if (net_mode_table[m].tile == tile && net_mode_table[m].chip_mode == chip_mode)
            return (net_mode)m;
    }
    return NET_MODE_NONE;
}

static void add_config(decoder *c, net_cell_data *cell, const bits_field *f, uint32_t x, uint32_t y) {
    uint32_t v = bits_value(c->map, &c->words, f, x, y);
    if (v)
        vec_push(c->mem, &cell->config, (net_config){names_intern(c->names, f->name), v});
}

/* The non-zero fields of the core: fields of a kind are sorted by name, so the config comes out sorted. */
static void read_config(decoder *c, net_cell_data *cell, net_tile tile, uint32_t chip_mode, uint32_t x,
                        uint32_t y) {
    for (uint32_t i = 0; i < c->map->fields.len; i++) {
        const bits_field *f = bits_field_at(c->map, i);
        bool here = f->tile == tile && f->feature == 0;
        bool word = strncmp(f->name, "CONFIG_SPACE_", 13) == 0;
        if (here && !word && (!f->space || f->mode == BITS_ANY_MODE || f->mode == chip_mode))
            add_config(c, cell, f, x, y);
    }
}

static void read_cell(decoder *c, net_tile tile, uint32_t x, uint32_t y) {
    static const char tag[BITS_KINDS] = {[NET_TILE_PE] = 'p', [NET_TILE_MEM] = 'm', [NET_TILE_IO] = 'I'};
    uint32_t chip_mode = bits_mode(c->map, &c->words, x, y);
    net_mode mode = tile_mode(c, tile, chip_mode, x);
    if (mode == NET_MODE_NONE) {
        diag_error(c->d, tile_loc(c, x, y), "E0622-not-expressible",
                   "tile x%uy%u: mode %u of a %s tile is not a sparse mode", x, y, chip_mode,
                   bits_kind_name[tile]);
        return;
    }
    net_cell_data cell = {.mode = mode,
                          .name = names_intern(c->names, arena_printf(c->mem, "x%uy%u", x, y)),
                          .tag = tag[tile],
                          .number = c->net->cells.len,
                          .loc = tile_loc(c, x, y),
                          .output = mode == NET_MODE_IO_OUT};
    read_config(c, &cell, tile, chip_mode, x, y);
    vec_push(c->mem, &c->net->cells, cell);
    vec_push(c->mem, &c->design->site, (pnr_site){(uint16_t)x, (uint16_t)y});
    *cell_at(c, x, y) = c->net->cells.len;
}

static void dangling(const decoder *c, uint32_t x, uint32_t y, const char *what, const char *hint) {
    diag_error(c->d, tile_loc(c, x, y), "E0632-dangling", "tile x%uy%u: %s", x, y, what);
    diag_hint(c->d, "%s", hint);
}

/* A core with settings but without its enable bit would stay silent. */
static bool core_configured(const decoder *c, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        if (bits_x(w->address) == x && bits_y(w->address) == y && bits_feature(w->address) == 0 && w->data)
            return true;
    }
    return false;
}

static void read_cells(decoder *c) {
    for (uint32_t i = 0; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        uint32_t x = bits_x(w->address), y = bits_y(w->address);
        net_tile tile = bits_tile(c->map, w->address);
        if (tile == NET_TILE_NONE || (i && (w[-1].address & 0xffff) == (w->address & 0xffff)))
            continue;
        if (value(c, c->map->tile_en[tile], x, y))
            read_cell(c, tile, x, y);
        else if (core_configured(c, x, y))
            dangling(c, x, y, "the core is configured but tile_en is 0",
                     "set tile_en, or drop the core's words");
    }
}

/* ---- wires
 * ------------------------------------------------------------------------------------------------------ */

static void read_wire(decoder *c, net_tile tile, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    const bits_sb *sb = &c->map->sb[tile][side][track];
    wire *w = wire_at(c, x, y, side, track);
    *w = (wire){.used = value(c, sb->enable, x, y),
                .registered = value(c, sb->rmux, x, y),
                .start = value(c, sb->start, x, y),
                .end = value(c, sb->end, x, y),
                .select = (uint8_t)value(c, sb->sel, x, y)};
    bool fifo = value(c, sb->fifo, x, y);
    if (!w->used && (w->select || w->registered || fifo || w->start || w->end))
        dangling(c, x, y,
                 arena_printf(c->mem, "switch-box output %s track %u is configured but not enabled",
                              bits_side_name[side], track),
                 "set its enable bit, or drop its select and register bits");
    else if (!w->registered && (fifo || w->start || w->end))
        dangling(c, x, y,
                 arena_printf(c->mem,
                              "the register of switch-box output %s track %u is configured but bypassed",
                              bits_side_name[side], track),
                 "set RMUX sel, or drop the REG bits");
    else if (w->registered && !fifo)
        diag_error(c->d, tile_loc(c, x, y), "E0622-not-expressible",
                   "tile x%uy%u: the register of switch-box output %s track %u is not in FIFO mode", x, y,
                   bits_side_name[side], track);
}

static void read_wires(decoder *c) {
    for (uint32_t i = 0; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        net_tile tile = bits_tile(c->map, w->address);
        bool repeated = i && (w[-1].address & 0xffff) == (w->address & 0xffff);
        if (repeated || (tile != NET_TILE_PE && tile != NET_TILE_MEM))
            continue;
        for (uint32_t k = 0; k < 4 * c->b->tracks; k++)
            read_wire(c, tile, bits_x(w->address), bits_y(w->address), k % 4, k / 4);
    }
}

/* ---- nets: from each sink back to its source
 * ----------------------------------------------------------------------- */

typedef struct {
    uint16_t x, y;
    uint8_t side, track;
} wire_id;

typedef struct {
    bool good;
    net_pin source;    /* when no claimed wire was met */
    uint32_t net, hop; /* otherwise: the claimed hop the walk ran into */
    VEC(wire_id) path; /* unclaimed outputs, from the sink to the source */
} walk;

static void undriven(const decoder *c, uint32_t x, uint32_t y, const char *what) {
    diag_error(c->d, tile_loc(c, x, y), "E0630-undriven-wire", "tile x%uy%u: %s", x, y, what);
    diag_hint(c->d, "a configuration word is missing, or a multiplexer's select is wrong");
}

/* The arriving wire (x, y, side, track): true and *at when a switch-box output drives it; otherwise the walk
 * ends here, at an IO tile or with an error. */
static bool arriving(const decoder *c, uint32_t x, uint32_t y, pnr_side side, uint32_t track, walk *w,
                     wire_id *at) {
    uint32_t nx = x, ny = y;
    const char *name = bits_side_name[side];
    if (!bits_neighbour(c->b, side, &nx, &ny)) {
        undriven(
            c, x, y,
            arena_printf(c->mem, "wire %s track %u is selected, but lies outside the array", name, track));
        return false;
    }
    if (pnr_site_tile(c->b, nx, ny) == NET_TILE_IO) {
        w->source = (net_pin){{*cell_at(c, nx, ny)}, 0};
        w->good = mode_at(c, nx, ny) == NET_MODE_IO_IN;
        if (mode_at(c, nx, ny) == NET_MODE_IO_OUT)
            diag_error(c->d, tile_loc(c, nx, ny), "E0633-io-both-ways",
                       "IO tile x%uy%u is used in both directions", nx, ny);
        else if (!w->good)
            undriven(c, x, y,
                     arena_printf(c->mem, "wire %s track %u comes from IO tile x%uy%u, which is not enabled",
                                  name, track, nx, ny));
        return false;
    }
    pnr_side from = bits_opposite(side);
    if (!wire_at(c, nx, ny, from, track)->used) {
        undriven(c, x, y,
                 arena_printf(c->mem, "wire %s track %u is selected, but x%uy%u does not drive it", name,
                              track, nx, ny));
        return false;
    }
    *at = (wire_id){(uint16_t)nx, (uint16_t)ny, (uint8_t)from, (uint8_t)track};
    return true;
}

/* Inverse of the switch box: which arriving wire input `select` (0..2) of an output is. */
static bool switch_input(const pnr_board *b, const wire_id *out, uint32_t select, pnr_side *side,
                         uint32_t *track) {
    for (uint32_t k = 0; k < 4 * b->tracks; k++) {
        uint32_t s = 0;
        *side = (pnr_side)(k % 4);
        *track = k / 4;
        if (pnr_switch_select(b, *side, *track, (pnr_side)out->side, out->track, &s) && s == select)
            return true;
    }
    return false;
}

static void end_at_core(const decoder *c, const wire_id *at, uint32_t port, walk *w) {
    net_mode mode = mode_at(c, at->x, at->y);
    w->good = port < 3 && net_mode_table[mode].port_out[port];
    w->source = (net_pin){{*cell_at(c, at->x, at->y)}, (uint8_t)port};
    if (!w->good)
        undriven(c, at->x, at->y,
                 arena_printf(c->mem, "switch-box output %s track %u takes core output %u, which %s",
                              bits_side_name[at->side], at->track, port,
                              mode == NET_MODE_NONE ? "belongs to no enabled core"
                                                    : "the tile's mode does not use"));
}

static void walk_back(const decoder *c, wire_id at, walk *w) {
    for (uint32_t steps = 0; steps < c->b->width * c->b->height * 4 * c->b->tracks; steps++) {
        const wire *out = wire_at(c, at.x, at.y, at.side, at.track);
        pnr_side side = PNR_EAST;
        uint32_t track = 0;
        w->net = out->net;
        w->hop = out->hop;
        w->good = out->net != 0;
        if (w->good)
            return;
        vec_push(c->mem, &w->path, at);
        if (out->select >= 3) {
            end_at_core(c, &at, out->select - 3u, w);
            return;
        }
        if (!switch_input(c->b, &at, out->select, &side, &track))
            BUG("switch box without input %u", out->select);
        if (!arriving(c, at.x, at.y, side, track, w, &at))
            return;
    }
    w->good = false;
    diag_error(c->d, tile_loc(c, at.x, at.y), "E0631-wire-loop",
               "tile x%uy%u: switch-box output %s track %u feeds itself", at.x, at.y, bits_side_name[at.side],
               at.track);
    diag_hint(c->d, "the selects of several tiles form a ring without a source");
}

/* 1-based number of the net with that source, made when new. */
static uint32_t net_of(decoder *c, net_pin source) {
    for (uint32_t i = 0; i < c->nets.len; i++) {
        if (c->nets.at[i].pin.cell.v == source.cell.v && c->nets.at[i].pin.port == source.port)
            return i + 1;
    }
    vec_push(c->mem, &c->nets, (found_net){.pin = source, .net.source = source});
    return c->nets.len;
}

static void add_hop(decoder *c, uint32_t net, const wire_id *at, uint32_t parent) {
    wire *w = wire_at(c, at->x, at->y, at->side, at->track);
    pnr_hop h = {.x = at->x,
                 .y = at->y,
                 .side = at->side,
                 .track = at->track,
                 .from_core = w->select >= 3,
                 .registered = w->registered,
                 .fifo_start = w->start,
                 .fifo_end = w->end,
                 .parent = parent};
    if (h.from_core) {
        h.port = (uint8_t)(w->select - 3);
    } else {
        pnr_side side = PNR_EAST;
        uint32_t track = 0;
        switch_input(c->b, at, w->select, &side, &track);
        h.from_side = (uint8_t)side;
        h.from_track = (uint8_t)track;
    }
    pnr_route *route = &c->nets.at[net - 1].route;
    vec_push(c->mem, &route->hops, h);
    w->net = net;
    w->hop = route->hops.len;
}

/* Adds the walk's hops, source first, and the sink to their net. */
static void add_sink(decoder *c, net_pin pin, const walk *w, pnr_side side, uint32_t track) {
    uint32_t net = w->net ? w->net : net_of(c, w->source);
    uint32_t parent = w->net ? w->hop - 1 : PNR_NO_HOP;
    for (uint32_t i = w->path.len; i-- > 0;) {
        add_hop(c, net, &w->path.at[i], parent);
        parent = c->nets.at[net - 1].route.hops.len - 1;
    }
    found_net *f = &c->nets.at[net - 1];
    vec_push(c->mem, &f->net.sinks, pin);
    vec_push(c->mem, &f->route.sinks, (pnr_sink){parent, (uint8_t)side, (uint8_t)track});
}

static void follow_io(decoder *c, uint32_t cell, uint32_t x) {
    walk w = {0};
    walk_back(c, (wire_id){(uint16_t)x, 1, PNR_NORTH, 0}, &w);
    if (w.good)
        add_sink(c, (net_pin){{cell}, 0}, &w, PNR_EAST, 0);
}

static void follow_cb(decoder *c, uint32_t cell, uint32_t port, uint32_t x, uint32_t y, uint32_t select) {
    pnr_side side = PNR_EAST;
    uint32_t track = 0;
    walk w = {0};
    wire_id at;
    if (!bits_cb_wire(c->b, select, &side, &track)) {
        undriven(c, x, y,
                 arena_printf(c->mem, "the connection box of input %u selects %u, which is no wire", port,
                              select));
        return;
    }
    if (arriving(c, x, y, side, track, &w, &at))
        walk_back(c, at, &w);
    if (w.good)
        add_sink(c, (net_pin){{cell}, (uint8_t)port}, &w, side, track);
}

static void follow_port(decoder *c, net_tile tile, uint32_t x, uint32_t y, uint32_t port) {
    const bits_cb *cb = &c->map->cb[tile][port];
    bool enabled = value(c, cb->enable, x, y);
    uint32_t select = value(c, cb->sel, x, y);
    if (!enabled && select)
        dangling(c, x, y,
                 arena_printf(c->mem, "the connection box of input %u selects %u but is not enabled", port,
                              select),
                 "set its enable bit, or drop its select");
    if (!enabled)
        return;
    if (!net_mode_table[mode_at(c, x, y)].port_in[port]) {
        dangling(c, x, y,
                 arena_printf(c->mem, "the connection box of input %u is enabled, but no core uses it", port),
                 "enable the core, or drop the connection box");
        return;
    }
    follow_cb(c, *cell_at(c, x, y), port, x, y, select);
}

/* Sinks in the order of (cell, port): cells stand in the order of their tiles. */
static void follow_sinks(decoder *c) {
    for (uint32_t i = 0; i < c->words.words.len; i++) {
        const bits_word *w = &c->words.words.at[i];
        uint32_t x = bits_x(w->address), y = bits_y(w->address);
        net_tile tile = bits_tile(c->map, w->address);
        if (tile == NET_TILE_NONE || (i && (w[-1].address & 0xffff) == (w->address & 0xffff)))
            continue;
        if (mode_at(c, x, y) == NET_MODE_IO_OUT)
            follow_io(c, *cell_at(c, x, y), x);
        for (uint32_t port = 0; tile != NET_TILE_IO && port < 4; port++)
            follow_port(c, tile, x, y, port);
    }
}

/* An enabled output that no sink was reached from holds its driver back: its ready never comes. */
static void check_leftovers(const decoder *c) {
    for (uint32_t x = 0; x < c->b->width; x++) {
        for (uint32_t y = 1; y < c->b->height; y++) {
            for (uint32_t k = 0; k < 4 * c->b->tracks; k++) {
                const wire *w = wire_at(c, x, y, k % 4, k / 4);
                if (w->used && !w->net)
                    dangling(c, x, y,
                             arena_printf(c->mem,
                                          "switch-box output %s track %u is enabled but leads to no sink",
                                          bits_side_name[k % 4], k / 4),
                             "drop its enable bit, or connect the sink it was meant for");
            }
        }
    }
}

static void check_io(const decoder *c) {
    for (uint32_t i = 0; i < c->net->cells.len; i++) {
        const net_cell_data *cell = &c->net->cells.at[i];
        bool driving = false;
        for (uint32_t n = 0; n < c->nets.len; n++)
            driving |= c->nets.at[n].pin.cell.v == i + 1;
        if (cell->mode == NET_MODE_IO_IN && !driving) {
            diag_error(c->d, cell->loc, "E0634-idle-io",
                       "IO tile %s is enabled but neither drives nor receives a net",
                       names_text(c->names, cell->name));
            diag_hint(c->d, "drop its tile_en, or connect it");
        }
    }
}

/* ---- putting it together
 * --------------------------------------------------------------------------------------------- */

static int by_source(const void *left, const void *right) {
    const found_net *a = left, *b = right;
    if (a->pin.cell.v != b->pin.cell.v)
        return a->pin.cell.v < b->pin.cell.v ? -1 : 1;
    return a->pin.port < b->pin.port ? -1 : a->pin.port > b->pin.port;
}

static void store_nets(decoder *c) {
    if (c->nets.len)
        qsort(c->nets.at, c->nets.len, sizeof *c->nets.at, by_source);
    for (uint32_t i = 0; i < c->nets.len; i++) {
        vec_push(c->mem, &c->net->nets, c->nets.at[i].net);
        vec_push(c->mem, &c->design->route, c->nets.at[i].route);
    }
}

bool bits_decode(const bits_stream *in, const pnr_board *b, const bits_map *map, name_table *names,
                 arena *mem, diagnostics *d, netlist *net, pnr_design *design, uint32_t *unknown) {
    uint32_t errors = d->errors;
    *net = (netlist){.mem = mem, .names = names};
    *design = (pnr_design){.net = net, .board = b};
    decoder c = {.map = map, .b = b, .mem = mem, .d = d, .names = names, .net = net, .design = design};
    c.words = bits_sorted(in, mem);
    c.wires = arena_new_n(mem, wire, b->width * b->height * 4 * b->tracks);
    c.cell = arena_new_n(mem, uint32_t, b->width * b->height);
    check_repeats(&c);
    for (uint32_t i = 0; i < c.words.words.len; i++)
        check_word(&c, &c.words.words.at[i]);
    read_wires(&c);
    read_cells(&c);
    follow_sinks(&c);
    check_leftovers(&c);
    check_io(&c);
    store_nets(&c);
    *unknown = c.unknown;
    return d->errors == errors;
}
