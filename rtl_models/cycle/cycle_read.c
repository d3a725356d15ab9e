/* A cycle of the read scanner of a MEM tile, in the modules of onyx_read_scanner.sv, which explains states
 * and cycles: a front that turns references into fibers, a walker over the fibers, an output. The front
 * leaves its fibers in the queue `plan`; front and walker leave tokens, and places of pending answers, in the
 * queue `out`. All of these decide from the state before the cycle: the output acts first, next the walker,
 * next the front. cycle_build leaves out disabled units, and so handles the enable bit. */
#include "rtl_models/cycle/read_int.h"

/* The compiler makes a step for each common setting, `is`: tests of a setting stand in no other step. */
#define INLINE static inline __attribute__((always_inline))

/* An input of a reader's module in a cycle; `token` is valid if present. */
typedef struct {
    bool there;
    uint32_t token;
} read_offer;

/* What modules that act earlier change, as before the cycle: the reference at the head; an answer, if taken;
 * conditions. In block mode: the scanner may ask for a word; all words of the block have left; the chip's
 * count of places is at its end. `port`: the walker leaves the read port to the front. */
typedef struct {
    read_offer ref, answered;
    skip_view skip;
    bool out_room, out_empty, plan_room;
    bool word_room, block_read, counted_out;
    bool port;
} before;

INLINE bool is_compressed(unsigned is) {
    return !(is & (READ_LOOKUP | READ_DENSE | READ_BLOCK));
}
INLINE bool accumulates(unsigned is) {
    return (is & READ_SPACC) && is_compressed(is) && !(is & READ_ROOT);
}
/* Whether the accumulator's sums are read out. */
INLINE bool reads_out(unsigned is, const reader_state *s) {
    return accumulates(is) && s->read_out;
}
INLINE bool gives_values(unsigned is) {
    return (is & READ_BLOCK) && (is & READ_LOOKUP) && !(is & READ_CHAINED);
}

/* ---- front: references to segment pairs or values; blocks to the GLB; frees --------------------- */

INLINE uint32_t raised(uint32_t stop) {
    return (stop & 0x1ff00) | ((stop + 1) & 0xff);
}

INLINE bool is_barrier(const reader_state *s, uint32_t stop) {
    return rtl_is_stop(stop) && rtl_stop_level(stop) >= s->set.stop_lvl;
}

/* The chip counts its places for values down as words leave, and asks unless the count is 8. */
INLINE bool is_counted_out(unsigned is, const reader_state *s) {
    return gives_values(is) && s->value_out.popped % 16 == 8;
}

/* Block mode: whether the scanner may ask for a word. */
INLINE bool read_room(unsigned is, const reader_state *s) {
    return gives_values(is)
               ? !is_counted_out(is, s) || (s->answers[VALUES].count == 0 && s->value_out.owed == 0)
               : ring_room(&s->out);
}

/* Block mode: all words of the block have left; of values, all have come. */
INLINE bool block_is_out(unsigned is, const reader_state *s) {
    return gives_values(is) ? s->value_out.owed == 0 : s->out.count == 0;
}

/* Whether the front needs the read port, and has room for the result. */
INLINE bool front_wants(unsigned is, const reader_state *s, const before *has) {
    switch (s->state) {
    case RD_REF:
        if (reads_out(is, s))
            return has->plan_room;
        if (!has->ref.there || rtl_is_control(has->ref.token))
            return false;
        return (is & READ_LOOKUP) ? has->out_room : !(is & READ_DENSE) && has->plan_room;
    case RD_REF_END:
        return has->plan_room;
    case RD_FREE1:
    case RD_FREE0:
        return true;
    case RD_SIZE:
    case RD_READ:
        return has->word_room;
    case RD_DRAIN:
        return has->block_read;
    default:
        return false;
    }
}

INLINE void watch_reference(unsigned is, cycle_model *m, core *c, uint32_t t) {
    reader_state *s = c->u.reader;
    if (!(is & READ_DENSE))
        return;
    if (s->trees > 0)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_AGAIN, 1, t, 0);
    s->trees += rtl_is_done(t);
}

/* Takes the reference at the head. */
INLINE void take_reference(unsigned is, cycle_model *m, core *c, uint32_t ref) {
    c->u.reader->root_done |= !rtl_is_control(ref);
    watch_reference(is, m, c, ref);
    if (!(is & READ_ROOT))
        pop(&c->in[RD_IN_REF]);
}

