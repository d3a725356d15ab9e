/* deadlock_bounds.c - how many tokens of a family one pin of a netlist may be ahead of another: the bounds of
 * every primitive (docs/notebook/deadlock_proof.md), and of all pairs of pins in O(pins^3). */
#include "lower_onyx/deadlock_bounds.h"
#include "lower_onyx/deadlock_int.h"

enum { OUTPUT_FIFO = 2, SCANNER_AHEAD = 8, DROP_OUTER = 1 };

const dl_channel *dl_channel_of(const dl_analysis *a, uint32_t node) {
    return &a->m.channels.at[node / 2];
}

bool dl_is_full(uint32_t node) {
    return node & 1;
}

/* Returns the relation of a stream to the counted stream; *levels: number of levels between them. */
static dl_place place_of(const dl_analysis *a, uint32_t stream, uint32_t *levels) {
    uint32_t s = stream;
    *levels = 0;
    while (s != a->now.stream) {
        if (s == 0)
            return DL_OUTSIDE;
        s = a->m.streams.at[s].parent;
        ++*levels;
    }
    if (a->now.among)
        return *levels == 0 ? DL_OUTSIDE : *levels == 1 ? DL_EXACT : DL_DEEPER;
    return *levels == 0 ? DL_EXACT : DL_DEEPER;
}

dl_place dl_place_of_node(const dl_analysis *a, uint32_t node) {
    uint32_t levels;
    return place_of(a, dl_channel_of(a, node)->stream, &levels);
}

/* Returns the least worth of `tokens` tokens in a full channel: the tokens themselves, or the fibers they
 * must complete. */
static int worth(const dl_analysis *a, const dl_channel *c, uint32_t tokens) {
    uint32_t levels;
    uint64_t each = 1;
    if (place_of(a, c->stream, &levels) == DL_EXACT)
        return (int)(a->m.padded[c->net] ? tokens / 2 : tokens);
    if (a->now.fiber == NET_ANY_FIBER)
        return 0;
    for (uint32_t l = 1; l < levels; l++)
        each *= a->now.fiber;
    return (int)(tokens / (each * (a->now.fiber + 1) * (a->m.padded[c->net] ? 2 : 1)));
}

/* Returns the number of tokens before a full channel: in the channel, and in the FIFO behind the source's
 * port. */
static uint32_t room_behind(const dl_analysis *a, const dl_channel *c) {
    net_pin source = a->m.n->nets.at[c->net].source;
    bool alu = net_cell_at(a->m.n, source.cell)->mode == NET_MODE_ALU;
    return c->room + OUTPUT_FIFO * (alu ? 2u : 1u);
}

static uint32_t parent_of(const dl_analysis *a, uint32_t stream) {
    return a->m.streams.at[stream].parent;
}

/* Returns whether the channel carries an accumulator's finished sum, as opposed to a partial sum. */
static bool is_total(const dl_analysis *a, const dl_process *p, const dl_channel *c) {
    return c->stream == p->total &&
           a->m.process_of[a->m.n->nets.at[c->net].source.cell.v - 1] == (uint32_t)(p - a->m.processes.at);
}

/* An accumulator's partial sum waits for the vector before its next summand: strictly fewer of these have
 * been taken, by whole vectors. */
static bool waits_for_sum(const dl_analysis *a, const dl_edge *e) {
    const dl_channel *from = dl_channel_of(a, e->from), *to = dl_channel_of(a, e->to);
    const dl_process *p = &a->m.processes.at[e->process];
    uint32_t loop = parent_of(a, p->stream);
    return e->kind == DL_EDGE_UP && to->port == DL_DATA && from->stream == p->stream &&
           (a->now.stream == loop || (a->now.among && a->now.stream == parent_of(a, loop)));
}

