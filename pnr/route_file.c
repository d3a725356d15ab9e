/* .route: the hops of each net, written and read. */
#include "pnr/text.h"

typedef struct {
    const pnr_design *design;
    FILE *to; /* NULL: only count */
    uint32_t lines;
    const pnr_hop *off; /* a hop out of the array, or NULL */
} route_writer;

static const char *const side_words[] = {"EAST", "SOUTH", "WEST", "NORTH"};

static void line(route_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(route_writer *w, const char *format, ...) {
    w->lines++;
    if (!w->to)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(w->to, format, args);
    va_end(args);
    fputc('\n', w->to);
}

static void port_line(route_writer *w, net_pin pin, bool output) {
    net_tile tile = pnr_cell_tile(net_cell_at(w->design->net, pin.cell));
    pnr_site at = w->design->site.at[pin.cell.v - 1];
    line(w, "PORT %s (%u, %u, 17)", net_port_name(tile, output, pin.port), at.x, at.y);
}

/* Writes the switch-box output, its register if used, and the register mux. */
static void hop_lines(route_writer *w, const pnr_hop *h) {
    line(w, "SB (%u, %u, %u, %u, 1, 17)", h->track, h->x, h->y, h->side);
    if (h->registered)
        line(w, "REG T%u_%s (%u, %u, %u, 17)", h->track, side_words[h->side], h->track, h->x, h->y);
    line(w, "RMUX %u_%u (%u, %u, 17)", h->side, h->track, h->x, h->y);
}

/* Writes the switch-box input at the end of a hop's wire; an IO tile has none. */
static void arrival_line(route_writer *w, const pnr_hop *h) {
    uint32_t x = 0, y = 0;
    pnr_side side = (pnr_side)h->side;
    if (!pnr_neighbour(w->design->board, h->x, h->y, side, &x, &y))
        w->off = h;
    else if (y > 0)
        line(w, "SB (%u, %u, %u, %d, 0, 17)", h->track, x, y, (int)pnr_opposite(side));
}

/* Writes the hops from the driver, or from where the net's earlier segments were left, to `hop`. */
static void path_lines(route_writer *w, const net_data *net, const pnr_route *r, uint32_t hop,
                       const bool *drawn) {
    const pnr_hop *h = &r->hops.at[hop];
    if (h->from_core) {
        port_line(w, net->source, true);
    } else if (h->parent == PNR_NO_HOP) {
        port_line(w, net->source, true);
        line(w, "SB (%u, %u, %u, %u, 0, 17)", h->from_track, h->x, h->y, h->from_side);
    } else if (drawn[h->parent]) {
        arrival_line(w, &r->hops.at[h->parent]);
    } else {
        path_lines(w, net, r, h->parent, drawn);
        arrival_line(w, &r->hops.at[h->parent]);
    }
    hop_lines(w, h);
}

static void segment_lines(route_writer *w, const net_data *net, const pnr_route *r, uint32_t s,
                          const bool *drawn) {
    const pnr_sink *sink = &r->sinks.at[s];
    if (sink->hop == PNR_NO_HOP) {
        port_line(w, net->source, true);
        pnr_site at = w->design->site.at[net->sinks.at[s].cell.v - 1];
        line(w, "SB (%u, %u, %u, %u, 0, 17)", sink->track, at.x, at.y, sink->side);
    } else {
        if (!drawn[sink->hop])
            path_lines(w, net, r, sink->hop, drawn);
        arrival_line(w, &r->hops.at[sink->hop]);
    }
    port_line(w, net->sinks.at[s], false);
}

static void write_net(route_writer *w, uint32_t n, arena *scratch) {
    const pnr_route *r = &w->design->route.at[n];
    FILE *to = w->to;
    bool *drawn = arena_new_n(scratch, bool, r->hops.len + 1);
    fprintf(to, "Net ID: %s Segment Size: %u\n", net_id_text(w->design->net, n, scratch), r->sinks.len);
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        w->to = NULL;
        w->lines = 0;
        segment_lines(w, &w->design->net->nets.at[n], r, s, drawn);
        w->to = to;
        fprintf(to, "Segment: %u Size: %u\n", s, w->lines);
        segment_lines(w, &w->design->net->nets.at[n], r, s, drawn);
        for (uint32_t i = r->sinks.at[s].hop; i != PNR_NO_HOP; i = r->hops.at[i].parent)
            drawn[i] = true;
    }
}