/* Uses the read port, if granted (`can`), and moves to the next state. */
INLINE bool use_port(core *c, bool can, uint32_t command, uint8_t state) {
    if (!can || !room(&c->out[RD_OUT_COMMAND]))
        return false;
    push(&c->out[RD_OUT_COMMAND], command);
    c->u.reader->state = state;
    return true;
}

/* As use_port, for an answer that leaves. */
INLINE bool use_port_out(unsigned is, core *c, bool can, uint32_t command, uint8_t state) {
    reader_state *s = c->u.reader;
    if (!use_port(c, can, command, state))
        return false;
    if (gives_values(is))
        s->value_out.owed++;
    else
        ring_push(&s->out, ANSWER);
    return true;
}

/* Hands a fiber or token to the walker, if there is room, and moves to the next state. */
INLINE bool plan_word(reader_state *s, const before *has, uint32_t word, uint8_t state) {
    if (!has->plan_room)
        return false;
    ring_push(&s->plan, word);
    s->state = state;
    return true;
}

INLINE bool front_lookup(unsigned is, cycle_model *m, core *c, uint32_t t, const before *has) {
    reader_state *s = c->u.reader;
    if (!rtl_is_control(t)) {
        if (!use_port_out(is, c, has->port && has->out_room, read_command(OP_READ, 0, t), RD_REF))
            return false;
    } else {
        if (!has->out_room)
            return false;
        ring_push(&s->out, rtl_is_maybe(t) ? 0 : t);
        if ((is & READ_SPACC) ? is_barrier(s, t) : rtl_is_done(t))
            s->state = RD_FREE0;
    }
    take_reference(is, m, c, t);
    return true;
}

INLINE bool front_ref(unsigned is, cycle_model *m, core *c, uint32_t t, const before *has) {
    reader_state *s = c->u.reader;
    const bool data = !rtl_is_control(t), maybe = rtl_is_maybe(t);
    if (accumulates(is) && rtl_is_done(t)) {
        s->state = RD_START;
        return true;
    }
    if (data && !(is & READ_DENSE))
        return use_port(c, has->port && has->plan_room, read_command(OP_READ, 0, t), RD_REF_END);
    if (data || (maybe && (is & READ_DENSE))) {
        if (!plan_word(s, has, (data ? (uint32_t)FIBER : 0) | t, RD_STOP))
            return false;
    } else if (rtl_is_done(t)) {
        if (!plan_word(s, has, t, (is & READ_DENSE) ? RD_WALK : RD_FREE0))
            return false;
    } else {
        s->state = RD_STOP;
        if (!maybe)
            return true;
    }
    take_reference(is, m, c, t);
    return true;
}

/* After a reference: a stop after its fiber, and the pass possibly ended by the stop. */
INLINE bool front_stop(unsigned is, cycle_model *m, core *c, const before *has) {
    reader_state *s = c->u.reader;
    if (reads_out(is, s))
        return plan_word(s, has, RTL_STOP((s->level - 1) & 0xff), RD_PASS_DONE);
    const bool stops = rtl_is_stop(has->ref.token);
    const uint32_t stop = stops ? raised(has->ref.token) : RTL_STOP(0);
    if (!has->ref.there ||
        !plan_word(s, has, stop, accumulates(is) && is_barrier(s, stop) ? RD_PASS_DONE : RD_REF))
        return false;
    s->level = (uint8_t)stop;
    if (stops)
        take_reference(is, m, c, has->ref.token);
    return true;
}

INLINE bool front_pass_done(unsigned is, cycle_model *m, core *c, const before *has) {
    reader_state *s = c->u.reader;
    const bool last = reads_out(is, s) ? s->done_given : s->level == (uint8_t)(s->set.stop_lvl + 2);
    if (last && !plan_word(s, has, RTL_DONE, RD_FREE0))
        return false;
    s->done_given |= last;
    s->state = RD_FREE0;
    if (has->ref.there && !reads_out(is, s) && rtl_is_done(has->ref.token)) {
        s->done_taken = true;
        take_reference(is, m, c, has->ref.token);
    }
    return true;
}

