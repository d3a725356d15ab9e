/* The judge of placements and routes. Its knowledge of the device is the board's description and a statement
 * of the switch box of its own, on purpose not the generated tables of boards/onyx/fabric.h; the checker
 * shares no code with the placer, the router or their fabric.
 *
 * Codes: E0530 sites, E0531 a wire used twice, E0532 hops that do not connect, E0533 sinks, E0534 IO rules,
 * E0535 FIFO pairs, E0536 broadcast rule, E0537 wires that leave the array, E0538 flush groups,
 * E0539 FIFOs that the flush leaves full, E0529 tokens that come in behind it.
 */
#include "pnr/pnr.h"

typedef struct {
    const pnr_design *design;
    const pnr_board *board;
    diagnostics *d;
    uint32_t *owner;     /* by wire: net + 1 */
    uint32_t *pin_owner; /* by cell * 8 + input port: net + 1 */
    uint32_t net;        /* being looked at */
    uint32_t *consumers; /* by hop: following hops and sinks */
    bool *early;         /* by net: net_early */
    uint32_t faults;
} checker;

#define FAULT(c, code, ...) ((c)->faults++, diag_error((c)->d, (src_loc){0}, (code), __VA_ARGS__))

static const char *const side_text[] = {"EAST", "SOUTH", "WEST", "NORTH"};

/* ---- the device, stated once more ------------------------------------------------------------ */

static bool is_mem(const pnr_board *b, uint32_t x) {
    return x % b->mem_period == b->mem_phase;
}

/* Is there a wire from input (from, i) to output (to, o)? The generator's six rules, each valid both ways:
 * W t - N -t, N t - E t+1, S t - E W-2-t, W t - S t-1, W t - E t, S t - N t (modulo the number W of tracks).
 */
static bool switch_joins(uint32_t w, unsigned from, uint32_t i, unsigned to, uint32_t o) {
    if (from == to || i >= w || o >= w)
        return false;
    uint32_t track[4]; /* by side: the track at this side, as in a look-up of both ends by side */
    track[from] = i;
    track[to] = o;
    unsigned ends = 1u << from | 1u << to;
    if (ends == (1u << PNR_WEST | 1u << PNR_NORTH))
        return (track[PNR_WEST] + track[PNR_NORTH]) % w == 0;
    if (ends == (1u << PNR_NORTH | 1u << PNR_EAST))
        return (track[PNR_NORTH] + 1) % w == track[PNR_EAST];
    if (ends == (1u << PNR_SOUTH | 1u << PNR_EAST))
        return (track[PNR_SOUTH] + track[PNR_EAST] + 2) % w == 0;
    if (ends == (1u << PNR_WEST | 1u << PNR_SOUTH))
        return (track[PNR_SOUTH] + 1) % w == track[PNR_WEST];
    return i == o;
}

/* Returns the tile at the end of a wire, or (0, UINT32_MAX) outside of the array. Row 0 is the IO tile. */
typedef struct {
    uint32_t x, y;
} tile_at;

static tile_at arrives(const pnr_board *b, const pnr_hop *h) {
    const tile_at outside = {0, UINT32_MAX};
    switch ((pnr_side)h->side) {
    case PNR_EAST:
        return h->x + 1u == b->width ? outside : (tile_at){h->x + 1u, h->y};
    case PNR_SOUTH:
        return h->y + 1u == b->height ? outside : (tile_at){h->x, h->y + 1u};
    case PNR_WEST:
        return h->x == 0 ? outside : (tile_at){h->x - 1u, h->y};
    case PNR_NORTH:
        return (tile_at){h->x, h->y - 1u};
    }
    return outside;
}

static unsigned facing(unsigned side) {
    static const unsigned char other[] = {PNR_WEST, PNR_NORTH, PNR_EAST, PNR_SOUTH};
    return other[side];
}

/* ---- sites ----------------------------------------------------------------------------------- */

