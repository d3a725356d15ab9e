/* After negotiation: first shorter routes, next faster ones, of free wires: the design stays legal
 * throughout. O(sinks) searches a net each. Last, slow nets take wires of others, which are led again by a
 * negotiation of their own: the design is legal behind, or as before.
 */
#include "pnr/grow.h"
#include "support/sort.h"

/* ---- after the routes are legal -------------------------------------------------------------- */

static uint32_t tree_wires(const router *r, const route_tree *t) {
    uint32_t wires = 0;
    for (uint32_t i = 0; i < t->nodes.len; i++)
        wires += t->nodes.at[i].node < r->wires;
    return wires;
}

static void copy_tree(arena *mem, route_tree *to, const route_tree *from) {
    to->nodes.len = to->sink.len = 0;
    for (uint32_t i = 0; i < from->nodes.len; i++)
        vec_push(mem, &to->nodes, from->nodes.at[i]);
    for (uint32_t i = 0; i < from->sink.len; i++)
        vec_push(mem, &to->sink, from->sink.at[i]);
}

/* Removes the branch of a tree used only by sink `s`. */
static void cut_sink(router *r, route_tree *t, uint32_t s, u32_vec *users) {
    users->len = 0;
    for (uint32_t i = 0; i < t->nodes.len; i++)
        vec_push(r->mem, users, 0);
    for (uint32_t k = 0; k < t->sink.len; k++)
        for (uint32_t i = t->sink.at[k]; i != ROUTE_NONE && k != s; i = t->nodes.at[i].parent)
            users->at[i]++;
    t->sink.at[s] = ROUTE_NONE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->nodes.len; i++) {
        tree_node node = t->nodes.at[i];
        if (users->at[i] == 0) {
            if (node.node < r->wires)
                r->uses[node.node]--;
            continue;
        }
        if (node.parent != ROUTE_NONE)
            node.parent = users->at[node.parent];
        t->nodes.at[kept] = node;
        users->at[i] = kept++; /* now the new index; parents come first, with known indices */
    }
    t->nodes.len = kept;
    for (uint32_t k = 0; k < t->sink.len; k++)
        if (k != s)
            t->sink.at[k] = users->at[t->sink.at[k]];
}

/* Restores a tree in place of the net's current tree. */
static void restore(router *r, uint32_t net, const route_tree *saved) {
    route_rip_up(r, net);
    copy_tree(r->mem, &r->tree[net], saved);
    for (uint32_t i = 0; i < saved->nodes.len; i++)
        if (saved->nodes.at[i].node < r->wires)
            r->uses[saved->nodes.at[i].node]++;
}

/* Shortens a net on free wires only: tries other orders of the sinks, cuts off each sink and routes the sink
 * again. The net is never longer than before. */
static void refine_net(router *r, uint32_t net, route_tree *best, u32_vec *scratch) {
    route_tree *t = &r->tree[net];
    copy_tree(r->mem, best, t);
    for (int farthest = 0; farthest < 2; farthest++) {
        route_rip_up(r, net);
        if (route_grow(r, net, farthest) && tree_wires(r, t) < tree_wires(r, best))
            copy_tree(r->mem, best, t);
        restore(r, net, best);
    }
    for (uint32_t s = 0; s < t->sink.len && t->sink.len > 1; s++) {
        cut_sink(r, t, s, scratch);
        if (route_grow(r, net, false) && tree_wires(r, t) < tree_wires(r, best))
            copy_tree(r->mem, best, t);
        else
            restore(r, net, best);
    }
}

static uint32_t all_wires(const router *r) {
    uint32_t wires = 0;
    for (uint32_t n = 0; n < r->design->net->nets.len; n++)
        wires += tree_wires(r, &r->tree[n]);
    return wires;
}

uint32_t route_refine(router *r, const uint32_t *order) {
    route_tree best = {0};
    u32_vec scratch = {0};
    uint32_t before = all_wires(r);
    r->exclusive = true;
    r->present = 0;
    memset(r->history, 0, r->wires * sizeof *r->history);
    for (uint32_t i = 0; i < r->design->net->nets.len; i++)
        refine_net(r, order[i], &best, &scratch);
    return before - all_wires(r);
}

/* ---- a shorter period ------------------------------------------------------------------------ */

typedef struct {
    pnr_design *design;
    router *r;
    route_tree best;
    arena *mem;
} repairer;

/* Writes the net with every pair; returns its delay. */
static uint32_t write_net(repairer *p, uint32_t net) {
    router *r = p->r;
    pnr_route *route = &p->design->route.at[net];
    route_write(r, net, p->mem, route);
    pnr_pair_route(route, r->mem);
    return pnr_net_delay(p->design, &r->delays, net);
}