INLINE bool front_start(unsigned is, cycle_model *m, core *c, const before *has) {
    reader_state *s = c->u.reader;
    s->second = s->root_done = false;
    if (!accumulates(is)) {
        s->state = (is & READ_BLOCK)    ? RD_SIZE
                   : !(is & READ_ROOT)  ? RD_REF
                   : (is & READ_LOOKUP) ? RD_START
                                        : RD_INJECT;
        return s->state != RD_START;
    }
    if (has->ref.there && rtl_is_done(has->ref.token) && !reads_out(is, s)) {
        s->done_given = false;
        take_reference(is, m, c, has->ref.token);
        return true;
    }
    if (has->ref.there || reads_out(is, s))
        s->state = RD_ROUTE;
    return s->state != RD_START;
}

/* Block mode: the length of a block, its words, the next block or the end. */
INLINE bool front_block(unsigned is, core *c, const before *has) {
    reader_state *s = c->u.reader;
    const bool on = !s->second && !(is & READ_LOOKUP); /* to the coordinate block */
    switch (s->state) {
    case RD_SIZE_WAIT:
        if (!has->answered.there)
            return false;
        s->read_addr = 0;
        s->remaining = (uint16_t)has->answered.token;
        s->state = s->remaining == 0 ? RD_DRAIN : RD_READ;
        return true;
    case RD_DRAIN:
        if (!on)
            return use_port(c, has->block_read, read_command(OP_FREE, !(is & READ_LOOKUP), 0),
                            (is & READ_LOOKUP) ? RD_REST : RD_FREE0);
        if (!use_port_out(is, c, has->block_read, read_command(OP_SIZE, 1, 0), RD_SIZE_WAIT))
            return false;
        s->second = true;
        return true;
    case RD_SIZE:
        if (!use_port_out(is, c, has->word_room, read_command(OP_SIZE, 0, 0), RD_SIZE_WAIT))
            return false;
        break;
    default: /* RD_READ */
        if (!use_port_out(is, c, has->word_room, read_command(OP_READ, s->second, s->read_addr),
                          s->remaining == 1 ? RD_DRAIN : RD_READ))
            return false;
        s->read_addr++;
        s->remaining--;
    }
    s->value_out.misplaced |= has->counted_out;
    return true;
}

INLINE bool front_rest(unsigned is, reader_state *s) {
    if (reads_out(is, s) && s->done_taken)
        s->done_given = s->done_taken = false;
    s->read_out = accumulates(is) && !s->read_out && s->level > s->set.stop_lvl;
    s->state = RD_START;
    return true;
}

/* A cycle of the front after the walker's. Returns whether the front acts. */
INLINE bool front(unsigned is, cycle_model *m, core *c, const before *has) {
    reader_state *s = c->u.reader;
    switch (s->state) {
    case RD_START:
        return front_start(is, m, c, has);
    case RD_INJECT:
    case RD_INJECT_DONE:
        s->state = s->state == RD_INJECT ? RD_INJECT_DONE : RD_REF;
        return true;
    case RD_ROUTE:
        return plan_word(s, has, RTL_ROUTE | reads_out(is, s), RD_REF);
    case RD_REF:
        if (reads_out(is, s))
            return use_port(c, has->port && has->plan_room, read_command(OP_READ, 0, 0), RD_REF_END);
        if (!has->ref.there)
            return false;
        return (is & READ_LOOKUP) ? front_lookup(is, m, c, has->ref.token, has)
                                  : front_ref(is, m, c, has->ref.token, has);
    case RD_REF_END: {
        const bool out = reads_out(is, s);
        if (!use_port(c, has->port && has->plan_room, read_command(OP_READ, 0, out ? 1 : has->ref.token + 1),
                      RD_STOP))
            return false;
        ring_push(&s->plan, (uint32_t)FIBER | (out ? 0 : has->ref.token));
        if (!out)
            take_reference(is, m, c, has->ref.token);
        return true;
    }
    case RD_STOP:
        return front_stop(is, m, c, has);
    case RD_PASS_DONE:
        return front_pass_done(is, m, c, has);
    case RD_WALK: /* up to the walker's last action */
        if (!is_compressed(is) || s->plan.count != 0)
            return false;
        s->state = RD_FREE1;
        return true;
    case RD_FREE1:
        return use_port(c, has->port, read_command(OP_FREE, 1, 0), is_compressed(is) ? RD_REST : RD_FREE0);
    case RD_FREE0: /* segments are free as soon as all are requested */
        return use_port(c, has->port, read_command(OP_FREE, 0, 0), is_compressed(is) ? RD_WALK : RD_REST);
    case RD_REST:
        return front_rest(is, s);
    default:
        return (is & READ_BLOCK) && front_block(is, c, has);
    }
}

