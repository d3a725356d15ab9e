/* The ways of one net: its tree grown sink by sink by A*, ripped up, and written as a route. route.c states
 * the graph and the costs. */
#include "pnr/grow.h"

/* ---- the graph ------------------------------------------------------------------------------- */

static uint32_t wire_id(const router *r, route_port at) {
    return (((at.y - 1) * r->board->width + at.x) * 4 + at.side) * r->tracks + at.track;
}

route_port route_start_of(const router *r, uint32_t wire) {
    uint32_t tile = wire / (4 * r->tracks), in_tile = wire % (4 * r->tracks);
    return (route_port){tile % r->board->width, tile / r->board->width + 1, in_tile / r->tracks,
                        in_tile % r->tracks};
}

/* Returns the switch-box input of a node's arrival; row 0 is an IO tile's. */
static route_port node_arrival(const router *r, uint32_t node) {
    if (node >= r->wires)
        return (route_port){(node - r->wires) / r->tracks, 1, PNR_NORTH, (node - r->wires) % r->tracks};
    route_port a = route_start_of(r, node);
    a.x += a.side == PNR_EAST;
    a.x -= a.side == PNR_WEST;
    a.y += a.side == PNR_SOUTH;
    a.y -= a.side == PNR_NORTH;
    a.side = (a.side + 2) % 4;
    return a;
}

/* May the net in search leave its tile by this output? North of row 1 there is only the IO tile, on track
 * 0. */
static bool may_leave(const router *r, route_port at) {
    switch ((pnr_side)at.side) {
    case PNR_EAST:
        return at.x + 1 < r->board->width;
    case PNR_SOUTH:
        return at.y + 1 < r->board->height;
    case PNR_WEST:
        return at.x > 0;
    case PNR_NORTH:
        return at.y > 1 || (at.track == 0 && r->search.target.y == 0 && r->search.target.x == at.x);
    }
    return false;
}

/* Returns the fewest hops from an arrival to the target: the Manhattan distance, plus two if the target lies
 * straight behind. */
