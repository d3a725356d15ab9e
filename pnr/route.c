/* Routing: negotiated congestion (McMurchie and Ebeling, PathFinder, 1995) on the implicit graph.
 *
 * Nodes: wires, i.e. switch-box outputs, numbered ((y - 1) * width + x) * 4 * tracks + side * tracks + track;
 * after them one arrival node per IO column and track, the switch-box inputs NORTH of (x, 1) that the IO tile
 * drives. A net is a tree of nodes grown sink by sink, nearest next, each by A* from the whole tree with the
 * exact distance on the empty fabric (no U-turns) as lookahead. A wire costs more the more nets want it now
 * (present) and the longer it has been wanted (history). Only nets that use an overused wire are ripped up.
 * Invariant: uses[w] is the number of trees that hold w. Ends when no wire is shared, or after
 * MAX_ITERATIONS. One net: O(sinks * wires log wires) at worst, in practice a few nodes per hop.
 */
#include "pnr/route_int.h"

#include <stdlib.h>

enum {
    PRESENT_ONE = 16,
    PRESENT_FIRST = PRESENT_ONE / 2,
    PRESENT_MAX = 1 << 20,
    HISTORY = ROUTE_BASE * 2 / 5,
    MAX_ITERATIONS = 60
};
enum { SHOWN_WIRES = 8 };
/* Rounds without an eighth fewer shared wires after which led nets are led anyhow, or the rest is given up.
 */
enum { LEAD_PATIENCE = 4, PATIENCE = 12, LEAST_ITERATIONS = 20 };
enum { TIMING_EVEN = 80 }; /* options.timing at which a shared wire is worth as much as one of its own */

/* ---- the graph ------------------------------------------------------------------------------- */

static uint32_t wire_id(const router *r, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    return (((y - 1) * r->board->width + x) * 4 + side) * r->tracks + track;
}

/* Says where a wire starts. */
static void wire_place(const router *r, uint32_t wire, uint32_t *x, uint32_t *y, uint32_t *side,
                       uint32_t *track) {
    uint32_t tile = wire / (4 * r->tracks), in_tile = wire % (4 * r->tracks);
    *x = tile % r->board->width;
    *y = tile / r->board->width + 1;
    *side = in_tile / r->tracks;
    *track = in_tile % r->tracks;
}

/* Where a node arrives: the switch-box input (side, track) of tile (x, y); y == 0 is the IO tile. */
typedef struct {
    uint32_t x, y, side, track;
} arrival;

static arrival node_arrival(const router *r, uint32_t node) {
    arrival a;
    if (node >= r->wires)
        return (arrival){(node - r->wires) / r->tracks, 1, PNR_NORTH, (node - r->wires) % r->tracks};
    wire_place(r, node, &a.x, &a.y, &a.side, &a.track);
    a.x += a.side == PNR_EAST;
    a.x -= a.side == PNR_WEST;
    a.y += a.side == PNR_SOUTH;
    a.y -= a.side == PNR_NORTH;
    a.side = (a.side + 2) % 4;
    return a;
}

/* May the net in search leave tile (x, y) by this output? North of row 1 there is only the IO tile, on track
 * 0. */
static bool may_leave(const router *r, uint32_t x, uint32_t y, uint32_t side, uint32_t track) {
    switch ((pnr_side)side) {
    case PNR_EAST:
        return x + 1 < r->board->width;
    case PNR_SOUTH:
        return y + 1 < r->board->height;
    case PNR_WEST:
        return x > 0;
    case PNR_NORTH:
        return y > 1 || (track == 0 && r->target.y == 0 && r->target.x == x);
    }
    return false;
}

/* Returns the fewest hops from an arrival to the target: the Manhattan distance, two more if it lies straight
 * behind. */
static uint32_t hops_left(const arrival *a, target_tile t) {
    uint32_t dx = a->x < t.x ? t.x - a->x : a->x - t.x, dy = a->y < t.y ? t.y - a->y : a->y - t.y;
    bool behind = false;
    if (dx == 0 && dy > 0)
        behind = a->side == (t.y > a->y ? PNR_SOUTH : PNR_NORTH);
    if (dy == 0 && dx > 0)
        behind = a->side == (t.x > a->x ? PNR_EAST : PNR_WEST);
    return dx + dy + (behind ? 2 : 0);
}