static bool stands_legally(const pnr_board *b, const net_cell_data *cell, pnr_site at) {
    if (at.x >= b->width || at.y >= b->height)
        return false;
    char kind = at.y == 0 ? 'I' : is_mem(b, at.x) ? 'm' : 'p';
    return cell->tag == kind;
}

static void check_stream_column(checker *c, uint32_t cell, uint32_t *streams) {
    const net_cell_data *data = &c->design->net->cells.at[cell];
    pnr_site at = c->design->site.at[cell];
    uint32_t tile = at.x / c->board->columns_per_glb_tile, column = at.x % c->board->columns_per_glb_tile;
    if (column != (data->output ? 1u : 0u))
        FAULT(c, "E0534-io-rule",
              "%s %c%u stands in column %u, which its global buffer tile keeps for others",
              data->output ? "output" : "input", data->tag, data->number, at.x);
    if (streams[tile * 2 + data->output]++)
        FAULT(c, "E0534-io-rule", "global buffer tile %u has more than one %s stream", tile,
              data->output ? "store" : "load");
    if (c->design->own_tiles && streams[tile * 2 + !data->output])
        FAULT(c, "E0534-io-rule", "global buffer tile %u has a load and a store stream", tile);
}

/* A group of columns has a common flush wire, which would reset cells of another flush in the middle of their
 work.
 */
static void check_flush_groups(checker *c, arena *scratch) {
    const pnr_board *b = c->board;
    uint32_t *first = arena_new_n(scratch, uint32_t, b->width); /* by group: a cell of the group + 1 */
    for (uint32_t i = 0; i < c->design->net->cells.len; i++) {
        const net_cell_data *cell = &c->design->net->cells.at[i];
        uint32_t x = c->design->site.at[i].x, group = x / b->flush_columns, other = first[group];
        if (!other) {
            first[group] = i + 1;
        } else if (c->design->flush[other - 1] != c->design->flush[i]) {
            const net_cell_data *who = &c->design->net->cells.at[other - 1];
            FAULT(c, "E0538-flush-group",
                  "%c%u of flush %u stands in column %u, in flush group %u (columns %u to %u) with %c%u of "
                  "flush %u",
                  cell->tag, cell->number, c->design->flush[i], x, group, group * b->flush_columns,
                  (group + 1) * b->flush_columns - 1, who->tag, who->number, c->design->flush[other - 1]);
        }
    }
}

static bool check_sites(checker *c, arena *scratch) {
    const netlist *n = c->design->net;
    const pnr_board *b = c->board;
    uint32_t *taken = arena_new_n(scratch, uint32_t, b->width * b->height);
    uint32_t *streams = arena_new_n(scratch, uint32_t, (b->width + 1) * 2);
    if (c->design->site.len != n->cells.len) {
        FAULT(c, "E0530-bad-site", "%u cells have %u sites", n->cells.len, c->design->site.len);
        return false;
    }
    for (uint32_t i = 0; i < n->cells.len; i++) {
        const net_cell_data *cell = &n->cells.at[i];
        pnr_site at = c->design->site.at[i];
        if (!stands_legally(b, cell, at)) {
            FAULT(c, "E0530-bad-site", "%c%u stands at (%u, %u), which is no site of its kind", cell->tag,
                  cell->number, at.x, at.y);
            continue;
        }
        uint32_t *who = &taken[at.y * b->width + at.x];
        if (*who)
            FAULT(c, "E0530-bad-site", "%c%u and cell %u both stand at (%u, %u)", cell->tag, cell->number,
                  *who - 1, at.x, at.y);
        *who = i + 1;
        if (cell->tag == 'I' && !c->design->fabric_only)
            check_stream_column(c, i, streams);
    }
    if (c->faults == 0 && c->design->flush)
        check_flush_groups(c, scratch);
    return c->faults == 0;
}

/* ---- hops ------------------------------------------------------------------------------------ */

static const net_cell_data *source_cell(const checker *c) {
    return net_cell_at(c->design->net, c->design->net->nets.at[c->net].source.cell);
}