/* ---- walker: fibers to commands, positions and tokens ------------------------------------------- */

/* The walker's turn at the read port. */
INLINE bool its_turn(const cycle_model *m, const core *c) {
    return c->u.reader->crd_first || ((m->now - c->flushed) & 1);
}

/* The walker's cycle on a fiber. The walker gets the read port on its turn, or while the front does not need
 * the port. */
INLINE void walk_fiber(unsigned is, cycle_model *m, core *c, const before *has, walk_acts *w) {
    reader_state *s = c->u.reader;
    const answer_queue *pairs = &s->answers[SEGMENTS];
    if (!(is & READ_DENSE) && pairs->count < 2)
        return;
    const uint16_t first = (is & READ_DENSE) ? 0 : answers_front(pairs),
                   last = (is & READ_DENSE) ? s->set.dim_size : pairs->at[pairs->head + 1];
    /* Chooses s->at for an active fiber without a branch. */
    w->at = first ^ ((first ^ s->at) & (0 - s->active));
    const bool cut = (is & READ_SKIPS) && has->skip.rest && s->skipper.tokens == 0;
    const bool gapped = (is & READ_SKIPS) && s->skipper.gapped;
    if (w->at >= last || cut) {
        w->pops = !gapped || has->out_empty || cut;
        return;
    }
    const uint32_t gap = (is & READ_SKIPS) ? read_skip_gap(s) : 1;
    const bool pos_room = (is & READ_SKIPS) || room(&c->out[RD_OUT_POS]),
               command_room = !is_compressed(is) || room(&c->out[RD_OUT_COMMAND]);
    if (!(has->out_room & pos_room & command_room))
        return;
    if (is_compressed(is) && ((!its_turn(m, c) && front_wants(is, s, has)) ||
                              ((is & READ_SKIPS) && gap != 1 && s->skipper.asked >= READ_AHEAD)))
        return;
    const bool more = (uint16_t)(w->at + 1) != last;
    w->ahead = (uint16_t)(last - w->at) > gap ? (uint16_t)(w->at + gap) : more ? (uint16_t)(last - 1) : last;
    w->fiber = w->goes = true;
    w->pops = !more && !gapped;
    if (!(is & READ_SKIPS))
        push(&c->out[RD_OUT_POS],
             (is & READ_DENSE) ? (uint16_t)(ring_front(&s->plan) * s->set.dim_size + w->at) : w->at);
    if (is_compressed(is))
        push(&c->out[RD_OUT_COMMAND], read_command(OP_READ, 1, w->at));
    ring_push(&s->out, (is & READ_DENSE)   ? w->at
                       : (is & READ_SKIPS) ? ANSWER | (uint32_t)s->skipper.turn << 16 | w->at
                                           : (uint32_t)ANSWER);
    s->at = w->ahead;
    s->active = more || gapped;
}

INLINE walk_acts walk(unsigned is, cycle_model *m, core *c, const before *has) {
    reader_state *s = c->u.reader;
    walk_acts w = {0};
    if (s->plan.count == 0)
        return w;
    const uint32_t head = ring_front(&s->plan), word = head & 0x1ffff;
    if (head & FIBER) {
        walk_fiber(is, m, c, has, &w);
    } else if (has->out_room && ((is & READ_SKIPS) || room(&c->out[RD_OUT_POS]))) {
        if (!(is & READ_SKIPS))
            push(&c->out[RD_OUT_POS], word);
        ring_push(&s->out, word);
        w.goes = w.pops = true;
        w.ends = s->state == RD_WALK && (is & READ_DENSE) && !(is & READ_ROOT) && rtl_is_done(word);
    }
    if (w.pops) {
        s->active = false;
        ring_pop(&s->plan);
        if ((head & FIBER) && !(is & READ_DENSE))
            answers_pop(&s->answers[SEGMENTS], 2);
    }
    return w;
}

/* ---- output: the queue of tokens, and the answers from memory ----------------------------------- */

/* The turn of words from the tiles ahead in a store stream. */
INLINE bool is_ahead(const reader_state *s) {
    return s->chain.block < s->chain.ahead;
}

