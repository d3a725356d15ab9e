/* A cycle of the read scanner of a MEM tile, in the parts of onyx_read_scanner.sv, which explains states and
 * cycles: a front that turns references into fibers (cycle_read_front.c), a walker over the fibers, an
 * output. The front leaves its fibers in the queue `plan`; front and walker leave tokens, and places of
 * pending answers, in the queue `out`. Each part decides from the state before the cycle (read_plan_front,
 * plan_walk, plan_output), and acts afterwards. cycle_build handles the enable bit by leaving out disabled
 * units.
 */
#include "rtl_models/cycle/read_int.h"

/* ---- walker: fibers to commands, positions and tokens ------------------------------------------- */

/* A skipping scanner leaves out PATIENCE entries in a row before reading further apart: 2^FIRST to 2^WIDEST
 * entries, AHEAD of them at a time. */
enum { PATIENCE = 8, FIRST = 3, WIDEST = 7, AHEAD = 3 };

/* The walker's action in this cycle on the head of `plan`, a token or a fiber. */
typedef struct {
    uint32_t head;
    bool fiber, reads; /* the head is a fiber with an entry to emit; the walker needs the read port */
    bool granted;      /* it may read */
    bool goes;         /* a position with room at the output */
    bool pops;         /* the head is done with */
    uint16_t at;       /* the entry */
    bool more;         /* .. is not the last */
    uint16_t ahead;    /* the next entry, further on while skipping */
} walk_plan;

enum { FRONT_WANTS = 1, READ_ROOM = 2, POSITION_ROOM = 4 };

/* The walker gets the read port on its turn, or while the front does not need the port. */
static walk_plan plan_walk(const reader_state *s, const skip_view *skip, unsigned ports, uint32_t turn) {
    const bool pos_room = ports & POSITION_ROOM;
    walk_plan w = {.head = ring_front(&s->plan)};
    uint32_t pair = ring_front(&s->pairs);
    bool valid = s->plan.count != 0, is_fiber = w.head & FIBER, out_room = ring_room(&s->out);
    uint16_t first = s->set.dense ? 0 : (uint16_t)pair,
             last = s->set.dense ? s->set.dim_size : (uint16_t)(pair >> 16);
    w.at = s->active ? s->at : first;
    w.more = (uint16_t)(w.at + 1) != last;
    bool same_fiber = s->skipper.tokens == 0, cut = s->skipper.skips && skip->rest && same_fiber;
    bool known = valid && is_fiber && (s->set.dense || s->pairs.count != 0), empty = w.at >= last || cut;
    const uint32_t gap = s->skipper.skips && same_fiber && (s->skipper.seeking || s->skipper.closing)
                             ? 1u << s->skipper.step
                             : 1;
    w.ahead = (uint16_t)(last - w.at) > gap ? (uint16_t)(w.at + gap) : w.more ? (uint16_t)(last - 1) : last;
    w.fiber = known && !empty && out_room;
    w.reads =
        w.fiber && s->set.compressed && (s->skipper.skips ? gap == 1 || s->skipper.asked < AHEAD : pos_room);
    w.granted = (ports & READ_ROOM) && (s->crd_first || turn == 1 || !(ports & FRONT_WANTS));
    w.goes = (s->skipper.skips || pos_room) && ((valid && !is_fiber && out_room) ||
                                                (w.fiber && (!s->set.compressed || (w.reads && w.granted))));
    const bool resolved = !s->skipper.gapped || s->out.count == 0 || cut;
    w.pops = (w.goes && (!is_fiber || (!w.more && !s->skipper.gapped))) || (known && empty && resolved);
    return w;
}

static bool ends_walk(const reader_state *s, const walk_plan *w) {
    return s->state == RD_WALK && s->set.dense && !s->set.root && w->goes && !w->fiber &&
           rtl_is_done(w->head);
}

