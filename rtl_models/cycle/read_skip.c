/* Skipping of a read scanner (cycle_read.c), as in onyx_read_scanner.sv, which explains the rules. */
#include "rtl_models/cycle/read_int.h"

/* A skipping scanner leaves out PATIENCE entries in a row before reading further apart: 2^FIRST to 2^WIDEST
 * entries, READ_AHEAD of them at a time. */
enum { PATIENCE = 8, FIRST = 3, WIDEST = 7 };

uint32_t read_skip_gap(const reader_state *s) {
    return s->skipper.tokens == 0 && (s->skipper.seeking || s->skipper.closing) ? 1u << s->skipper.step : 1;
}

void read_skip_plan(const core *c, const skip_view *skip, bool valid, output_plan *o) {
    const reader_state *s = c->u.reader;
    const bool both = room(o->to) && room(&c->out[RD_OUT_POS]);
    if (!(o->head & ANSWER)) {
        o->gives = skip->may_end || !rtl_is_stop(o->head);
        o->pops = valid && o->gives && both;
        return;
    }
    o->crd = answers_front(&s->answers[VALUES]);
    const bool live = (o->head >> 16 & 1) == s->skipper.turn,
               in_order = !s->skipper.begun || (uint16_t)o->head == s->skipper.next;
    const bool below = !s->skipper.pending && (skip->rest || (skip->bounded && o->crd < skip->bound));
    o->gives = live && !below && in_order;
    o->offers = valid && o->gives;
    o->below = live && below;
    o->back = valid && live && !below && !in_order;
    o->pops = valid && (!o->gives || both);
}

/* Records whether the walker has left a gap, and its reading distance. */
static void step_apart(reader_state *s, const walk_acts *w) {
    if (w->goes && w->fiber && w->ahead != (uint16_t)(w->at + 1))
        s->skipper.gapped = true;
    if (w->goes && w->fiber && s->skipper.tokens == 0 && s->skipper.seeking && s->skipper.step != WIDEST)
        s->skipper.step++;
    if (w->pops)
        s->skipper.gapped = false;
}

/* Reading distance after a step back, with the first remaining entry among `n`. */
static uint8_t step_back(uint16_t n) {
    uint8_t step = 0;
    while (n >> step >= 8)
        step++;
    return step < 3 ? 0 : step < 6 ? step : 6;
}

/* Updates the state for an entry or token that leaves the queue. */
static void know(reader_state *s, const output_plan *o, bool bounded) {
    const uint16_t position = (uint16_t)o->head;
    if (!(o->head & ANSWER)) {
        s->skipper.begun = s->skipper.seeking = s->skipper.closing = false;
        s->skipper.dropped = 0;
    } else if (o->below) {
        s->skipper.next = (uint16_t)(position + 1);
        s->skipper.begun = true;
        if (!s->skipper.seeking && !s->skipper.closing && s->skipper.tokens == 0 &&
            s->skipper.dropped == PATIENCE) {
            s->skipper.seeking = true;
            s->skipper.step = FIRST;
        }
        s->skipper.dropped = (uint8_t)(s->skipper.dropped + (s->skipper.dropped != PATIENCE));
    } else if (o->back) {
        s->skipper.turn = !s->skipper.turn;
        s->at = s->skipper.next;
        s->active = true;
        s->skipper.gapped = s->skipper.seeking = false;
        s->skipper.closing = bounded;
        s->skipper.step = step_back((uint16_t)(position - s->skipper.next));
        s->skipper.dropped = 0;
    } else if (o->gives) {
        s->skipper.next = (uint16_t)(position + 1);
        s->skipper.begun = true;
        s->skipper.dropped = 0;
        s->skipper.seeking = s->skipper.closing = false;
    }
}

bool read_skip_do(core *c, const walk_acts *w, const output_plan *o, const skip_view *view) {
    reader_state *s = c->u.reader;
    fifo *partner = &c->in[RD_IN_PARTNER];
    const bool entry = o->head & ANSWER;
    const skip_events e = {.comes = some(partner) && cycle_skip_takes(&s->skipper.skip),
                           .token = token(partner),
                           .passed = o->pops && entry && o->gives,
                           .ended = o->pops && !entry && rtl_is_stop(o->head),
                           .crd = o->crd};
    step_apart(s, w);
    if (o->pops)
        know(s, o, view->bounded);
    s->skipper.pending = o->offers && !o->pops;
    s->skipper.asked = (uint8_t)(s->skipper.asked + (w->goes && w->fiber) - (o->pops && entry));
    s->skipper.tokens = (uint8_t)(s->skipper.tokens + (w->goes && !w->fiber) - (o->pops && !entry));
    const bool changed = cycle_skip_advance(&s->skipper.skip, &e);
    if (e.comes)
        pop(partner);
    return changed || e.comes;
}
