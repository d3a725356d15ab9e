/* A cycle of the read scanner of a MEM tile, in the parts of onyx_read_scanner.sv, which explains states and
 * cycles: a front that turns references into fibers, a walker over the fibers, an output. The front leaves
 * its fibers in the queue `plan`; front and walker leave tokens, and places of pending answers, in the queue
 * `out`. Each part decides from the state before the cycle (plan_front, plan_walk, plan_output), and acts
 * afterwards. cycle_build handles the enable bit by leaving out disabled units.
 */
#include "rtl_models/cycle/read_int.h"

/* The compiler makes a step for each common setting, `is`: tests of a setting stand in no other step. */
#define INLINE static inline __attribute__((always_inline))

INLINE bool is_compressed(unsigned is) {
    return !(is & (READ_LOOKUP | READ_DENSE | READ_BLOCK));
}
INLINE bool accumulates(unsigned is) {
    return (is & READ_SPACC) && is_compressed(is) && !(is & READ_ROOT);
}
INLINE bool gives_values(unsigned is) {
    return (is & READ_BLOCK) && (is & READ_LOOKUP) && !(is & READ_CHAINED);
}

/* ---- front: references to segment pairs or values; blocks to the GLB; frees --------------------- */

/* The front's actions in this cycle. If the read port is needed, all actions wait for the grant. */
typedef struct {
    bool needs, wants; /* the read port for `command`; and room for its result */
    uint32_t command;
    bool give; /* `answer` goes to the output queue */
    uint32_t answer;
    bool plan; /* `planned` goes to the walker */
    uint32_t planned;
    bool take;     /* the reference leaves */
    uint8_t state; /* next */
    uint8_t level; /* next: level of the last stop outside the read-out */
    bool done_given;
    bool beyond; /* asks although the chip no longer does */
} front_plan;

/* An input of a reader's part in a cycle; `token` is valid if present. */
typedef struct {
    bool there;
    uint32_t token;
} read_offer;

INLINE uint32_t raised(uint32_t stop) {
    return (stop & 0x1ff00) | ((stop + 1) & 0xff);
}

INLINE void ask(front_plan *f, bool has_room, uint32_t command) {
    f->needs = true;
    f->wants = has_room;
    f->command = command;
}

INLINE bool is_barrier(const reader_state *s, uint32_t stop) {
    return rtl_is_stop(stop) && rtl_stop_level(stop) >= s->set.stop_lvl;
}

INLINE void front_lookup(unsigned is, const reader_state *s, uint32_t t, bool out_room, front_plan *f) {
    if (!rtl_is_control(t)) {
        ask(f, out_room, read_command(OP_READ, 0, t));
        f->give = f->take = true;
        f->answer = ANSWER;
        return;
    }
    f->give = f->take = out_room;
    f->answer = rtl_is_maybe(t) ? 0 : t;
    if (out_room && ((is & READ_SPACC) ? is_barrier(s, t) : rtl_is_done(t)))
        f->state = RD_FREE0;
}

/* A stop after a fiber, and the pass possibly ended by the stop. */
INLINE void front_stop(unsigned is, const reader_state *s, bool plan_room, uint32_t stop, front_plan *f) {
    f->planned = stop;
    f->plan = plan_room;
    if (!plan_room)
        return;
    f->level = (uint8_t)stop;
    f->state = accumulates(is) && is_barrier(s, stop) ? RD_PASS_DONE : RD_REF;
}

INLINE void front_ref(unsigned is, uint32_t t, bool plan_room, front_plan *f) {
    bool data = !rtl_is_control(t), maybe = rtl_is_maybe(t);
    if (accumulates(is) && rtl_is_done(t)) {
        f->state = RD_START;
    } else if (data && !(is & READ_DENSE)) {
        ask(f, plan_room, read_command(OP_READ, 0, t));
        f->state = RD_REF_END;
    } else if (data || (maybe && (is & READ_DENSE))) {
        f->planned = (data ? (uint32_t)FIBER : 0) | t;
        f->plan = f->take = plan_room;
        if (plan_room)
            f->state = RD_STOP;
    } else if (maybe) {
        f->take = true;
        f->state = RD_STOP;
    } else if (rtl_is_done(t)) {
        f->planned = t;
        f->plan = f->take = plan_room;
        if (plan_room)
            f->state = (is & READ_DENSE) ? RD_WALK : RD_FREE0;
    } else {
        f->state = RD_STOP;
    }
}