INLINE output_plan plan_output(unsigned is, core *c, const skip_view *skip) {
    const reader_state *s = c->u.reader;
    output_plan o = {.head = gives_values(is) ? (uint32_t)ANSWER : ring_front(&s->out)};
    const bool valid = (gives_values(is) | (s->out.count != 0)) &
                       (!(o.head & ANSWER) | (s->answers[VALUES].count != 0)),
               to_block = (is & READ_BLOCK) || ((is & READ_SPACC) && s->to_block),
               waits = (is & READ_CHAINED) && is_ahead(s);
    o.to = &c->out[to_block ? RD_OUT_BLOCK : RD_OUT_COORD];
    o.routes = (is & READ_SPACC) && o.head >> 8 == RTL_ROUTE >> 8;
    const bool may = o.routes || room(o.to);
    o.pops = valid & may & !waits;
    if (is & READ_SKIPS)
        read_skip_plan(c, skip, valid, &o);
    return o;
}

/* Counts a word of a store stream, from a tile ahead or the scanner's own. */
INLINE void count_chained(unsigned is, reader_state *s, bool up, uint16_t word) {
    const bool empty = !s->chain.inside && word == 0, pads = up && empty && !s->chain.pad;
    s->chain.words = s->chain.inside ? (uint16_t)(s->chain.words - 1) : word;
    s->chain.inside = !s->chain.pad && s->chain.words != 0;
    s->chain.pad = pads;
    if (!s->chain.inside && !pads)
        s->chain.block =
            s->chain.block == s->chain.ahead + !(is & READ_LOOKUP) ? 0 : (uint8_t)(s->chain.block + 1);
}

/* Forwards a word of the tiles ahead; an empty block as the word 0. Returns whether a word was present. */
INLINE bool pass_chained(unsigned is, core *c) {
    reader_state *s = c->u.reader;
    fifo *from = &c->in[RD_IN_CHAIN];
    if (!(is & READ_BLOCK) || !is_ahead(s) || !room(&c->out[RD_OUT_BLOCK]) || !(s->chain.pad || some(from)))
        return false;
    const uint32_t word = s->chain.pad ? 0 : token(from);
    const bool empty = !s->chain.pad && !s->chain.inside && (uint16_t)word == 0;
    push(&c->out[RD_OUT_BLOCK], empty ? 1 : word);
    if (!s->chain.pad)
        pop(from);
    count_chained(is, s, true, (uint16_t)word);
    return true;
}

INLINE void do_output(unsigned is, core *c, const output_plan *o) {
    reader_state *s = c->u.reader;
    if (!o->pops)
        return;
    answer_queue *values = &s->answers[VALUES];
    const bool answers = o->head / ANSWER & 1;
    if ((is & READ_SKIPS) && o->gives)
        push(&c->out[RD_OUT_POS], o->head & (answers ? 0xffff : 0x1ffff));
    if (o->routes)
        s->to_block = o->head & 1;
    else if (!(is & READ_SKIPS) || o->gives)
        push(o->to, answers ? answers_front(values) : o->head & 0x1ffff);
    if (is & READ_CHAINED)
        count_chained(is, s, false, answers_front(values));
    if (gives_values(is))
        s->value_out.popped++;
    else
        ring_pop(&s->out);
    answers_pop(values, answers);
}

/* An answer from memory is half of a segment pair, or fills a place in the queue. */
typedef struct {
    bool pops, segment;
    uint32_t answer;
} answer_plan;

INLINE answer_plan plan_answer(unsigned is, const core *c) {
    const reader_state *s = c->u.reader;
    const fifo *rsp = &c->in[RD_IN_ANSWER];
    answer_plan a = {.answer = token(rsp)};
    a.segment = is_compressed(is) && !(a.answer >> 16 & 1);
    a.pops = some(rsp) & (s->answers[a.segment].count < (uint32_t)RING_WORDS << a.segment);
    return a;
}

/* The chip puts a value after seven waiting values into place 0, whichever is due. `kept`: waiting values. */
INLINE void watch_values(unsigned is, cycle_model *m, core *c, const answer_plan *a, uint32_t kept) {
    reader_state *s = c->u.reader;
    if (!gives_values(is))
        return;
    const bool comes = some(&c->in[RD_IN_ANSWER]);
    if (comes && (kept == RING_WORDS || s->value_out.misplaced))
        cycle_note_hazard(m, c, CYCLE_HAZARD_VALUES_STALLED, 0, 0, 0);
    s->value_out.misplaced |= comes && kept == RING_WORDS - 1 && s->value_out.place != RING_WORDS - 1;
    s->value_out.place = (uint8_t)((s->value_out.place + a->pops) % RING_WORDS);
    s->value_out.owed = (uint8_t)(s->value_out.owed - s->value_out.came);
    s->value_out.came = a->pops;
}