static int weight_of_tokens(const dl_analysis *a, const dl_edge *e) {
    const dl_channel *from = dl_channel_of(a, e->from), *to = dl_channel_of(a, e->to);
    dl_kind kind = e->kind == DL_EDGE_SIBLING ? DL_SOURCE : a->m.processes.at[e->process].kind;
    bool exact = dl_place_of_node(a, e->from) == DL_EXACT, exact_to = dl_place_of_node(a, e->to) == DL_EXACT;
    uint32_t room = room_behind(a, to);
    switch (e->kind) {
    case DL_EDGE_SIBLING:
        return -worth(a, to, to->room);
    case DL_EDGE_FORK: { /* a scanner's coordinates follow its references, at most eight behind, or leave with
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
    case DL_EDGE_DOWN:
        return -worth(a, to, room) + (kind == DL_REDUCE && exact_to);
    case DL_EDGE_UP:
        if (kind == DL_SUM)
            return waits_for_sum(a, e) ? -1 : to->port == DL_REFERENCES && exact_to;
        /* a scanner's last stop, and a repeater's, depend on the token behind the reference */
        return (kind == DL_SCAN || kind == DL_HOLD || (kind == DL_REPEAT && to->port == 0)) && exact_to;
    case DL_EDGE_JOIN:
        if (kind == DL_HOLD && exact)
            return 2;
        if (kind == DL_MATRIX && to->port == DL_OUTER)
            return exact_to; /* taken before the stop of the matrix, which also ends its fiber */
        if ((kind == DL_INTERSECT || kind == DL_UNION) && exact && (from->port ^ to->port) & 1)
            return DL_ANY; /* the ports are a joiner's two sides, of one family */
        return kind == DL_REPEAT && exact_to && from->port == 1;
    }
    BUG("edge kind %d", (int)e->kind);
}

/* Returns whether a dropper has taken stops from the stream. */
static bool dropped(const dl_analysis *a, const dl_channel *c) {
    net_pin source = a->m.n->nets.at[c->net].source;
    return a->m.processes.at[a->m.process_of[source.cell.v - 1]].kind == DL_DROP && source.port != DROP_OUTER;
}

/* Returns the weight of an edge in the order of coordinates: -1 means strictly less. */
static int weight_among(const dl_analysis *a, const dl_edge *e) {
    const dl_channel *from = dl_channel_of(a, e->from), *to = dl_channel_of(a, e->to);
    bool exact = dl_place_of_node(a, e->from) == DL_EXACT, exact_to = dl_place_of_node(a, e->to) == DL_EXACT;
    if (e->kind == DL_EDGE_SIBLING)
        return 0;
    dl_kind kind = a->m.processes.at[e->process].kind;
    if ((!dl_is_full(e->from) && dropped(a, from)) ||
        (e->kind != DL_EDGE_JOIN && dl_is_full(e->to) && dropped(a, to)))
        return DL_ANY; /* nothing is known of its order */
    switch (kind) {
    case DL_SOURCE:
        return e->kind == DL_EDGE_FORK ? 0 : DL_ANY;
    case DL_STEP:
        return dl_is_full(e->from) && exact ? -1 : 0;
    case DL_SCAN:
        /* One coordinate more than is known from below; the first full channel behind the process holds two
         * tokens. */
        return e->kind == DL_EDGE_DOWN && exact ? -1 : 0;
    case DL_INTERSECT:
        return e->kind == DL_EDGE_UP && exact_to ? DL_ANY : dl_is_full(e->from) && exact ? -1 : 0;
    case DL_UNION:
        return dl_is_full(e->from) && exact ? -1 : 0;
    case DL_DROP:
        return e->kind == DL_EDGE_UP && exact ? DL_ANY : dl_is_full(e->from) && exact ? -1 : 0;
    case DL_REPEAT:
        return e->kind == DL_EDGE_JOIN && exact_to ? DL_ANY : dl_is_full(e->from) && exact ? -1 : 0;
    case DL_SUM: {
        const dl_process *p = &a->m.processes.at[e->process];
        bool total = is_total(a, p, from), total_to = is_total(a, p, to);
        if (total || total_to) /* the coordinates of sums are none of the loop's */
            return e->kind == DL_EDGE_FORK && total == total_to ? 0 : DL_ANY;
        return waits_for_sum(a, e) || (dl_is_full(e->from) && exact) ? -1 : 0;
    }
    case DL_VECTOR: /* the coordinates of sums are none of the loop's */
        return e->kind == DL_EDGE_JOIN ? (exact ? -1 : 0) : e->kind == DL_EDGE_FORK ? 0 : DL_ANY;
    case DL_MATRIX: /* as of vectors, but for the outer coordinates */
        if (from->port == DL_OUTER || to->port == DL_OUTER)
            return DL_ANY;
        return e->kind == DL_EDGE_JOIN ? (exact ? -1 : 0) : DL_ANY;
    case DL_REDUCE:
        return exact ? DL_ANY : 0;
    case DL_HOLD:
    case DL_STORE:
        return DL_ANY;
    }
    BUG("kind %d", (int)kind);
}

static int weight_of(const dl_analysis *a, const dl_edge *e) {
    if (dl_place_of_node(a, e->from) == DL_OUTSIDE || dl_place_of_node(a, e->to) == DL_OUTSIDE)
        return DL_NEVER;
    if (e->kind != DL_EDGE_SIBLING) {
        const dl_process *p = &a->m.processes.at[e->process];
        /* A memory inside the array gives no token before the write is complete. */
        bool whole = p->kind == DL_STORE && !dl_is_full(e->to) && dl_channel_of(a, e->to)->port != 0;
        if (!p->aligned || (whole && a->now.stream != 0))
            return DL_ANY;
    }
    return a->now.among ? weight_among(a, e) : weight_of_tokens(a, e);
}

int dl_sum(int a, int b) {
    if (a == DL_NEVER || b == DL_NEVER)
        return DL_NEVER;
    return a + b > DL_ANY ? DL_ANY : a + b;
}

uint32_t dl_branch_of(const dl_analysis *a, uint32_t node) {
    uint32_t s = dl_channel_of(a, node)->stream;
    if (s == a->now.stream)
        return DL_NONE;
    while (a->m.streams.at[s].parent != a->now.stream)
        s = a->m.streams.at[s].parent;
    return s;
}

static void add_once(dl_analysis *a, uint32_t process, uint32_t branch) {
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
static bool has_other_path(dl_analysis *a, uint32_t process, uint32_t branch) {
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
static void cut_bridges(dl_analysis *a) {
    for (uint32_t p = 0; p < a->m.processes.len; p++)
        a->branches[p].len = 0;
    for (uint32_t i = 0; i < a->n_within; i++) {
        const dl_channel *c = dl_channel_of(a, a->within[i]);
        uint32_t branch = dl_branch_of(a, a->within[i]);
        add_once(a, c->process, branch);
        add_once(a, a->m.process_of[a->m.n->nets.at[c->net].source.cell.v - 1], branch);
    }
    for (uint32_t i = 0; i < a->edges.len; i++) {
        dl_edge *e = &a->edges.at[i];
        if (e->weight == DL_NEVER || e->process == DL_NONE)
            continue;
        uint32_t from = dl_branch_of(a, e->from), to = dl_branch_of(a, e->to);
        if (from != to && (!has_other_path(a, e->process, from) || !has_other_path(a, e->process, to)))
            e->weight = DL_NEVER;
    }
}

/* Raises bounds to the sums of ways by `node`: from its predecessors to its successors. */
static void pass_by(dl_analysis *a, uint32_t node) {
    const int *by = &a->bound[node * a->nodes];
    uint32_t *to = a->reached, n_to = 0;
    for (uint32_t i = 0; i < a->n_within; i++) {
        if (by[a->within[i]] != DL_NEVER)
            to[n_to++] = a->within[i];
    }
    for (uint32_t i = 0; i < a->n_within && n_to; i++) {
        int *row = &a->bound[a->within[i] * a->nodes];
        const int first = row[node];
        if (first == DL_NEVER)
            continue;
        for (uint32_t j = 0; j < n_to; j++) {
            const int whole = first + by[to[j]], through = whole > DL_ANY ? DL_ANY : whole;
            row[to[j]] = through > row[to[j]] ? through : row[to[j]];
        }
    }
}

void dl_find_bounds(dl_analysis *a) {
    uint32_t n = a->nodes;
    a->n_within = 0;
    for (uint32_t u = 0; u < n; u++) {
        if (dl_place_of_node(a, u) != DL_OUTSIDE)
            a->within[a->n_within++] = u;
    }
    for (uint32_t i = 0; i < a->n_within; i++)
        for (uint32_t k = 0; k < a->n_within; k++)
            a->bound[a->within[i] * n + a->within[k]] = DL_NEVER;
    for (uint32_t i = 0; i < a->edges.len; i++)
        a->edges.at[i].weight = weight_of(a, &a->edges.at[i]);
    if (a->now.among)
        cut_bridges(a);
    for (uint32_t i = 0; i < a->edges.len; i++) {
        const dl_edge *e = &a->edges.at[i];
        int *b = &a->bound[e->from * n + e->to];
        if (e->weight != DL_NEVER && e->weight > *b)
            *b = e->weight;
    }
    for (uint32_t k = 0; k < a->n_within; k++)
        pass_by(a, a->within[k]);
}