static uint32_t wire_cost(const router *r, uint32_t wire) {
    uint64_t cost = ROUTE_BASE + r->history[wire];
    cost = cost * (PRESENT_ONE + (uint64_t)r->uses[wire] * r->present) / PRESENT_ONE;
    return cost < 1 << 22 ? (uint32_t)cost : 1 << 22;
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void heap_push(router *r, uint64_t key) {
    vec_push(r->mem, &r->heap, key);
    uint64_t *h = r->heap.at;
    uint32_t i = r->heap.len - 1;
    while (i > 0 && h[(i - 1) / 2] > key) {
        h[i] = h[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h[i] = key;
}

static uint64_t heap_pop(router *r) {
    uint64_t *h = r->heap.at, top = h[0], last = h[--r->heap.len];
    uint32_t n = r->heap.len, i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && h[child + 1] < h[child])
            child++;
        if (h[child] >= last)
            break;
        h[i] = h[child];
        i = child;
    }
    h[i] = last;
    return top;
}

/* ---- one path -------------------------------------------------------------------------------- */

static void reach(router *r, uint32_t node, uint32_t cost, uint32_t from) {
    if (r->reached[node] == r->epoch && r->cost[node] <= cost)
        return;
    r->reached[node] = r->epoch;
    r->cost[node] = cost;
    r->from[node] = from;
    arrival a = node_arrival(r, node);
    uint64_t left = hops_left(&a, r->target);
    heap_push(r, (cost + left * ROUTE_BASE) << 36 | left << 24 | node);
}

static void reach_wire(router *r, uint32_t x, uint32_t y, uint32_t side, uint32_t track, uint32_t cost,
                       uint32_t from) {
    if (!may_leave(r, x, y, side, track))
        return;
    uint32_t wire = wire_id(r, x, y, side, track);
    if (r->sides && r->in_tree[wire] == r->tree_epoch)
        return; /* a branch with pairs has its wires for itself */
    if (r->plain && pnr_site_tile(r->board, x, y) == NET_TILE_MEM)
        cost += ROUTE_BASE / 2; /* slower to cross, and no register cuts the way */
    if (!r->exclusive || r->uses[wire] == 0)
        reach(r, wire, cost + wire_cost(r, wire), from);
}

/* Would this output lead from an IO tile's wire straight to the target's tile? */
static bool single_hop(const router *r, uint32_t node, const arrival *a, uint32_t side) {
    static const int step_x[] = {1, 0, -1, 0}, step_y[] = {0, 1, 0, -1};
    return node >= r->wires && a->x + (uint32_t)step_x[side] == r->target.x &&
           a->y + (uint32_t)step_y[side] == r->target.y;
}

static void leave_arrival(router *r, uint32_t node) {
    arrival a = node_arrival(r, node);
    if (a.y == 0)
        return;
    bool led = r->sides && node >= r->wires;
    for (uint32_t side = 0; side < 4; side++)
        if (side != a.side && !(r->detour && single_hop(r, node, &a, side)) && (!led || r->sides >> side & 1))
            reach_wire(r, a.x, a.y, side, r->turn[a.side][a.track][side], r->cost[node], node);
}

/* Starts from the source and everything the net holds already: at no cost, or by its distance from the
 * source, as no FIFO may stand before a branch. A parent's cost is looked up, as parents come first. */
static void seed(router *r, const route_tree *t, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < t->nodes.len && !r->sides; i++) {
        const tree_node *n = &t->nodes.at[i];
        reach(r, n->node,
              (n->parent == ROUTE_NONE ? 0 : r->cost[t->nodes.at[n->parent].node]) + r->branch_cost,
              ROUTE_NONE);
    }
    for (uint32_t track = 0; track < r->tracks; track++) {
        if (y == 0)
            reach(r, r->wires + x * r->tracks + track, 0, ROUTE_NONE);
        for (uint32_t side = 0; y > 0 && side < 4; side++)
            if (!r->sides || r->sides >> side & 1)
                reach_wire(r, x, y, side, track, 0, ROUTE_NONE);
    }
}