static void do_walk(cycle_model *m, core *c, const walk_plan *w) {
    reader_state *s = c->u.reader;
    fifo *pos = c->out[RD_OUT_POS];
    uint32_t token_out = w->head & 0x1ffff;
    if (w->goes && !s->skipper.skips)
        push(m, pos,
             !w->fiber      ? token_out
             : s->set.dense ? (uint16_t)(w->head * s->set.dim_size + w->at)
                            : w->at);
    if (w->goes && !w->fiber) {
        ring_push(&s->out, token_out);
    } else if (w->goes) {
        if (s->set.compressed)
            push(m, c->out[RD_OUT_COMMAND], read_command(OP_READ, 1, w->at));
        ring_push(&s->out, s->set.dense       ? w->at
                           : s->skipper.skips ? ANSWER | (uint32_t)s->skipper.turn << 16 | w->at
                                              : (uint32_t)ANSWER);
        s->at = w->ahead;
        s->active = w->more || s->skipper.gapped;
    }
    if (w->pops) {
        s->active = false;
        ring_pop(&s->plan);
        if (w->head & FIBER && !s->set.dense)
            ring_pop(&s->pairs);
    }
}

/* ---- output: the queue of tokens, and the answers from memory ----------------------------------- */

/* Output of this cycle: the head of the queue, with its answer if the head is an answer's place. */
typedef struct {
    uint32_t head;
    bool pops, routes; /* a routing token selects the output of later tokens */
    fifo *to;
    /* Skipping: the entry leaves with its position, and is offered; the entry may be skipped; the walker
     steps back.
     */
    bool gives, offers, below, back;
    uint16_t crd;
} output_plan;

/* Skipping: the fate of the queue's head. */
static void plan_skipping(const core *c, const skip_view *skip, bool valid, output_plan *o) {
    const reader_state *s = c->u.reader;
    const bool both = room(o->to) && room(c->out[RD_OUT_POS]);
    if (!(o->head & ANSWER)) {
        o->gives = skip->may_end || !rtl_is_stop(o->head);
        o->pops = valid && o->gives && both;
        return;
    }
    o->crd = (uint16_t)ring_front(&s->answers);
    const bool live = (o->head >> 16 & 1) == s->skipper.turn,
               in_order = !s->skipper.begun || (uint16_t)o->head == s->skipper.next;
    const bool below = !s->skipper.held && (skip->rest || (skip->bounded && o->crd < skip->bound));
    o->gives = live && !below && in_order;
    o->offers = valid && o->gives;
    o->below = live && below;
    o->back = valid && live && !below && !in_order;
    o->pops = valid && (!o->gives || both);
}

/* The turn of words from the tiles ahead in a store stream. */
static bool is_ahead(const reader_state *s) {
    return s->chain.block < s->chain.ahead;
}

static output_plan plan_output(const core *c, const skip_view *skip) {
    const reader_state *s = c->u.reader;
    output_plan o = {.head = s->value_out.values ? (uint32_t)ANSWER : ring_front(&s->out)};
    bool valid = (s->value_out.values || s->out.count != 0) && (!(o.head & ANSWER) || s->answers.count != 0);
    o.to = c->out[s->set.block_mode || s->to_block ? RD_OUT_BLOCK : RD_OUT_COORD];
    o.routes = s->set.spacc && o.head >> 8 == RTL_ROUTE >> 8;
    o.pops = valid && (o.routes || room(o.to)) && !is_ahead(s);
    if (s->skipper.skips)
        plan_skipping(c, skip, valid, &o);
    return o;
}

/* Counts a word of a store stream, from a tile ahead or the scanner's own. */
static void count_chained(reader_state *s, bool up, uint16_t word) {
    const bool empty = !s->chain.inside && word == 0, pads = up && empty && !s->chain.pad;
    s->chain.words = s->chain.inside ? (uint16_t)(s->chain.words - 1) : word;
    s->chain.inside = !s->chain.pad && s->chain.words != 0;
    s->chain.pad = pads;
    if (!s->chain.inside && !pads)
        s->chain.block =
            s->chain.block == s->chain.ahead + !s->set.lookup ? 0 : (uint8_t)(s->chain.block + 1);
}

