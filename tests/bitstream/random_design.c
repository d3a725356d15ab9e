/* Random legal designs: nets are random walks over free wires of the fabric until a free input is met. */
#include "tests/bitstream/random_design.h"

#include "bitstream/bits_int.h"

typedef struct {
    fixture *f;
    const bits_board *b;
    const random_options *o;
    prng random;
    netlist net;
    pnr_design design;
    uint32_t *cell_at;   /* [y * width + x], handle or 0 */
    bool *wire_used;     /* [((y * width + x) * tracks + track) * 4 + side] */
    uint8_t *input_used; /* by cell index: bit per port */
} generator;

static bool chance(generator *g, uint32_t one_in) {
    return prng_below(&g->random, one_in) == 0;
}

static bool *wire_used(generator *g, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    const pnr_board *b = &g->b->board;
    return &g->wire_used[((y * b->width + x) * b->tracks + track) * 4 + side];
}

static uint32_t *cell_at(generator *g, uint32_t x, uint32_t y) {
    return &g->cell_at[y * g->b->board.width + x];
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Fields that a cell of the mode may set; runnable designs set only the primitive's own fields. */
static bool may_set(const generator *g, const bits_field *field, net_tile tile, uint32_t chip_mode) {
    if (field->tile != tile || field->feature != 0 || !strncmp(field->name, "CONFIG_SPACE_", 13) ||
        !strcmp(field->name, "mode") || !strcmp(field->name, "tile_en"))
        return false;
    if (!field->space)
        return !g->o->runnable;
    return field->mode == chip_mode || (field->mode == BITS_ANY_MODE && !g->o->runnable);
}

static void random_config(generator *g, net_cell_data *cell, net_tile tile, uint32_t chip_mode) {
    for (uint32_t i = 0; i < g->b->map->fields.len; i++) {
        const bits_field *field = bits_field_at(g->b->map, i);
        bool enable = g->o->runnable && ends_with(field->name, "_tile_en");
        if (!may_set(g, field, tile, chip_mode) || (!enable && !chance(g, 4)))
            continue;
        uint32_t value = (uint32_t)prng_next(&g->random) & bits_mask(field->hi - field->lo + 1u);
        vec_push(&g->f->mem, &cell->config,
                 (net_config){names_intern(&g->f->names, field->name), enable ? 1 : value});
    }
}

static net_cell add_cell(generator *g, net_mode mode, uint32_t x, uint32_t y) {
    static const char tag[] = {[NET_TILE_PE] = 'p', [NET_TILE_MEM] = 'm', [NET_TILE_IO] = 'I'};
    const net_mode_info *info = &net_mode_table[mode];
    uint32_t number = g->net.cells.len;
    net_cell_data cell = {.mode = mode,
                          .name = names_intern(&g->f->names, arena_printf(&g->f->mem, "c%u", number)),
                          .tag = tag[info->tile],
                          .number = number,
                          .output = mode == NET_MODE_IO_OUT};
    random_config(g, &cell, info->tile, info->chip_mode);
    vec_push(&g->f->mem, &g->net.cells, cell);
    vec_push(&g->f->mem, &g->design.site, (pnr_site){(uint16_t)x, (uint16_t)y});
    *cell_at(g, x, y) = g->net.cells.len;
    return (net_cell){g->net.cells.len};
}

static void random_cells(generator *g, uint32_t count) {
    const pnr_board *b = &g->b->board;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = prng_below(&g->random, b->width), y = 1 + prng_below(&g->random, b->height - 1);
        net_mode mode = NET_MODE_FIBER_ACCESS;
        if (pnr_site_tile(b, x, y) == NET_TILE_PE)
            mode = (net_mode)(NET_MODE_INTERSECT + prng_below(&g->random, 7));
        if (!*cell_at(g, x, y))
            add_cell(g, mode, x, y);
    }
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* A walk's end: the wire arriving at (x, y) on (side, track), driven by `hop` of the route or by an IO tile.
 */
typedef struct {
    uint32_t x, y, hop;
    pnr_side side;
    uint32_t track;
} arrival;

static bool free_input(generator *g, uint32_t x, uint32_t y, uint32_t *cell, uint32_t *port) {
    *cell = *cell_at(g, x, y);
    *port = prng_below(&g->random, 4);
    if (!*cell || y == 0)
        return false;
    const net_mode_info *info = &net_mode_table[g->net.cells.at[*cell - 1].mode];
    return info->port_in[*port] && !(g->input_used[*cell - 1] >> *port & 1);
}

static void push_hop(generator *g, pnr_route *route, pnr_hop hop) {
    hop.registered = chance(g, 3);
    hop.fifo_start = hop.registered && chance(g, 2);
    hop.fifo_end = hop.registered && chance(g, 2);
    vec_push(&g->f->mem, &route->hops, hop);
    *wire_used(g, hop.x, hop.y, hop.side, hop.track) = true;
}

/* Leaves the tile of an arriving wire by a random free output; false when none is found at once. */
static bool step(generator *g, pnr_route *route, arrival *a) {
    const pnr_board *b = &g->b->board;
    pnr_side out = (pnr_side)prng_below(&g->random, 4);
    uint32_t track = 0, nx = 0, ny = 0;
    if (!pnr_switch_track(b, a->side, a->track, out, &track) || *wire_used(g, a->x, a->y, out, track) ||
        !pnr_neighbour(b, a->x, a->y, out, &nx, &ny) || ny == 0)
        return false;
    pnr_hop hop = {.x = (uint16_t)a->x,
                   .y = (uint16_t)a->y,
                   .side = (uint8_t)out,
                   .track = (uint8_t)track,
                   .from_side = (uint8_t)a->side,
                   .from_track = (uint8_t)a->track,
                   .parent = a->hop};
    push_hop(g, route, hop);
    *a = (arrival){nx, ny, route->hops.len - 1, pnr_opposite(out), track};
    return true;
}

static void drop_hops(generator *g, pnr_route *route, uint32_t keep) {
    for (uint32_t i = keep; i < route->hops.len; i++) {
        const pnr_hop *h = &route->hops.at[i];
        *wire_used(g, h->x, h->y, h->side, h->track) = false;
    }
    route->hops.len = keep;
}

/* The chip's only way out: output NORTH 0 of (x, 1). */
static bool reach_io(generator *g, pnr_route *route, const arrival *a, net_pin *pin) {
    uint32_t track = 0;
    if (a->y != 1 || *cell_at(g, a->x, 0) || *wire_used(g, a->x, 1, PNR_NORTH, 0) ||
        !pnr_switch_track(&g->b->board, a->side, a->track, PNR_NORTH, &track) || track != 0)
        return false;
    pnr_hop hop = {.x = (uint16_t)a->x,
                   .y = 1,
                   .side = PNR_NORTH,
                   .from_side = (uint8_t)a->side,
                   .from_track = (uint8_t)a->track,
                   .parent = a->hop};
    push_hop(g, route, hop);
    *pin = (net_pin){add_cell(g, NET_MODE_IO_OUT, a->x, 0), 0};
    return true;
}

/* Walks until a free input is met; adds the sink, or takes the new hops back. */
static bool walk_to_sink(generator *g, net_data *net, pnr_route *route, arrival a, uint32_t keep) {
    for (uint32_t tries = 0; tries < 200; tries++) {
        uint32_t cell = 0, port = 0;
        net_pin pin;
        if (free_input(g, a.x, a.y, &cell, &port)) {
            g->input_used[cell - 1] |= (uint8_t)(1u << port);
            vec_push(&g->f->mem, &net->sinks, (net_pin){{cell}, (uint8_t)port});
            vec_push(&g->f->mem, &route->sinks, (pnr_sink){a.hop, (uint8_t)a.side, (uint8_t)a.track});
            return true;
        }
        if (reach_io(g, route, &a, &pin)) {
            vec_push(&g->f->mem, &net->sinks, pin);
            vec_push(&g->f->mem, &route->sinks, (pnr_sink){route->hops.len - 1, 0, 0});
            return true;
        }
        step(g, route, &a);
    }
    drop_hops(g, route, keep);
    return false;
}

/* First hop out of a core, or the wires an IO tile drives. False when the way is blocked. */
static bool start(generator *g, net_pin source, pnr_route *route, arrival *a) {
    const pnr_board *b = &g->b->board;
    pnr_site at = g->design.site.at[source.cell.v - 1];
    pnr_side side = (pnr_side)prng_below(&g->random, 4);
    uint32_t track = prng_below(&g->random, b->tracks), nx = 0, ny = 0;
    if (at.y == 0) {
        *a = (arrival){at.x, 1, PNR_NO_HOP, PNR_NORTH, track};
        return true;
    }
    if (*wire_used(g, at.x, at.y, side, track) || !pnr_neighbour(b, at.x, at.y, side, &nx, &ny) || ny == 0)
        return false;
    pnr_hop hop = {.x = at.x,
                   .y = at.y,
                   .side = (uint8_t)side,
                   .track = (uint8_t)track,
                   .from_core = true,
                   .port = source.port,
                   .parent = PNR_NO_HOP};
    push_hop(g, route, hop);
    *a = (arrival){nx, ny, route->hops.len - 1, pnr_opposite(side), track};
    return true;
}

/* A new branch: from the source again, or from the wire of an existing hop. */
static bool branch(generator *g, net_pin source, pnr_route *route, arrival *a) {
    if (!route->hops.len || chance(g, 2))
        return start(g, source, route, a);
    uint32_t index = prng_below(&g->random, route->hops.len);
    const pnr_hop *h = &route->hops.at[index];
    a->hop = index;
    a->side = pnr_opposite((pnr_side)h->side);
    a->track = h->track;
    return pnr_neighbour(&g->b->board, h->x, h->y, (pnr_side)h->side, &a->x, &a->y) && a->y > 0;
}

static void random_net(generator *g, net_pin source) {
    net_data net = {.source = source};
    pnr_route route = {0};
    for (uint32_t tries = 0; tries < 6; tries++) {
        uint32_t keep = route.hops.len;
        arrival a;
        if (branch(g, source, &route, &a))
            walk_to_sink(g, &net, &route, a, keep);
    }
    if (!net.sinks.len)
        return;
    vec_push(&g->f->mem, &g->net.nets, net);
    vec_push(&g->f->mem, &g->design.route, route);
}

static bool drives_a_net(const generator *g, uint32_t cell) {
    for (uint32_t i = 0; i < g->net.nets.len; i++) {
        if (g->net.nets.at[i].source.cell.v == cell)
            return true;
    }
    return false;
}

/* An IO tile that feeds the array; removed when none of its walks arrives. */
static void random_input(generator *g, uint32_t x) {
    if (*cell_at(g, x, 0))
        return;
    net_cell cell = add_cell(g, NET_MODE_IO_IN, x, 0);
    random_net(g, (net_pin){cell, 0});
    if (drives_a_net(g, cell.v))
        return;
    BUG_IF(g->net.cells.len != cell.v, "walks that fail leave no cell behind");
    g->net.cells.len--;
    g->design.site.len--;
    *cell_at(g, x, 0) = 0;
}

pnr_design *random_design(fixture *f, const bits_board *b, uint64_t seed, const random_options *o) {
    generator *g = arena_new(&f->mem, generator);
    *g = (generator){.f = f, .b = b, .o = o, .random = prng_seed(seed)};
    g->net = (netlist){.mem = &f->mem, .names = &f->names};
    g->design = (pnr_design){.net = &g->net, .board = &b->board};
    uint32_t tiles = b->board.width * b->board.height;
    g->cell_at = arena_new_n(&f->mem, uint32_t, tiles);
    g->wire_used = arena_new_n(&f->mem, bool, tiles * 4 * b->board.tracks);
    g->input_used = arena_new_n(&f->mem, uint8_t, tiles);
    random_cells(g, o->cells);
    uint32_t compute = g->net.cells.len;
    for (uint32_t x = 0; x < b->board.width; x += 1 + prng_below(&g->random, 4))
        random_input(g, x);
    for (uint32_t i = 0; i < compute; i++) {
        for (uint8_t port = 0; port < 3; port++) {
            if (net_mode_table[g->net.cells.at[i].mode].port_out[port])
                random_net(g, (net_pin){{i + 1}, port});
        }
    }
    return &g->design;
}