/* Has the path that ends at `node` as many hops as the clock asks for? */
static bool is_far_enough(const router *r, uint32_t node) {
    if (node >= r->wires)
        return r->near_enough[0];
    return r->near_enough[1] || (r->from[node] != ROUTE_NONE && r->from[node] < r->wires);
}

/* Finds the cheapest node that arrives at the target, ROUTE_NONE if there is no way. */
static uint32_t search(router *r, const route_tree *t, pnr_site source, target_tile target) {
    r->epoch++;
    r->heap.len = 0;
    r->target = target;
    seed(r, t, source.x, source.y);
    while (r->heap.len) {
        uint64_t key = heap_pop(r);
        uint32_t node = key & 0xffffff, left = key >> 24 & 0xfff;
        if (r->cost[node] + left * ROUTE_BASE != key >> 36)
            continue; /* reached cheaper since */
        arrival a = node_arrival(r, node);
        if (a.x == target.x && a.y == target.y && (!r->sides || is_far_enough(r, node)))
            return node;
        leave_arrival(r, node);
    }
    return ROUTE_NONE;
}

/* Adds the path that ends at `node` to the tree, first node first; returns the node's index. */
static uint32_t add_path(router *r, route_tree *t, uint32_t node) {
    if (r->in_tree[node] == r->tree_epoch)
        return r->tree_index[node];
    uint32_t parent = r->from[node] == ROUTE_NONE ? ROUTE_NONE : add_path(r, t, r->from[node]);
    r->in_tree[node] = r->tree_epoch;
    r->tree_index[node] = t->nodes.len;
    if (node < r->wires)
        r->uses[node]++;
    vec_push(r->mem, &t->nodes, (tree_node){node, parent});
    return t->nodes.len - 1;
}

/* ---- one net --------------------------------------------------------------------------------- */

void route_rip_up(router *r, uint32_t net) {
    route_tree *t = &r->tree[net];
    for (uint32_t i = 0; i < t->nodes.len; i++)
        if (t->nodes.at[i].node < r->wires)
            r->uses[t->nodes.at[i].node]--;
    t->nodes.len = 0;
    for (uint32_t i = 0; i < t->sink.len; i++)
        t->sink.at[i] = ROUTE_NONE;
}

static uint32_t distance_to(const router *r, const route_tree *t, pnr_site source, target_tile target) {
    uint32_t dx = source.x < target.x ? target.x - source.x : source.x - target.x;
    uint32_t best = dx + (target.y > source.y ? target.y - source.y : source.y - target.y);
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        arrival a = node_arrival(r, t->nodes.at[i].node);
        uint32_t left = hops_left(&a, target);
        best = left < best ? left : best;
    }
    return best;
}

static target_tile sink_tile(const router *r, uint32_t net, uint32_t sink) {
    pnr_site s = r->design->site.at[r->design->net->nets.at[net].sinks.at[sink].cell.v - 1];
    return (target_tile){s.x, s.y};
}

/* Returns the unreached sink nearest to what the net holds (or farthest, to try another tree); ROUTE_NONE
 * when all are reached. */
static uint32_t next_sink(const router *r, uint32_t net, bool farthest) {
    const route_tree *t = &r->tree[net];
    pnr_site source = r->design->site.at[r->design->net->nets.at[net].source.cell.v - 1];
    uint32_t best = ROUTE_NONE, best_distance = 0;
    for (uint32_t s = 0; s < t->sink.len; s++) {
        if (t->sink.at[s] != ROUTE_NONE)
            continue;
        uint32_t distance = t->sink.len > 1 ? distance_to(r, t, source, sink_tile(r, net, s)) : 0;
        if (best == ROUTE_NONE || (farthest ? distance > best_distance : distance < best_distance)) {
            best = s;
            best_distance = distance;
        }
    }
    return best;
}

static void enter_tree(router *r, const route_tree *t) {
    r->tree_epoch++;
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        r->in_tree[t->nodes.at[i].node] = r->tree_epoch;
        r->tree_index[t->nodes.at[i].node] = i;
    }
}

