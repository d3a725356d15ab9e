/* Routing: negotiated congestion (McMurchie and Ebeling, PathFinder, 1995) on the implicit graph.
 *
 * Nodes: wires, i.e. switch-box outputs, numbered ((y - 1) * width + x) * 4 * tracks + side * tracks + track;
 * they are followed by an arrival node per IO column and track, the switch-box inputs NORTH of (x, 1) driven
 * by the IO tile. A net is a tree of nodes grown sink by sink, nearest next, each by A* from the whole tree
 * with the exact distance on the empty fabric (no U-turns) as lookahead. A wire costs more with more nets
 * wanting the wire now (present) and with longer demand (history). Only nets with an overused wire are ripped
 * up. Invariant: uses[w] is the number of trees with w. Ends when no wire is shared, or after MAX_ITERATIONS.
 * A net takes O(sinks * wires log wires) at worst, in practice a few nodes per hop.
 */
#include "pnr/grow.h"

#include <stdlib.h>

enum {
    PRESENT_FIRST = ROUTE_PRESENT / 2,
    PRESENT_MAX = 1 << 20,
    HISTORY = ROUTE_BASE * 2 / 5,
    MAX_ITERATIONS = 60
};
enum { SHOWN_WIRES = 8 };
/* Rounds without an eighth fewer shared wires until led nets drop their constraint, or the rest is given up.
 */
enum { LEAD_PATIENCE = 4, PATIENCE = 12, LEAST_ITERATIONS = 20 };
enum { TIMING_EVEN = 80 }; /* options.timing at which a shared wire is worth as much as a wire of its own */

/* ---- negotiation ----------------------------------------------------------------------------- */

/* Raises the history of shared wires; returns their number. */
static uint32_t remember_overuse(router *r) {
    uint32_t shared = 0;
    for (uint32_t w = 0; w < r->wires; w++)
        if (r->uses[w] > 1) {
            r->history[w] += HISTORY * (r->uses[w] - 1u);
            shared++;
        }
    return shared;
}

static const char *const side_names[] = {"EAST", "SOUTH", "WEST", "NORTH"};

static void note_shared_wire(const router *r, uint32_t wire, diagnostics *d) {
    char text[160];
    size_t used = 0;
    const route_port at = route_start_of(r, wire);
    for (uint32_t n = 0; n < r->design->net->nets.len; n++)
        for (uint32_t i = 0; i < r->tree[n].nodes.len && used < sizeof text - 32; i++) {
            if (r->tree[n].nodes.at[i].node != wire)
                continue;
            const net_data *net = &r->design->net->nets.at[n];
            char id[16];
            used += (size_t)snprintf(text + used, sizeof text - used, "%se%u (from %s)", used ? ", " : "", n,
                                     pnr_block_id(net_cell_at(r->design->net, net->source.cell), id));
        }
    diag_note(d, (src_loc){0}, "x%uy%u %s track %u is wanted by %s", at.x, at.y, side_names[at.side],
              at.track, text);
}

static void report_unroutable(const router *r, uint32_t iterations, bool late, diagnostics *d) {
    uint32_t shared = 0;
    for (uint32_t w = 0; w < r->wires; w++)
        shared += r->uses[w] > 1;
    diag_unmappable(d, (src_loc){0}, "E0520-unroutable",
                    "%u %s of board '%s' %s still wanted by more than one net after %u %s%s", shared,
                    plural(shared, "wire", "wires"), r->board->name, plural(shared, "is", "are"), iterations,
                    plural(iterations, "round", "rounds"), late ? ", when time was up" : "");
    diag_hint(d, "use a larger board, a lower unroll factor, another --seed or more placement moves");
    uint32_t shown = 0;
    for (uint32_t w = 0; w < r->wires && shown < SHOWN_WIRES; w++)
        if (r->uses[w] > 1) {
            note_shared_wire(r, w, d);
            shown++;
        }
}