static pnr_site source_site(const checker *c) {
    return c->design->site.at[c->design->net->nets.at[c->net].source.cell.v - 1];
}

/* Returns the net's id in .packed and .route files. */
static const char *id_of(const checker *c, uint32_t net) {
    return net_id_text(c->design->net, net, c->d->mem);
}

static const pnr_route *route_of(const checker *c) {
    return &c->design->route.at[c->net];
}

/* Does this hop start on a real wire of the array used by this net only? */
static void check_wire(checker *c, uint32_t i) {
    const pnr_board *b = c->board;
    const pnr_hop *h = &route_of(c)->hops.at[i];
    if (h->x >= b->width || h->y == 0 || h->y >= b->height || h->side > PNR_NORTH || h->track >= b->tracks) {
        FAULT(c, "E0537-off-array", "net %s uses a wire at (%u, %u) that the board does not have",
              id_of(c, c->net), h->x, h->y);
        return;
    }
    if (arrives(b, h).y == UINT32_MAX || (arrives(b, h).y == 0 && h->track != 0))
        FAULT(c, "E0537-off-array", "net %s leaves the array at (%u, %u) %s track %u", id_of(c, c->net), h->x,
              h->y, side_text[h->side], h->track);
    uint32_t *owner = &c->owner[((h->y * b->width + h->x) * 4 + h->side) * b->tracks + h->track];
    if (*owner)
        FAULT(c, "E0531-wire-shared", "(%u, %u) %s track %u is used by net %s and again by net %s", h->x,
              h->y, side_text[h->side], h->track, id_of(c, *owner - 1), id_of(c, c->net));
    *owner = c->net + 1;
}

static bool starts_at_core(const checker *c, const pnr_hop *h) {
    pnr_site at = source_site(c);
    return source_cell(c)->tag != 'I' && h->x == at.x && h->y == at.y && h->parent == PNR_NO_HOP &&
           h->port == c->design->net->nets.at[c->net].source.port;
}

static bool starts_at_io(const checker *c, const pnr_hop *h) {
    pnr_site at = source_site(c);
    return source_cell(c)->tag == 'I' && h->x == at.x && h->y == 1 && h->from_side == PNR_NORTH;
}

static bool follows_parent(const checker *c, uint32_t i) {
    const pnr_hop *h = &route_of(c)->hops.at[i];
    if (h->parent >= i)
        return false;
    const pnr_hop *p = &route_of(c)->hops.at[h->parent];
    tile_at to = arrives(c->board, p);
    return to.x == h->x && to.y == h->y && to.y != 0 && facing(p->side) == h->from_side &&
           p->track == h->from_track;
}