/* An unrouted net has no hops; routes read from a file may be anything. */
static bool writable(const pnr_design *design, uint32_t n, diagnostics *d) {
    uint32_t want = design->net->nets.at[n].sinks.len, have = design->route.at[n].sinks.len;
    if (have > want)
        diag_error(d, (src_loc){0}, "E0533-sink-missed", "net %s has %u %s, its route %u",
                   net_id_text(design->net, n, d->mem), want, plural(want, "sink", "sinks"), have);
    return have <= want;
}

bool pnr_write_route(const pnr_design *design, const char *path, diagnostics *d) {
    file_out f;
    arena scratch = {0};
    if (!file_create(&f, path, d->mem, d))
        return false;
    route_writer w = {.design = design, .to = f.stream};
    bool good = true;
    for (uint32_t n = 0; n < design->route.len && good; n++) {
        good = writable(design, n, d);
        if (good)
            write_net(&w, n, &scratch);
        if (good && w.off) {
            good = false;
            diag_error(d, (src_loc){0}, "E0537-off-array", "the route of net %s leaves the array at (%u, %u)",
                       net_id_text(design->net, n, d->mem), w.off->x, w.off->y);
        }
    }
    arena_free(&scratch);
    return good ? file_commit(&f, d) : file_abandon(&f);
}

typedef enum { ROUTE_PORT, ROUTE_ARRIVES, ROUTE_LEAVES, ROUTE_REGISTER, ROUTE_MUX } route_node_kind;

typedef struct {
    route_node_kind kind;
    uint32_t x, y, side, track;
    pnr_word name; /* of a port or a register */
} route_node;

/* Reads a side and a track, "2_0". */
static bool mux_words(pnr_word w, route_node *out) {
    return w.length == 3 && w.at[1] == '_' && pnr_word_number((pnr_word){w.at, 1}, &out->side) &&
           pnr_word_number((pnr_word){w.at + 2, 1}, &out->track);
}

static bool read_node_words(const pnr_reader *r, route_node *out) {
    const pnr_word *w = r->words.at;
    uint32_t n = r->words.len, io = 0, last = 0;
    *out = (route_node){0};
    if (n == 0 || !pnr_word_number(w[n - 1], &last) || last != 17)
        return false;
    if (n == 5 && pnr_word_is(w[0], "PORT")) {
        out->kind = ROUTE_PORT;
        out->name = w[1];
        return pnr_word_number(w[2], &out->x) && pnr_word_number(w[3], &out->y);
    }
    if (n == 7 && pnr_word_is(w[0], "SB")) {
        bool good = pnr_word_number(w[1], &out->track) && pnr_word_number(w[2], &out->x) &&
                    pnr_word_number(w[3], &out->y) && pnr_word_number(w[4], &out->side) &&
                    pnr_word_number(w[5], &io);
        out->kind = io ? ROUTE_LEAVES : ROUTE_ARRIVES;
        return good && io < 2;
    }
    if (n == 6 && pnr_word_is(w[0], "REG")) {
        out->kind = ROUTE_REGISTER;
        out->name = w[1];
        return pnr_word_number(w[2], &out->track) && pnr_word_number(w[3], &out->x) &&
               pnr_word_number(w[4], &out->y);
    }
    if (n == 5 && pnr_word_is(w[0], "RMUX")) {
        out->kind = ROUTE_MUX;
        return mux_words(w[1], out) && pnr_word_number(w[2], &out->x) && pnr_word_number(w[3], &out->y);
    }
    return false;
}