/* Reaches every unreached sink; false if one cannot be reached at all. */
bool route_grow(router *r, uint32_t net, bool farthest) {
    route_tree *t = &r->tree[net];
    pnr_site source = r->design->site.at[r->design->net->nets.at[net].source.cell.v - 1];
    enter_tree(r, t);
    r->sides = r->lead[net];
    r->plain = r->limits.net && (r->limits.early[net] || !r->limits.paired);
    for (uint32_t s; (s = next_sink(r, net, farthest)) != ROUTE_NONE;) {
        for (uint32_t hops = 0; hops < 2 && r->sides; hops++)
            r->near_enough[hops] = pnr_may_be_near(&r->limits, net, s, hops, r->period);
        uint32_t end = search(r, t, source, sink_tile(r, net, s));
        if (end == ROUTE_NONE)
            return false;
        t->sink.at[s] = add_path(r, t, end);
    }
    return true;
}

/* ---- negotiation ----------------------------------------------------------------------------- */

static bool overused(const router *r, uint32_t net) {
    const route_tree *t = &r->tree[net];
    for (uint32_t i = 0; i < t->nodes.len; i++)
        if (t->nodes.at[i].node < r->wires && r->uses[t->nodes.at[i].node] > 1)
            return true;
    return false;
}

/* Raises the history of shared wires; returns how many there are. */
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
    uint32_t x, y, side, track;
    wire_place(r, wire, &x, &y, &side, &track);
    for (uint32_t n = 0; n < r->design->net->nets.len; n++)
        for (uint32_t i = 0; i < r->tree[n].nodes.len && used < sizeof text - 32; i++) {
            if (r->tree[n].nodes.at[i].node != wire)
                continue;
            const net_data *net = &r->design->net->nets.at[n];
            char id[16];
            used += (size_t)snprintf(text + used, sizeof text - used, "%se%u (from %s)", used ? ", " : "", n,
                                     pnr_block_id(net_cell_at(r->design->net, net->source.cell), id));
        }
    diag_note(d, (src_loc){0}, "x%uy%u %s track %u is wanted by %s", x, y, side_names[side], track, text);
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

static void report_no_way(const router *r, uint32_t net, diagnostics *d) {
    const netlist *n = r->design->net;
    char id[16];
    const net_cell_data *source = net_cell_at(n, n->nets.at[net].source.cell);
    diag_unmappable(d, source->loc, "E0520-unroutable",
                    "net %s from %s has no way to one of its sinks on board '%s'",
                    net_id_text(n, net, d->mem), pnr_block_id(source, id), r->board->name);
    diag_hint(d, "this board is too small for any route; use a larger one");
}

/* Sorts short nets to the front: they have the fewest ways. */
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
        pnr_site source = r->design->site.at[r->design->net->nets.at[n].source.cell.v - 1];
        for (uint32_t s = 0; s < r->design->net->nets.at[n].sinks.len; s++)
            length += distance_to(r, &empty, source, sink_tile(r, n, s));
        key[n] = length << 32 | n;
    }
    qsort(key, nets, sizeof *key, by_length);
    for (uint32_t n = 0; n < nets; n++)
        order[n] = (uint32_t)key[n];
    return order;
}

/* Leads a net whose branches have no ways with pairs at once, as fast as it may be. */
static bool grow_anyhow(router *r, uint32_t net) {
    if (!r->lead[net])
        return false;
    r->lead[net] = 0;
    route_rip_up(r, net);
    return route_grow(r, net, false);
}

/* How the negotiation has fared. */
typedef struct {
    uint32_t fewest;   /* wires shared, when there was last an eighth fewer than before */
    uint32_t rounds;   /* since then */
    uint32_t released; /* how often led nets were */
} progress;

/* Frees led nets from having a pair on every branch: first those that still share wires, then all, and the
 * negotiation starts anew. */
