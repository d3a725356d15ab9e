/* SplitFIFO pairs. Two consecutive outputs A -> B that both select their register form one FIFO of two
 * entries: A (start) cuts the ready path, B (end) cuts data and valid.
 *
 * Broadcast rule: only a tile's core output holds back its valid until all branches are ready; after a FIFO
 * nothing does. So a pair may stand only where neither A nor anything after it forks: on the unbranched tail
 * of a sink's path. Every such tail is cut into disjoint pairs from its first hop on; an odd last hop stays a
 * plain wire. O(hops).
 */
#include "pnr/pnr_int.h"

/* How many places each hop's wire leads to: following hops and sinks. */
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

static void pair_route(pnr_route *r, arena *scratch) {
    uint32_t *consumers = count_consumers(r, scratch);
    bool *forks_later = arena_new_n(scratch, bool, r->hops.len + 1);
    for (uint32_t i = r->hops.len; i-- > 0;) {
        uint32_t parent = r->hops.at[i].parent;
        forks_later[i] |= consumers[i] > 1;
        if (parent != PNR_NO_HOP)
            forks_later[parent] |= forks_later[i];
    }
    /* Parents come first: when hop i is looked at, its parent's role is settled. */
    for (uint32_t i = 0; i < r->hops.len; i++) {
        pnr_hop *b = &r->hops.at[i];
        if (b->parent == PNR_NO_HOP || forks_later[b->parent] || r->hops.at[b->parent].registered)
            continue;
        pnr_hop *a = &r->hops.at[b->parent];
        a->registered = a->fifo_start = true;
        b->registered = b->fifo_end = true;
    }
}

void pnr_pipeline(pnr_design *design, arena *scratch) {
    for (uint32_t n = 0; n < design->route.len; n++)
        pair_route(&design->route.at[n], scratch);
}