static uint32_t hops_remaining(const route_port *a, target_tile t) {
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
    cost = cost * (ROUTE_PRESENT + (uint64_t)r->uses[wire] * r->present) / ROUTE_PRESENT;
    return cost < 1 << 22 ? (uint32_t)cost : 1 << 22;
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void heap_push(router *r, uint64_t key) {
    vec_push(r->mem, &r->search.heap, key);
    uint64_t *h = r->search.heap.at;
    uint32_t i = r->search.heap.len - 1;
    while (i > 0 && h[(i - 1) / 2] > key) {
        h[i] = h[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h[i] = key;
}

static uint64_t heap_pop(router *r) {
    uint64_t *h = r->search.heap.at, top = h[0], last = h[--r->search.heap.len];
    uint32_t n = r->search.heap.len, i = 0;
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
    if (r->search.reached[node] == r->search.epoch && r->search.cost[node] <= cost)
        return;
    r->search.reached[node] = r->search.epoch;
    r->search.cost[node] = cost;
    r->search.from[node] = from;
    route_port a = node_arrival(r, node);
    uint64_t remaining = hops_remaining(&a, r->search.target);
    heap_push(r, (cost + remaining * ROUTE_BASE) << 36 | remaining << 24 | node);
}

static void reach_wire(router *r, route_port at, uint32_t cost, uint32_t from) {
    if (!may_leave(r, at))
        return;
    uint32_t wire = wire_id(r, at);
    if (r->search.sides && r->search.in_tree[wire] == r->search.tree_epoch)
        return; /* a branch with pairs has its wires for itself */
    if (r->search.plain && pnr_site_tile(r->board, at.x, at.y) == NET_TILE_MEM)
        cost += ROUTE_BASE / 2; /* slower to cross, and no register cuts the way */
    if (!r->exclusive || r->uses[wire] == 0)
        reach(r, wire, cost + wire_cost(r, wire), from);
}

/* Would this output lead from an IO tile's wire straight to the target's tile? */
static bool single_hop(const router *r, uint32_t node, const route_port *a, uint32_t side) {
    static const int step_x[] = {1, 0, -1, 0}, step_y[] = {0, 1, 0, -1};
    return node >= r->wires && a->x + (uint32_t)step_x[side] == r->search.target.x &&
           a->y + (uint32_t)step_y[side] == r->search.target.y;
}

static void leave_arrival(router *r, uint32_t node) {
    route_port a = node_arrival(r, node);
    if (a.y == 0)
        return;
    bool led = r->search.sides && node >= r->wires;
    for (uint32_t side = 0; side < 4; side++)
        if (side != a.side && !(r->detour && single_hop(r, node, &a, side)) &&
            (!led || r->search.sides >> side & 1))
            reach_wire(r, (route_port){a.x, a.y, side, r->turn[a.side][a.track][side]}, r->search.cost[node],
                       node);
}

/* Starts from the source and everything the net holds already: at no cost, or by its distance from the
 * source, as no FIFO may stand before a branch. A parent's cost is looked up, as parents come first. */
static void seed(router *r, const route_tree *t, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < t->nodes.len && !r->search.sides; i++) {
        const tree_node *n = &t->nodes.at[i];
        reach(r, n->node,
              (n->parent == ROUTE_NONE ? 0 : r->search.cost[t->nodes.at[n->parent].node]) + r->branch_cost,
              ROUTE_NONE);
    }
    for (uint32_t track = 0; track < r->tracks; track++) {
        if (y == 0)
            reach(r, r->wires + x * r->tracks + track, 0, ROUTE_NONE);
        for (uint32_t side = 0; y > 0 && side < 4; side++)
            if (!r->search.sides || r->search.sides >> side & 1)
                reach_wire(r, (route_port){x, y, side, track}, 0, ROUTE_NONE);
    }
}

/* Has the path ending at `node` the hops required by the clock? */
static bool is_far_enough(const router *r, uint32_t node) {
    if (node >= r->wires)
        return r->search.near_enough[0];
    return r->search.near_enough[1] ||
           (r->search.from[node] != ROUTE_NONE && r->search.from[node] < r->wires);
}

/* Finds the cheapest node arriving at the target, ROUTE_NONE if unreachable. */
static uint32_t search(router *r, const route_tree *t, pnr_site source, target_tile target) {
    r->search.epoch++;
    r->search.heap.len = 0;
    r->search.target = target;
    seed(r, t, source.x, source.y);
    while (r->search.heap.len) {
        uint64_t key = heap_pop(r);
        uint32_t node = key & 0xffffff, remaining = key >> 24 & 0xfff;
        if (r->search.cost[node] + remaining * ROUTE_BASE != key >> 36)
            continue; /* reached cheaper since */
        route_port a = node_arrival(r, node);
        if (a.x == target.x && a.y == target.y && (!r->search.sides || is_far_enough(r, node)))
            return node;
        leave_arrival(r, node);
    }
    return ROUTE_NONE;
}

/* Adds the path ending at `node` to the tree, first node first; returns the node's index. */
static uint32_t add_path(router *r, route_tree *t, uint32_t node) {
    if (r->search.in_tree[node] == r->search.tree_epoch)
        return r->search.tree_index[node];
    uint32_t parent = r->search.from[node] == ROUTE_NONE ? ROUTE_NONE : add_path(r, t, r->search.from[node]);
    r->search.in_tree[node] = r->search.tree_epoch;
    r->search.tree_index[node] = t->nodes.len;
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

bool route_is_shared(const router *r, uint32_t net) {
    const route_tree *t = &r->tree[net];
    for (uint32_t i = 0; i < t->nodes.len; i++)
        if (t->nodes.at[i].node < r->wires && r->uses[t->nodes.at[i].node] > 1)
            return true;
    return false;
}

static target_tile sink_tile(const router *r, uint32_t net, uint32_t sink) {
    pnr_site s = r->design->site.at[r->design->net->nets.at[net].sinks.at[sink].cell.v - 1];
    return (target_tile){s.x, s.y};
}

uint32_t route_distance(const router *r, const route_tree *t, uint32_t net, uint32_t sink) {
    pnr_site source = r->design->site.at[r->design->net->nets.at[net].source.cell.v - 1];
    target_tile target = sink_tile(r, net, sink);
    uint32_t dx = source.x < target.x ? target.x - source.x : source.x - target.x;
    uint32_t best = dx + (target.y > source.y ? target.y - source.y : source.y - target.y);
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        route_port a = node_arrival(r, t->nodes.at[i].node);
        uint32_t remaining = hops_remaining(&a, target);
        best = remaining < best ? remaining : best;
    }
    return best;
}

/* Returns the unreached sink nearest to the net's tree (or farthest, to try another tree); ROUTE_NONE when
 * all are reached. */
static uint32_t next_sink(const router *r, uint32_t net, bool farthest) {
    const route_tree *t = &r->tree[net];
    uint32_t best = ROUTE_NONE, best_distance = 0;
    for (uint32_t s = 0; s < t->sink.len; s++) {
        if (t->sink.at[s] != ROUTE_NONE)
            continue;
        uint32_t distance = t->sink.len > 1 ? route_distance(r, t, net, s) : 0;
        if (best == ROUTE_NONE || (farthest ? distance > best_distance : distance < best_distance)) {
            best = s;
            best_distance = distance;
        }
    }
    return best;
}

static void enter_tree(router *r, const route_tree *t) {
    r->search.tree_epoch++;
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        r->search.in_tree[t->nodes.at[i].node] = r->search.tree_epoch;
        r->search.tree_index[t->nodes.at[i].node] = i;
    }
}

bool route_grow(router *r, uint32_t net, bool farthest) {
    route_tree *t = &r->tree[net];
    pnr_site source = r->design->site.at[r->design->net->nets.at[net].source.cell.v - 1];
    enter_tree(r, t);
    r->search.sides = r->lead[net];
    r->search.plain = r->limits.net && (r->limits.early[net] || !r->limits.paired);
    for (uint32_t s; (s = next_sink(r, net, farthest)) != ROUTE_NONE;) {
        for (uint32_t hops = 0; hops < 2 && r->search.sides; hops++)
            r->search.near_enough[hops] = pnr_may_be_near(&r->limits, net, s, hops, r->period);
        uint32_t end = search(r, t, source, sink_tile(r, net, s));
        if (end == ROUTE_NONE)
            return false;
        t->sink.at[s] = add_path(r, t, end);
    }
    return true;
}

/* ---- out ------------------------------------------------------------------------------------- */

static pnr_hop hop_of(const router *r, const route_tree *t, uint32_t i, uint8_t port,
                      const uint32_t *hop_index) {
    uint32_t parent = t->nodes.at[i].parent;
    route_port at = route_start_of(r, t->nodes.at[i].node);
    pnr_hop h = {(uint16_t)at.x, (uint16_t)at.y, .side = (uint8_t)at.side, .track = (uint8_t)at.track};
    h.parent = PNR_NO_HOP;
    if (parent == ROUTE_NONE) {
        h.from_core = true;
        h.port = port;
        return h;
    }
    route_port a = node_arrival(r, t->nodes.at[parent].node);
    h.from_side = (uint8_t)a.side;
    h.from_track = (uint8_t)a.track;
    h.parent = hop_index[parent]; /* an arrival node of an IO tile has PNR_NO_HOP */
    return h;
}

static pnr_sink sink_of(const router *r, const route_tree *t, uint32_t end, const uint32_t *hop_index) {
    route_port a = node_arrival(r, t->nodes.at[end].node);
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
