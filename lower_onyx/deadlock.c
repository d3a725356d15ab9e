/* deadlock.c - whether the FIFOs of a netlist suffice, or which circle of waiting they leave open.
 *
 * A design that stands still before its end has a circle of waiting: every tile on it lacks a token at an
 * input, or room behind an output. Along the circle the count of tokens taken is bounded from step to step:
 * a tile that lacks a token has taken as many as ..., a full path has as many tokens less as it holds. A
 * circle whose bounds add up to less than nothing cannot come about. docs/notebook/deadlock_proof.md has the
 * bounds of every primitive, the proof, and what is counted: tokens of one family of streams, or coordinates
 * in their order.
 *
 * For each family: bounds between all pairs of pins in O(pins^3), then a search for the worst circle that
 * passes every tile once, which those bounds cut short.
 */
#include "lower_onyx/deadlock_bounds.h"
#include "lower_onyx/deadlock_int.h"

#include <stdlib.h>

enum { MOST_STEPS = 100000, LONGEST_FIBER = 64 };

/* ---- the graph of waiting -------------------------------------------------------------------- */

static void add_edge(dl_analysis *a, uint32_t from, uint32_t to, dl_edge_kind kind, uint32_t process) {
    vec_push(a->m.mem, &a->leaving[from], a->edges.len);
    vec_push(a->m.mem, &a->edges, (dl_edge){from, to, kind, process, 0});
}

static uint32_t n_sinks(const dl_analysis *a, uint32_t net) {
    return a->m.n->nets.at[net].sinks.len;
}

/* Adds an edge from `node` to every full channel behind process p, except the channels of `net`. */
static void to_outputs(dl_analysis *a, uint32_t node, uint32_t p, uint32_t net, dl_edge_kind kind) {
    const dl_process *process = &a->m.processes.at[p];
    for (uint32_t o = 0; o < process->out.len; o++) {
        uint32_t other = process->out.at[o];
        for (uint32_t s = 0; s < n_sinks(a, other) && other != net; s++) {
            if (a->m.channels.at[a->m.first[other] + s].process != p)
                add_edge(a, node, 2 * (a->m.first[other] + s) + 1, kind, p);
        }
    }
}

static void to_inputs(dl_analysis *a, uint32_t node, uint32_t p, uint32_t channel, dl_edge_kind kind) {
    const dl_process *process = &a->m.processes.at[p];
    for (uint32_t i = 0; i < process->in.len; i++) {
        if (process->in.at[i] != channel)
            add_edge(a, node, 2 * process->in.at[i], kind, p);
    }
}

/* Returns whether the channel fills a memory with blocks from the global buffer, or drives the skip port of a
 scanner.
 */
static bool takes_all(const dl_analysis *a, const dl_channel *channel) {
    const net_pin sink = a->m.n->nets.at[channel->net].sinks.at[channel->sink];
    return net_listens(a->m.n, sink) ||
           (sink.port == DL_BLOCK && net_cell_at(a->m.n, sink.cell)->mode == NET_MODE_FIBER_ACCESS);
}

static void add_edges(dl_analysis *a, uint32_t c) {
    const dl_channel *channel = &a->m.channels.at[c];
    uint32_t source = a->m.process_of[a->m.n->nets.at[channel->net].source.cell.v - 1];
    uint32_t sink = channel->process;
    dl_kind kind = a->m.processes.at[sink].kind;
    if (source == sink)
        return; /* the channel stays inside an accumulator */
    for (uint32_t s = 0; s < n_sinks(a, channel->net); s++) {
        if (s != channel->sink)
            add_edge(a, 2 * c, 2 * (a->m.first[channel->net] + s) + 1, DL_EDGE_SIBLING, DL_NONE);
    }
    to_inputs(a, 2 * c, source, DL_NONE, DL_EDGE_UP);
    to_outputs(a, 2 * c, source, channel->net, DL_EDGE_FORK);
    if (kind == DL_SOURCE || (kind == DL_STORE && channel->port != 0) || takes_all(a, channel))
        return;                                     /* a memory takes every token */
    if (kind != DL_SUM || channel->port != DL_DATA) /* a sum waits for room in its memory, nothing else */
        to_inputs(a, 2 * c + 1, sink, c, DL_EDGE_JOIN);
    to_outputs(a, 2 * c + 1, sink, DL_NONE, DL_EDGE_DOWN);
}

