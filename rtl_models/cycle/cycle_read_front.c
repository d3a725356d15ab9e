/* The front of a read scanner (cycle_read.c): references to segment pairs or values; blocks to the GLB;
 * frees. */
#include "rtl_models/cycle/read_int.h"

static uint32_t raised(uint32_t stop) {
    return (stop & 0x1ff00) | ((stop + 1) & 0xff);
}

static void ask(front_plan *f, bool has_room, uint32_t command) {
    f->needs = true;
    f->wants = has_room;
    f->command = command;
}

static bool is_barrier(const reader_state *s, uint32_t stop) {
    return rtl_is_stop(stop) && rtl_stop_level(stop) >= s->set.stop_lvl;
}

static void front_lookup(const reader_state *s, uint32_t t, bool out_room, front_plan *f) {
    if (!rtl_is_control(t)) {
        ask(f, out_room, read_command(OP_READ, 0, t));
        f->give = f->take = true;
        f->answer = ANSWER;
        return;
    }
    f->give = f->take = out_room;
    f->answer = rtl_is_maybe(t) ? 0 : t;
    if (out_room && (s->set.spacc ? is_barrier(s, t) : rtl_is_done(t)))
        f->state = RD_FREE0;
}

/* A stop after a fiber, and the pass possibly ended by the stop. */
static void front_stop(const reader_state *s, bool plan_room, uint32_t stop, front_plan *f) {
    f->planned = stop;
    f->plan = plan_room;
    if (!plan_room)
        return;
    f->level = (uint8_t)stop;
    f->state = s->set.accumulates && is_barrier(s, stop) ? RD_PASS_DONE : RD_REF;
}

static void front_ref(const reader_state *s, uint32_t t, bool plan_room, front_plan *f) {
    bool data = !rtl_is_control(t), maybe = rtl_is_maybe(t);
    if (s->set.accumulates && rtl_is_done(t)) {
        f->state = RD_START;
    } else if (data && !s->set.dense) {
        ask(f, plan_room, read_command(OP_READ, 0, t));
        f->state = RD_REF_END;
    } else if (data || (maybe && s->set.dense)) {
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
            f->state = s->set.dense ? RD_WALK : RD_FREE0;
    } else {
        f->state = RD_STOP;
    }
}

static void front_start(const reader_state *s, bool valid, uint32_t t, front_plan *f) {
    if (!s->set.accumulates) {
        f->state = s->set.block_mode ? RD_SIZE : !s->set.root ? RD_REF : s->set.lookup ? RD_START : RD_INJECT;
    } else if (valid && rtl_is_done(t) && !s->read_out) {
        f->take = true;
        f->done_given = false;
    } else if (valid || s->read_out) {
        f->state = RD_ROUTE;
    }
}

/* The chip counts its places for values down as words leave, and asks unless the count is 8. */
static bool is_counted_out(const reader_state *s) {
    return s->value_out.values && s->value_out.popped % 16 == 8;
}

/* Block mode: whether the scanner may ask for a word. */
static bool read_room(const reader_state *s) {
    return s->value_out.values ? !is_counted_out(s) || (s->answers.count == 0 && s->value_out.owed == 0)
                               : ring_room(&s->out);
}

/* Block mode: all words of the block have left; of values, all have come. */
static bool block_read(const reader_state *s) {
    return s->value_out.values ? s->value_out.owed == 0 : s->out.count == 0;
}

front_plan read_plan_front(const reader_state *s, read_offer ref, read_offer answered) {
    const bool valid = ref.there, rsp = answered.there;
    const uint32_t t = ref.token, answer = answered.token;
    front_plan f = {.state = s->state, .level = s->level, .done_given = s->done_given};
    /* The fiber between its two reads has its place in the plan. */
    bool out_room = ring_room(&s->out), plan_room = s->plan.count + (s->state == RD_REF_END) < RING_WORDS;
    switch (s->state) {
    case RD_START:
        front_start(s, valid, t, &f);
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
        } else if (valid && s->set.lookup) {
            front_lookup(s, t, out_room, &f);
        } else if (valid) {
            front_ref(s, t, plan_room, &f);
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
            front_stop(s, plan_room, rtl_is_stop(t) ? raised(t) : RTL_STOP(0), &f);
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
        if (s->set.compressed && s->plan.count == 0)
            f.state = RD_FREE1;
        break;
    case RD_FREE1:
        ask(&f, true, read_command(OP_FREE, 1, 0));
        f.state = s->set.compressed ? RD_REST : RD_FREE0;
        break;
    case RD_FREE0: /* segments are free as soon as all are requested */
        ask(&f, true, read_command(OP_FREE, 0, 0));
        f.state = s->set.compressed ? RD_WALK : RD_REST;
        break;
    case RD_SIZE:
        ask(&f, read_room(s), read_command(OP_SIZE, 0, 0));
        f.give = true;
        f.beyond = is_counted_out(s);
        f.answer = ANSWER;
        f.state = RD_SIZE_WAIT;
        break;
    case RD_SIZE_WAIT:
        if (rsp)
            f.state = (uint16_t)answer == 0 ? RD_DRAIN : RD_READ;
        break;
    case RD_READ:
        ask(&f, read_room(s), read_command(OP_READ, s->second, s->read_addr));
        f.give = true;
        f.beyond = is_counted_out(s);
        f.answer = ANSWER;
        if (s->left == 1)
            f.state = RD_DRAIN;
        break;
    case RD_DRAIN:
        if (block_read(s)) {
            bool on = !s->second && !s->set.lookup; /* to the coordinate block */
            ask(&f, true, on ? read_command(OP_SIZE, 1, 0) : read_command(OP_FREE, !s->set.lookup, 0));
            f.give = on;
            f.answer = ANSWER;
            f.state = on ? RD_SIZE_WAIT : s->set.lookup ? RD_REST : RD_FREE0;
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

static void watch_reference(cycle_model *m, core *c, uint32_t t) {
    reader_state *s = c->u.reader;
    if (!s->set.dense)
        return;
    if (s->trees > 0)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_AGAIN, 1, t, 0);
    s->trees += rtl_is_done(t);
}

void read_do_front(cycle_model *m, core *c, const front_plan *f, uint32_t ref, uint32_t answer) {
    reader_state *s = c->u.reader;
    if (f->needs)
        push(m, c->out[RD_OUT_COMMAND], f->command);
    s->value_out.misplaced |= f->beyond;
    if (f->give && s->value_out.values)
        s->value_out.owed++;
    else if (f->give)
        ring_push(&s->out, f->answer);
    if (f->plan)
        ring_push(&s->plan, f->planned);
    if (s->state == RD_START)
        s->second = s->root_done = false;
    if (s->state == RD_SIZE_WAIT) {
        s->read_addr = 0;
        s->left = (uint16_t)answer;
    }
    if (s->state == RD_READ) {
        s->read_addr++;
        s->left--;
    }
    if (s->state == RD_DRAIN && f->give)
        s->second = true;
    s->level = f->level;
    s->done_given = f->done_given;
    s->done_taken |= s->state == RD_PASS_DONE && f->take;
    if (s->state == RD_REST && s->read_out && s->done_taken)
        s->done_given = s->done_taken = false;
    if (s->state == RD_REST)
        s->read_out = s->set.accumulates && !s->read_out && s->level > s->set.stop_lvl;
    if (f->take && !rtl_is_control(ref))
        s->root_done = true;
    if (f->take) {
        watch_reference(m, c, ref);
        if (!s->set.root)
            pop(m, c->in[RD_IN_REF]);
    }
    s->state = f->state;
}