INLINE void front_start(unsigned is, const reader_state *s, bool valid, uint32_t t, front_plan *f) {
    if (!accumulates(is)) {
        f->state = (is & READ_BLOCK)    ? RD_SIZE
                   : !(is & READ_ROOT)  ? RD_REF
                   : (is & READ_LOOKUP) ? RD_START
                                        : RD_INJECT;
    } else if (valid && rtl_is_done(t) && !s->read_out) {
        f->take = true;
        f->done_given = false;
    } else if (valid || s->read_out) {
        f->state = RD_ROUTE;
    }
}

/* The chip counts its places for values down as words leave, and asks unless the count is 8. */
INLINE bool is_counted_out(unsigned is, const reader_state *s) {
    return gives_values(is) && s->value_out.popped % 16 == 8;
}

/* Block mode: whether the scanner may ask for a word. */
INLINE bool read_room(unsigned is, const reader_state *s) {
    return gives_values(is) ? !is_counted_out(is, s) || (s->answers.count == 0 && s->value_out.owed == 0)
                            : ring_room(&s->out);
}

/* Block mode: all words of the block have left; of values, all have come. */
INLINE bool block_read(unsigned is, const reader_state *s) {
    return gives_values(is) ? s->value_out.owed == 0 : s->out.count == 0;
}

/* Plans a cycle, for the reference at the head, and for an answer if taken. */
INLINE front_plan plan_front(unsigned is, const reader_state *s, read_offer ref, read_offer answered) {
    const bool valid = ref.there, rsp = answered.there;
    const uint32_t t = ref.token, answer = answered.token;
    front_plan f = {.state = s->state, .level = s->level, .done_given = s->done_given};
    /* The fiber between its two reads has its place in the plan. */
    bool out_room = ring_room(&s->out), plan_room = s->plan.count + (s->state == RD_REF_END) < RING_WORDS;
    switch (s->state) {
    case RD_START:
        front_start(is, s, valid, t, &f);
        break;
    case RD_INJECT:
        f.state = RD_INJECT_DONE;
        break;
    case RD_INJECT_DONE:
        f.state = RD_REF;
        break;
    case RD_ROUTE:
        f.planned = RTL_ROUTE | s->read_out;
        f.plan = plan_room;
        if (plan_room)
            f.state = RD_REF;
        break;
    case RD_REF:
        if (s->read_out) {
            ask(&f, plan_room, read_command(OP_READ, 0, 0));
            f.state = RD_REF_END;
        } else if (valid && (is & READ_LOOKUP)) {
            front_lookup(is, s, t, out_room, &f);
        } else if (valid) {
            front_ref(is, t, plan_room, &f);
        }
        break;
    case RD_REF_END:
        ask(&f, plan_room, read_command(OP_READ, 0, s->read_out ? 1 : t + 1));
        f.plan = true;
        f.take = !s->read_out;
        f.planned = (uint32_t)FIBER | (s->read_out ? 0 : t);
        f.state = RD_STOP;
        break;
    case RD_STOP:
        if (s->read_out) {
            f.planned = RTL_STOP((s->level - 1) & 0xff);
            f.plan = plan_room;
            if (plan_room)
                f.state = RD_PASS_DONE;
        } else if (valid) {
            front_stop(is, s, plan_room, rtl_is_stop(t) ? raised(t) : RTL_STOP(0), &f);
            f.take = plan_room && rtl_is_stop(t);
        }
        break;
    case RD_PASS_DONE: {
        bool last = s->read_out ? s->done_given : s->level == (uint8_t)(s->set.stop_lvl + 2);
        f.planned = RTL_DONE;
        f.plan = last && plan_room;
        f.done_given |= f.plan;
        if (plan_room || !last) {
            f.take = valid && !s->read_out && rtl_is_done(t);
            f.state = RD_FREE0;
        }
        break;
    }
    case RD_WALK: /* otherwise the walker ends it */
        if (is_compressed(is) && s->plan.count == 0)
            f.state = RD_FREE1;
        break;
    case RD_FREE1:
        ask(&f, true, read_command(OP_FREE, 1, 0));
        f.state = is_compressed(is) ? RD_REST : RD_FREE0;
        break;
    case RD_FREE0: /* segments are free as soon as all are requested */
        ask(&f, true, read_command(OP_FREE, 0, 0));
        f.state = is_compressed(is) ? RD_WALK : RD_REST;
        break;
    case RD_SIZE:
        ask(&f, read_room(is, s), read_command(OP_SIZE, 0, 0));
        f.give = true;
        f.beyond = is_counted_out(is, s);
        f.answer = ANSWER;
        f.state = RD_SIZE_WAIT;
        break;
    case RD_SIZE_WAIT:
        if (rsp)
            f.state = (uint16_t)answer == 0 ? RD_DRAIN : RD_READ;
        break;
    case RD_READ:
        ask(&f, read_room(is, s), read_command(OP_READ, s->second, s->read_addr));
        f.give = true;
        f.beyond = is_counted_out(is, s);
        f.answer = ANSWER;
        if (s->remaining == 1)
            f.state = RD_DRAIN;
        break;
    case RD_DRAIN:
        if (block_read(is, s)) {
            bool on = !s->second && !(is & READ_LOOKUP); /* to the coordinate block */
            ask(&f, true, on ? read_command(OP_SIZE, 1, 0) : read_command(OP_FREE, !(is & READ_LOOKUP), 0));
            f.give = on;
            f.answer = ANSWER;
            f.state = on ? RD_SIZE_WAIT : (is & READ_LOOKUP) ? RD_REST : RD_FREE0;
        }
        break;
    case RD_REST:
        f.state = RD_START;
        break;
    default:
        break;
    }
    return f;
}

