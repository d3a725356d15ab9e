/* deadlock.c - whether the FIFOs of a netlist suffice, or which circle of waiting they leave open.
 *
 * A design that stands still before its end has a circle of waiting: every tile on it lacks a token at an
 * input, or room behind an output. Along the circle the count of tokens taken is bounded from step to step:
 * a tile that lacks a token has taken as many as ..., a full way has as many tokens less as it holds. A
 * circle whose bounds add up to less than nothing cannot come about. docs/notebook/deadlock_proof.md has the
 * bounds of every primitive, the proof, and what is counted: tokens of one family of streams, or coordinates
 * in their order.
 *
 * For each family: bounds between all pairs of pins in O(pins^3), then a search for the worst circle that
 * passes every tile once, which those bounds cut short.
 */
#include <stdlib.h>

#include "lower_onyx/deadlock_int.h"

enum { NEVER = -(1 << 20), ANY = 1 << 20 }; /* no way; no bound */
enum { OUTPUT_FIFO = 2, SCANNER_AHEAD = 8, DROP_OUTER = 1, MOST_STEPS = 100000, LONGEST_FIBER = 64 };

/* Node 2c: the sink of channel c lacks a token. Node 2c + 1: channel c is full. */
typedef enum {
    EDGE_SIBLING, /* the token is present but cannot leave: another sink of its net is full */
    EDGE_UP,      /* the source has not made the token: the source lacks an input token */
    EDGE_FORK,    /* the source has not made the token: another output is full */
    EDGE_JOIN,    /* the sink does not take the token: another input lacks a token */
    EDGE_DOWN     /* the sink does not take the token: an output is full */
} edge_kind;

typedef struct {
    uint32_t from, to;
    edge_kind kind;
    uint32_t process; /* the waiting process, DL_NONE for a sibling */
    int weight;       /* in the current count, NEVER if the count does not concern the edge */
} edge;

/* The counted unit: tokens of a family; or (`among`) the coordinates of all families below a family, in
 * order. */
typedef struct {
    uint32_t stream;
    bool among;
    uint32_t fiber; /* no fiber is longer; NET_ANY_FIBER: not known */
} measure;

typedef enum { OUTSIDE, EXACT, DEEPER } place;

typedef struct {
    dl_model m;
    VEC(edge) edges;
    u32_vec *leaving; /* by node: edges */
    uint32_t nodes;
    int *bound;        /* nodes * nodes: the largest sum along any way */
    uint32_t *within;  /* nodes that the measure concerns */
    uint32_t *reached; /* of these, reachable from one node */
    uint32_t n_within;
    bool *busy, *busy_process, *seen;
    u32_vec *branches; /* by process */
    uint32_t *joined;  /* branches, then processes: a connected branch or process */
    u32_vec todo;
    uint32_t start, steps;
    bool across; /* the circle must leave the family of its start's child */
    int best;
    u32_vec way, best_way; /* edges */
    measure now;
    net_liveness *out;
} analysis;

static const dl_channel *channel_of(const analysis *a, uint32_t node) {
    return &a->m.channels.at[node / 2];
}

static bool is_full(uint32_t node) {
    return node & 1;
}

/* ---- the graph of waiting -------------------------------------------------------------------- */

static void add_edge(analysis *a, uint32_t from, uint32_t to, edge_kind kind, uint32_t process) {
    vec_push(a->m.mem, &a->leaving[from], a->edges.len);
    vec_push(a->m.mem, &a->edges, (edge){from, to, kind, process, 0});
}

static uint32_t n_sinks(const analysis *a, uint32_t net) {
    return a->m.n->nets.at[net].sinks.len;
}

/* Adds an edge from `node` to every full channel behind process p, except the channels of `net`. */
static void to_outputs(analysis *a, uint32_t node, uint32_t p, uint32_t net, edge_kind kind) {
    const dl_process *process = &a->m.processes.at[p];
    for (uint32_t o = 0; o < process->out.len; o++) {
        uint32_t other = process->out.at[o];
        for (uint32_t s = 0; s < n_sinks(a, other) && other != net; s++) {
            if (a->m.channels.at[a->m.first[other] + s].process != p)
                add_edge(a, node, 2 * (a->m.first[other] + s) + 1, kind, p);
        }
    }
}