static void check_hop(checker *c, uint32_t i) {
    const pnr_hop *h = &route_of(c)->hops.at[i];
    bool joined = h->from_core              ? starts_at_core(c, h)
                  : h->parent == PNR_NO_HOP ? starts_at_io(c, h)
                                            : follows_parent(c, i);
    if (joined && !h->from_core)
        joined = h->from_side <= PNR_NORTH &&
                 switch_joins(c->board->tracks, h->from_side, h->from_track, h->side, h->track);
    if (!joined)
        FAULT(c, "E0532-broken-route", "hop %u of net %s at (%u, %u) does not follow from what drives it", i,
              id_of(c, c->net), h->x, h->y);
    if (c->consumers[i] == 0)
        FAULT(c, "E0532-broken-route", "hop %u of net %s at (%u, %u) leads nowhere", i, id_of(c, c->net),
              h->x, h->y);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

static bool sink_is_reached(const checker *c, const pnr_sink *s, const net_cell_data *cell, pnr_site at) {
    const pnr_route *r = route_of(c);
    if (s->hop == PNR_NO_HOP) { /* the IO tile above drives the sink */
        pnr_site from = source_site(c);
        return source_cell(c)->tag == 'I' && cell->tag != 'I' && at.x == from.x && at.y == 1 &&
               s->side == PNR_NORTH && s->track < c->board->tracks;
    }
    if (s->hop >= r->hops.len)
        return false;
    const pnr_hop *h = &r->hops.at[s->hop];
    tile_at to = arrives(c->board, h);
    if (to.x != at.x || to.y != at.y)
        return false;
    return cell->tag == 'I' || (s->side == facing(h->side) && s->track == h->track);
}

static void check_sinks(checker *c) {
    const net_data *net = &c->design->net->nets.at[c->net];
    for (uint32_t i = 0; i < net->sinks.len; i++) {
        net_pin pin = net->sinks.at[i];
        const net_cell_data *cell = net_cell_at(c->design->net, pin.cell);
        if (!sink_is_reached(c, &route_of(c)->sinks.at[i], cell, c->design->site.at[pin.cell.v - 1]))
            FAULT(c, "E0533-sink-missed", "net %s does not reach its sink %c%u", id_of(c, c->net), cell->tag,
                  cell->number);
        uint32_t *owner = &c->pin_owner[(pin.cell.v - 1) * 8 + pin.port % 8];
        if (*owner)
            FAULT(c, "E0533-sink-missed", "input %u of %c%u is driven by nets %s and %s", pin.port, cell->tag,
                  cell->number, id_of(c, *owner - 1), id_of(c, c->net));
        *owner = c->net + 1;
    }
    if (source_cell(c)->tag == 'I' && net->sinks.len > 1 && !c->design->fabric_only &&
        !c->design->io_fan_out && !pnr_board_extended(c->design->board))
        FAULT(c, "E0534-io-rule", "input %c%u feeds %u sinks, but IO tiles cannot broadcast",
              source_cell(c)->tag, source_cell(c)->number, net->sinks.len);
}

/* A wire arriving at an IO tile ends there and must have the tile as its sink. */
static void check_io_wires(checker *c) {
    const pnr_route *r = route_of(c);
    const net_data *net = &c->design->net->nets.at[c->net];
    for (uint32_t i = 0; i < r->hops.len; i++) {
        if (arrives(c->board, &r->hops.at[i]).y != 0)
            continue;
        bool meant = false;
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            pnr_site at = c->design->site.at[net->sinks.at[s].cell.v - 1];
            meant |= r->sinks.at[s].hop == i && at.x == r->hops.at[i].x && at.y == 0;
        }
        if (!meant || c->consumers[i] != 1)
            FAULT(c, "E0534-io-rule", "net %s enters the IO tile of column %u without a sink there",
                  id_of(c, c->net), r->hops.at[i].x);
    }
}

/* ---- FIFOs ----------------------------------------------------------------------------------- */