/* Routes the net again on free wires and keeps a faster result. */
static void lead_again(repairer *p, uint32_t net, uint32_t *delay) {
    router *r = p->r;
    route_rip_up(r, net);
    if (route_grow(r, net, false)) {
        const uint32_t now = write_net(p, net);
        if (now < *delay) {
            *delay = now;
            copy_tree(r->mem, &p->best, &r->tree[net]);
            return;
        }
    }
    restore(r, net, &p->best);
    write_net(p, net);
}

/* Parts branches earlier and earlier; a single hop from an IO tile, too short for a pair, becomes three. */
static void repair_net(repairer *p, uint32_t net, uint32_t limit, uint32_t *delay) {
    static const uint32_t apart[] = {0, ROUTE_BASE / 4, ROUTE_BASE / 2, ROUTE_BASE, 8 * ROUTE_BASE};
    router *r = p->r;
    copy_tree(r->mem, &p->best, &r->tree[net]);
    for (uint32_t i = 0; i < 2 * sizeof apart / sizeof apart[0] && *delay > limit; i++) {
        r->branch_cost = apart[i / 2];
        r->detour = i % 2;
        lead_again(p, net, delay);
    }
    r->detour = false;
    if (*delay > limit && !r->lead[net] && !r->limits.early[net]) { /* every branch is judged alone */
        r->lead[net] = route_lead_sides(r, net);
        lead_again(p, net, delay);
    }
}

/* A net that may be led again beside others, and its tree before. */
typedef struct {
    uint32_t net, delay;
    route_tree tree;
    uint8_t lead; /* as in router */
} moved_net;
typedef VEC(moved_net) moved_nets;

static void add_moved(const router *r, uint32_t net, moved_nets *moved) {
    vec_push(r->mem, moved, (moved_net){.net = net, .lead = r->lead[net]});
    copy_tree(r->mem, &moved->at[moved->len - 1].tree, &r->tree[net]);
}

/* Leads the nets as before. */
static void return_to(repairer *p, const moved_nets *moved) {
    router *r = p->r;
    for (uint32_t i = 0; i < moved->len; i++)
        route_rip_up(r, moved->at[i].net);
    for (uint32_t i = 0; i < moved->len; i++) {
        const moved_net *m = &moved->at[i];
        restore(r, m->net, &m->tree);
        write_net(p, m->net);
        r->lead[m->net] = m->lead;
    }
}

/* A negotiation for one net: its rounds, how many nets may move, and how often slow nets of them lead to
 * another. */
enum { MOST_ROUNDS = 32, MOST_MOVED = 64, MOST_TRIES = 8 };

/* Returns the net of each wire of a legal design. */
static const uint32_t *list_owners(router *r) {
    uint32_t *owner = r->owner ? r->owner : arena_new_n(r->mem, uint32_t, r->wires + 1);
    r->owner = owner;
    memset(owner, 0xff, r->wires * sizeof *owner);
    for (uint32_t n = 0; n < r->design->net->nets.len; n++)
        for (uint32_t i = 0; i < r->tree[n].nodes.len; i++)
            if (r->tree[n].nodes.at[i].node < r->wires)
                owner[r->tree[n].nodes.at[i].node] = n;
    return owner;
}

/* Adds the owner of a wire before the negotiation, unless it moves already. */
static void add_owner(const router *r, uint32_t net, moved_nets *moved) {
    for (uint32_t i = 0; i < moved->len; i++)
        if (moved->at[i].net == net)
            return;
    add_moved(r, net, moved);
}

/* Adds the owners of shared wires, which only moved nets share, and raises the wires' history; returns
 * whether there are any. */
static bool add_sharers(router *r, const uint32_t *owner, moved_nets *moved) {
    bool shared = false;
    for (uint32_t m = 0; m < moved->len && moved->len <= MOST_MOVED; m++) {
        const route_tree *t = &r->tree[moved->at[m].net];
        for (uint32_t i = 0; i < t->nodes.len; i++) {
            const uint32_t node = t->nodes.at[i].node;
            if (node >= r->wires || r->uses[node] < 2)
                continue;
            r->history[node] += ROUTE_BASE / 2;
            shared = true;
            if (owner[node] != ROUTE_NONE)
                add_owner(r, owner[node], moved);
        }
    }
    return shared;
}

/* Negotiates for the nets in `moved` without a tree, which may take wires of others; their nets join. */
static bool negotiate_for(router *r, moved_nets *moved) {
    bool shared = true;
    const uint32_t *owner = list_owners(r);
    r->exclusive = false;
    r->present = ROUTE_PRESENT;
    for (uint32_t round = 0; round < MOST_ROUNDS && shared && moved->len <= MOST_MOVED; round++) {
        for (uint32_t i = 0; i < moved->len; i++) {
            const uint32_t net = moved->at[i].net;
            if (r->tree[net].nodes.len && !route_is_shared(r, net))
                continue;
            route_rip_up(r, net);
            if (!route_grow(r, net, false))
                return false;
        }
        shared = add_sharers(r, owner, moved);
        r->present = r->present * 8 / 5;
    }
    return !shared;
}