static void to_inputs(analysis *a, uint32_t node, uint32_t p, uint32_t channel, edge_kind kind) {
    const dl_process *process = &a->m.processes.at[p];
    for (uint32_t i = 0; i < process->in.len; i++) {
        if (process->in.at[i] != channel)
            add_edge(a, node, 2 * process->in.at[i], kind, p);
    }
}

/* Returns whether the channel fills a memory with blocks from the global buffer, or drives the skip port of a
 scanner.
 */
static bool takes_all(const analysis *a, const dl_channel *channel) {
    const net_pin sink = a->m.n->nets.at[channel->net].sinks.at[channel->sink];
    return net_listens(a->m.n, sink) ||
           (sink.port == DL_BLOCK && net_cell_at(a->m.n, sink.cell)->mode == NET_MODE_FIBER_ACCESS);
}

static void add_edges(analysis *a, uint32_t c) {
    const dl_channel *channel = &a->m.channels.at[c];
    uint32_t source = a->m.process_of[a->m.n->nets.at[channel->net].source.cell.v - 1];
    uint32_t sink = channel->process;
    dl_kind kind = a->m.processes.at[sink].kind;
    if (source == sink)
        return; /* inside an accumulator */
    for (uint32_t s = 0; s < n_sinks(a, channel->net); s++) {
        if (s != channel->sink)
            add_edge(a, 2 * c, 2 * (a->m.first[channel->net] + s) + 1, EDGE_SIBLING, DL_NONE);
    }
    to_inputs(a, 2 * c, source, DL_NONE, EDGE_UP);
    to_outputs(a, 2 * c, source, channel->net, EDGE_FORK);
    if (kind == DL_SOURCE || (kind == DL_STORE && channel->port != 0) || takes_all(a, channel))
        return;                                     /* a memory takes every token */
    if (kind != DL_SUM || channel->port != DL_DATA) /* a sum waits for room in its memory, nothing else */
        to_inputs(a, 2 * c + 1, sink, c, EDGE_JOIN);
    to_outputs(a, 2 * c + 1, sink, DL_NONE, EDGE_DOWN);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Returns the relation of a stream to the counted stream; *levels: number of levels between them. */
static place place_of(const analysis *a, uint32_t stream, uint32_t *levels) {
    uint32_t s = stream;
    *levels = 0;
    while (s != a->now.stream) {
        if (s == 0)
            return OUTSIDE;
        s = a->m.streams.at[s].parent;
        ++*levels;
    }
    if (a->now.among)
        return *levels == 0 ? OUTSIDE : *levels == 1 ? EXACT : DEEPER;
    return *levels == 0 ? EXACT : DEEPER;
}

static place place_of_node(const analysis *a, uint32_t node) {
    uint32_t levels;
    return place_of(a, channel_of(a, node)->stream, &levels);
}

/* Returns the least worth of `tokens` tokens in a full channel: the tokens themselves, or the fibers they
 * must complete. */
static int worth(const analysis *a, const dl_channel *c, uint32_t tokens) {
    uint32_t levels;
    uint64_t each = 1;
    if (place_of(a, c->stream, &levels) == EXACT)
        return (int)(a->m.padded[c->net] ? tokens / 2 : tokens);
    if (a->now.fiber == NET_ANY_FIBER)
        return 0;
    for (uint32_t l = 1; l < levels; l++)
        each *= a->now.fiber;
    return (int)(tokens / (each * (a->now.fiber + 1) * (a->m.padded[c->net] ? 2 : 1)));
}

/* Returns the number of tokens before a full channel: in the channel, and in the FIFO behind the source's
 * port. */
static uint32_t room_behind(const analysis *a, const dl_channel *c) {
    net_pin source = a->m.n->nets.at[c->net].source;
    bool alu = net_cell_at(a->m.n, source.cell)->mode == NET_MODE_ALU;
    return c->room + OUTPUT_FIFO * (alu ? 2u : 1u);
}

static uint32_t parent_of(const analysis *a, uint32_t stream) {
    return a->m.streams.at[stream].parent;
}

/* Returns whether the channel carries an accumulator's finished sum, as opposed to a partial sum. */
static bool is_total(const analysis *a, const dl_process *p, const dl_channel *c) {
    return c->stream == p->total &&
           a->m.process_of[a->m.n->nets.at[c->net].source.cell.v - 1] == (uint32_t)(p - a->m.processes.at);
}

/* An accumulator's partial sum waits for the vector before its next summand: strictly fewer of these have
 * been taken, by whole vectors. */
static bool waits_for_sum(const analysis *a, const edge *e) {
    const dl_channel *from = channel_of(a, e->from), *to = channel_of(a, e->to);
    const dl_process *p = &a->m.processes.at[e->process];
    uint32_t loop = parent_of(a, p->stream);
    return e->kind == EDGE_UP && to->port == DL_DATA && from->stream == p->stream &&
           (a->now.stream == loop || (a->now.among && a->now.stream == parent_of(a, loop)));
}

static int weight_of_tokens(const analysis *a, const edge *e) {
    const dl_channel *from = channel_of(a, e->from), *to = channel_of(a, e->to);
    dl_kind kind = e->kind == EDGE_SIBLING ? DL_SOURCE : a->m.processes.at[e->process].kind;
    bool exact = place_of_node(a, e->from) == EXACT, exact_to = place_of_node(a, e->to) == EXACT;
    uint32_t room = room_behind(a, to);
    switch (e->kind) {
    case EDGE_SIBLING:
        return -worth(a, to, to->room);
    case EDGE_FORK: { /* a scanner's coordinates follow its references, at most eight behind, or leave with
                         them */
        const net_pin source = a->m.n->nets.at[from->net].source;
        bool behind = kind == DL_SCAN && source.port == 2 &&
                      !net_config_of(a->m.n, net_cell_at(a->m.n, source.cell),
                                     "fiber_access_16_inst_read_scanner_skip");
        /* An outer coordinate leaves before its fiber, whose stop leaves with the token behind the
         coordinate.
         */
        const bool outer = kind == DL_MATRIX && source.port == DL_OUTER;
        const int row = kind != DL_MATRIX ? 0 : outer ? -exact : exact_to;
        return -worth(a, to, room + (behind ? SCANNER_AHEAD : 0)) + row;
    }
    case EDGE_DOWN:
        return -worth(a, to, room) + (kind == DL_REDUCE && exact_to);
    case EDGE_UP:
        if (kind == DL_SUM)
            return waits_for_sum(a, e) ? -1 : to->port == DL_REFERENCES && exact_to;
        /* a scanner's last stop, and a repeater's, depend on the token behind the reference */
        return (kind == DL_SCAN || kind == DL_HOLD || (kind == DL_REPEAT && to->port == 0)) && exact_to;
    case EDGE_JOIN:
        if (kind == DL_HOLD && exact)
            return 2;
        if (kind == DL_MATRIX && to->port == DL_OUTER)
            return exact_to; /* taken before the stop of the matrix, which also ends its fiber */
        if ((kind == DL_INTERSECT || kind == DL_UNION) && exact && (from->port ^ to->port) & 1)
            return ANY; /* both sides of a joiner, of one family */
        return kind == DL_REPEAT && exact_to && from->port == 1;
    }
    BUG("edge kind %d", (int)e->kind);
}

/* Returns whether a dropper has taken stops from the stream. */
static bool dropped(const analysis *a, const dl_channel *c) {
    net_pin source = a->m.n->nets.at[c->net].source;
    return a->m.processes.at[a->m.process_of[source.cell.v - 1]].kind == DL_DROP && source.port != DROP_OUTER;
}

/* Returns the weight of an edge in the order of coordinates: -1 means strictly less. */
static int weight_among(const analysis *a, const edge *e) {
    const dl_channel *from = channel_of(a, e->from), *to = channel_of(a, e->to);
    bool exact = place_of_node(a, e->from) == EXACT, exact_to = place_of_node(a, e->to) == EXACT;
    if (e->kind == EDGE_SIBLING)
        return 0;
    dl_kind kind = a->m.processes.at[e->process].kind;
    if ((!is_full(e->from) && dropped(a, from)) || (e->kind != EDGE_JOIN && is_full(e->to) && dropped(a, to)))
        return ANY; /* nothing is known of its order */
    switch (kind) {
    case DL_SOURCE:
        return e->kind == EDGE_FORK ? 0 : ANY;
    case DL_STEP:
        return is_full(e->from) && exact ? -1 : 0;
    case DL_SCAN:
        /* One coordinate more than is known from below; the first full channel behind the process holds two
         * tokens. */
        return e->kind == EDGE_DOWN && exact ? -1 : 0;
    case DL_INTERSECT:
        return e->kind == EDGE_UP && exact_to ? ANY : is_full(e->from) && exact ? -1 : 0;
    case DL_UNION:
        return is_full(e->from) && exact ? -1 : 0;
    case DL_DROP:
        return e->kind == EDGE_UP && exact ? ANY : is_full(e->from) && exact ? -1 : 0;
    case DL_REPEAT:
        return e->kind == EDGE_JOIN && exact_to ? ANY : is_full(e->from) && exact ? -1 : 0;
    case DL_SUM: {
        const dl_process *p = &a->m.processes.at[e->process];
        bool total = is_total(a, p, from), total_to = is_total(a, p, to);
        if (total || total_to) /* the coordinates of sums are none of the loop's */
            return e->kind == EDGE_FORK && total == total_to ? 0 : ANY;
        return waits_for_sum(a, e) || (is_full(e->from) && exact) ? -1 : 0;
    }
    case DL_VECTOR: /* the coordinates of sums are none of the loop's */
        return e->kind == EDGE_JOIN ? (exact ? -1 : 0) : e->kind == EDGE_FORK ? 0 : ANY;
    case DL_MATRIX: /* as of vectors, but for the outer coordinates */
        if (from->port == DL_OUTER || to->port == DL_OUTER)
            return ANY;
        return e->kind == EDGE_JOIN ? (exact ? -1 : 0) : ANY;
    case DL_REDUCE:
        return exact ? ANY : 0;
    case DL_HOLD:
    case DL_STORE:
        return ANY;
    }
    BUG("kind %d", (int)kind);
}

static int weight_of(const analysis *a, const edge *e) {
    if (place_of_node(a, e->from) == OUTSIDE || place_of_node(a, e->to) == OUTSIDE)
        return NEVER;
    if (e->kind != EDGE_SIBLING) {
        const dl_process *p = &a->m.processes.at[e->process];
        /* A memory inside the array gives no token before the write is complete. */
        bool whole = p->kind == DL_STORE && !is_full(e->to) && channel_of(a, e->to)->port != 0;
        if (!p->aligned || (whole && a->now.stream != 0))
            return ANY;
    }
    return a->now.among ? weight_among(a, e) : weight_of_tokens(a, e);
}

static int sum(int a, int b) {
    if (a == NEVER || b == NEVER)
        return NEVER;
    return a + b > ANY ? ANY : a + b;
}

/* Returns the child of the counted stream whose family includes a node. DL_NONE: the counted stream
 * itself. */
static uint32_t branch_of(const analysis *a, uint32_t node) {
    uint32_t s = channel_of(a, node)->stream;
    if (s == a->now.stream)
        return DL_NONE;
    while (a->m.streams.at[s].parent != a->now.stream)
        s = a->m.streams.at[s].parent;
    return s;
}

static void add_once(analysis *a, uint32_t process, uint32_t branch) {
    u32_vec *at = &a->branches[process];
    for (uint32_t i = 0; i < at->len; i++) {
        if (at->at[i] == branch)
            return;
    }
    vec_push(a->m.mem, at, branch);
}

static uint32_t root_of(const uint32_t *joined, uint32_t b) {
    while (joined[b] != b)
        b = joined[b];
    return b;
}

/* Returns whether a process and an adjacent branch are connected by further processes. A circle may pass a
 dropper twice.
 */
static bool other_way(analysis *a, uint32_t process, uint32_t branch) {
    uint32_t streams = a->m.streams.len, all = streams + a->m.processes.len;
    if (a->m.processes.at[process].kind == DL_DROP)
        return true;
    for (uint32_t v = 0; v < all; v++)
        a->joined[v] = v;
    for (uint32_t p = 0; p < a->m.processes.len; p++) {
        for (uint32_t i = 0; i < a->branches[p].len; i++) {
            uint32_t b = a->branches[p].at[i];
            if (p != process || b != branch)
                a->joined[root_of(a->joined, b)] = root_of(a->joined, streams + p);
        }
    }
    return root_of(a->joined, branch) == root_of(a->joined, streams + process);
}

/* A circle that leaves a branch by one tile comes back by another. In the order of coordinates, all nodes lie
 * in branches. An edge between branches is removed if only its tile connects one of the branches.
 */
static void cut_bridges(analysis *a) {
    for (uint32_t p = 0; p < a->m.processes.len; p++)
        a->branches[p].len = 0;
    for (uint32_t i = 0; i < a->n_within; i++) {
        const dl_channel *c = channel_of(a, a->within[i]);
        uint32_t branch = branch_of(a, a->within[i]);
        add_once(a, c->process, branch);
        add_once(a, a->m.process_of[a->m.n->nets.at[c->net].source.cell.v - 1], branch);
    }
    for (uint32_t i = 0; i < a->edges.len; i++) {
        edge *e = &a->edges.at[i];
        if (e->weight == NEVER || e->process == DL_NONE)
            continue;
        uint32_t from = branch_of(a, e->from), to = branch_of(a, e->to);
        if (from != to && (!other_way(a, e->process, from) || !other_way(a, e->process, to)))
            e->weight = NEVER;
    }
}

/* Raises bounds to the sums of ways by `node`: from its predecessors to its successors. */
static void pass_by(analysis *a, uint32_t node) {
    const int *by = &a->bound[node * a->nodes];
    uint32_t *to = a->reached, n_to = 0;
    for (uint32_t i = 0; i < a->n_within; i++) {
        if (by[a->within[i]] != NEVER)
            to[n_to++] = a->within[i];
    }
    for (uint32_t i = 0; i < a->n_within && n_to; i++) {
        int *row = &a->bound[a->within[i] * a->nodes];
        const int first = row[node];
        if (first == NEVER)
            continue;
        for (uint32_t j = 0; j < n_to; j++) {
            const int whole = first + by[to[j]], through = whole > ANY ? ANY : whole;
            row[to[j]] = through > row[to[j]] ? through : row[to[j]];
        }
    }
}

/* Fills bound[u, v], the largest sum of a way from u to v, with repeated nodes allowed. */
static void find_bounds(analysis *a) {
    uint32_t n = a->nodes;
    a->n_within = 0;
    for (uint32_t u = 0; u < n; u++) {
        if (place_of_node(a, u) != OUTSIDE)
            a->within[a->n_within++] = u;
    }
    for (uint32_t i = 0; i < a->n_within; i++)
        for (uint32_t k = 0; k < a->n_within; k++)
            a->bound[a->within[i] * n + a->within[k]] = NEVER;
    for (uint32_t i = 0; i < a->edges.len; i++)
        a->edges.at[i].weight = weight_of(a, &a->edges.at[i]);
    if (a->now.among)
        cut_bridges(a);
    for (uint32_t i = 0; i < a->edges.len; i++) {
        const edge *e = &a->edges.at[i];
        int *b = &a->bound[e->from * n + e->to];
        if (e->weight != NEVER && e->weight > *b)
            *b = e->weight;
    }
    for (uint32_t k = 0; k < a->n_within; k++)
        pass_by(a, a->within[k]);
}

/* ---- circles --------------------------------------------------------------------------------- */

/* Returns whether a circle may pass the edge's process: every tile but a dropper waits for one channel, and a
 * necessary circle passes the tile once. */
static bool may_pass(const analysis *a, const edge *e) {
    return e->weight != NEVER && (e->process == DL_NONE || !a->busy_process[e->process]);
}

/* Returns whether a way leads from a node to the start without busy processes. */
static bool leads_back(analysis *a, uint32_t node) {
    u32_vec *todo = &a->todo;
    todo->len = 0;
    memset(a->seen, 0, sizeof *a->seen * a->nodes);
    vec_push(a->m.mem, todo, node);
    while (todo->len) {
        const u32_vec *leaving = &a->leaving[todo->at[--todo->len]];
        for (uint32_t i = 0; i < leaving->len; i++) {
            const edge *e = &a->edges.at[leaving->at[i]];
            if (!may_pass(a, e) || (a->busy[e->to] && e->to != a->start) || a->seen[e->to])
                continue;
            if (e->to == a->start)
                return true;
            a->seen[e->to] = true;
            vec_push(a->m.mem, todo, e->to);
        }
    }
    return false;
}

static void keep_way(analysis *a, int sum_of_way) {
    a->best = sum_of_way;
    a->best_way.len = 0;
    for (uint32_t k = 0; k < a->way.len; k++)
        vec_push(a->m.mem, &a->best_way, a->way.at[k]);
}

/* Finds the worst circle through `start` that extends the way to `node`. */
static void search(analysis *a, uint32_t node, int so_far, bool crossed) {
    if (++a->steps > MOST_STEPS)
        return;
    a->busy[node] = true;
    for (uint32_t i = 0; i < a->leaving[node].len; i++) {
        uint32_t index = a->leaving[node].at[i];
        const edge *e = &a->edges.at[index];
        if (!may_pass(a, e) || (e->to != a->start && a->busy[e->to]))
            continue;
        bool across = crossed || (a->across && branch_of(a, e->to) != branch_of(a, a->start));
        bool once = e->process != DL_NONE && a->m.processes.at[e->process].kind != DL_DROP;
        int now = sum(so_far, e->weight);
        vec_push(a->m.mem, &a->way, index);
        if (once)
            a->busy_process[e->process] = true;
        if (e->to == a->start && now > a->best && (across || !a->across))
            keep_way(a, now);
        else if (e->to != a->start && sum(now, a->bound[e->to * a->nodes + a->start]) > a->best &&
                 leads_back(a, e->to))
            search(a, e->to, now, across);
        if (once)
            a->busy_process[e->process] = false;
        a->way.len--;
    }
    a->busy[node] = false;
}

/* Finds the worst circle through a node of at least `least`; false if none exists. */
static bool circle_through(analysis *a, uint32_t node, bool across, int least) {
    a->start = node;
    a->across = across;
    a->best = least - 1;
    a->way.len = a->best_way.len = 0;
    search(a, node, 0, false);
    a->out->undecided |= a->steps > MOST_STEPS && a->best_way.len == 0;
    return a->best_way.len > 0;
}

/* Returns whether some way leads from a node to another family's node and back, by the bounds. */
static bool may_cross(const analysis *a, uint32_t node) {
    uint32_t home = branch_of(a, node);
    for (uint32_t i = 0; i < a->n_within; i++) {
        uint32_t other = a->within[i];
        if (branch_of(a, other) != home &&
            sum(a->bound[node * a->nodes + other], a->bound[other * a->nodes + node]) >= 0)
            return true;
    }
    return false;
}

/* Adds the missing room of one full channel to the report. */
static void record(analysis *a, uint32_t node, uint32_t need, uint32_t fiber) {
    const dl_channel *c = channel_of(a, node);
    for (uint32_t i = 0; i < a->out->pairs.len; i++) {
        net_reconvergence *r = &a->out->pairs.at[i];
        if (r->net != c->net || r->sink != c->sink)
            continue;
        r->need = need > r->need ? need : r->need;
        r->fiber = fiber < r->fiber ? fiber : r->fiber;
        return;
    }
    vec_push(a->m.mem, &a->out->pairs, (net_reconvergence){c->net, c->sink, c->room, need, fiber});
}

/* Reports the found circle: its full channels lack room. */
static void record_circle(analysis *a, uint32_t fiber) {
    bool worst = a->out->circle.len == 0 || fiber < a->out->fiber;
    if (worst)
        a->out->circle.len = 0;
    a->out->fiber = fiber < a->out->fiber ? fiber : a->out->fiber;
    for (uint32_t i = 0; i < a->best_way.len; i++) {
        uint32_t node = a->edges.at[a->best_way.at[i]].from;
        const dl_channel *c = channel_of(a, node);
        const net_data *net = &a->m.n->nets.at[c->net];
        bool counted = !a->now.among && place_of_node(a, node) == EXACT && a->best < ANY / 2;
        net_cell waits = is_full(node) ? net->source.cell : net->sinks.at[c->sink].cell;
        if (worst)
            vec_push(a->m.mem, &a->out->circle, (net_wait){waits.v - 1, c->net, c->sink, is_full(node)});
        if (is_full(node))
            record(a, node, counted ? c->room + (uint32_t)a->best + 1 : (uint32_t)NET_NO_ROOM, fiber);
    }
}

/* ---- families -------------------------------------------------------------------------------- */

static void count_in(analysis *a, uint32_t stream, bool among, uint32_t fiber) {
    a->now = (measure){stream, among, fiber};
    find_bounds(a);
}

/* Returns whether a circle is possible with fibers of at most `fiber` coordinates. */
static bool open_circle(analysis *a, uint32_t stream, uint32_t fiber) {
    count_in(a, stream, false, fiber);
    for (uint32_t i = 0; i < a->n_within; i++) {
        uint32_t u = a->within[i];
        bool exact = place_of_node(a, u) == EXACT;
        if (a->bound[u * a->nodes + u] >= 0 && (exact || may_cross(a, u)) && circle_through(a, u, !exact, 0))
            return true;
    }
    return false;
}

/* Returns the largest length of fibers without an open circle of the family. */
static uint32_t longest_fiber(analysis *a, uint32_t stream) {
    uint32_t fiber = 0;
    while (fiber < LONGEST_FIBER && !open_circle(a, stream, fiber + 1))
        fiber++;
    return fiber;
}

/* Returns a sufficient number of tokens if `room` leaves `bound` on the worst circle; without a way no token
 * is needed. */
static uint32_t enough(uint32_t room, int bound) {
    if (bound >= 0)
        return room;
    return (int)room + bound + 1 > 1 ? (uint32_t)((int)room + bound + 1) : 1;
}

/* Checks circles of a family that pass one of its own streams, or several of its children's streams; the
 * order of coordinates may exclude the latter. */
static void check_family(analysis *a, uint32_t stream) {
    uint32_t fiber = NET_ANY_FIBER;
    for (int among = 0; among < 2; among++) {
        count_in(a, stream, among, NET_ANY_FIBER);
        for (uint32_t i = 0; i < a->n_within; i++) {
            uint32_t u = a->within[i];
            int bound = a->bound[u * a->nodes + u];
            if (bound == NEVER || (!among && place_of_node(a, u) != EXACT))
                continue;
            if (!among && is_full(u))
                record(a, u, enough(channel_of(a, u)->room, bound), NET_ANY_FIBER);
            if (bound < 0 || (among && !may_cross(a, u)) || !circle_through(a, u, among, 0))
                continue;
            if (fiber == NET_ANY_FIBER) {
                fiber = longest_fiber(a, stream);
                count_in(a, stream, among, NET_ANY_FIBER);
                circle_through(a, u, among, 0);
            }
            record_circle(a, fiber);
        }
    }
}

static int by_pin(const void *left, const void *right) {
    const net_reconvergence *a = left, *b = right;
    return a->net != b->net ? (a->net < b->net ? -1 : 1) : (a->sink > b->sink) - (a->sink < b->sink);
}

void net_deadlock(const netlist *n, const uint32_t *const *extra, arena *mem, net_liveness *out) {
    arena scratch = {0};
    analysis a = {.out = out};
    net_liveness found = {.fiber = NET_ANY_FIBER};
    *out = found;
    dl_build(n, extra, &scratch, &a.m);
    out->undecided = a.m.cyclic;
    a.nodes = 2 * a.m.channels.len;
    a.leaving = arena_new_n(&scratch, u32_vec, a.nodes + 1);
    a.bound = arena_new_n(&scratch, int, (size_t)a.nodes *a.nodes + 1);
    a.within = arena_new_n(&scratch, uint32_t, a.nodes + 1);
    a.reached = arena_new_n(&scratch, uint32_t, a.nodes + 1);
    a.busy = arena_new_n(&scratch, bool, a.nodes + 1);
    a.seen = arena_new_n(&scratch, bool, a.nodes + 1);
    a.joined = arena_new_n(&scratch, uint32_t, a.m.streams.len + a.m.processes.len + 1);
    a.branches = arena_new_n(&scratch, u32_vec, a.m.processes.len + 1);
    a.busy_process = arena_new_n(&scratch, bool, a.m.processes.len + 1);
    for (uint32_t c = 0; c < a.m.channels.len; c++)
        add_edges(&a, c);
    for (uint32_t s = 0; s < a.m.streams.len; s++)
        check_family(&a, s);
    found = *out;
    *out = (net_liveness){.fiber = found.undecided ? 0 : found.fiber, .undecided = found.undecided};
    for (uint32_t i = 0; i < found.pairs.len; i++)
        vec_push(mem, &out->pairs, found.pairs.at[i]);
    for (uint32_t i = 0; i < found.circle.len; i++)
        vec_push(mem, &out->circle, found.circle.at[i]);
    if (out->pairs.len)
        qsort(out->pairs.at, out->pairs.len, sizeof *out->pairs.at, by_pin);
    arena_free(&scratch);
}
