/* Shared by the units' step functions: queues, the control tokens of joiners, and messages about unacceptable
 * tokens. */
#include "sam/sim_units.h"

const char *sim_token_text(arena *mem, sim_token t) {
    if (sim_is_number(t))
        return arena_printf(mem, "%u", t);
    if (sim_is_stop(t) && sim_hollow(t))
        return arena_printf(mem, "S%u/%u", sim_level(t), sim_hollow(t));
    if (sim_is_stop(t))
        return arena_printf(mem, "S%u", sim_level(t));
    return t == SIM_EMPTY ? "N" : "D";
}

bool sim_refuse(sim_machine *m, const sim_unit *u, const char *why) {
    arena *mem = m->d->mem;
    const char *heads = "";
    for (uint32_t i = 0; i < u->n_in; i++)
        heads = arena_printf(mem, "%s%s%s", heads, i ? ", " : "",
                             sim_has(u->in[i]) ? sim_token_text(mem, sim_head(u->in[i])) : "-");
    diag_error(m->d, sam_node_at(m->g, u->node)->loc, "E0231-stream",
               "%s in cycle %llu: %s (at its inputs: %s)", sam_node_label(m->g, u->node, mem),
               (unsigned long long)m->cycle, why, heads);
    diag_hint(m->d, m->timing == SAM_TIMING_PUBLISHED
                        ? "--timing ideal runs what only the published primitives cannot take"
                        : "the graph pairs streams that do not have the same fibers");
    m->failed = true;
    return true;
}

sim_token sim_join_control(sim_machine *m, sim_unit *u) {
    sim_token t = sim_head(u->in[0]);
    for (uint32_t i = 0; i < u->n_in; i++) {
        sim_token other = sim_head(u->in[i]);
        if (sim_is_stop(t) ? !sim_is_stop(other) || sim_level(other) != sim_level(t) : other != t) {
            sim_refuse(m, u, "the operands' fibers end differently");
            return SIM_EMPTY;
        }
        if (sim_is_stop(t) && sim_hollow(other) < sim_hollow(t))
            t = other;
    }
    for (uint32_t i = 0; i < u->n_in; i++)
        sim_pop(u->in[i]);
    for (uint32_t port = 0; port <= u->n_in / 2; port++)
        sim_emit(m, u, port, t);
    if (t == SIM_DONE)
        sim_finish(m, u);
    return t;
}

enum { QUEUE_FIRST = 16 };

/* Nobody is told of its tokens until its reader has a place in the order. */
sim_queue *sim_new_queue(arena *mem) {
    sim_queue *q = arena_new(mem, sim_queue);
    q->at = arena_new_n(mem, sim_token, QUEUE_FIRST);
    q->mask = QUEUE_FIRST - 1;
    q->ready = arena_new(mem, uint64_t);
    return q;
}

void sim_grow(arena *mem, sim_queue *q) {
    uint32_t larger = (q->mask + 1) * 2;
    BUG_IF(!larger, "queue of 2^31 tokens");
    sim_token *at = arena_new_n(mem, sim_token, larger);
    for (uint64_t i = q->begin; i != q->end; i++)
        at[i & (larger - 1)] = q->at[i & q->mask];
    q->at = at;
    q->mask = larger - 1;
}
