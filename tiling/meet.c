/* meet.c - the number of matches of two operands' fibers. Operands with a single common variable may be far
 * from independent: entries near a diagonal, hubs of a graph with long fibers in both. The entries of the two
 * sub-tiles of a run are therefore counted along the variable. O(coordinates with entries) a run and pair. */
#include "tiling/meet.h"

/* The coordinates of a mode, in rising order, and how many entries each has. */
typedef struct plan_tally {
    uint16_t at, entries;
} tally;

/* Returns the operand's mode along v, or -1. */
static int mode_along(const plan_operand *o, sam_var v) {
    for (uint32_t m = 0; o->access && m < o->format->order; m++) {
        if (o->access->index[m].v == v.v)
            return (int)m;
    }
    return -1;
}

/* Returns whether a loop outside of v runs over entries of `other` without a coordinate in o. */
static bool is_repeated_by(const tile_planner *p, const plan_operand *o, const plan_operand *other,
                           sam_var v) {
    const sam_statement *s = p->statement;
    bool repeated = false;
    for (uint32_t l = 0; s->loops.at[l].v != v.v && !repeated; l++) {
        const sam_var w = s->loops.at[l];
        repeated = mode_along(other, w) >= 0 && mode_along(o, w) < 0 &&
                   !(other->access->located & var_bit(w)) && !(p->visits.separate[v.v - 1] & var_bit(w));
    }
    return repeated;
}

/* Returns the outermost common loop of both outside of v, none without one. */
static sam_var first_shared(const tile_planner *p, const plan_operand *o, const plan_operand *other,
                            sam_var v) {
    const sam_statement *s = p->statement;
    for (uint32_t l = 0; s->loops.at[l].v != v.v; l++) {
        if (mode_along(o, s->loops.at[l]) >= 0 && mode_along(other, s->loops.at[l]) >= 0)
            return s->loops.at[l];
    }
    return (sam_var){0};
}

/* Lists the operands whose entries fibers of operand t along v meet at a coordinate of an outer loop. */
static void list_meetings(tile_planner *p, uint32_t t, sam_var v) {
    const plan_operand *o = &p->operands[t];
    for (uint32_t other = 0; other < p->statement->tensors.len; other++) {
        const plan_operand *its = &p->operands[other];
        const sam_var at = other == t || !its->access ? (sam_var){0} : first_shared(p, o, its, v);
        if (!at.v || !is_repeated_by(p, o, its, v))
            continue;
        const plan_meeting m = {.of = {t, other},
                                .mode = {(uint8_t)mode_along(o, at), (uint8_t)mode_along(its, at)},
                                .at = at,
                                .along = v};
        vec_push(&p->own, &p->fibers.meetings, m);
    }
}

void plan_find_meetings(tile_planner *p) {
    const sam_statement *s = p->statement;
    for (uint32_t l = 1; l < s->loops.len; l++) {
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            if (mode_along(&p->operands[t], s->loops.at[l]) >= 0)
                list_meetings(p, t, s->loops.at[l]);
        }
    }
    p->fibers.skew = arena_new_n(&p->own, double, s->vars.len * s->tensors.len + 1);
}

/* Counts the entries of a sub-tile along a mode; a list of o->subs.at[sub].nodes[mode] at most, ended by no
 * entries. */
static const tally *tally_of(tile_planner *p, plan_operand *o, uint32_t sub, uint32_t mode) {
    sub_tile *t = &o->subs.at[sub];
    if (!t->tallies)
        t->tallies = arena_new_n(p->mem, tally *, o->format->order);
    if (t->tallies[mode])
        return t->tallies[mode];
    arena scratch = {0};
    uint32_t *entries = arena_new_n(&scratch, uint32_t, t->size[mode] + 1), found = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t at = o->data->crd[(size_t)t->entry[i] * o->format->order + mode] - t->low[mode];
        found += entries[at]++ == 0;
    }
    tally *out = t->tallies[mode] = arena_new_n(p->mem, tally, found + 1);
    for (uint32_t at = 0; at < t->size[mode]; at++) {
        if (entries[at])
            *out++ = (tally){(uint16_t)at, (uint16_t)(entries[at] < UINT16_MAX ? entries[at] : UINT16_MAX)};
    }
    arena_free(&scratch);
    return t->tallies[mode];
}

/* Common content of two sub-tiles. */
typedef struct {
    double coordinates, pairs; /* of both; of entries */
} common;

static common count_common(const tally *a, uint32_t low_a, const tally *b, uint32_t low_b) {
    common c = {0, 0};
    while (a->entries && b->entries) {
        const uint32_t at = low_a + a->at, its = low_b + b->at;
        if (at == its) {
            c.coordinates++;
            c.pairs += (double)a->entries * b->entries;
        }
        a += at <= its;
        b += its <= at;
    }
    return c;
}

static bool is_outermost(const tile_planner *p, const plan_meeting *m, uint32_t i) {
    const sam_tensor_data *format = p->operands[m->of[i]].format;
    return format->mode[0] == m->mode[i] && format->level[0] == SAM_LEVEL_COMPRESSED;
}

/* Returns the pairs of entries expected by the model, with fibers of average length. */
static double expected_pairs(const plan_meeting *m, const sub_tile *a, const sub_tile *b) {
    const double entries = (double)a->n * b->n;
    const double nodes = (double)a->nodes[m->mode[0]] * b->nodes[m->mode[1]];
    return m->exact ? m->coordinates * entries / nodes : entries / a->size[m->mode[0]];
}

/* Counts for the sub-tiles of a run. */
static void meet(tile_planner *p, const uint32_t *sub, plan_meeting *m) {
    const sub_tile *t[2];
    const tally *its[2];
    for (uint32_t i = 0; i < 2; i++)
        its[i] = tally_of(p, &p->operands[m->of[i]], sub[m->of[i]], m->mode[i]);
    for (uint32_t i = 0; i < 2; i++)
        t[i] = &p->operands[m->of[i]].subs.at[sub[m->of[i]]];
    const common c = count_common(its[0], t[0]->low[m->mode[0]], its[1], t[1]->low[m->mode[1]]);
    m->exact = is_outermost(p, m, 0) && is_outermost(p, m, 1);
    m->coordinates = c.coordinates;
    const double expected = c.pairs > 0 ? expected_pairs(m, t[0], t[1]) : 0;
    p->fibers.skew[(m->along.v - 1) * p->statement->tensors.len + m->of[0]] *=
        expected > 0 ? c.pairs / expected : 1;
}

void plan_meet(tile_planner *p, const uint32_t *sub) {
    for (uint32_t i = 0; i < p->statement->vars.len * p->statement->tensors.len; i++)
        p->fibers.skew[i] = 1;
    for (uint32_t i = 0; i < p->fibers.meetings.len; i++)
        meet(p, sub, &p->fibers.meetings.at[i]);
}
