/* links.h - a cycle of the nets between tiles; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_LINKS_H
#define ONYX_CYCLE_LINKS_H

#include "rtl_models/cycle/cycle_int.h"

/* To be called when the sinks and registers of a link are counted. */
void links_prepare(cycle_model *m, link *l);
/* Finds the actions of a fill that `step` does not hold yet. */
void links_solve(cycle_model *m, link *l, link_step *step, uint64_t key);
/* As links_decide, of a cycle in no account, or with a watcher. */
const link_step *links_decide_apart(cycle_model *m, link *l);
/* Brings the registers of a wide link to their state after the cycle. */
void links_fill(link *l);
/* Brings the accounts of the sinks up to date. */
void links_account(link *l, uint64_t now);

enum { LINKS_KNOWN_BITS = 7 };

/* The fill as bits: the source has a word, sinks have room, registers have words. */
static inline uint64_t links_key(const link *l) {
    uint64_t key = l->full << 1 | room(l->to);
    for (uint32_t s = 1; s < l->n_key_sinks; s++)
        key = key << 1 | room(l->sinks[s].to);
    return key << 1 | some(l->from);
}

/* Counts the cycles of the present step up to `now`. */
static inline void links_count(link *l, uint64_t now) {
    link_step *step = l->step;
    step->cycles += now - l->since;
    l->since = now;
    if (step->open)
        return;
    step->open = true;
    step->next = l->open;
    l->open = step;
}

/* Decides from the fill of all FIFOs before the cycle. */
static inline const link_step *links_decide(cycle_model *m, link *l, uint64_t now) {
    const uint64_t key = links_key(l);
    if (key == l->key)
        return l->step;
    links_count(l, now);
    link_step *step = &l->known[(key ^ (key >> LINKS_KNOWN_BITS) * 5) & l->mask];
    if (step->key != key)
        links_solve(m, l, step, key);
    l->key = step->key;
    l->step = step;
    return step;
}

/* Moves the words as decided. */
static inline void links_move(cycle_model *m, link *l) {
    const link_step *step = l->step;
    uint32_t *word = l->word;
    word[0] = token(l->from);
    for (uint32_t i = 0; i < step->n_pushes; i++)
        push(m, step->pushes[i].to, word[step->pushes[i].origin]);
    for (uint32_t i = 0; i < step->n_loads; i++)
        word[step->loads[i].node] = word[step->loads[i].origin];
    if (l->wide)
        links_fill(l);
    l->full = step->full;
    if (step->takes)
        pop(m, l->from);
}

#endif
