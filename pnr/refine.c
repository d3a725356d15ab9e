/* After negotiation: first shorter routes, next faster ones. Both passes use free wires only: the design
 * stays legal throughout. O(sinks) searches a net each.
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

/* Removes the part of a tree used only by sink `s`. */
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

/* Routes the net again on free wires and keeps a faster result. */
static bool lead_again(repairer *p, uint32_t net, uint32_t *delay) {
    router *r = p->r;
    pnr_route *route = &p->design->route.at[net];
    route_rip_up(r, net);
    if (route_grow(r, net, false)) {
        route_write(r, net, p->mem, route);
        pnr_pair_route(route, r->mem);
        uint32_t now = pnr_net_delay(p->design, &p->r->delays, net);
        if (now < *delay) {
            *delay = now;
            copy_tree(r->mem, &p->best, &r->tree[net]);
            return true;
        }
    }
    restore(r, net, &p->best);
    route_write(r, net, p->mem, route);
    pnr_pair_route(route, r->mem);
    return false;
}

/* Parts branches earlier and earlier; a single hop from an IO tile, too short for a pair, becomes three. */
static bool repair_net(repairer *p, uint32_t net, uint32_t limit, uint32_t *delay) {
    static const uint32_t apart[] = {0, ROUTE_BASE / 4, ROUTE_BASE / 2, ROUTE_BASE, 8 * ROUTE_BASE};
    router *r = p->r;
    bool better = false;
    copy_tree(r->mem, &p->best, &r->tree[net]);
    for (uint32_t i = 0; i < 2 * sizeof apart / sizeof apart[0] && *delay > limit; i++) {
        r->branch_cost = apart[i / 2];
        r->detour = i % 2;
        better |= lead_again(p, net, delay);
    }
    r->detour = false;
    if (*delay > limit && !r->lead[net] && !r->limits.early[net]) { /* every branch is judged alone */
        r->lead[net] = route_lead_sides(r, net);
        better |= lead_again(p, net, delay);
    }
    return better;
}

static bool is_faster(const void *delays, uint32_t a, uint32_t b) {
    const uint32_t *delay = delays;
    return delay[a] < delay[b];
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
        uint32_t net = slowest[i];
        better += repair_net(&p, net, limit, &delay[net]);
        limit = delay[net] > limit ? delay[net] : limit; /* faster other nets would not help */
    }
    return better;
}
