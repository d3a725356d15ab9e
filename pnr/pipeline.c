/* SplitFIFO pairs. Two consecutive outputs A -> B that both select their register form one FIFO of two
 * entries: A (start) cuts the ready path, B (end) cuts data and valid.
 *
 * Broadcast rule: only a tile's core output holds back its valid until all branches are ready; after a FIFO
 * nothing does. A pair may stand only where neither A nor a later hop forks: on the unbranched tail of a
 * sink's path. Exhaustive: every tail is cut into disjoint pairs from its first hop on; an odd last hop stays
 * a plain wire; O(hops). Midpoint: paths between FIFOs lie within a net, and each net may lose pairs down to
 * the speed of the slowest net of the exhaustive design; starting from none, the pair nearest to the middle
 * of the net's slowest path is set until the net is fast enough; O(hops^2) a net.
 */
#include "pnr/floor_int.h"

/* Counts the ends of each hop's wire: following hops and sinks. */
static uint32_t *count_consumers(const pnr_route *r, arena *scratch) {
    uint32_t *consumers = arena_new_n(scratch, uint32_t, r->hops.len + 1);
    for (uint32_t i = 0; i < r->hops.len; i++)
        if (r->hops.at[i].parent != PNR_NO_HOP)
            consumers[r->hops.at[i].parent]++;
    for (uint32_t i = 0; i < r->sinks.len; i++)
        if (r->sinks.at[i].hop != PNR_NO_HOP)
            consumers[r->sinks.at[i].hop]++;
    return consumers;
}

static bool *find_forks(const pnr_route *r, arena *scratch) {
    uint32_t *consumers = count_consumers(r, scratch);
    bool *forks_later = arena_new_n(scratch, bool, r->hops.len + 1);
    for (uint32_t i = r->hops.len; i-- > 0;) {
        uint32_t parent = r->hops.at[i].parent;
        forks_later[i] |= consumers[i] > 1;
        if (parent != PNR_NO_HOP)
            forks_later[parent] |= forks_later[i];
    }
    return forks_later;
}

static void clear_pairs(pnr_route *r) {
    for (uint32_t i = 0; i < r->hops.len; i++)
        r->hops.at[i].registered = r->hops.at[i].fifo_start = r->hops.at[i].fifo_end = false;
}

/* Sets the pair ending at hop `end` unless the rules or another pair forbid the pair. */
static bool set_pair(pnr_route *r, uint32_t end, const bool *forks_later) {
    pnr_hop *b = &r->hops.at[end];
    if (r->early || b->parent == PNR_NO_HOP || forks_later[b->parent] || b->registered ||
        r->hops.at[b->parent].registered)
        return false;
    pnr_hop *a = &r->hops.at[b->parent];
    a->registered = a->fifo_start = true;
    b->registered = b->fifo_end = true;
    return true;
}

void pnr_pair_route(pnr_route *r, arena *scratch) {
    const bool *forks_later = find_forks(r, scratch);
    clear_pairs(r);
    for (uint32_t i = 0; i < r->hops.len; i++) /* parents come first: theirs is settled */
        set_pair(r, i, forks_later);
}

/* Sets the pair nearest to the middle of a stretch, whose last hop comes first. */
static bool pair_in_middle(pnr_route *r, const u32_vec *hops, const bool *forks_later) {
    for (uint32_t far = 0; far <= hops->len; far++)
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t at = side ? hops->len / 2 + far : hops->len / 2 - far;
            if (at < hops->len && set_pair(r, hops->at[at], forks_later))
                return true;
        }
    return false;
}

/* Sets the fewest pairs that keep the net within `target`; false if this method fails. */
static bool pair_by_middle(pnr_design *design, uint32_t net, const pnr_delays *d, uint32_t target,
                           arena *scratch) {
    pnr_route *r = &design->route.at[net];
    const bool *forks_later = find_forks(r, scratch);
    u32_vec forth = {0}, back = {0};
    clear_pairs(r);
    while (pnr_net_delay(design, d, net) > target) {
        pnr_slowest_hops(design, d, net, scratch, &forth, &back);
        bool forth_first = forth.len >= back.len;
        if (!pair_in_middle(r, forth_first ? &forth : &back, forks_later) &&
            !pair_in_middle(r, forth_first ? &back : &forth, forks_later))
            return false;
    }
    return true;
}

static void pair_by_middles(pnr_design *design, const pnr_delays *d, arena *scratch) {
    pnr_limits limits = pnr_design_limits(design, d, scratch);
    uint32_t target = pnr_target(&limits);
    for (uint32_t n = 0; n < design->route.len; n++) {
        uint32_t delay = pnr_net_delay(design, d, n);
        target = delay > target ? delay : target;
    }
    for (uint32_t n = 0; n < design->route.len; n++)
        if (!pair_by_middle(design, n, d, target, scratch))
            pnr_pair_route(&design->route.at[n], scratch);
}

/* Sets all possible pairs before every join whose shortest path holds too few tokens. */
static void fill_starved_joins(pnr_design *design, arena *scratch) {
    pnr_imbalance_vec starved = {0};
    pnr_balance(design, scratch, &starved);
    for (uint32_t i = 0; i < starved.len; i++)
        for (uint32_t n = 0; n < design->route.len; n++) {
            const net_data *net = &design->net->nets.at[n];
            bool drives = false;
            for (uint32_t s = 0; s < net->sinks.len; s++)
                drives |= net->sinks.at[s].cell.v - 1 == starved.at[i].join;
            if (drives)
                pnr_pair_route(&design->route.at[n], scratch);
        }
}

void pnr_pipeline(pnr_design *design, pnr_pipelining how, arena *scratch) {
    pnr_delays table;
    diagnostics quiet; /* a board without delays has no slowest path: every pair is as good as another */
    diag_init(&quiet, scratch);
    for (uint32_t n = 0; n < design->route.len && how != PNR_PIPELINE_NONE; n++)
        pnr_pair_route(&design->route.at[n], scratch);
    if (how == PNR_PIPELINE_MIDPOINT && pnr_read_delays(design->board, &quiet, &table))
        pair_by_middles(design, &table, scratch);
    if (how == PNR_PIPELINE_MIDPOINT)
        fill_starved_joins(design, scratch);
}