static void check_fifos(checker *c, arena *scratch) {
    const pnr_route *r = route_of(c);
    bool *after_fifo = arena_new_n(scratch, bool, r->hops.len + 1);
    uint32_t *ends =
        arena_new_n(scratch, uint32_t, r->hops.len + 1); /* FIFO ends that directly follow a hop */
    for (uint32_t i = 0; i < r->hops.len; i++) {
        const pnr_hop *h = &r->hops.at[i];
        bool has_parent = h->parent < i;
        after_fifo[i] = h->registered || (has_parent && after_fifo[h->parent]);
        if (after_fifo[i] && c->consumers[i] > 1)
            FAULT(c, "E0536-broadcast", "net %s forks at (%u, %u) %s track %u after a FIFO", id_of(c, c->net),
                  h->x, h->y, side_text[h->side], h->track);
        if (h->registered != (h->fifo_start != h->fifo_end) || (h->fifo_start && h->fifo_end))
            FAULT(c, "E0535-fifo-pair",
                  "hop %u of net %s: a register is either the start or the end of a FIFO", i,
                  id_of(c, c->net));
        if (h->fifo_end && !(has_parent && r->hops.at[h->parent].fifo_start))
            FAULT(c, "E0535-fifo-pair", "hop %u of net %s ends a FIFO that does not start one hop before", i,
                  id_of(c, c->net));
        if (h->fifo_end && has_parent)
            ends[h->parent]++;
    }
    for (uint32_t i = 0; i < r->hops.len && c->early[c->net]; i++)
        if (r->hops.at[i].fifo_start)
            FAULT(c, "E0539-early-pair",
                  "net %s has tokens before the flush, which does not empty the FIFO at (%u, %u)",
                  id_of(c, c->net), r->hops.at[i].x, r->hops.at[i].y);
    for (uint32_t i = 0; i < r->hops.len; i++)
        if (r->hops.at[i].fifo_start && ends[i] != 1)
            FAULT(c, "E0535-fifo-pair", "hop %u of net %s starts a FIFO that does not end one hop later", i,
                  id_of(c, c->net));
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Rows 9 and up see the flush a cycle later: a token present before the flush must not lead to the other
 * rows. */
static void check_flush_rows(checker *c) {
    enum { FIRST_LATE = 9 };
    const pnr_design *d = c->design;
    for (c->net = 0; c->net < d->net->nets.len && !d->fabric_only; c->net++) {
        const net_data *net = &d->net->nets.at[c->net];
        for (uint32_t s = 0; s < net->sinks.len && c->early[c->net]; s++) {
            const uint32_t sink = d->site.at[net->sinks.at[s].cell.v - 1].y;
            if (d->site.at[net->source.cell.v - 1].y >= FIRST_LATE && sink && sink < FIRST_LATE)
                FAULT(
                    c, "E0529-flush-row",
                    "net %s has tokens before the flush, and leads from a row that sees it late to one that "
                    "sees it at once",
                    id_of(c, c->net));
        }
    }
}

static void count_consumers(checker *c, arena *scratch) {
    const pnr_route *r = route_of(c);
    c->consumers = arena_new_n(scratch, uint32_t, r->hops.len + 1);
    for (uint32_t i = 0; i < r->hops.len; i++)
        if (r->hops.at[i].parent < r->hops.len)
            c->consumers[r->hops.at[i].parent]++;
    for (uint32_t i = 0; i < r->sinks.len; i++)
        if (r->sinks.at[i].hop < r->hops.len)
            c->consumers[r->sinks.at[i].hop]++;
}

static void check_net(checker *c, arena *scratch) {
    const pnr_route *r = route_of(c);
    const net_data *net = &c->design->net->nets.at[c->net];
    uint32_t before = c->faults;
    if (r->sinks.len != net->sinks.len) {
        FAULT(c, "E0533-sink-missed", "net %s has %u %s, its route %u", id_of(c, c->net), net->sinks.len,
              plural(net->sinks.len, "sink", "sinks"), r->sinks.len);
        return;
    }
    count_consumers(c, scratch);
    for (uint32_t i = 0; i < r->hops.len; i++)
        check_wire(c, i);
    if (c->faults != before)
        return; /* further checks may rely on existing wires */
    for (uint32_t i = 0; i < r->hops.len; i++)
        check_hop(c, i);
    check_sinks(c);
    check_io_wires(c);
    check_fifos(c, scratch);
}

bool pnr_check(const pnr_design *design, diagnostics *d) {
    arena scratch = {0};
    const pnr_board *b = design->board;
    checker c = {.design = design, .board = b, .d = d};
    if (check_sites(&c, &scratch)) {
        c.owner = arena_new_n(&scratch, uint32_t, b->width * b->height * 4 * b->tracks);
        c.pin_owner = arena_new_n(&scratch, uint32_t, design->net->cells.len * 8);
        c.early = arena_new_n(&scratch, bool, design->net->nets.len + 1);
        net_early(design->net, c.early);
        check_flush_rows(&c);
        if (design->route.len != design->net->nets.len)
            FAULT(&c, "E0533-sink-missed", "%u %s and %u %s", design->net->nets.len,
                  plural(design->net->nets.len, "net", "nets"), design->route.len,
                  plural(design->route.len, "route", "routes"));
        for (c.net = 0; c.net < design->net->nets.len && c.net < design->route.len; c.net++)
            check_net(&c, &scratch);
    }
    arena_free(&scratch);
    return c.faults == 0;
}