/* Forwards a word of the tiles ahead; an empty block as the word 0. Returns whether a word was present. */
static bool pass_chained(cycle_model *m, core *c) {
    reader_state *s = c->u.reader;
    fifo *from = c->in[RD_IN_CHAIN];
    if (!s->set.block_mode || !is_ahead(s) || !room(c->out[RD_OUT_BLOCK]) || !(s->chain.pad || some(from)))
        return false;
    const uint32_t word = s->chain.pad ? 0 : token(from);
    const bool empty = !s->chain.pad && !s->chain.inside && (uint16_t)word == 0;
    push(m, c->out[RD_OUT_BLOCK], empty ? 1 : word);
    if (!s->chain.pad)
        pop(m, from);
    count_chained(s, true, (uint16_t)word);
    return true;
}

static void do_output(cycle_model *m, core *c, const output_plan *o) {
    reader_state *s = c->u.reader;
    if (!o->pops)
        return;
    if (s->skipper.skips && o->gives)
        push(m, c->out[RD_OUT_POS], o->head & ANSWER ? o->head & 0xffff : o->head & 0x1ffff);
    if (o->routes)
        s->to_block = o->head & 1;
    else if (!s->skipper.skips || o->gives)
        push(m, o->to, o->head & ANSWER ? ring_front(&s->answers) : o->head & 0x1ffff);
    if (s->chain.ahead)
        count_chained(s, false, (uint16_t)ring_front(&s->answers));
    if (s->value_out.values)
        s->value_out.popped++;
    else
        ring_pop(&s->out);
    if (o->head & ANSWER)
        ring_pop(&s->answers);
}

/* ---- skipping ------------------------------------------------------------------------------------- */

