/* The reducer with a memory of n >= 1 levels: vector, matrix, ...
 *
 * The reducer receives n coordinate streams, outermost first, and the values, with the fibers of the
 * innermost coordinates. It collects whole n-level tensors, adds up the values of equal points, and sends the
 * sum when the fiber around these tensors ends: a stop of level n or more on the innermost stream. Sorting
 * makes O(e log e) for e entries; values of a point are added in order of arrival. */
#include "sam/sim_units.h"
#include "support/sort.h"

/* ---- the sum --------------------------------------------------------------------------------- */

/* Returns the first coordinate that differs between entries a and b; the number of coordinates if equal. */
static uint32_t first_difference(const sim_unit *u, uint32_t a, uint32_t b) {
    uint32_t depth = u->s.vector.depth, i = 0;
    const uint32_t *pa = &u->s.vector.points.at[a * depth], *pb = &u->s.vector.points.at[b * depth];
    while (i < depth && pa[i] == pb[i])
        i++;
    return i;
}

static bool entry_comes_after(const void *unit, uint32_t a, uint32_t b) {
    const sim_unit *u = unit;
    uint32_t depth = u->s.vector.depth, i = first_difference(u, a, b);
    return i < depth && u->s.vector.points.at[a * depth + i] > u->s.vector.points.at[b * depth + i];
}

/* Leaves in `order` an entry a point, whose value is the sum. */
static void combine_entries(sim_machine *m, sim_unit *u) {
    uint16_t *value = u->s.vector.values.at;
    u32_vec *order = &u->s.vector.order;
    uint32_t n = u->s.vector.values.len, kept = 0;
    order->len = 0;
    for (uint32_t i = 0; i < n; i++)
        vec_push(m->mem, order, i);
    while (u->s.vector.spare.len < n)
        vec_push(m->mem, &u->s.vector.spare, 0);
    sort_numbers(order->at, n, u->s.vector.spare.at, entry_comes_after, u);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t entry = order->at[i], last = kept ? order->at[kept - 1] : entry;
        if (kept && first_difference(u, last, entry) == u->s.vector.depth)
            value[last] = u->s.vector.add(value[last], value[entry]);
        else
            order->at[kept++] = entry;
    }
    order->len = kept;
}

/* The fiber around the tensors has ended. An empty sum still has its outermost fiber. */
static void begin_draining(sim_machine *m, sim_unit *u, sim_token stop) {
    uint32_t hollow = sim_hollow(stop), depth = u->s.vector.depth;
    combine_entries(m, u);
    if (hollow > depth)
        hollow--;
    else
        hollow = u->s.vector.order.len ? 0 : depth - 1;
    u->s.vector.stop = sim_stop(sim_level(stop) - 1, hollow);
    u->s.vector.draining = true;
}

static void end_draining(sim_machine *m, sim_unit *u) {
    uint32_t depth = u->s.vector.depth;
    sim_token stop = u->s.vector.stop;
    for (uint32_t p = 0; p < depth; p++) {
        uint32_t up = depth - 1 - p, hollow = sim_hollow(stop);
        sim_emit(m, u, p, sim_stop(sim_level(stop) - up, hollow > up ? hollow - up : 0));
    }
    sim_emit(m, u, depth, stop);
    u->s.vector.points.len = u->s.vector.values.len = u->s.vector.sent = 0;
    u->s.vector.draining = false;
}

/* Emits an entry, or the stops before the entry. */
static bool drain(sim_machine *m, sim_unit *u) {
    uint32_t depth = u->s.vector.depth, sent = u->s.vector.sent;
    if (sent == u->s.vector.order.len) {
        end_draining(m, u);
        return true;
    }
    uint32_t entry = u->s.vector.order.at[sent];
    uint32_t changed = sent ? first_difference(u, u->s.vector.order.at[sent - 1], entry) : 0;
    if (sent && changed + 1 < depth && !u->s.vector.parted) {
        for (uint32_t p = changed + 1; p < depth; p++)
            sim_emit(m, u, p, sim_stop(p - 1 - changed, 0));
        sim_emit(m, u, depth, sim_stop(depth - 2 - changed, 0));
        u->s.vector.parted = true;
        return true;
    }
    for (uint32_t p = changed; p < depth; p++)
        sim_emit(m, u, p, u->s.vector.points.at[entry * depth + p]);
    sim_emit(m, u, depth, u->s.vector.values.at[entry]);
    u->s.vector.sent++;
    u->s.vector.parted = false;
    return true;
}