INLINE void watch_reference(unsigned is, cycle_model *m, core *c, uint32_t t) {
    reader_state *s = c->u.reader;
    if (!(is & READ_DENSE))
        return;
    if (s->trees > 0)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_AGAIN, 1, t, 0);
    s->trees += rtl_is_done(t);
}

/* Takes the reference, carries out the plan, and moves to the next state. `ref` and `answer` as plan_front
 * saw them. */
INLINE void do_front(unsigned is, cycle_model *m, core *c, const front_plan *f, uint32_t ref,
                     uint32_t answer) {
    reader_state *s = c->u.reader;
    if (f->needs)
        push(m, c->out[RD_OUT_COMMAND], f->command);
    s->value_out.misplaced |= f->beyond;
    if (f->give && gives_values(is))
        s->value_out.owed++;
    else if (f->give)
        ring_push(&s->out, f->answer);
    if (f->plan)
        ring_push(&s->plan, f->planned);
    if (s->state == RD_START)
        s->second = s->root_done = false;
    if (s->state == RD_SIZE_WAIT) {
        s->read_addr = 0;
        s->remaining = (uint16_t)answer;
    }
    if (s->state == RD_READ) {
        s->read_addr++;
        s->remaining--;
    }
    if (s->state == RD_DRAIN && f->give)
        s->second = true;
    s->level = f->level;
    s->done_given = f->done_given;
    s->done_taken |= s->state == RD_PASS_DONE && f->take;
    if (s->state == RD_REST && s->read_out && s->done_taken)
        s->done_given = s->done_taken = false;
    if (s->state == RD_REST)
        s->read_out = accumulates(is) && !s->read_out && s->level > s->set.stop_lvl;
    if (f->take && !rtl_is_control(ref))
        s->root_done = true;
    if (f->take) {
        watch_reference(is, m, c, ref);
        if (!(is & READ_ROOT))
            pop(m, c->in[RD_IN_REF]);
    }
    s->state = f->state;
}

/* ---- walker: fibers to commands, positions and tokens ------------------------------------------- */

enum { FRONT_WANTS = 1, READ_ROOM = 2, POSITION_ROOM = 4 };

/* The walker gets the read port on its turn, or while the front does not need the port. */
INLINE walk_plan plan_walk(unsigned is, const reader_state *s, const skip_view *skip, unsigned ports,
                           uint32_t turn) {
    const bool pos_room = ports & POSITION_ROOM;
    walk_plan w = {.head = ring_front(&s->plan)};
    uint32_t pair = ring_front(&s->pairs);
    bool valid = s->plan.count != 0, is_fiber = w.head & FIBER, out_room = ring_room(&s->out);
    uint16_t first = (is & READ_DENSE) ? 0 : (uint16_t)pair,
             last = (is & READ_DENSE) ? s->set.dim_size : (uint16_t)(pair >> 16);
    w.at = s->active ? s->at : first;
    w.more = (uint16_t)(w.at + 1) != last;
    const bool cut = (is & READ_SKIPS) && skip->rest && s->skipper.tokens == 0;
    bool known = valid && is_fiber && ((is & READ_DENSE) || s->pairs.count != 0), empty = w.at >= last || cut;
    const uint32_t gap = is & READ_SKIPS ? read_skip_gap(s) : 1;
    const bool gapped = (is & READ_SKIPS) && s->skipper.gapped;
    w.ahead = (uint16_t)(last - w.at) > gap ? (uint16_t)(w.at + gap) : w.more ? (uint16_t)(last - 1) : last;
    w.fiber = known && !empty && out_room;
    w.reads = w.fiber && is_compressed(is) &&
              (is & READ_SKIPS ? gap == 1 || s->skipper.asked < READ_AHEAD : pos_room);
    w.granted = (ports & READ_ROOM) && (s->crd_first || turn == 1 || !(ports & FRONT_WANTS));
    w.goes = ((is & READ_SKIPS) || pos_room) && ((valid && !is_fiber && out_room) ||
                                                 (w.fiber && (!is_compressed(is) || (w.reads && w.granted))));
    const bool resolved = !gapped || s->out.count == 0 || cut;
    w.pops = (w.goes && (!is_fiber || (!w.more && !gapped))) || (known && empty && resolved);
    return w;
}

