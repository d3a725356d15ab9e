/* A dense design as netlists of pnr/: a netlist for the sites, a netlist a width for the routes, on the same
 * sites; and the result of pnr/ as a design. */
#include "dense/place_int.h"

#include "boards/onyx/fabric.h"

#include <stdlib.h>

/* ---- netlists ---------------------------------------------------------------------------------- */

static uint32_t tile_index(const dense_design *design, uint32_t x, uint32_t y) {
    return (uint32_t)(dense_tile_at(design, x, y) - design->tiles.at);
}

/* Finds the tiles at both ends of each link. False and E0982 for a missing tile. */
static bool find_ends(dense_placing *p, arena *mem, diagnostics *d) {
    bool ok = true;
    for (uint32_t i = 0; i < p->from.links.len; i++) {
        const dense_link *l = &p->from.links.at[i];
        const dense_tile *from = dense_tile_at(&p->from, l->from_x, l->from_y);
        if (!from || !dense_units_of(&p->from, from)) {
            diag_error(d, l->loc, "E0982-dense-text", "no unit of tile x%uy%u works, which feeds an input",
                       l->from_x, l->from_y);
            ok = false;
            continue;
        }
        vec_push(mem, &p->tile_of[0], tile_index(&p->from, l->from_x, l->from_y));
        vec_push(mem, &p->tile_of[1], tile_index(&p->from, l->x, l->y));
    }
    return ok;
}

static void add_cells(const dense_placing *p, netlist *net, arena *mem) {
    static const char tags[] = {[NET_TILE_PE] = 'p', [NET_TILE_MEM] = 'm', [NET_TILE_IO] = 'I'};
    static const net_mode modes[] = {
        [NET_TILE_PE] = NET_MODE_ALU, [NET_TILE_MEM] = NET_MODE_FIBER_ACCESS, [NET_TILE_IO] = NET_MODE_NONE};
    net->mem = mem;
    net->names = arena_new(mem, name_table);
    for (uint32_t i = 0; i < p->from.tiles.len; i++) {
        const dense_tile *t = &p->from.tiles.at[i];
        vec_push(mem, &net->cells,
                 (net_cell_data){.mode = modes[t->kind], .tag = tags[t->kind], .number = i, .loc = t->loc});
    }
}

static net_data net_at(const dense_placing *p, uint32_t first, arena *mem) {
    const dense_link *l = &p->from.links.at[first];
    net_data net = {.source = {{p->tile_of[0].at[first] + 1}, (uint8_t)l->place}};
    for (uint32_t i = first; i < p->from.links.len && dense_same_output(&p->from.links.at[i], l); i++)
        vec_push(mem, &net.sinks, ((net_pin){{p->tile_of[1].at[i] + 1}, 0}));
    return net;
}

static void make_netlists(dense_placing *p, arena *mem) {
    add_cells(p, &p->all, mem);
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++)
        add_cells(p, &p->net[width], mem);
    for (uint32_t i = 0; i < p->from.links.len;) {
        const uint32_t width = p->from.links.at[i].width;
        const net_data net = net_at(p, i, mem);
        vec_push(mem, &p->net[width].nets, net);
        vec_push(mem, &p->first[width], i);
        vec_push(mem, &p->all.nets, net);
        for (uint32_t k = 0; k < net.sinks.len; k++)
            net_cell_at(&p->all, net.sinks.at[k].cell)->output = true;
        i += net.sinks.len;
    }
}

/* ---- sites and routes -------------------------------------------------------------------------- */

/* Streams have their columns: IO tiles do not move. */
static const pnr_site *fix_io(const dense_placing *p, arena *mem) {
    pnr_site *fixed = arena_new_n(mem, pnr_site, p->from.tiles.len + 1);
    for (uint32_t i = 0; i < p->from.tiles.len; i++) {
        const dense_tile *t = &p->from.tiles.at[i];
        fixed[i] =
            t->kind == NET_TILE_IO ? (pnr_site){(uint16_t)t->x, (uint16_t)t->y} : (pnr_site){PNR_FREE, 0};
    }
    return fixed;
}

static bool place_and_route(dense_placing *p, const pnr_options *options, diagnostics *d) {
    pnr_options o = *options;
    o.fabric_only = true; /* columns are the program's, and an IO tile drives any input */
    o.pipeline = PNR_PIPELINE_NONE;
    o.timing = 0;
    o.fixed = fix_io(p, d->mem);
    if (!pnr_place(&p->all, p->from.board, &o, d->mem, d, &p->placed))
        return false;
    bool ok = true;
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        p->routed[width] = p->placed;
        p->routed[width].net = &p->net[width];
        ok = pnr_route_all(&p->routed[width], &o, d->mem, d) && ok;
    }
    return ok;
}