/* ---- circles --------------------------------------------------------------------------------- */

/* Returns whether a circle may pass the edge's process: every tile but a dropper waits for one channel, and a
 * necessary circle passes the tile once. */
static bool may_pass(const dl_analysis *a, const dl_edge *e) {
    return e->weight != DL_NEVER && (e->process == DL_NONE || !a->busy_process[e->process]);
}

/* Returns whether a path leads from a node to the start without busy processes. */
static bool leads_back(dl_analysis *a, uint32_t node) {
    u32_vec *todo = &a->todo;
    todo->len = 0;
    memset(a->seen, 0, sizeof *a->seen * a->nodes);
    vec_push(a->m.mem, todo, node);
    while (todo->len) {
        const u32_vec *leaving = &a->leaving[todo->at[--todo->len]];
        for (uint32_t i = 0; i < leaving->len; i++) {
            const dl_edge *e = &a->edges.at[leaving->at[i]];
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

static void keep_path(dl_analysis *a, int sum_of_path) {
    a->best = sum_of_path;
    a->best_path.len = 0;
    for (uint32_t k = 0; k < a->path.len; k++)
        vec_push(a->m.mem, &a->best_path, a->path.at[k]);
}

/* Finds the worst circle through `start` that extends the path to `node`. */
static void search(dl_analysis *a, uint32_t node, int so_far, bool crossed) {
    if (++a->steps > MOST_STEPS)
        return;
    a->busy[node] = true;
    for (uint32_t i = 0; i < a->leaving[node].len; i++) {
        uint32_t index = a->leaving[node].at[i];
        const dl_edge *e = &a->edges.at[index];
        if (!may_pass(a, e) || (e->to != a->start && a->busy[e->to]))
            continue;
        bool across = crossed || (a->across && dl_branch_of(a, e->to) != dl_branch_of(a, a->start));
        bool once = e->process != DL_NONE && a->m.processes.at[e->process].kind != DL_DROP;
        int now = dl_sum(so_far, e->weight);
        vec_push(a->m.mem, &a->path, index);
        if (once)
            a->busy_process[e->process] = true;
        if (e->to == a->start && now > a->best && (across || !a->across))
            keep_path(a, now);
        else if (e->to != a->start && dl_sum(now, a->bound[e->to * a->nodes + a->start]) > a->best &&
                 leads_back(a, e->to))
            search(a, e->to, now, across);
        if (once)
            a->busy_process[e->process] = false;
        a->path.len--;
    }
    a->busy[node] = false;
}

/* Finds the worst circle through a node of at least `least`; false if none exists. */
static bool circle_through(dl_analysis *a, uint32_t node, bool across, int least) {
    a->start = node;
    a->across = across;
    a->best = least - 1;
    a->path.len = a->best_path.len = 0;
    search(a, node, 0, false);
    a->out->undecided |= a->steps > MOST_STEPS && a->best_path.len == 0;
    return a->best_path.len > 0;
}

/* Returns whether some path leads from a node to another family's node and back, by the bounds. */
static bool may_cross(const dl_analysis *a, uint32_t node) {
    uint32_t home = dl_branch_of(a, node);
    for (uint32_t i = 0; i < a->n_within; i++) {
        uint32_t other = a->within[i];
        if (dl_branch_of(a, other) != home &&
            dl_sum(a->bound[node * a->nodes + other], a->bound[other * a->nodes + node]) >= 0)
            return true;
    }
    return false;
}

/* Adds the missing room of one full channel to the report. */
static void record(dl_analysis *a, uint32_t node, uint32_t need, uint32_t fiber) {
    const dl_channel *c = dl_channel_of(a, node);
    for (uint32_t i = 0; i < a->out->reconvergences.len; i++) {
        net_reconvergence *r = &a->out->reconvergences.at[i];
        if (r->net != c->net || r->sink != c->sink)
            continue;
        r->need = need > r->need ? need : r->need;
        r->fiber = fiber < r->fiber ? fiber : r->fiber;
        return;
    }
    vec_push(a->m.mem, &a->out->reconvergences, (net_reconvergence){c->net, c->sink, c->room, need, fiber});
}

/* Reports the found circle: its full channels lack room. */
static void record_circle(dl_analysis *a, uint32_t fiber) {
    bool worst = a->out->circle.len == 0 || fiber < a->out->fiber;
    if (worst)
        a->out->circle.len = 0;
    a->out->fiber = fiber < a->out->fiber ? fiber : a->out->fiber;
    for (uint32_t i = 0; i < a->best_path.len; i++) {
        uint32_t node = a->edges.at[a->best_path.at[i]].from;
        const dl_channel *c = dl_channel_of(a, node);
        const net_data *net = &a->m.n->nets.at[c->net];
        bool counted = !a->now.among && dl_place_of_node(a, node) == DL_EXACT && a->best < DL_ANY / 2;
        net_cell waits = dl_is_full(node) ? net->source.cell : net->sinks.at[c->sink].cell;
        if (worst)
            vec_push(a->m.mem, &a->out->circle, (net_wait){waits.v - 1, c->net, c->sink, dl_is_full(node)});
        if (dl_is_full(node))
            record(a, node, counted ? c->room + (uint32_t)a->best + 1 : (uint32_t)NET_NO_ROOM, fiber);
    }
}

/* ---- families -------------------------------------------------------------------------------- */

static void count_in(dl_analysis *a, uint32_t stream, bool among, uint32_t fiber) {
    a->now = (dl_measure){stream, among, fiber};
    dl_find_bounds(a);
}

/* Returns whether a circle is possible with fibers of at most `fiber` coordinates. */
static bool open_circle(dl_analysis *a, uint32_t stream, uint32_t fiber) {
    count_in(a, stream, false, fiber);
    for (uint32_t i = 0; i < a->n_within; i++) {
        uint32_t u = a->within[i];
        bool exact = dl_place_of_node(a, u) == DL_EXACT;
        if (a->bound[u * a->nodes + u] >= 0 && (exact || may_cross(a, u)) && circle_through(a, u, !exact, 0))
            return true;
    }
    return false;
}

/* Returns the largest length of fibers without an open circle of the family. */
static uint32_t longest_fiber(dl_analysis *a, uint32_t stream) {
    uint32_t fiber = 0;
    while (fiber < LONGEST_FIBER && !open_circle(a, stream, fiber + 1))
        fiber++;
    return fiber;
}

/* Returns a sufficient number of tokens if `room` leaves `bound` on the worst circle; without a path no token
 * is needed. */
static uint32_t enough(uint32_t room, int bound) {
    if (bound >= 0)
        return room;
    return (int)room + bound + 1 > 1 ? (uint32_t)((int)room + bound + 1) : 1;
}

/* Checks circles of a family that pass one of its own streams, or several of its children's streams; the
 * order of coordinates may exclude the latter. */
static void check_family(dl_analysis *a, uint32_t stream) {
    uint32_t fiber = NET_ANY_FIBER;
    for (int among = 0; among < 2; among++) {
        count_in(a, stream, among, NET_ANY_FIBER);
        for (uint32_t i = 0; i < a->n_within; i++) {
            uint32_t u = a->within[i];
            int bound = a->bound[u * a->nodes + u];
            if (bound == DL_NEVER || (!among && dl_place_of_node(a, u) != DL_EXACT))
                continue;
            if (!among && dl_is_full(u))
                record(a, u, enough(dl_channel_of(a, u)->room, bound), NET_ANY_FIBER);
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
    dl_analysis a = {.out = out};
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
    for (uint32_t i = 0; i < found.reconvergences.len; i++)
        vec_push(mem, &out->reconvergences, found.reconvergences.at[i]);
    for (uint32_t i = 0; i < found.circle.len; i++)
        vec_push(mem, &out->circle, found.circle.at[i]);
    if (out->reconvergences.len)
        qsort(out->reconvergences.at, out->reconvergences.len, sizeof *out->reconvergences.at, by_pin);
    arena_free(&scratch);
}