static void report_no_route(const router *r, uint32_t net, diagnostics *d) {
    const netlist *n = r->design->net;
    char id[16];
    const net_cell_data *source = net_cell_at(n, n->nets.at[net].source.cell);
    diag_unmappable(d, source->loc, "E0520-unroutable",
                    "net %s from %s has no way to one of its sinks on board '%s'",
                    net_id_text(n, net, d->mem), pnr_block_id(source, id), r->board->name);
    diag_hint(d, "this board is too small for any route; use a larger one");
}

/* Sorts short nets to the front: they have the fewest alternatives. */
static int by_length(const void *a, const void *b) {
    uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;
    return (l > r) - (l < r);
}

static uint32_t *net_order(const router *r) {
    uint32_t nets = r->design->net->nets.len;
    uint64_t *key = arena_new_n(r->mem, uint64_t, nets);
    uint32_t *order = arena_new_n(r->mem, uint32_t, nets);
    for (uint32_t n = 0; n < nets; n++) {
        uint64_t length = 0;
        route_tree empty = {0};
        for (uint32_t s = 0; s < r->design->net->nets.at[n].sinks.len; s++)
            length += route_distance(r, &empty, n, s);
        key[n] = length << 32 | n;
    }
    qsort(key, nets, sizeof *key, by_length);
    for (uint32_t n = 0; n < nets; n++)
        order[n] = (uint32_t)key[n];
    return order;
}

/* Fallback: drops the FIFO-pair constraint and routes the net for least delay. */
static bool grow_anyhow(router *r, uint32_t net) {
    if (!r->lead[net])
        return false;
    r->lead[net] = 0;
    route_rip_up(r, net);
    return route_grow(r, net, false);
}

/* How the negotiation has fared. */
typedef struct {
    uint32_t fewest;   /* shared wires at the last improvement by an eighth */
    uint32_t rounds;   /* since then */
    uint32_t released; /* how often led nets were */
} progress;

/* Frees led nets from a pair on every branch: first nets that still share wires, later all, and restarts the
 * negotiation. */
static void release_leads(router *r, progress *p) {
    bool any = false, all = p->released++ > 0;
    for (uint32_t n = 0; n < r->design->net->nets.len; n++) {
        if (!r->lead[n] || !(all || route_is_shared(r, n)))
            continue;
        r->lead[n] = 0;
        route_rip_up(r, n);
        any = true;
    }
    if (any && all) {
        memset(r->history, 0, r->wires * sizeof *r->history);
        r->present = PRESENT_FIRST;
    }
    if (any)
        p->fewest = p->rounds = 0;
}

/* Says whether another round may help. */
static bool goes_on(router *r, progress *p, uint32_t shared, uint32_t iterations) {
    p->rounds++;
    if (p->fewest == 0 || shared * 8ull <= p->fewest * 7ull) {
        p->fewest = shared;
        p->rounds = 0;
    }
    while (p->rounds >= LEAD_PATIENCE && p->released < 2)
        release_leads(r, p);
    return p->rounds < PATIENCE || iterations < LEAST_ITERATIONS;
}