INLINE bool ends_walk(unsigned is, const reader_state *s, const walk_plan *w) {
    return s->state == RD_WALK && (is & READ_DENSE) && !(is & READ_ROOT) && w->goes && !w->fiber &&
           rtl_is_done(w->head);
}

INLINE void do_walk(unsigned is, cycle_model *m, core *c, const walk_plan *w) {
    reader_state *s = c->u.reader;
    fifo *pos = c->out[RD_OUT_POS];
    uint32_t token_out = w->head & 0x1ffff;
    if (w->goes && !(is & READ_SKIPS))
        push(m, pos,
             !w->fiber           ? token_out
             : (is & READ_DENSE) ? (uint16_t)(w->head * s->set.dim_size + w->at)
                                 : w->at);
    if (w->goes && !w->fiber) {
        ring_push(&s->out, token_out);
    } else if (w->goes) {
        if (is_compressed(is))
            push(m, c->out[RD_OUT_COMMAND], read_command(OP_READ, 1, w->at));
        ring_push(&s->out, (is & READ_DENSE)   ? w->at
                           : (is & READ_SKIPS) ? ANSWER | (uint32_t)s->skipper.turn << 16 | w->at
                                               : (uint32_t)ANSWER);
        s->at = w->ahead;
        s->active = w->more || ((is & READ_SKIPS) && s->skipper.gapped);
    }
    if (w->pops) {
        s->active = false;
        ring_pop(&s->plan);
        if (w->head & FIBER && !(is & READ_DENSE))
            ring_pop(&s->pairs);
    }
}

/* ---- output: the queue of tokens, and the answers from memory ----------------------------------- */

/* The turn of words from the tiles ahead in a store stream. */
INLINE bool is_ahead(const reader_state *s) {
    return s->chain.block < s->chain.ahead;
}

