/* The parallelizer and the serializer: a stream to k copies of a sub-graph and back.
 *
 * They deal out sub-trees of `depth` levels: single tokens at depth 0, innermost fibers at depth 1, and so
 * on. Sub-tree e of a fiber goes to copy e mod k, counted anew in each fiber, and every copy receives the
 * ends of all fibers: a copy without a sub-tree in some fiber sees an empty fiber. The serializer takes the
 * sub-trees back in the same order: a copy must give exactly one for each received; droppers of sub-trees
 * belong behind the serializer. */
#include "sam/sim_units.h"

static bool ends_fiber(sim_token t, uint32_t depth) {
    return sim_is_stop(t) && sim_level(t) >= depth;
}

/* Returns whether the fiber ended by t has no sub-tree, or was never opened itself. */
static bool ends_empty(sim_token t, uint32_t depth) {
    return ends_fiber(t, depth) && sim_hollow(t) >= depth;
}

/* ---- parallelizer ---------------------------------------------------------------------------- */

static void emit_all(sim_machine *m, const sim_unit *u, sim_token t) {
    for (uint32_t k = 0; k < u->n_out; k++)
        sim_emit(m, u, k, t);
}

/* The stop after a sub-tree waits until another sub-tree for the copy in this fiber is certain or
 * excluded. */
static bool pay_stop(sim_machine *m, sim_unit *u) {
    sim_token *owed = &u->s.deal.owed[u->s.deal.turn];
    if (!*owed)
        return false;
    sim_emit(m, u, u->s.deal.turn, *owed);
    *owed = 0;
    return true;
}

/* t ends the last sub-tree of a fiber. */
static void end_dealing(sim_machine *m, sim_unit *u, sim_token t) {
    for (uint32_t k = 0; k < u->n_out; k++) {
        sim_token *owed = &u->s.deal.owed[k];
        uint32_t hollow = *owed ? sim_hollow(*owed) : u->s.deal.depth;
        sim_emit(m, u, k, k == u->s.deal.turn ? t : sim_stop(sim_level(t), hollow));
        *owed = 0;
    }
    u->s.deal.turn = 0;
}

bool sim_step_parallelize(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]))
        return false;
    sim_token t = sim_head(u->in[0]);
    uint32_t depth = u->s.deal.depth, copies = u->n_out ? u->n_out : 1;
    if (t == SIM_DONE || ends_empty(t, depth)) {
        emit_all(m, u, t);
        u->s.deal.turn = 0;
        if (t == SIM_DONE)
            sim_finish(m, u);
    } else if (pay_stop(m, u)) {
        return true;
    } else if (ends_fiber(t, depth)) {
        end_dealing(m, u, t);
    } else if (sim_is_stop(t) && sim_level(t) + 1 == depth) {
        u->s.deal.owed[u->s.deal.turn] = t;
        u->s.deal.turn = (u->s.deal.turn + 1) % copies;
    } else {
        sim_emit(m, u, u->s.deal.turn, t);
        if (depth == 0)
            u->s.deal.turn = (u->s.deal.turn + 1) % copies;
    }
    sim_pop(u->in[0]);
    return true;
}

/* ---- serializer ------------------------------------------------------------------------------ */

/* Every copy still in the fiber must be at its end, and all copies at the same end. */
static bool end_collecting(sim_machine *m, sim_unit *u) {
    sim_token stop = u->s.deal.stop;
    for (uint32_t k = 0; k < u->n_in; k++) {
        if (u->s.deal.ended[k])
            continue;
        if (!sim_has(u->in[k]))
            return false;
        sim_token t = sim_head(u->in[k]);
        if (sim_is_stop(stop) ? !ends_empty(t, u->s.deal.depth) || sim_level(t) != sim_level(stop)
                              : t != stop)
            return sim_refuse(m, u, "a copy does not give one sub-tree for each that was dealt to it");
        if (sim_is_stop(stop) && sim_hollow(t) < sim_hollow(stop))
            stop = t;
    }
    for (uint32_t k = 0; k < u->n_in; k++) {
        if (!u->s.deal.ended[k])
            sim_pop(u->in[k]);
        u->s.deal.ended[k] = false;
    }
    sim_emit(m, u, 0, stop);
    u->s.deal.turn = 0;
    u->s.deal.stop = 0;
    u->s.deal.closing = false;
    return sim_passed(m, u, stop);
}

static bool begin_end(sim_machine *m, sim_unit *u, sim_token stop) {
    u->s.deal.stop = stop;
    u->s.deal.closing = true;
    return end_collecting(m, u);
}

/* The current copy gave its last sub-tree of the fiber; the next copy shows whether any sub-tree remains. */
static bool last_of_copy(sim_machine *m, sim_unit *u, sim_token t) {
    uint32_t next = (u->s.deal.turn + 1) % u->n_in;
    if (u->s.deal.stop && sim_level(u->s.deal.stop) != sim_level(t))
        return sim_refuse(m, u, "the copies' fibers end differently");
    bool over = next == u->s.deal.turn || u->s.deal.ended[next];
    if (!over && !sim_has(u->in[next]))
        return false;
    over = over || ends_empty(sim_head(u->in[next]), u->s.deal.depth);
    sim_pop(u->in[u->s.deal.turn]);
    u->s.deal.ended[u->s.deal.turn] = true;
    u->s.deal.stop = t;
    if (over) {
        begin_end(m, u, t);
    } else {
        sim_emit(m, u, 0, sim_stop(u->s.deal.depth - 1, sim_hollow(t)));
        u->s.deal.turn = next;
    }
    return true;
}

bool sim_step_serialize(sim_machine *m, sim_unit *u) {
    if (u->s.deal.closing)
        return end_collecting(m, u);
    sim_queue *in = u->in[u->s.deal.turn];
    uint32_t depth = u->s.deal.depth;
    if (!sim_has(in))
        return false;
    sim_token t = sim_head(in);
    if (u->s.deal.ended[u->s.deal.turn])
        return sim_refuse(m, u, "a copy does not give one sub-tree for each that was dealt to it");
    if (t == SIM_DONE || ends_empty(t, depth))
        return begin_end(m, u, t);
    if (ends_fiber(t, depth))
        return last_of_copy(m, u, t);
    sim_pop(in);
    sim_emit(m, u, 0, t);
    if (depth == 0 || (sim_is_stop(t) && sim_level(t) + 1 == depth))
        u->s.deal.turn = (u->s.deal.turn + 1) % u->n_in;
    return true;
}
