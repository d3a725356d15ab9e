/* Are two designs the same circuit on the same tiles? Compared by site, so names and order do not matter. */
#include "bitstream/bits_int.h"

#include <stdlib.h>

typedef struct {
    const pnr_design *left, *right; /* decoded, routed */
    const char *left_name, *right_name;
    arena *mem;
    diagnostics *d; /* errors go here; NULL: lines go to `list` */
    FILE *list;
    bool same;
} comparison;

static void differs(comparison *c, pnr_site at, const char *what) {
    c->same = false;
    if (c->d)
        diag_error(c->d, (src_loc){0}, "E0650-design-differs", "tile x%uy%u: %s", at.x, at.y, what);
    else
        fprintf(c->list, "x%uy%u: %s\n", at.x, at.y, what);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Returns the index of the cell at a site, or UINT32_MAX. */
static uint32_t cell_index(const pnr_design *design, pnr_site at) {
    for (uint32_t i = 0; i < design->site.len; i++) {
        if (design->site.at[i].x == at.x && design->site.at[i].y == at.y)
            return i;
    }
    return UINT32_MAX;
}

typedef struct {
    const netlist *net;
    const net_cell_data *cell;
} cell_of;

/* Reports fields of `a` with another value in `b`; `both` false: only fields missing in `b`. */
static void compare_config(comparison *c, pnr_site at, cell_of a, cell_of b, bool both) {
    for (uint32_t i = 0; i < a.cell->config.len; i++) {
        const char *field = names_text(a.net->names, a.cell->config.at[i].field);
        const net_config *other = net_find_config(b.net, b.cell, field);
        const uint32_t left = a.cell->config.at[i].value, right = other ? other->value : 0;
        /* Two settings follow from the cell itself, and a config may omit them. */
        if (!strcmp(field, "tile_en") || !strcmp(field, "mode"))
            continue;
        if (left == right || (!both && other))
            continue;
        differs(c, at,
                arena_printf(c->mem, "field %s is %u in %s, %u in %s", field, both ? left : right,
                             c->left_name, both ? right : left, c->right_name));
    }
}

static void compare_cells(comparison *c) {
    const netlist *ln = c->left->net, *rn = c->right->net;
    for (uint32_t i = 0; i < ln->cells.len; i++) {
        pnr_site at = c->left->site.at[i];
        uint32_t other = cell_index(c->right, at);
        if (other == UINT32_MAX) {
            differs(c, at,
                    arena_printf(c->mem, "%s has %s here, %s nothing", c->left_name,
                                 net_mode_table[ln->cells.at[i].mode].name, c->right_name));
            continue;
        }
        const net_cell_data *l = &ln->cells.at[i], *r = &rn->cells.at[other];
        if (l->mode != r->mode) {
            differs(c, at,
                    arena_printf(c->mem, "%s in %s, %s in %s", net_mode_table[l->mode].name, c->left_name,
                                 net_mode_table[r->mode].name, c->right_name));
            continue;
        }
        compare_config(c, at, (cell_of){ln, l}, (cell_of){rn, r}, true);
        compare_config(c, at, (cell_of){rn, r}, (cell_of){ln, l}, false);
    }
    for (uint32_t i = 0; i < rn->cells.len; i++) {
        if (cell_index(c->left, c->right->site.at[i]) == UINT32_MAX)
            differs(c, c->right->site.at[i],
                    arena_printf(c->mem, "%s has %s here, %s nothing", c->right_name,
                                 net_mode_table[rn->cells.at[i].mode].name, c->left_name));
    }
}

/* ---- nets ------------------------------------------------------------------------------------ */

/* A fact of a route, free of indices: a hop, or the last step to a sink. Sorted lists of facts are compared.
 */
typedef struct {
    pnr_site at;
    uint8_t sink;              /* 0 a hop, 1 a sink */
    uint8_t side, track, port; /* of the hop; for sinks: port of the cell and the wire its box takes */
    uint8_t from_core, from_side, from_track;
    uint8_t registered, start, end;
} fact;
typedef VEC(fact) fact_vec;

static int compare_facts(const void *left, const void *right) {
    const fact *a = left, *b = right;
    uint64_t ka = (uint64_t)a->at.x << 48 | (uint64_t)a->at.y << 32 | (uint64_t)a->sink << 24 |
                  (uint64_t)(a->sink ? a->port : a->side) << 8 | (a->sink ? 0 : a->track);
    uint64_t kb = (uint64_t)b->at.x << 48 | (uint64_t)b->at.y << 32 | (uint64_t)b->sink << 24 |
                  (uint64_t)(b->sink ? b->port : b->side) << 8 | (b->sink ? 0 : b->track);
    return ka < kb ? -1 : ka > kb;
}

static fact hop_fact(const pnr_hop *h) {
    fact f = {.at = {h->x, h->y},
              .side = h->side,
              .track = h->track,
              .from_core = h->from_core,
              .registered = h->registered};
    if (h->from_core) {
        f.port = h->port;
    } else {
        f.from_side = h->from_side;
        f.from_track = h->from_track;
    }
    f.start = h->registered && h->fifo_start;
    f.end = h->registered && h->fifo_end;
    return f;
}

static fact_vec net_facts(const pnr_design *design, uint32_t index, arena *mem) {
    const pnr_route *route = &design->route.at[index];
    const net_data *net = &design->net->nets.at[index];
    fact_vec facts = {0};
    for (uint32_t i = 0; i < route->hops.len; i++)
        vec_push(mem, &facts, hop_fact(&route->hops.at[i]));
    for (uint32_t i = 0; i < net->sinks.len; i++) {
        pnr_site at = design->site.at[net->sinks.at[i].cell.v - 1];
        bool io = pnr_site_tile(design->board, at.x, at.y) == NET_TILE_IO;
        fact f = {.at = at, .sink = 1, .port = net->sinks.at[i].port};
        f.side = io ? 0 : route->sinks.at[i].side;
        f.track = io ? 0 : route->sinks.at[i].track;
        vec_push(mem, &facts, f);
    }
    if (facts.len)
        qsort(facts.at, facts.len, sizeof *facts.at, compare_facts);
    return facts;
}

static const char *fact_text(arena *mem, const fact *f) {
    if (f->sink)
        return arena_printf(mem, "input %u from %s track %u", f->port, bits_side_name[f->side], f->track);
    const char *from = f->from_core
                           ? arena_printf(mem, "core output %u", f->port)
                           : arena_printf(mem, "%s track %u", bits_side_name[f->from_side], f->from_track);
    return arena_printf(mem, "%s track %u from %s%s%s%s", bits_side_name[f->side], f->track, from,
                        f->registered ? ", registered" : "", f->start ? " start" : "", f->end ? " end" : "");
}

static void compare_net(comparison *c, uint32_t left, uint32_t right) {
    fact_vec a = net_facts(c->left, left, c->mem), b = net_facts(c->right, right, c->mem);
    uint32_t i = 0, j = 0;
    while (i < a.len || j < b.len) {
        int order = i == a.len ? 1 : j == b.len ? -1 : compare_facts(&a.at[i], &b.at[j]);
        const char *la = order <= 0 ? fact_text(c->mem, &a.at[i]) : "nothing";
        const char *rb = order >= 0 ? fact_text(c->mem, &b.at[j]) : "nothing";
        if (strcmp(la, rb) != 0)
            differs(c, order <= 0 ? a.at[i].at : b.at[j].at,
                    arena_printf(c->mem, "'%s' in %s, '%s' in %s", la, c->left_name, rb, c->right_name));
        i += order <= 0;
        j += order >= 0;
    }
}

/* Returns the index of the net with the source, or UINT32_MAX. */
static uint32_t net_index(const pnr_design *design, pnr_site at, uint8_t port) {
    for (uint32_t i = 0; i < design->net->nets.len; i++) {
        net_pin pin = design->net->nets.at[i].source;
        pnr_site site = design->site.at[pin.cell.v - 1];
        if (site.x == at.x && site.y == at.y && pin.port == port)
            return i;
    }
    return UINT32_MAX;
}

static void compare_nets(comparison *c) {
    for (uint32_t i = 0; i < c->left->net->nets.len; i++) {
        net_pin pin = c->left->net->nets.at[i].source;
        pnr_site at = c->left->site.at[pin.cell.v - 1];
        uint32_t other = net_index(c->right, at, pin.port);
        if (other == UINT32_MAX)
            differs(c, at, arena_printf(c->mem, "output %u drives a net only in %s", pin.port, c->left_name));
        else
            compare_net(c, i, other);
    }
    for (uint32_t i = 0; i < c->right->net->nets.len; i++) {
        net_pin pin = c->right->net->nets.at[i].source;
        pnr_site at = c->right->site.at[pin.cell.v - 1];
        if (net_index(c->left, at, pin.port) == UINT32_MAX)
            differs(c, at,
                    arena_printf(c->mem, "output %u drives a net only in %s", pin.port, c->right_name));
    }
}

bool bits_same(const pnr_design *decoded, const pnr_design *routed, diagnostics *d) {
    comparison c = {decoded, routed, "the bitstream", "the design", d->mem, d, NULL, true};
    compare_cells(&c);
    compare_nets(&c);
    return c.same;
}

bool bits_diff(const pnr_design *a, const pnr_design *b, FILE *out, arena *mem) {
    comparison c = {a, b, "the first", "the second", mem, NULL, out, true};
    compare_cells(&c);
    compare_nets(&c);
    return c.same;
}