/* Measures the moved nets, of which the first may take `most`, others as much or as before, and repairs
 * slower nets. Returns whether all are fast enough; the others lose their ways, and lead each branch with a
 * pair at once. */
static bool are_fast(repairer *p, const moved_nets *moved, uint32_t most, const uint32_t *delay) {
    router *r = p->r;
    bool fast = true;
    r->exclusive = true;
    r->present = 0;
    for (uint32_t i = 0; i < moved->len; i++) {
        moved_net *m = &moved->at[i];
        const uint32_t enough = i && delay[m->net] > most ? delay[m->net] : most;
        m->delay = write_net(p, m->net);
        if (m->delay > enough)
            repair_net(p, m->net, enough, &m->delay);
        if (m->delay <= enough)
            continue;
        if (!r->limits.early[m->net])
            r->lead[m->net] = route_lead_sides(r, m->net);
        route_rip_up(r, m->net);
        fast = false;
    }
    return fast;
}

/* Leads the net over wires of others, which are led again; all or nothing. The net ends no slower than
 * `limit` or, if this is more, than three quarters of itself, and no other slower than both this and before:
 * of nets as slow there is one fewer. O(hops of all nets) beside the searches. */
static bool displace(repairer *p, uint32_t net, uint32_t limit, uint32_t *delay) {
    router *r = p->r;
    const uint32_t share = delay[net] / 4 * 3, most = share > limit ? share : limit;
    moved_nets moved = {0};
    add_moved(r, net, &moved);
    route_rip_up(r, net);
    bool good = false;
    for (uint32_t i = 0; i < MOST_TRIES && !good && negotiate_for(r, &moved); i++)
        good = are_fast(p, &moved, most, delay);
    r->exclusive = true;
    r->present = 0;
    for (uint32_t i = 0; i < moved.len && good; i++)
        delay[moved.at[i].net] = moved.at[i].delay;
    if (!good)
        return_to(p, &moved);
    return good;
}

static bool is_faster(const void *delays, uint32_t a, uint32_t b) {
    const uint32_t *delay = delays;
    return delay[a] < delay[b];
}

/* Returns the slowest net that may get faster, the first among equals; the number of nets if none is slower
 * than `limit`. */
static uint32_t slowest_net(const uint32_t *delay, const bool *stuck, uint32_t nets, uint32_t limit) {
    uint32_t slowest = nets;
    for (uint32_t n = 0; n < nets; n++)
        if (!stuck[n] && delay[n] > (slowest < nets ? delay[slowest] : limit))
            slowest = n;
    return slowest;
}

/* Moves other nets where free wires do not help, slowest net first, until a net is stuck; nothing moves if
 * the period stays. Returns how often a net got faster. */
static uint32_t move_others(repairer *p, uint32_t *delay) {
    const uint32_t nets = p->design->route.len;
    moved_nets before = {0};
    for (uint32_t n = 0; n < nets; n++)
        add_moved(p->r, n, &before);
    bool *stuck = arena_new_n(p->r->mem, bool, nets + 1);
    uint32_t better = 0, limit = p->r->period, net = slowest_net(delay, stuck, nets, limit);
    const uint32_t period = delay[net];
    for (; net < nets; net = slowest_net(delay, stuck, nets, limit)) {
        const uint32_t was = delay[net];
        repair_net(p, net, limit, &delay[net]);
        if (delay[net] > limit)
            displace(p, net, limit, delay);
        better += delay[net] < was;
        stuck[net] = delay[net] == was;
        limit = stuck[net] ? was : limit; /* faster other nets would not help */
    }
    if (limit < period)
        return better;
    return_to(p, &before);
    return 0;
}

uint32_t route_repair(router *r, arena *mem, pnr_design *design) {
    repairer p = {.r = r, .mem = mem, .design = design};
    uint32_t better = 0, limit = r->period;
    if (!r->limits.net) /* a board without delays has nothing to repair */
        return 0;
    uint32_t *delay = arena_new_n(r->mem, uint32_t, design->route.len + 1);
    for (uint32_t n = 0; n < design->route.len; n++)
        delay[n] = pnr_net_delay(design, &r->delays, n);
    const uint32_t *slowest = sort_order(design->route.len, is_faster, delay, r->mem);
    r->exclusive = true;
    r->present = 0;
    for (uint32_t i = 0; i < design->route.len && delay[slowest[i]] > limit; i++) {
        const uint32_t net = slowest[i], was = delay[net];
        repair_net(&p, net, limit, &delay[net]);
        better += delay[net] < was;
        limit = delay[net] > limit ? delay[net] : limit; /* faster other nets would not help */
    }
    return better + (limit > r->period ? move_others(&p, delay) : 0);
}