INLINE output_plan plan_output(unsigned is, const core *c, const skip_view *skip) {
    const reader_state *s = c->u.reader;
    output_plan o = {.head = gives_values(is) ? (uint32_t)ANSWER : ring_front(&s->out)};
    bool valid = (gives_values(is) || s->out.count != 0) && (!(o.head & ANSWER) || s->answers.count != 0);
    o.to = c->out[(is & READ_BLOCK) || s->to_block ? RD_OUT_BLOCK : RD_OUT_COORD];
    o.routes = (is & READ_SPACC) && o.head >> 8 == RTL_ROUTE >> 8;
    o.pops = valid && (o.routes || room(o.to)) && !((is & READ_CHAINED) && is_ahead(s));
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
INLINE bool pass_chained(unsigned is, cycle_model *m, core *c) {
    reader_state *s = c->u.reader;
    fifo *from = c->in[RD_IN_CHAIN];
    if (!(is & READ_BLOCK) || !is_ahead(s) || !room(c->out[RD_OUT_BLOCK]) || !(s->chain.pad || some(from)))
        return false;
    const uint32_t word = s->chain.pad ? 0 : token(from);
    const bool empty = !s->chain.pad && !s->chain.inside && (uint16_t)word == 0;
    push(m, c->out[RD_OUT_BLOCK], empty ? 1 : word);
    if (!s->chain.pad)
        pop(m, from);
    count_chained(is, s, true, (uint16_t)word);
    return true;
}

INLINE void do_output(unsigned is, cycle_model *m, core *c, const output_plan *o) {
    reader_state *s = c->u.reader;
    if (!o->pops)
        return;
    if ((is & READ_SKIPS) && o->gives)
        push(m, c->out[RD_OUT_POS], o->head & ANSWER ? o->head & 0xffff : o->head & 0x1ffff);
    if (o->routes)
        s->to_block = o->head & 1;
    else if (!(is & READ_SKIPS) || o->gives)
        push(m, o->to, o->head & ANSWER ? ring_front(&s->answers) : o->head & 0x1ffff);
    if (is & READ_CHAINED)
        count_chained(is, s, false, (uint16_t)ring_front(&s->answers));
    if (gives_values(is))
        s->value_out.popped++;
    else
        ring_pop(&s->out);
    if (o->head & ANSWER)
        ring_pop(&s->answers);
}

/* An answer from memory is half of a segment pair, or fills a place in the queue. */
typedef struct {
    bool pops, segment;
    uint32_t answer;
} answer_plan;

INLINE answer_plan plan_answer(unsigned is, const core *c) {
    const reader_state *s = c->u.reader;
    const fifo *rsp = c->in[RD_IN_ANSWER];
    answer_plan a = {.answer = token(rsp)};
    a.segment = is_compressed(is) && !(a.answer >> 16 & 1);
    a.pops = some(rsp) && ring_room(a.segment ? &s->pairs : &s->answers);
    return a;
}

/* The chip puts a value after seven waiting values into place 0, whichever is due. `kept`: waiting values. */
INLINE void watch_values(unsigned is, cycle_model *m, core *c, const answer_plan *a, uint32_t kept) {
    reader_state *s = c->u.reader;
    if (!gives_values(is))
        return;
    const bool comes = some(c->in[RD_IN_ANSWER]);
    if (comes && (kept == RING_WORDS || s->value_out.misplaced))
        cycle_note_hazard(m, c, CYCLE_HAZARD_VALUES_STALLED, 0, 0, 0);
    s->value_out.misplaced |= comes && kept == RING_WORDS - 1 && s->value_out.place != RING_WORDS - 1;
    s->value_out.place = (uint8_t)((s->value_out.place + a->pops) % RING_WORDS);
    s->value_out.owed = (uint8_t)(s->value_out.owed - s->value_out.came);
    s->value_out.came = a->pops;
}

INLINE void do_answer(cycle_model *m, core *c, const answer_plan *a) {
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
INLINE void watch_head(unsigned is, cycle_model *m, core *c, bool valid, uint32_t t) {
    const reader_state *s = c->u.reader;
    if (s->state != RD_REF || !valid)
        return;
    if (s->read_out && rtl_is_done(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_LATE_DONE, 1, t, 0);
    if ((is & READ_DENSE) && rtl_is_stop(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_STOP, 1, t, 0);
}

INLINE bool step_as(unsigned is, cycle_model *m, core *c) {
    reader_state *s = c->u.reader;
    const uint32_t turn = (m->now - c->flushed) & 1;
    const fifo *refs = c->in[RD_IN_REF];
    bool ref_valid = (is & READ_ROOT) || some(refs), rd_room = room(c->out[RD_OUT_COMMAND]);
    uint32_t ref = !(is & READ_ROOT) ? token(refs) : s->root_done ? RTL_DONE : 0;
    watch_head(is, m, c, ref_valid, ref);
    const skip_view skip = (is & READ_SKIPS) ? cycle_skip_look(&s->skipper.skip) : (skip_view){0};
    answer_plan a = plan_answer(is, c);
    front_plan f = plan_front(is, s, (read_offer){ref_valid, ref}, (read_offer){a.pops, a.answer});
    const unsigned ports = (f.wants ? FRONT_WANTS : 0) | (rd_room ? READ_ROOM : 0) |
                           (room(c->out[RD_OUT_POS]) ? POSITION_ROOM : 0);
    walk_plan w = plan_walk(is, s, &skip, ports, turn);
    output_plan o = plan_output(is, c, &skip);
    if (s->state == RD_WALK && is_compressed(is) && w.pops && s->plan.count == 1) /* the last of a pass */
        f.state = RD_FREE1;
    bool front_goes = !f.needs || (rd_room && f.wants && !(w.reads && w.granted));
    bool changed = front_goes && (f.needs || f.give || f.plan || f.take || f.state != s->state);
    changed |= w.goes || w.pops || o.pops || a.pops || s->value_out.came;

    if (is & READ_CHAINED)
        changed |= pass_chained(is, m, c);
    bool walk_ends = ends_walk(is, s, &w);
    const uint32_t kept = s->answers.count;
    do_output(is, m, c, &o);
    do_walk(is, m, c, &w);
    if (walk_ends)
        s->state = RD_START;
    else if (front_goes)
        do_front(is, m, c, &f, ref, a.answer);
    if (is & READ_SKIPS)
        changed |= read_skip_do(m, c, &w, &o, &skip);
    watch_values(is, m, c, &a, kept);
    do_answer(m, c, &a);
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
    case READ_BLOCK:
        return step_block;
    case READ_BLOCK | READ_LOOKUP:
        return step_values;
    default:
        return step_any;
    }
}