/* Reads a node possible on some board: a larger number would become another wire in a hop. */
static bool route_node_words(const pnr_reader *r, route_node *out) {
    return read_node_words(r, out) && out->side < 4 && out->x <= UINT16_MAX && out->y <= UINT16_MAX &&
           out->track <= UINT8_MAX;
}

static uint32_t find_hop(const pnr_route *r, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    for (uint32_t i = 0; i < r->hops.len; i++)
        if (r->hops.at[i].x == x && r->hops.at[i].y == y && r->hops.at[i].side == side &&
            r->hops.at[i].track == track)
            return i;
    return PNR_NO_HOP;
}

/* Finds the hop whose wire arrives at this node; PNR_NO_HOP when an IO tile or nothing of the net drives the
 * wire. */
static uint32_t hop_arriving(const pnr_design *design, const pnr_route *r, const route_node *n) {
    uint32_t x, y;
    if (!pnr_neighbour(design->board, n->x, n->y, (pnr_side)n->side, &x, &y))
        return PNR_NO_HOP;
    return find_hop(r, x, y, pnr_opposite((pnr_side)n->side), n->track);
}

/* Adds the output unless present; returns its index. A registered hop after a SplitFIFO's start is its
 * end. */
static uint32_t add_hop(const pnr_design *design, arena *mem, pnr_route *r, const route_node *before,
                        const route_node *n, uint8_t port) {
    uint32_t known = find_hop(r, n->x, n->y, n->side, n->track);
    if (known != PNR_NO_HOP)
        return known;
    pnr_hop h = {
        .x = (uint16_t)n->x, .y = (uint16_t)n->y, .side = (uint8_t)n->side, .track = (uint8_t)n->track};
    h.parent = PNR_NO_HOP;
    h.from_core = before->kind == ROUTE_PORT;
    if (h.from_core) {
        h.port = port;
    } else {
        h.from_side = (uint8_t)before->side;
        h.from_track = (uint8_t)before->track;
        h.parent = hop_arriving(design, r, before);
    }
    vec_push(mem, &r->hops, h);
    return r->hops.len - 1;
}

static void register_hop(pnr_route *r, uint32_t hop) {
    pnr_hop *h = &r->hops.at[hop];
    if (h->registered)
        return;
    bool ends = h->parent != PNR_NO_HOP && r->hops.at[h->parent].fifo_start;
    h->registered = true;
    h->fifo_end = ends;
    h->fifo_start = !ends;
}

/* Checks that a register or its mux is on the wire of the previous line, and has this wire's name. */
static bool on_hop(const pnr_reader *r, const pnr_hop *h, const route_node *n) {
    char name[32];
    snprintf(name, sizeof name, "T%u_%s", h->track, side_words[h->side]);
    const bool there = n->x == h->x && n->y == h->y && n->track == h->track;
    if (n->kind == ROUTE_REGISTER ? there && pnr_word_is(n->name, name) : there && n->side == h->side)
        return true;
    return diag_error(r->d, pnr_line_loc(r, pnr_line_word(r)), r->code,
                      "the wire before is %s of (%u, %u), not this", name, h->x, h->y);
}

/* Checks that a port is the net's expected pin. */
static bool is_pin(const pnr_reader *r, const netlist *n, net_pin pin, bool output, pnr_word name) {
    const net_cell_data *cell = net_cell_at(n, pin.cell);
    const char *want = net_port_name(pnr_cell_tile(cell), output, pin.port);
    return pnr_word_is(name, want) ||
           diag_error(r->d, pnr_line_loc(r, name), r->code, "the net's pin is port %s of %c%u, not '%.*s'",
                      want, cell->tag, cell->number, (int)name.length, name.at);
}