/* ---- the design -------------------------------------------------------------------------------- */

/* Returns the tile at a site of the new design, made for routes if missing. */
static dense_tile *tile_for(dense_design *out, uint32_t *index, uint32_t x, uint32_t y, arena *mem) {
    uint32_t *at = &index[y * out->board->width + x];
    if (!*at) {
        vec_push(mem, &out->tiles, ((dense_tile){.x = x, .y = y, .kind = pnr_site_tile(out->board, x, y)}));
        *at = out->tiles.len;
    }
    return &out->tiles.at[*at - 1];
}

static void move_starts(const dense_placing *p, uint32_t tile, dense_tile *to, diagnostics *d) {
    const dense_tile *from = &p->from.tiles.at[tile];
    const int32_t late = (int32_t)(to->y > ONYX_NEAR_ROWS) - (from->y > ONYX_NEAR_ROWS);
    for (dense_generator_key key = 0; key < DENSE_GENERATORS; key++) {
        const dense_generator_fields f = dense_fields_of(p->from.map, key);
        const dense_generator g = dense_generator_of(&p->from, from, key);
        const int64_t start = (int64_t)g.at.start + p->delay[dense_generator_unit(tile, key)] - late;
        if (f.tile != from->kind || !g.enable)
            continue;
        if (start > UINT16_MAX)
            diag_error(d, from->loc, "E0984-dense-registers", "%s would begin in cycle %lld of 65,535",
                       f.name, (long long)start);
        dense_set(to, f.at, (uint32_t)start, d->mem);
    }
}

static void move_tile(const dense_placing *p, uint32_t tile, dense_design *out, uint32_t *index,
                      diagnostics *d) {
    const pnr_site site = p->placed.site.at[tile];
    const dense_tile *from = &p->from.tiles.at[tile];
    dense_tile *to = tile_for(out, index, site.x, site.y, d->mem);
    to->mode = from->mode;
    to->loc = from->loc;
    for (uint32_t i = 0; i < from->settings.len; i++)
        dense_set(to, from->settings.at[i].field, from->settings.at[i].value, d->mem);
    for (uint32_t i = 0; i < from->contents.words.len; i++) {
        bits_word w = from->contents.words.at[i];
        w.address = bits_address(bits_reg(w.address), bits_feature(w.address), site.x, site.y);
        vec_push(d->mem, &to->contents.words, w);
    }
    move_starts(p, tile, to, d);
}

static void set_wire(dense_design *out, dense_tile *t, const pnr_hop *h, uint32_t width, arena *mem) {
    const dense_origin at = {.kind = DENSE_FROM_WIRE, .side = h->side, .track = h->track};
    uint32_t select = ONYX_SELECTS + h->port;
    const bool leads = h->from_core || pnr_switch_select(out->board, (pnr_side)h->from_side, h->from_track,
                                                         (pnr_side)h->side, h->track, &select);
    BUG_IF(!leads, "x%uy%u: no switch leads to %s track %u", h->x, h->y, bits_side_name[h->side], h->track);
    dense_set(t, dense_find_wire_field(out->map, t->kind, DENSE_WIRE_ENABLE, at, width), 1, mem);
    dense_set(t, dense_find_wire_field(out->map, t->kind, DENSE_WIRE_SELECT, at, width), select, mem);
    dense_set(t, dense_find_wire_field(out->map, t->kind, DENSE_WIRE_RMUX, at, width), h->registered, mem);
}