INLINE void do_answer(core *c, const answer_plan *a) {
    answer_queue *q = &c->u.reader->answers[a->segment];
    q->at[(q->head + q->count) & 31] = (uint16_t)a->answer;
    q->count += a->pops;
    pop_if(&c->in[RD_IN_ANSWER], a->pops);
}

/* ---- a cycle ------------------------------------------------------------------------------------- */

/* The chip's read-out takes a done present at its start for data. Its dense scanner passes a stop in place of
 * a reference unchanged: only a stop after a reference is raised. */
INLINE void watch_head(unsigned is, cycle_model *m, core *c, bool valid, uint32_t t) {
    const reader_state *s = c->u.reader;
    if (!(accumulates(is) || (is & READ_DENSE)) || s->state != RD_REF || !valid)
        return;
    if (reads_out(is, s) && rtl_is_done(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_LATE_DONE, 1, t, 0);
    if ((is & READ_DENSE) && rtl_is_stop(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_STOP, 1, t, 0);
}

INLINE before look_before(unsigned is, const core *c, const answer_plan *a) {
    const reader_state *s = c->u.reader;
    const fifo *refs = &c->in[RD_IN_REF];
    before has = {.answered = {a->pops, a->answer}, .out_room = ring_room(&s->out), .port = true};
    if (is & READ_ROOT)
        has.ref = (read_offer){true, s->root_done ? RTL_DONE : 0};
    else
        has.ref = (read_offer){some(refs), token(refs)};
    /* The fiber between its two reads has its place in the plan. */
    has.plan_room = s->plan.count + (s->state == RD_REF_END) < RING_WORDS;
    if (is & READ_SKIPS) {
        has.skip = cycle_skip_look(&s->skipper.skip);
        has.out_empty = s->out.count == 0;
    }
    if (is & READ_BLOCK) {
        has.word_room = read_room(is, s);
        has.block_read = block_is_out(is, s);
        has.counted_out = is_counted_out(is, s);
    }
    return has;
}

INLINE bool step_as(unsigned is, cycle_model *m, core *c) {
    reader_state *s = c->u.reader;
    const answer_plan a = plan_answer(is, c);
    before has = look_before(is, c, &a);
    watch_head(is, m, c, has.ref.there, has.ref.token);
    const output_plan o = plan_output(is, c, &has.skip);
    const uint32_t kept = s->answers[VALUES].count;
    bool changed = (is & READ_CHAINED) && pass_chained(is, c);
    do_output(is, c, &o);
    const walk_acts w = walk(is, m, c, &has);
    has.port = !(is_compressed(is) && w.fiber);
    if (w.ends)
        s->state = RD_START;
    else
        changed |= front(is, m, c, &has);
    if (is & READ_SKIPS)
        changed |= read_skip_do(c, &w, &o, &has.skip);
    changed |= w.goes | w.pops | o.pops | a.pops | (gives_values(is) && s->value_out.came);
    watch_values(is, m, c, &a, kept);
    do_answer(c, &a);
    return changed;
}

#define STEP(name, setting)                                                                                  \
    static bool step_##name(cycle_model *m, core *c) {                                                       \
        return step_as((setting), m, c);                                                                     \
    }
STEP(plain, 0)
STEP(root, READ_ROOT)
STEP(dense, READ_DENSE)
STEP(dense_root, READ_DENSE | READ_ROOT)
STEP(lookup, READ_LOOKUP)
STEP(sums, READ_SPACC)
STEP(sum_values, READ_SPACC | READ_LOOKUP)
STEP(block, READ_BLOCK)
STEP(values, READ_BLOCK | READ_LOOKUP)
STEP(any, c->u.reader->set.is)
#undef STEP

cycle_step *cycle_step_of_reader(unsigned is) {
    switch (is) {
    case 0:
        return step_plain;
    case READ_ROOT:
        return step_root;
    case READ_DENSE:
        return step_dense;
    case READ_DENSE | READ_ROOT:
        return step_dense_root;
    case READ_LOOKUP:
        return step_lookup;
    case READ_SPACC:
        return step_sums;
    case READ_SPACC | READ_LOOKUP:
        return step_sum_values;
    case READ_BLOCK:
        return step_block;
    case READ_BLOCK | READ_LOOKUP:
        return step_values;
    default:
        return step_any;
    }
}