/* Records whether the walker has left a gap, and its reading distance. */
static void step_apart(reader_state *s, const walk_plan *w) {
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

/* Returns whether the queue of the other side's coordinates changed. */
static bool do_skipping(cycle_model *m, core *c, const walk_plan *w, const output_plan *o,
                        const skip_view *view) {
    reader_state *s = c->u.reader;
    fifo *partner = c->in[RD_IN_PARTNER];
    const bool entry = o->head & ANSWER;
    const skip_events e = {.comes = some(partner) && cycle_skip_takes(&s->skipper.skip),
                           .token = token(partner),
                           .passed = o->pops && entry && o->gives,
                           .ended = o->pops && !entry && rtl_is_stop(o->head),
                           .crd = o->crd};
    step_apart(s, w);
    if (o->pops)
        know(s, o, view->bounded);
    s->skipper.held = o->offers && !o->pops;
    s->skipper.asked = (uint8_t)(s->skipper.asked + (w->goes && w->fiber) - (o->pops && entry));
    s->skipper.tokens = (uint8_t)(s->skipper.tokens + (w->goes && !w->fiber) - (o->pops && !entry));
    const bool changed = cycle_skip_advance(&s->skipper.skip, &e);
    if (e.comes)
        pop(m, partner);
    return changed || e.comes;
}

/* An answer from memory is half of a segment pair, or fills a place in the queue. */
typedef struct {
    bool pops, segment;
    uint32_t answer;
} answer_plan;

static answer_plan plan_answer(const core *c) {
    const reader_state *s = c->u.reader;
    const fifo *rsp = c->in[RD_IN_ANSWER];
    answer_plan a = {.answer = token(rsp)};
    a.segment = s->set.compressed && !(a.answer >> 16 & 1);
    a.pops = some(rsp) && ring_room(a.segment ? &s->pairs : &s->answers);
    return a;
}

/* The chip puts a value after seven waiting values into place 0, whichever is due. `kept`: waiting values. */
static void watch_values(cycle_model *m, core *c, const answer_plan *a, uint32_t kept) {
    reader_state *s = c->u.reader;
    if (!s->value_out.values)
        return;
    const bool comes = some(c->in[RD_IN_ANSWER]);
    if (comes && (kept == RING_WORDS || s->value_out.misplaced))
        cycle_note_hazard(m, c, CYCLE_HAZARD_VALUES_STALLED, 0, 0, 0);
    s->value_out.misplaced |= comes && kept == RING_WORDS - 1 && s->value_out.place != RING_WORDS - 1;
    s->value_out.place = (uint8_t)((s->value_out.place + a->pops) % RING_WORDS);
    s->value_out.owed = (uint8_t)(s->value_out.owed - s->value_out.came);
    s->value_out.came = a->pops;
}

static void do_answer(cycle_model *m, core *c, const answer_plan *a) {
    reader_state *s = c->u.reader;
    if (!a->pops)
        return;
    if (!a->segment)
        ring_push(&s->answers, a->answer & 0xffff);
    else if (s->seg_half)
        ring_push(&s->pairs, (a->answer & 0xffff) << 16 | s->seg_first);
    else
        s->seg_first = (uint16_t)a->answer;
    s->seg_half ^= a->segment;
    pop(m, c->in[RD_IN_ANSWER]);
}

/* ---- a cycle ------------------------------------------------------------------------------------- */

/* The chip's read-out takes a done present at its start for data. Its dense scanner passes a stop in place of
 * a reference unchanged: only a stop after a reference is raised. */
static void watch_head(cycle_model *m, core *c, bool valid, uint32_t t) {
    const reader_state *s = c->u.reader;
    if (s->state != RD_REF || !valid)
        return;
    if (s->read_out && rtl_is_done(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_LATE_DONE, 1, t, 0);
    if (s->set.dense && rtl_is_stop(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_STOP, 1, t, 0);
}

bool cycle_step_reader(cycle_model *m, core *c, uint32_t turn) {
    reader_state *s = c->u.reader;
    const fifo *refs = c->in[RD_IN_REF];
    bool ref_valid = s->set.root || some(refs), rd_room = room(c->out[RD_OUT_COMMAND]);
    uint32_t ref = !s->set.root ? token(refs) : s->root_done ? RTL_DONE : 0;
    watch_head(m, c, ref_valid, ref);
    const skip_view skip = s->skipper.skips ? cycle_skip_look(&s->skipper.skip) : (skip_view){0};
    answer_plan a = plan_answer(c);
    front_plan f = read_plan_front(s, (read_offer){ref_valid, ref}, (read_offer){a.pops, a.answer});
    const unsigned ports = (f.wants ? FRONT_WANTS : 0) | (rd_room ? READ_ROOM : 0) |
                           (room(c->out[RD_OUT_POS]) ? POSITION_ROOM : 0);
    walk_plan w = plan_walk(s, &skip, ports, turn);
    output_plan o = plan_output(c, &skip);
    if (s->state == RD_WALK && s->set.compressed && w.pops && s->plan.count == 1) /* the last of a pass */
        f.state = RD_FREE1;
    bool front_goes = !f.needs || (rd_room && f.wants && !(w.reads && w.granted));
    bool changed = front_goes && (f.needs || f.give || f.plan || f.take || f.state != s->state);
    changed |= w.goes || w.pops || o.pops || a.pops || s->value_out.came;

    if (s->chain.ahead)
        changed |= pass_chained(m, c);
    bool walk_ends = ends_walk(s, &w);
    const uint32_t kept = s->answers.count;
    do_output(m, c, &o);
    do_walk(m, c, &w);
    if (walk_ends)
        s->state = RD_START;
    else if (front_goes)
        read_do_front(m, c, &f, ref, a.answer);
    if (s->skipper.skips)
        changed |= do_skipping(m, c, &w, &o, &skip);
    watch_values(m, c, &a, kept);
    do_answer(m, c, &a);
    return changed;
}