/* The register of an operand stands or falls with the registers of its route. */
static void set_operand(const dense_placing *p, uint32_t link, dense_tile *t, arena *mem) {
    static const struct {
        dense_port port;
        const char *mode;
    } rows[] = {{DENSE_PORT_PE_IN0, "rega"},  {DENSE_PORT_PE_IN1, "regb"},  {DENSE_PORT_PE_IN2, "regc"},
                {DENSE_PORT_PE_BIT0, "regd"}, {DENSE_PORT_PE_BIT1, "rege"}, {DENSE_PORT_PE_BIT2, "regf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "PE_onyx_inst_onyxpeintf_inst.%s_mode", rows[i].mode);
        if (rows[i].port == p->from.links.at[link].port)
            dense_set(t, bits_find(p->from.map, NET_TILE_PE, 0, name),
                      p->delayed[link] ? DENSE_DELAY : DENSE_BYPASS, mem);
    }
}

static void set_net(const dense_placing *p, uint32_t width, uint32_t net, dense_placed *out, uint32_t *index,
                    arena *mem) {
    const pnr_route *r = &p->routed[width].route.at[net];
    for (uint32_t h = 0; h < r->hops.len; h++) {
        const pnr_hop *hop = &r->hops.at[h];
        set_wire(&out->design, tile_for(&out->design, index, hop->x, hop->y, mem), hop, width, mem);
        out->wires[width]++;
        out->registers += hop->registered;
    }
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        const uint32_t link = p->first[width].at[net] + s;
        const pnr_site site = p->placed.site.at[p->tile_of[1].at[link]];
        if (site.y == 0)
            continue;
        dense_tile *t = tile_for(&out->design, index, site.x, site.y, mem);
        dense_set_box(p->from.map, t, (dense_port)p->from.links.at[link].port,
                      bits_cb_select(r->sinks.at[s].side, r->sinks.at[s].track), mem);
        set_operand(p, link, t, mem);
        out->registers += p->delayed[link];
    }
}

/* Returns whether an IO tile has a link that begins there (0), or ends there (1). */
static bool is_linked(const dense_placing *p, uint32_t tile, uint32_t end) {
    bool any = false;
    for (uint32_t i = 0; i < p->from.links.len; i++)
        any = any || p->tile_of[end].at[i] == tile;
    return any;
}

static void make_design(const dense_placing *p, dense_placed *out, diagnostics *d) {
    const pnr_board *b = p->from.board;
    uint32_t *index = arena_new_n(d->mem, uint32_t, b->width * b->height);
    out->design = (dense_design){.board = b, .map = p->from.map};
    for (uint32_t k = 0; k < 2; k++)
        out->delay[k] = arena_new_n(d->mem, int32_t, b->width);
    for (uint32_t i = 0; i < p->from.tiles.len; i++) {
        move_tile(p, i, &out->design, index, d);
        for (uint32_t k = 0; k < 2 && p->from.tiles.at[i].kind == NET_TILE_IO; k++)
            out->delay[k][p->from.tiles.at[i].x] = is_linked(p, i, k) ? p->delay[DENSE_UNITS * i + 1 - k] : 0;
    }
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        for (uint32_t n = 0; n < p->net[width].nets.len; n++)
            set_net(p, width, n, out, index, d->mem);
    }
    qsort(out->design.tiles.at, out->design.tiles.len, sizeof *out->design.tiles.at, dense_by_place);
    out->from = p->from;
    out->site = p->placed.site.at;
    out->lengthened = p->lengthened;
    out->period_ps = p->period_ps;
    out->seed = p->placed.stats.seed;
}

/* ---- the check --------------------------------------------------------------------------------- */

/* Follows the routes of the new design, which must equal the old links between the new sites. */
static void judge(const dense_placing *p, const dense_placed *out, arena *mem) {
    const dense_links now = dense_links_of(&out->design, mem);
    dense_links want = {0};
    for (uint32_t i = 0; i < p->from.links.len; i++) {
        dense_link l = p->from.links.at[i];
        const pnr_site from = p->placed.site.at[p->tile_of[0].at[i]],
                       to = p->placed.site.at[p->tile_of[1].at[i]];
        l.from_x = from.x;
        l.from_y = from.y;
        l.x = to.x;
        l.y = to.y;
        vec_push(mem, &want, l);
    }
    if (want.len)
        qsort(want.at, want.len, sizeof *want.at, dense_compare_links);
    bool same = now.len == want.len;
    for (uint32_t i = 0; same && i < now.len; i++)
        same = dense_compare_links(&now.at[i], &want.at[i]) == 0 &&
               (!p->from.fixed_times || now.at[i].registers == want.at[i].registers);
    BUG_IF(!same, "the routes of the placed design are not the links it had");
}

bool dense_place(const dense_design *design, const pnr_options *options, diagnostics *d, dense_placed *out) {
    dense_placing *p = arena_new(d->mem, dense_placing);
    const uint32_t errors = d->errors;
    *out = (dense_placed){0};
    p->from = dense_unroute(design, d->mem, &out->off);
    if (!find_ends(p, d->mem, d))
        return false;
    make_netlists(p, d->mem);
    if (!place_and_route(p, options, d))
        return false;
    p->delay = arena_new_n(d->mem, int32_t, DENSE_UNITS * p->from.tiles.len + 1);
    p->delayed = arena_new_n(d->mem, bool, p->from.links.len + 1);
    if (!dense_place_registers(p, d))
        return false;
    make_design(p, out, d);
    judge(p, out, d->mem);
    return d->errors == errors;
}
