/* links.h - a cycle of the nets between tiles; private to rtl_models/cycle/. */
#ifndef ONYX_CYCLE_LINKS_H
#define ONYX_CYCLE_LINKS_H

#include "rtl_models/cycle/cycle_int.h"

/* To be called when the sinks and registers of a link are counted. */
void links_prepare(cycle_model *m, link *l);
/* Takes the actions of another fill than in the cycle before. */
void links_change(cycle_model *m, link *l, uint64_t key);
/* Tells the watcher the activity of each sink. */
void links_tell(cycle_model *m, const link *l);
/* Moves the words as decided. */
void links_move(cycle_model *m, link *l);
/* Brings the accounts of the sinks up to date. */
void links_account(link *l, uint64_t now);

/* The fill as bits: the source has a word, sinks have room, registers have words. */
static inline uint64_t links_key(const link *l) {
    uint64_t key = l->full << 1 | room(l->to);
    for (uint32_t s = 1; s < l->n_sinks; s++)
        key = key << 1 | room(l->sinks[s].to);
    return key << 1 | some(l->from);
}

/* Decides from the fill of all FIFOs before the cycle. Returns whether anything moves. */
static inline bool links_decide(cycle_model *m, link *l) {
    const uint64_t key = l->wide ? 0 : links_key(l);
    if (key != l->key || l->wide)
        links_change(m, l, key);
    if (m->unaccounted)
        l->since = m->now + 1;
    if (m->watched.by)
        links_tell(m, l);
    return l->step->moves;
}

#endif