static bool read_segment(pnr_reader *r, pnr_design *design, uint32_t net, uint32_t nodes, arena *mem) {
    pnr_route *route = &design->route.at[net];
    route_node before = {0}, node = {0};
    const net_data *pins = &design->net->nets.at[net];
    uint32_t hop = PNR_NO_HOP;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!pnr_read_line(r) || !route_node_words(r, &node))
            return pnr_wrong(r, pnr_line_word(r), "expected a PORT, SB, REG or RMUX node of width 17");
        if (node.kind == ROUTE_LEAVES) {
            if (i == 0)
                return pnr_wrong(r, pnr_line_word(r), "a segment starts at a port or where a wire arrives");
            hop = add_hop(design, mem, route, &before, &node, design->net->nets.at[net].source.port);
        } else if (node.kind == ROUTE_ARRIVES) {
            hop = hop_arriving(design, route, &node);
        } else if (node.kind == ROUTE_PORT) {
            if (i == 0 && !is_pin(r, design->net, pins->source, true, node.name))
                return false;
        } else if (hop != PNR_NO_HOP) {
            if (!on_hop(r, &route->hops.at[hop], &node))
                return false;
            if (node.kind == ROUTE_MUX) {
                before = i + 1 < nodes ? node : before;
                continue;
            }
            register_hop(route, hop);
            continue; /* where data came from stays the hop */
        }
        if (i + 1 < nodes)
            before = node;
    }
    if (node.kind != ROUTE_PORT)
        return pnr_wrong(r, pnr_line_word(r), "a segment ends at a port");
    if (route->sinks.len < pins->sinks.len &&
        !is_pin(r, design->net, pins->sinks.at[route->sinks.len], false, node.name))
        return false;
    pnr_sink sink = {.hop = hop};
    if (before.kind == ROUTE_ARRIVES) {
        sink.side = (uint8_t)before.side;
        sink.track = (uint8_t)before.track;
    }
    vec_push(mem, &route->sinks, sink);
    return true;
}

/* Finds the net of this id; false if absent. */
static bool find_net(const netlist *n, pnr_word id, uint32_t *out) {
    name_id name = names_find(n->names, arena_printf(n->mem, "%.*s", (int)id.length, id.at));
    for (uint32_t i = 0; i < n->nets.len && name.v; i++) {
        if (name_eq(n->nets.at[i].id, name)) {
            *out = i;
            return true;
        }
    }
    return id.length > 1 && pnr_word_number((pnr_word){id.at + 1, id.length - 1}, out) &&
           *out < n->nets.len && !n->nets.at[*out].id.v;
}

static bool is_heading(const pnr_reader *r, const char *first, const char *second, const char *fourth) {
    const pnr_word *w = r->words.at;
    return pnr_word_is(w[0], first) && pnr_word_is(w[1], second) && pnr_word_is(w[3], fourth);
}

bool pnr_read_route(pnr_design *design, const char *path, arena *mem, diagnostics *d) {
    pnr_reader r;
    uint32_t net = 0, number = 0, segments = 0, nodes = 0, given = 0;
    if (!pnr_reader_open(&r, path, "E0544-route-syntax", mem, d))
        return false;
    design->route.len = 0;
    for (uint32_t n = 0; n < design->net->nets.len; n++)
        vec_push(mem, &design->route, (pnr_route){0});
    while (pnr_read_line(&r)) {
        const pnr_word *w = r.words.at;
        if (r.words.len == 0)
            continue;
        if (r.words.len == 6 && is_heading(&r, "Net", "ID", "Segment") && pnr_word_is(w[4], "Size") &&
            pnr_word_number(w[5], &segments)) {
            if (!find_net(design->net, w[2], &net) || design->route.at[net].sinks.len)
                return pnr_wrong(&r, w[2], "no such net, or a net for the second time");
            number = 0;
        } else if (r.words.len == 4 && pnr_word_is(w[0], "Segment") && pnr_word_is(w[2], "Size") &&
                   pnr_word_number(w[1], &given) && given == number && pnr_word_number(w[3], &nodes) &&
                   number < segments) {
            number++;
            if (!read_segment(&r, design, net, nodes, mem))
                return false;
        } else {
            return pnr_wrong(&r, pnr_line_word(&r),
                             "expected 'Net ID: eN Segment Size: n' or 'Segment: k Size: n'");
        }
    }
    return true;
}