/* ---- collecting ------------------------------------------------------------------------------ */

/* A coordinate of outer port p contains a fiber of this level of the innermost stream. */
static uint32_t level_below(const sim_unit *u, uint32_t p) {
    return u->s.vector.depth - 2 - p;
}

/* Returns whether the innermost token t belongs to a coordinate of outer port p: an element, or the stop of
 * the coordinate's fiber. */
static bool needs_outer(const sim_unit *u, uint32_t p, sim_token t) {
    return !sim_is_stop(t) || (sim_level(t) >= level_below(u, p) && sim_hollow(t) <= level_below(u, p));
}

/* The stop required at outer port p when the innermost stream is at `stop`; 0 if none. */
static sim_token outer_stop(const sim_unit *u, uint32_t p, sim_token stop) {
    uint32_t up = level_below(u, p) + 1;
    return sim_level(stop) >= up ? sim_stop(sim_level(stop) - up, 0) : 0;
}

static void collect(sim_machine *m, sim_unit *u, sim_token crd, sim_token value) {
    for (uint32_t p = 0; p + 1 < u->s.vector.depth; p++)
        vec_push(m->mem, &u->s.vector.points, u->s.vector.outer_crd[p]);
    vec_push(m->mem, &u->s.vector.points, crd);
    vec_push(m->mem, &u->s.vector.values, value == SIM_EMPTY ? 0 : (uint16_t)value);
}

static bool take_stop(sim_machine *m, sim_unit *u, sim_token stop) {
    uint32_t outer = u->s.vector.depth - 1;
    for (uint32_t p = 0; p < outer; p++) {
        sim_token wanted = outer_stop(u, p, stop);
        if (wanted && !sim_has(u->in[p]))
            return false;
        bool ended = sim_level(stop) >= level_below(u, p);
        if ((ended && u->s.vector.holds[p] != needs_outer(u, p, stop)) ||
            (wanted &&
             (!sim_is_stop(sim_head(u->in[p])) || sim_level(sim_head(u->in[p])) != sim_level(wanted))))
            return sim_refuse(m, u, "the coordinate streams are not in step");
    }
    for (uint32_t p = 0; p < outer; p++) {
        if (needs_outer(u, p, stop))
            u->s.vector.holds[p] = false;
        if (outer_stop(u, p, stop))
            sim_pop(u->in[p]);
    }
    if (sim_level(stop) > outer)
        begin_draining(m, u, stop);
    return true;
}

static bool take_done(sim_machine *m, sim_unit *u) {
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]))
            return false;
    for (uint32_t i = 0; i < u->n_in; i++)
        if (sim_head(u->in[i]) != SIM_DONE)
            return sim_refuse(m, u, "coordinates and values are not in step");
    for (uint32_t i = 0; i < u->n_in; i++)
        sim_emit(m, u, i, sim_pop(u->in[i]));
    sim_finish(m, u);
    return true;
}

bool sim_step_vector(sim_machine *m, sim_unit *u) {
    uint32_t outer = u->s.vector.depth - 1;
    if (u->s.vector.draining)
        return drain(m, u);
    sim_queue *crds = u->in[outer], *values = u->in[outer + 1];
    if (!sim_has(crds) || !sim_has(values))
        return false;
    sim_token crd = sim_head(crds), value = sim_head(values);
    bool stops = sim_is_stop(crd) && sim_is_stop(value) && sim_level(crd) == sim_level(value);
    if (crd == SIM_DONE && value == SIM_DONE)
        return take_done(m, u);
    if (!stops && (!sim_is_number(crd) || !sim_is_element(value)))
        return sim_refuse(m, u, "coordinates and values are not in step");
    bool moved = false, all = true;
    for (uint32_t p = 0; p < outer; p++) {
        if (u->s.vector.holds[p] || !needs_outer(u, p, crd))
            continue;
        if (sim_has(u->in[p]) && !sim_is_number(sim_head(u->in[p])))
            return sim_refuse(m, u, "the coordinate streams are not in step");
        if (sim_has(u->in[p])) {
            u->s.vector.outer_crd[p] = sim_pop(u->in[p]);
            u->s.vector.holds[p] = moved = true;
        } else {
            all = false;
        }
    }
    if (!all || (stops && moved)) /* a port moves a token a cycle */
        return moved;
    if (!stops)
        collect(m, u, crd, value);
    else if (!take_stop(m, u, crd))
        return false;
    else if (m->failed)
        return true;
    sim_pop(crds);
    sim_pop(values);
    return true;
}
