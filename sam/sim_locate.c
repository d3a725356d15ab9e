/* Units that look up or store by coordinate: the locator and the array in store mode. */
#include "sam/sim_units.h"

uint32_t sim_lower_bound(const sam_level_data *level, uint32_t at, uint32_t end, uint32_t base,
                         uint32_t crd) {
    if (level->format == SAM_LEVEL_DENSE)
        return crd >= end - base ? end : base + crd > at ? base + crd : at;
    while (at < end) {
        uint32_t middle = at + (end - at) / 2;
        if (level->crd[middle] < crd)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

/* Position of a coordinate in fiber `fiber` of a level; SIM_EMPTY if absent. O(log fiber). */
static sim_token locate(const sam_level_data *level, uint32_t fiber, uint32_t crd) {
    if (level->format == SAM_LEVEL_DENSE)
        return crd < level->dim ? fiber * level->dim + crd : SIM_EMPTY;
    uint32_t end = level->seg[fiber + 1], at = sim_lower_bound(level, level->seg[fiber], end, 0, crd);
    return at < end && level->crd[at] == crd ? at : SIM_EMPTY;
}

/* ---- locator --------------------------------------------------------------------------------- */

static bool all_three(sim_machine *m, sim_unit *u, sim_token a, sim_token b, sim_token c) {
    sim_emit(m, u, 0, a);
    sim_emit(m, u, 1, b);
    sim_emit(m, u, 2, c);
    return true;
}

/* The fiber of coordinates ends, and its reference and the surrounding fibers end, too. */
static bool locate_stop(sim_machine *m, sim_unit *u, sim_token stop, bool moved) {
    sim_token r = u->s.locate.reference;
    if (!sim_hollow(stop) && sim_is_element(r) && sim_level(stop)) {
        if (moved || !sim_has(u->in[0])) /* a port moves a token a cycle */
            return moved;
        r = sim_head(u->in[0]);
        if (sim_is_stop(r))
            sim_pop(u->in[0]);
    } else if (!sim_hollow(stop) && sim_is_element(r)) {
        r = sim_stop(0, 0);
        stop = sim_stop(0, 0);
    }
    bool outer = sim_is_stop(r) && (sim_level(stop) == 0 || sim_level(r) + 1 == sim_level(stop));
    if (!outer)
        return sim_refuse(m, u, "coordinates and fiber references are not in step");
    u->s.locate.holds = false;
    sim_pop(u->in[1]);
    sim_pop(u->in[2]);
    return all_three(m, u, stop, stop, stop);
}

bool sim_step_locate(sim_machine *m, sim_unit *u) {
    bool moved = false;
    if (!u->s.locate.holds && sim_has(u->in[0])) {
        u->s.locate.reference = sim_pop(u->in[0]);
        u->s.locate.holds = moved = true;
    }
    if (!u->s.locate.holds || !sim_has(u->in[1]) || !sim_has(u->in[2]))
        return moved;
    sim_token r = u->s.locate.reference, crd = sim_head(u->in[1]), other = sim_head(u->in[2]);
    bool stops = sim_is_stop(crd) && sim_is_stop(other) && sim_level(crd) == sim_level(other);
    if (!stops && crd != SIM_DONE && (!sim_is_number(crd) || !sim_is_element(other)))
        return sim_refuse(m, u, "coordinates and references are not in step");
    if (stops)
        return locate_stop(m, u, crd, moved);
    if (crd == SIM_DONE ? r != SIM_DONE || other != SIM_DONE : !sim_is_element(r))
        return sim_refuse(m, u, "coordinates and fiber references are not in step");
    sim_pop(u->in[1]);
    sim_pop(u->in[2]);
    if (crd == SIM_DONE) {
        sim_finish(m, u);
        return all_three(m, u, crd, crd, crd);
    }
    if (sim_is_number(r) && r >= u->s.locate.fibers)
        return sim_refuse(m, u, "the reference is beyond the last fiber");
    sim_token found = sim_is_number(r) ? locate(u->s.locate.level, r, crd) : SIM_EMPTY;
    if (found != SIM_EMPTY)
        all_three(m, u, crd, other, found);
    return true;
}

/* ---- array, store mode ----------------------------------------------------------------------- */

bool sim_step_store(sim_machine *m, sim_unit *u) {
    if (!sim_has(u->in[0]) || !sim_has(u->in[1]))
        return false;
    sim_token r = sim_head(u->in[0]), value = sim_head(u->in[1]);
    bool control = sim_is_stop(r) ? sim_is_stop(value) && sim_level(r) == sim_level(value)
                                  : r == SIM_DONE && value == SIM_DONE;
    if (!control && (!sim_is_element(r) || !sim_is_element(value)))
        return sim_refuse(m, u, "references and values are not in step");
    if (sim_is_number(r) && r >= u->s.store.n_vals)
        return sim_refuse(m, u, "the reference is beyond the last value");
    sim_pop(u->in[0]);
    sim_pop(u->in[1]);
    if (r == SIM_DONE)
        sim_finish(m, u);
    if (!sim_is_number(r))
        return true;
    uint16_t *place = &u->s.store.vals[r], number = value == SIM_EMPTY ? 0 : (uint16_t)value;
    *place = u->s.store.combine ? u->s.store.combine(*place, number) : number;
    return true;
}