static void release_leads(router *r, progress *p) {
    bool any = false, all = p->released++ > 0;
    for (uint32_t n = 0; n < r->design->net->nets.len; n++) {
        if (!r->lead[n] || !(all || overused(r, n)))
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
            if (r->tree[n].nodes.len && !overused(r, n))
                continue;
            route_rip_up(r, n);
            if (!route_grow(r, n, false) && !grow_anyhow(r, n)) {
                report_no_way(r, n, d);
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

static pnr_hop hop_of(const router *r, const route_tree *t, uint32_t i, uint8_t port,
                      const uint32_t *hop_index) {
    uint32_t x, y, side, track, parent = t->nodes.at[i].parent;
    wire_place(r, t->nodes.at[i].node, &x, &y, &side, &track);
    pnr_hop h = {.x = (uint16_t)x, .y = (uint16_t)y, .side = (uint8_t)side, .track = (uint8_t)track};
    h.parent = PNR_NO_HOP;
    if (parent == ROUTE_NONE) {
        h.from_core = true;
        h.port = port;
        return h;
    }
    arrival a = node_arrival(r, t->nodes.at[parent].node);
    h.from_side = (uint8_t)a.side;
    h.from_track = (uint8_t)a.track;
    h.parent = hop_index[parent]; /* PNR_NO_HOP for an arrival node of an IO tile */
    return h;
}

static pnr_sink sink_of(const router *r, const route_tree *t, uint32_t end, const uint32_t *hop_index) {
    arrival a = node_arrival(r, t->nodes.at[end].node);
    if (a.y == 0) /* an IO tile is fed by the output itself */
        return (pnr_sink){.hop = hop_index[end]};
    return (pnr_sink){hop_index[end], (uint8_t)a.side, (uint8_t)a.track};
}

void route_write(const router *r, uint32_t net, arena *mem, pnr_route *out) {
    const route_tree *t = &r->tree[net];
    uint32_t *hop_index = arena_new_n(r->mem, uint32_t, t->nodes.len + 1);
    uint8_t port = r->design->net->nets.at[net].source.port;
    out->hops.len = out->sinks.len = 0;
    for (uint32_t s = 0; s < t->sink.len; s++)
        if (t->sink.at[s] == ROUTE_NONE)
            return;
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        hop_index[i] = PNR_NO_HOP;
        if (t->nodes.at[i].node >= r->wires)
            continue;
        hop_index[i] = out->hops.len;
        vec_push(mem, &out->hops, hop_of(r, t, i, port, hop_index));
    }
    for (uint32_t s = 0; s < t->sink.len; s++)
        vec_push(mem, &out->sinks, sink_of(r, t, t->sink.at[s], hop_index));
}

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
    r->reached = arena_new_n(mem, uint32_t, r->nodes);
    r->cost = arena_new_n(mem, uint32_t, r->nodes);
    r->from = arena_new_n(mem, uint32_t, r->nodes);
    r->in_tree = arena_new_n(mem, uint32_t, r->nodes);
    r->tree_index = arena_new_n(mem, uint32_t, r->nodes);
    r->tree = arena_new_n(mem, route_tree, design->net->nets.len);
    r->lead = arena_new_n(mem, uint8_t, design->net->nets.len + 1);
    for (uint32_t n = 0; n < design->net->nets.len; n++)
        for (uint32_t s = 0; s < design->net->nets.at[n].sinks.len; s++)
            vec_push(mem, &r->tree[n].sink, ROUTE_NONE);
}

/* Decides which nets are led so that a pair stands on the first two hops of every branch. A board without
 * delays has no clock. */
static void lead_nets(router *r, const pnr_design *design) {
    diagnostics quiet;
    diag_init(&quiet, r->mem);
    if (!pnr_read_delays(r->board, &quiet, &r->delays))
        return;
    r->limits = pnr_design_limits(design, &r->delays, r->mem);
    r->period = pnr_floor(&r->limits);
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
    r.branch_cost = ROUTE_BASE * o->timing / TIMING_EVEN;
    r.deadline = o->time_limit > 0 ? start + o->time_limit : 0;
    if (o->timing)
        lead_nets(&r, design);
    uint32_t *order = net_order(&r);
    bool good = negotiate(&r, order, &design->stats.route_iterations, d);
    if (good && !r.branch_cost) /* refining would merge branches again for the wire it saves */
        design->stats.refined_hops = route_refine(&r, order);
    write_routes(&r, mem, design);
    if (good && o->pipeline)
        pnr_pipeline(design, PNR_PIPELINE_EXHAUSTIVE, &scratch);
    if (good && o->timing && o->pipeline)
        design->stats.repaired_nets = route_repair(&r, mem, design);
    if (good && o->pipeline == PNR_PIPELINE_MIDPOINT) /* by what the repaired nets leave of the period */
        pnr_pipeline(design, PNR_PIPELINE_MIDPOINT, &scratch);
    arena_free(&scratch);
    design->stats.route_seconds = seconds_now() - start;
    return good;
}