static bool negotiate(router *r, const uint32_t *order, uint32_t *iterations, diagnostics *d) {
    uint32_t nets = r->design->net->nets.len, shared = 1;
    progress so_far = {0};
    bool late = false;
    r->present = PRESENT_FIRST;
    for (*iterations = 1; *iterations <= MAX_ITERATIONS; ++*iterations) {
        for (uint32_t i = 0; i < nets; i++) {
            uint32_t n = order[i];
            if (r->tree[n].nodes.len && !route_is_shared(r, n))
                continue;
            route_rip_up(r, n);
            if (!route_grow(r, n, false) && !grow_anyhow(r, n)) {
                report_no_route(r, n, d);
                return false;
            }
        }
        shared = remember_overuse(r);
        r->present = r->present < PRESENT_MAX ? r->present * 8 / 5 : PRESENT_MAX;
        late = r->deadline > 0 && seconds_now() > r->deadline;
        if (shared == 0 || late || !goes_on(r, &so_far, shared, *iterations))
            break;
    }
    *iterations = *iterations > MAX_ITERATIONS ? MAX_ITERATIONS : *iterations;
    if (shared)
        report_unroutable(r, *iterations, late, d);
    return shared == 0;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void write_routes(const router *r, arena *mem, pnr_design *design) {
    bool *early = arena_new_n(r->mem, bool, design->net->nets.len + 1);
    net_early(design->net, early);
    design->route.len = 0;
    for (uint32_t n = 0; n < design->net->nets.len; n++) {
        pnr_route route = {.early = early[n]};
        route_write(r, n, mem, &route);
        vec_push(mem, &design->route, route);
    }
}

static void router_init(router *r, const pnr_design *design, arena *mem) {
    const pnr_board *b = design->board;
    *r = (router){.design = design, .board = b, .mem = mem, .tracks = b->tracks};
    r->wires = b->width * (b->height - 1) * 4 * b->tracks;
    r->nodes = r->wires + b->width * b->tracks;
    for (uint32_t in = 0; in < 4; in++)
        for (uint32_t track = 0; track < b->tracks; track++)
            for (uint32_t out = 0; out < 4; out++) {
                uint32_t to = 0;
                if (pnr_switch_track(b, (pnr_side)in, track, (pnr_side)out, &to))
                    r->turn[in][track][out] = (uint8_t)to;
            }
    r->history = arena_new_n(mem, uint32_t, r->wires);
    r->uses = arena_new_n(mem, uint16_t, r->wires);
    r->search.reached = arena_new_n(mem, uint32_t, r->nodes);
    r->search.cost = arena_new_n(mem, uint32_t, r->nodes);
    r->search.from = arena_new_n(mem, uint32_t, r->nodes);
    r->search.in_tree = arena_new_n(mem, uint32_t, r->nodes);
    r->search.tree_index = arena_new_n(mem, uint32_t, r->nodes);
    r->tree = arena_new_n(mem, route_tree, design->net->nets.len);
    r->lead = arena_new_n(mem, uint8_t, design->net->nets.len + 1);
    for (uint32_t n = 0; n < design->net->nets.len; n++)
        for (uint32_t s = 0; s < design->net->nets.at[n].sinks.len; s++)
            vec_push(mem, &r->tree[n].sink, ROUTE_NONE);
}

/* Decides the nets that must have a pair on the first two hops of every branch. A board without delays has no
 * clock. */
static void lead_nets(router *r, const pnr_design *design) {
    diagnostics quiet;
    diag_init(&quiet, r->mem);
    if (!pnr_read_delays(r->board, &quiet, &r->delays))
        return;
    r->limits = pnr_design_limits(design, &r->delays, r->mem);
    r->period = pnr_target(&r->limits);
    for (uint32_t n = 0; n < design->net->nets.len; n++)
        if (pnr_is_led(&r->limits, n, r->period))
            r->lead[n] = route_lead_sides(r, n);
}

bool pnr_route_all(pnr_design *design, const pnr_options *o, arena *mem, diagnostics *d) {
    double start = seconds_now();
    arena scratch = {0};
    router r;
    BUG_IF(design->site.len != design->net->cells.len, "routing before placement");
    router_init(&r, design, &scratch);
    r.branch_cost = o->mhz ? 0 : ROUTE_BASE * o->timing / TIMING_EVEN;
    r.deadline = o->time_limit > 0 ? start + o->time_limit : 0;
    if (o->timing)
        lead_nets(&r, design);
    uint32_t *order = net_order(&r);
    bool good = negotiate(&r, order, &design->stats.route_iterations, d);
    if (good && !r.branch_cost) /* refining would merge branches again to save wire */
        design->stats.refined_hops = route_refine(&r, order);
    write_routes(&r, mem, design);
    if (good && o->pipeline)
        pnr_pipeline(design, PNR_PIPELINE_EXHAUSTIVE, &scratch);
    if (good && o->timing && o->pipeline)
        design->stats.repaired_nets = route_repair(&r, mem, design);
    if (good && o->pipeline == PNR_PIPELINE_MIDPOINT) /* by the period remaining after repairs */
        pnr_pipeline(design, PNR_PIPELINE_MIDPOINT, &scratch);
    arena_free(&scratch);
    design->stats.route_seconds = seconds_now() - start;
    return good;
}
