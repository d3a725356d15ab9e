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

/* A configured tile. */
typedef struct {
    uint32_t x, y;
    net_tile kind;
    bits_stream words; /* its range of the sorted words */
    uint32_t chip_mode;
} tile;

typedef struct {
    const bits_map *map;
    const pnr_board *b;
    arena *mem;
    diagnostics *d;
    name_table *names;
    VEC(tile) tiles; /* sorted by (x, y); tiles outside of the board are NET_TILE_NONE */
    uint32_t *tile;  /* [y * width + x]: number of the tile plus 1, or 0 */
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

static const tile *tile_at(const decoder *c, uint32_t x, uint32_t y) {
    uint32_t number = c->tile[y * c->b->width + x];
    return number ? &c->tiles.at[number - 1] : NULL;
}

static uint32_t value(const decoder *c, const tile *t, uint32_t field) {
    return bits_value(c->map, &t->words, bits_field_at(c->map, field), t->x, t->y);
}

/* Returns the place of the tile's first word in the file, where messages about the tile point. */
static src_loc tile_loc(const decoder *c, uint32_t x, uint32_t y) {
    const tile *t = tile_at(c, x, y);
    return t ? t->words.words.at[0].loc : (src_loc){0};
}

static void add_tile(decoder *c, bits_word *first, uint32_t count) {
    tile t = {
        .x = bits_x(first->address), .y = bits_y(first->address), .kind = bits_tile(c->map, first->address)};
    t.words.words.at = first;
    t.words.words.len = count;
    if (t.kind != NET_TILE_NONE) {
        t.chip_mode = bits_mode(c->map, &t.words, t.x, t.y);
        c->tile[t.y * c->b->width + t.x] = c->tiles.len + 1;
    }
    vec_push(c->mem, &c->tiles, t);
}

/* Cuts the sorted words into tiles. */
static void find_tiles(decoder *c, const bits_stream *sorted) {
    for (uint32_t first = 0, end; first < sorted->words.len; first = end) {
        bits_word *w = &sorted->words.at[first];
        for (end = first + 1; end < sorted->words.len; end++) {
            if ((sorted->words.at[end].address & 0xffff) != (w->address & 0xffff))
                break;
        }
        add_tile(c, w, end - first);
    }
}

/* ---- every bit must have a meaning ----------------------------------------------------------- */

typedef struct {
    const decoder *c;
    const tile *t;
    const bits_word *word;
} word_context;

/* Returns whether a netlist of sparse tiles has no place for the field: a field of 1-bit routing, Pond, flush
 * routing or a power switch. */
static bool expressible(const bits_map *map, const tile *t, const bits_field *f) {
    if (f->feature == 0)
        return true;
    if (t->kind == NET_TILE_IO)
        return false;
    uint32_t number = (uint32_t)(f - map->fields.at);
    for (uint32_t port = 0; port < 4; port++) {
        const bits_cb *cb = &map->cb[t->kind][port];
        if (number == cb->enable || number == cb->sel)
            return true;
    }
    return f->feature == bits_field_at(map, map->sb[t->kind][0][0].sel)->feature &&
           !strstr(f->name, "_SB_IN_");
}

static void check_field(void *context, const bits_field *f) {
    const word_context *w = context;
    bool zero = !f->space && !(w->word->data >> f->lo & bits_mask(f->hi - f->lo + 1u));
    if (zero || expressible(w->c->map, w->t, f))
        return;
    uint32_t v = bits_value(w->c->map, &w->t->words, f, w->t->x, w->t->y);
    diag_error(w->c->d, w->word->loc, "E0622-not-expressible",
               "tile x%uy%u: %s = %u is outside what a sparse netlist says", w->t->x, w->t->y, f->name, v);
    diag_hint(w->c->d, "1-bit routing, ponds, routed flush and power switches belong to dense applications");
}

/* Finds a field of another profile of the board for some of the bits, or NULL. */
static const bits_field *of_other_profile(const bits_map *map, const tile *t, const bits_word *w,
                                          uint32_t bits) {
    for (uint32_t i = 0; i < map->others.len; i++) {
        const bits_field *f = &map->others.at[i];
        bits_piece piece[2];
        if (f->tile != t->kind || f->feature != bits_feature(w->address) ||
            (f->mode != BITS_ANY_MODE && f->mode != t->chip_mode))
            continue;
        for (uint32_t n = bits_pieces(map, f, piece); n-- > 0;) {
            if (piece[n].reg == bits_reg(w->address) && (bits >> piece[n].shift & bits_mask(piece[n].width)))
                return f;
        }
    }
    return NULL;
}

static void check_word(decoder *c, const tile *t, const bits_word *w) {
    uint32_t feature = bits_feature(w->address);
    word_context context = {c, t, w};
    if (bits_is_sram(t->kind, feature)) {
        diag_error(c->d, w->loc, "E0622-not-expressible",
                   "tile x%uy%u: SRAM contents are not part of a netlist", t->x, t->y);
        return;
    }
    uint32_t known =
        bits_each_field(c->map, bits_register_at(t->kind, t->chip_mode, w->address), check_field, &context);
    uint32_t unknown = w->data & ~known;
    if (!unknown)
        return;
    c->unknown += bits_count(unknown);
    const bits_field *other = of_other_profile(c->map, t, w, unknown);
    if (other) {
        diag_error(c->d, w->loc, "E0623-profile", "tile x%uy%u: %s is of profile %s, which '%s' is not", t->x,
                   t->y, other->name, other->profile, c->b->profile);
        diag_hint(c->d, "decode it with --profile %s; the fabricated chip cannot do what it says: %s",
                  other->profile, other->what);
        return;
    }
    diag_error(c->d, w->loc, "E0620-unknown-bit",
               "tile x%uy%u (%s), feature %u, register %u: no field explains bits %08X", t->x, t->y,
               bits_kind_name[t->kind], feature, bits_reg(w->address), unknown);
    if (t->kind == NET_TILE_NONE)
        diag_hint(c->d, "the array is %u x %u: is the bitstream for another board?", c->b->width,
                  c->b->height);
}

/* The chip keeps the last write of an address; a file of merged words has a single write per address. */
static void check_repeat(const decoder *c, const tile *t, const bits_word *w) {
    if (w->address != w[-1].address || bits_is_sram(t->kind, bits_feature(w->address)))
        return;
    diag_error(c->d, w->loc, "E0621-repeated-address", "address %08X is written twice", w->address);
    diag_hint(c->d, "the chip keeps the last word only; merge the words of one address");
    diag_note(c->d, w[-1].loc, "written here first");
}

static void check_words(decoder *c) {
    for (uint32_t i = 0; i < c->tiles.len; i++) {
        const tile *t = &c->tiles.at[i];
        for (uint32_t k = 0; k < t->words.words.len; k++) {
            if (k)
                check_repeat(c, t, &t->words.words.at[k]);
            check_word(c, t, &t->words.words.at[k]);
        }
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

static wire *io_output_wire(const decoder *c, uint32_t x) {
    return wire_at(c, x, 1, PNR_NORTH, 0);
}

/* Returns whether the tile's mode has fields of its own (modes of another profile have none). */
static bool mode_known(const decoder *c, const tile *t) {
    for (uint32_t i = 0; i < c->map->core[t->kind].len; i++) {
        const bits_field *f = bits_field_at(c->map, c->map->core[t->kind].at[i]);
        if (f->space && f->mode == t->chip_mode)
            return true;
    }
    return false;
}

static net_mode tile_mode(const decoder *c, const tile *t) {
    if (t->kind == NET_TILE_IO)
        return io_output_wire(c, t->x)->used ? NET_MODE_IO_OUT : NET_MODE_IO_IN;
    for (uint32_t m = NET_MODE_NONE + 1; m < NET_MODES; m++) {
        if (net_mode_table[m].tile == t->kind && net_mode_table[m].chip_mode == t->chip_mode &&
            mode_known(c, t))
            return (net_mode)m;
    }
    return NET_MODE_NONE;
}

/* The non-zero fields of the core: fields of a kind are sorted by name, so the config comes out sorted. */
static void read_config(decoder *c, net_cell_data *cell, const tile *t) {
    for (uint32_t i = 0; i < c->map->core[t->kind].len; i++) {
        const bits_field *f = bits_field_at(c->map, c->map->core[t->kind].at[i]);
        if (f->space && f->mode != BITS_ANY_MODE && f->mode != t->chip_mode)
            continue;
        uint32_t v = bits_value(c->map, &t->words, f, t->x, t->y);
        if (v)
            vec_push(c->mem, &cell->config, (net_config){names_intern(c->names, f->name), v});
    }
}

static void read_cell(decoder *c, const tile *t) {
    static const char tag[BITS_KINDS] = {[NET_TILE_PE] = 'p', [NET_TILE_MEM] = 'm', [NET_TILE_IO] = 'I'};
    net_mode mode = tile_mode(c, t);
    if (mode == NET_MODE_NONE) {
        diag_error(c->d, tile_loc(c, t->x, t->y), "E0622-not-expressible",
                   "tile x%uy%u: mode %u of a %s tile is not a sparse mode", t->x, t->y, t->chip_mode,
                   bits_kind_name[t->kind]);
        return;
    }
    net_cell_data cell = {.mode = mode,
                          .name = names_intern(c->names, arena_printf(c->mem, "x%uy%u", t->x, t->y)),
                          .tag = tag[t->kind],
                          .number = c->net->cells.len,
                          .loc = tile_loc(c, t->x, t->y),
                          .output = mode == NET_MODE_IO_OUT};
    read_config(c, &cell, t);
    vec_push(c->mem, &c->net->cells, cell);
    vec_push(c->mem, &c->design->site, (pnr_site){(uint16_t)t->x, (uint16_t)t->y});
    *cell_at(c, t->x, t->y) = c->net->cells.len;
}

static void dangling(const decoder *c, uint32_t x, uint32_t y, const char *what, const char *hint) {
    diag_error(c->d, tile_loc(c, x, y), "E0632-dangling", "tile x%uy%u: %s", x, y, what);
    diag_hint(c->d, "%s", hint);
}

/* A core with settings but without its enable bit would stay silent. */
static bool core_configured(const tile *t) {
    for (uint32_t i = 0; i < t->words.words.len; i++) {
        if (bits_feature(t->words.words.at[i].address) == 0 && t->words.words.at[i].data)
            return true;
    }
    return false;
}

static void read_cells(decoder *c) {
    for (uint32_t i = 0; i < c->tiles.len; i++) {
        const tile *t = &c->tiles.at[i];
        if (t->kind == NET_TILE_NONE)
            continue;
        if (value(c, t, c->map->tile_en[t->kind]))
            read_cell(c, t);
        else if (core_configured(t))
            dangling(c, t->x, t->y, "the core is configured but tile_en is 0",
                     "set tile_en, or drop the core's words");
    }
}

/* ---- wires ----------------------------------------------------------------------------------- */

static void bad_wire(const decoder *c, const tile *t, uint32_t side, uint32_t track, const char *what,
                     const char *hint) {
    dangling(c, t->x, t->y,
             arena_printf(c->mem, "switch-box output %s track %u %s", bits_side_name[side], track, what),
             hint);
}

static void read_wire(decoder *c, const tile *t, uint32_t side, uint32_t track) {
    const bits_sb *sb = &c->map->sb[t->kind][side][track];
    wire *w = wire_at(c, t->x, t->y, side, track);
    *w = (wire){.used = value(c, t, sb->enable),
                .registered = value(c, t, sb->rmux),
                .start = value(c, t, sb->start),
                .end = value(c, t, sb->end),
                .select = (uint8_t)value(c, t, sb->sel)};
    bool fifo = value(c, t, sb->fifo);
    bool settings = fifo || w->start || w->end;
    if (!w->used && (w->select || w->registered || settings))
        bad_wire(c, t, side, track, "is configured but not enabled",
                 "set its enable bit, or drop its select and register bits");
    else if (!w->registered && settings)
        bad_wire(c, t, side, track, "has register bits, but its register is bypassed",
                 "set RMUX sel, or drop the REG bits");
    else if (w->registered && !fifo)
        bad_wire(c, t, side, track, "has a register that is not in FIFO mode",
                 "plain registers belong to dense applications; set the REG fifo bit");
}

static void read_wires(decoder *c) {
    for (uint32_t i = 0; i < c->tiles.len; i++) {
        const tile *t = &c->tiles.at[i];
        for (uint32_t k = 0; (t->kind == NET_TILE_PE || t->kind == NET_TILE_MEM) && k < 4 * c->b->tracks; k++)
            read_wire(c, t, k % 4, k / 4);
    }
}

/* ---- nets: from each sink back to its source ------------------------------------------------- */

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

/* Returns true, with *at as the switch-box output driving the arriving wire `in`; otherwise the walk ends, at
 * an IO tile or with an error. */
static bool arriving(const decoder *c, wire_id in, walk *w, wire_id *at) {
    const pnr_side side = (pnr_side)in.side, from = pnr_opposite(side);
    const uint32_t x = in.x, y = in.y, track = in.track;
    uint32_t nx = 0, ny = 0;
    const char *name = bits_side_name[side];
    if (!pnr_neighbour(c->b, x, y, side, &nx, &ny)) {
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
    if (!wire_at(c, nx, ny, from, track)->used) {
        undriven(c, x, y,
                 arena_printf(c->mem, "wire %s track %u is selected, but x%uy%u does not drive it", name,
                              track, nx, ny));
        return false;
    }
    *at = (wire_id){(uint16_t)nx, (uint16_t)ny, (uint8_t)from, (uint8_t)track};
    return true;
}

/* Returns the arriving wire at input `select` (0..2) of an output. */
static bits_wire switch_input(const decoder *c, const wire_id *out, uint32_t select) {
    return c->map->switch_input[out->side][out->track][select];
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
        bits_wire in = switch_input(c, &at, out->select);
        if (!arriving(c, (wire_id){at.x, at.y, in.side, in.track}, w, &at))
            return;
    }
    w->good = false;
    diag_error(c->d, tile_loc(c, at.x, at.y), "E0631-wire-loop",
               "tile x%uy%u: switch-box output %s track %u feeds itself", at.x, at.y, bits_side_name[at.side],
               at.track);
    diag_hint(c->d, "the selects of several tiles form a ring without a source");
}

/* Returns the number, from 1 on, of the net with the source; makes a new net if needed. */
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
        bits_wire in = switch_input(c, at, w->select);
        h.from_side = in.side;
        h.from_track = in.track;
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
    if (arriving(c, (wire_id){(uint16_t)x, (uint16_t)y, (uint8_t)side, (uint8_t)track}, &w, &at))
        walk_back(c, at, &w);
    if (w.good)
        add_sink(c, (net_pin){{cell}, (uint8_t)port}, &w, side, track);
}

static void follow_port(decoder *c, const tile *t, uint32_t port) {
    const bits_cb *cb = &c->map->cb[t->kind][port];
    bool enabled = value(c, t, cb->enable);
    uint32_t select = value(c, t, cb->sel);
    if (!enabled && select)
        dangling(c, t->x, t->y,
                 arena_printf(c->mem, "the connection box of input %u selects %u but is not enabled", port,
                              select),
                 "set its enable bit, or drop its select");
    if (!enabled)
        return;
    if (!net_mode_table[mode_at(c, t->x, t->y)].port_in[port]) {
        dangling(c, t->x, t->y,
                 arena_printf(c->mem, "the connection box of input %u is enabled, but no core uses it", port),
                 "enable the core, or drop the connection box");
        return;
    }
    follow_cb(c, *cell_at(c, t->x, t->y), port, t->x, t->y, select);
}

/* Follows the sinks in the order of (cell, port), as cells stand in the order of their tiles. */
static void follow_sinks(decoder *c) {
    for (uint32_t i = 0; i < c->tiles.len; i++) {
        const tile *t = &c->tiles.at[i];
        if (t->kind == NET_TILE_IO && mode_at(c, t->x, t->y) == NET_MODE_IO_OUT)
            follow_io(c, *cell_at(c, t->x, t->y), t->x);
        for (uint32_t port = 0; (t->kind == NET_TILE_PE || t->kind == NET_TILE_MEM) && port < 4; port++)
            follow_port(c, t, port);
    }
}

/* An enabled output without a sink holds its driver back: its ready never comes. */
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

/* ---- the whole ----------------------------------------------------------------------------- */

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

bool bits_decode(const bits_stream *in, const bits_map *map, name_table *names, diagnostics *d,
                 pnr_design *design, uint32_t *unknown) {
    const uint32_t errors = d->errors;
    const pnr_board *b = map->board;
    arena *mem = d->mem;
    netlist *net = arena_new(mem, netlist);
    *net = (netlist){.mem = mem, .names = names};
    *design = (pnr_design){.net = net, .board = b};
    decoder c = {.map = map, .b = b, .mem = mem, .d = d, .names = names, .net = net, .design = design};
    c.wires = arena_new_n(mem, wire, b->width * b->height * 4 * b->tracks);
    c.cell = arena_new_n(mem, uint32_t, b->width * b->height);
    c.tile = arena_new_n(mem, uint32_t, b->width * b->height);
    bits_stream sorted = bits_sorted(in, mem);
    find_tiles(&c, &sorted);
    check_words(&c);
    read_wires(&c);
    read_cells(&c);
    follow_sinks(&c);
    check_leftovers(&c);
    check_io(&c);
    store_nets(&c);
    *unknown = c.unknown;
    return d->errors == errors;
}
