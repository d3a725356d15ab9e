/* A cycle of each PE primitive: states, handshakes and cycles are those of the file of the same name in rtl/,
 * which explains them. FIFOs stand on all sides: "ready" is room in an output. */
#include "rtl_models/cycle/cycle_int.h"

static bool is_high(uint32_t stop) {
    return rtl_stop_level(stop) != 0;
}

/* ---- onyx_intersect -------------------------------------------------------------------------- */

enum { JOIN_IDLE, JOIN_ITERATE, JOIN_UNION, JOIN_ALIGN, JOIN_DRAIN, JOIN_RESTART };

static bool is_end(uint32_t t) {
    return rtl_is_control(t) && !rtl_is_maybe(t);
}

/* Whether an end stands at the head. */
static bool ends_at(const fifo *in) {
    return some(in) && is_end(token(in));
}

static bool ends_here(const core *c) {
    return ends_at(&c->in[0]) || ends_at(&c->in[1]) || ends_at(&c->in[2]) || ends_at(&c->in[3]);
}

/* Iterates over two coordinates with references, none a control token. */
static bool join_data(core *c, uint32_t a, uint32_t b) {
    const bool is_union = c->u.joiner.is_union, take0 = a <= b, take1 = b <= a;
    if (is_union || a == b) {
        if (!room(&c->out[0]) || !room(&c->out[1]) || !room(&c->out[2]))
            return false;
        push(&c->out[0], take0 ? a : b);
        push(&c->out[1], take0 ? token(&c->in[2]) : RTL_MAYBE);
        push(&c->out[2], take1 ? token(&c->in[3]) : RTL_MAYBE);
    }
    if (take0) {
        pop(&c->in[0]);
        pop(&c->in[2]);
    }
    if (take1) {
        pop(&c->in[1]);
        pop(&c->in[3]);
    }
    return true;
}

static bool step_joiner(cycle_model *m, core *c) {
    joiner_state *s = &c->u.joiner;
    fifo *crd0 = &c->in[0], *crd1 = &c->in[1], *pos0 = &c->in[2], *pos1 = &c->in[3];
    const bool side0 = some(crd0) && some(pos0), side1 = some(crd1) && some(pos1), all = side0 && side1;
    if (all && (s->state == JOIN_ITERATE || s->state == JOIN_UNION) &&
        !rtl_is_control(token(crd0) | token(crd1) | token(pos0) | token(pos1)))
        return join_data(c, token(crd0), token(crd1));
    if (s->state == JOIN_RESTART) {
        s->state = JOIN_IDLE;
        return true;
    }
    const bool waits = s->state == JOIN_IDLE || (s->state == JOIN_ITERATE && !all);
    if (waits && !s->is_union && ends_here(c)) {
        s->state = JOIN_ALIGN;
        return true;
    }
    if (!all && s->state != JOIN_ALIGN)
        return false;
    uint32_t a = token(crd0), b = token(crd1);
    uint32_t out[3] = {a, token(pos0), token(pos1)};
    bool end0 = is_end(a), end1 = is_end(b);
    bool less = (uint16_t)a < (uint16_t)b, equal = (uint16_t)a == (uint16_t)b;
    bool take0 = false, take1 = false, give = false, doubt = false;
    uint8_t state = s->state;
    switch (s->state) {
    case JOIN_IDLE:
        s->state = s->is_union ? JOIN_UNION : JOIN_ITERATE;
        return true;
    case JOIN_ITERATE:
        if (rtl_is_maybe(a) || rtl_is_maybe(b)) {
            take0 = rtl_is_maybe(a);
            take1 = rtl_is_maybe(b);
        } else if (ends_here(c)) {
            state = JOIN_ALIGN;
        } else {
            take0 = equal || less;
            take1 = equal || !less;
            give = equal;
            doubt = rtl_is_maybe(token(pos0)) || rtl_is_maybe(token(pos1));
        }
        break;
    case JOIN_UNION:
        if (rtl_is_maybe(a) || rtl_is_maybe(b)) {
            take0 = rtl_is_maybe(a);
            take1 = rtl_is_maybe(b);
        } else if (end0 && end1) {
            state = JOIN_DRAIN;
        } else {
            take0 = !end0 && (end1 || equal || less);
            take1 = !end1 && (end0 || equal || !less);
            give = true;
            out[0] = take0 ? a : b;
            out[1] = take0 ? out[1] : RTL_MAYBE;
            out[2] = take1 ? out[2] : RTL_MAYBE;
        }
        break;
    case JOIN_ALIGN:
        take0 = side0 && !end0;
        take1 = side1 && !end1;
        if (all && end0 && end1)
            state = JOIN_DRAIN;
        break;
    default: /* JOIN_DRAIN */
        if (end0 && end1) {
            take0 = take1 = give = true;
            out[1] = out[2] = a;
        } else {
            state = JOIN_RESTART;
        }
    }
    bool moves = take0 || take1;
    bool maybe = (take0 && rtl_is_maybe(a)) || (take1 && rtl_is_maybe(b));
    if (give) {
        moves = room(&c->out[0]) && room(&c->out[1]) && room(&c->out[2]);
        for (int o = 0; o < 3 && moves; o++)
            push(&c->out[o], out[o]);
    }
    if (doubt && moves)
        cycle_note_hazard(m, c, CYCLE_HAZARD_MAYBE_REFERENCE, 2, token(pos0), token(pos1));
    if (maybe)
        cycle_note_hazard(m, c, CYCLE_HAZARD_MAYBE_COORDINATE, 2, a, b);
    if (take0 && moves) {
        pop(crd0);
        pop(pos0);
    }
    if (take1 && moves) {
        pop(crd1);
        pop(pos1);
    }
    moves |= state != s->state;
    s->state = state;
    return moves;
}

/* ---- onyx_region_join ------------------------------------------------------------------------ */

static bool step_region_join(cycle_model *m, core *c) {
    fifo *crd0 = &c->in[0], *crd1 = &c->in[1], *pos0 = &c->in[2], *pos1 = &c->in[3];
    if (!some(crd0) || !some(pos0) || !some(crd1) || !some(pos1))
        return false;
    const uint32_t a = token(crd0), b = token(crd1);
    const bool maybe = rtl_is_maybe(a) || rtl_is_maybe(b), ends = is_end(a) && is_end(b);
    const bool less = (uint16_t)a < (uint16_t)b, equal = (uint16_t)a == (uint16_t)b;
    uint32_t out[3] = {a, token(pos0), token(pos1)};
    bool take0 = ends, take1 = ends, give = ends;
    if (maybe) {
        take0 = rtl_is_maybe(a);
        take1 = rtl_is_maybe(b);
    } else if (ends) {
        out[1] = out[2] = a;
    } else {
        take0 = !is_end(a) && (is_end(b) || equal || less);
        take1 = !is_end(b) && (is_end(a) || equal || !less);
        give = c->u.region.regions & (take0 && take1 ? RTL_REGION_BOTH
                                      : take0        ? RTL_REGION_SIDE0
                                                     : RTL_REGION_SIDE1);
        out[0] = take0 ? a : b;
        out[1] = take0 ? out[1] : RTL_MAYBE;
        out[2] = take1 ? out[2] : RTL_MAYBE;
    }
    if (give && (!room(&c->out[0]) || !room(&c->out[1]) || !room(&c->out[2])))
        return false;
    for (int o = 0; o < 3 && give; o++)
        push(&c->out[o], out[o]);
    if (maybe)
        cycle_note_hazard(m, c, CYCLE_HAZARD_MAYBE_COORDINATE, 2, a, b);
    if (take0) {
        pop(crd0);
        pop(pos0);
    }
    if (take1) {
        pop(crd1);
        pop(pos1);
    }
    return true;
}

/* ---- onyx_crddrop ---------------------------------------------------------------------------- */

static void watch_drop(cycle_model *m, core *c, uint32_t outer) {
    crddrop_state *s = &c->u.drop;
    if (rtl_is_item(outer)) {
        if (s->empty_before)
            cycle_note_hazard(m, c, CYCLE_HAZARD_DROP_EMPTY, 1, outer, 0);
        s->fiber_open = s->any = true;
        s->empty_before = false;
    } else {
        if (rtl_is_done(outer) && s->empty_before && s->any)
            cycle_note_hazard(m, c, CYCLE_HAZARD_DROP_EMPTY, 1, outer, 0);
        s->any = s->any && !rtl_is_done(outer);
        s->empty_before = rtl_is_stop(outer) && (s->empty_before || !s->fiber_open);
        s->fiber_open = false;
    }
}

static bool step_crddrop(cycle_model *m, core *c) {
    crddrop_state *s = &c->u.drop;
    fifo *in = &c->in[0], *out = &c->in[1];
    uint32_t inner = token(in), outer = token(out);
    bool inner_stop = some(in) && rtl_is_stop(inner), inner_done = some(in) && rtl_is_done(inner);
    bool inner_item = some(in) && rtl_is_item(inner), inner_high = inner_stop && is_high(inner);
    bool outer_stop = some(out) && rtl_is_stop(outer), outer_done = some(out) && rtl_is_done(outer);
    bool outer_item = some(out) && rtl_is_item(outer);
    bool room0 = room(&c->out[0]), room1 = room(&c->out[1]);

    bool close = inner_stop && outer_item, both = (close && s->has_data) || (inner_done && outer_done);
    bool alone = inner_item || (inner_stop && outer_done);
    bool empty_outer = outer_stop && !s->owed && inner_high && !s->has_data;
    bool pass_stop = outer_stop && (s->owed || some(in)) && !empty_outer;
    bool take_inner = alone ? room0 : both ? room0 && room1 : empty_outer ? room1 : close;
    bool take_outer = pass_stop || empty_outer ? room1 : both ? room0 && room1 : close;
    /* Recorded are done, sent more than once, and an empty fiber's coordinate taken alone when only the outer
     * sink is full. Pairs stay together on the chip: no recording with stalls needs more than these two. */
    if (inner_done && outer_done ? room0 != room1 : close && !s->has_data && room0 && !room1)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DROP_UNEVEN, 2, inner, outer);

    if ((alone && room0) || (both && room0 && room1))
        push(&c->out[0], inner);
    if (((pass_stop || empty_outer) && room1) || (both && room0 && room1))
        push(&c->out[1], outer);
    if (take_inner) {
        s->has_data = inner_item;
        pop(in);
    }
    if (take_outer) {
        if (outer_stop)
            s->owed = false;
        watch_drop(m, c, outer);
        pop(out);
    }
    if (take_inner && close && inner_high)
        s->owed = true;
    return take_inner || take_outer;
}

/* ---- onyx_crdhold ---------------------------------------------------------------------------- */

enum { HOLD_START, HOLD_HOLD, HOLD_DONE };
enum { DEBT_NONE, DEBT_ITEM, DEBT_STOP };

static bool step_crdhold(cycle_model *m, core *c) {
    crdhold_state *s = &c->u.hold;
    fifo *in = &c->in[0], *out = &c->in[1];
    if (s->state == HOLD_START) {
        s->state = HOLD_HOLD;
        return true;
    }
    if (!some(in) || !some(out))
        return false;
    uint32_t inner = token(in), outer = token(out);
    bool outer_stop = rtl_is_stop(outer), outer_done = rtl_is_done(outer), outer_item = rtl_is_item(outer);
    bool can = room(&c->out[0]) && room(&c->out[1]);
    bool give = false, pop_inner = false, pop_outer = false;
    uint8_t rest = s->debt == DEBT_STOP && outer_item   ? DEBT_STOP
                   : s->debt == DEBT_ITEM && outer_stop ? DEBT_ITEM
                                                        : DEBT_NONE;
    uint8_t state = s->state, debt = s->debt;
    if (s->state == HOLD_DONE) {
        give = true;
        pop_inner = pop_outer = can;
        debt = DEBT_NONE;
        if (can)
            state = HOLD_START;
    } else if (rtl_is_stop(inner) && !outer_done) {
        give = rest == DEBT_NONE;
        pop_inner = give && can;
        pop_outer = pop_inner || !give;
        if (!give)
            debt = rest;
        else if (pop_inner && s->debt != DEBT_NONE)
            debt = is_high(inner) ? DEBT_STOP : DEBT_ITEM;
        else if (pop_inner)
            debt = is_high(inner) && outer_item ? DEBT_STOP : DEBT_NONE;
    } else if ((s->debt != DEBT_NONE || outer_stop) && !outer_done) {
        pop_outer = true;
        debt = rest;
    } else if (rtl_is_item(inner) && outer_item) {
        give = true;
        pop_inner = can;
    } else if (rtl_is_done(inner) && outer_done) {
        state = HOLD_DONE;
    }
    /* A coordinate in debt belongs to an empty fiber whose stop took another token along. */
    if (pop_outer && s->debt != DEBT_NONE && outer_item)
        cycle_note_hazard(m, c, CYCLE_HAZARD_HOLD_EMPTY, 2, inner, outer);
    if (pop_inner)
        pop(in);
    if (pop_outer)
        pop(out);
    if (give && can) {
        push(&c->out[0], inner);
        push(&c->out[1], rtl_is_item(inner) ? outer : inner);
    }
    bool changed = pop_inner || pop_outer || state != s->state || debt != s->debt;
    s->state = state;
    s->debt = debt;
    return changed;
}

/* ---- onyx_alu; the FIFO behind the PE is a queue of the output pipe ----------------------------------- */

static bool step_alu(cycle_model *m, core *c) {
    const alu_state *s = &c->u.alu;
    if (!some(&c->in[0]) || !some(&c->in[1]) || !room(&c->out[0]))
        return false;
    uint32_t a = token(&c->in[0]), b = token(&c->in[1]);
    if (is_end(a) != is_end(b))
        cycle_note_hazard(m, c, CYCLE_HAZARD_ALU_STOP, 2, a, b);
    const bool passes = rtl_is_control(a) && rtl_is_control(b);
    m->work.operations += !passes;
    if (passes)
        push(&c->out[0], a);
    else
        push(&c->out[0],
             rtl_alu_result(s->space, rtl_is_maybe(a) ? 0 : (uint16_t)a, rtl_is_maybe(b) ? 0 : (uint16_t)b));
    pop(&c->in[0]);
    pop(&c->in[1]);
    return true;
}

/* ---- onyx_repeat ----------------------------------------------------------------------------- */

enum { REPEAT_START, REPEAT_ROOT_REF, REPEAT_ROOT_DONE, REPEAT_REPEAT, REPEAT_STOP, REPEAT_DONE };

static bool step_repeat(cycle_model *m, core *c) {
    repeat_state *s = &c->u.repeat;
    fifo *proc = &c->in[0], *sig = &c->in[1], *out = &c->out[0];
    uint32_t proc_token = token(proc), signal = token(sig);
    bool some_proc = some(proc);
    bool proc_stop = some(proc) && rtl_is_stop(proc_token), proc_done = some(proc) && rtl_is_done(proc_token);
    bool proc_item = some(proc) && rtl_is_item(proc_token);
    bool sig_stop = some(sig) && rtl_is_stop(signal), sig_done = some(sig) && rtl_is_done(signal);
    bool sig_item = some(sig) && rtl_is_item(signal);
    bool give = false, sent = false, pop_proc = false, send = s->send, close = s->close;
    uint8_t state = s->state;
    switch (s->state) {
    case REPEAT_START:
        state = s->root ? REPEAT_ROOT_REF : REPEAT_REPEAT;
        s->fresh = true;
        break;
    case REPEAT_ROOT_REF:
    case REPEAT_ROOT_DONE:
        if (room(proc))
            push(&c->out[1], s->state == REPEAT_ROOT_REF ? 0 : RTL_DONE);
        some_proc = true; /* the monitor counts the word that comes */
        state = (uint8_t)(s->state + 1);
        break;
    case REPEAT_REPEAT:
        give = (sig_item || (sig_stop && s->spacc)) && proc_item;
        if (s->spacc) {
            pop_proc = proc_stop || (sig_done && proc_item);
            state = sig_done && proc_done ? REPEAT_DONE : state;
        } else if (sig_stop && (proc_item || proc_stop)) {
            pop_proc = send = true;
            close = proc_item && is_high(signal);
            state = REPEAT_STOP;
        } else if ((sig_item || sig_done) && proc_stop) {
            pop_proc = true;
        } else if (sig_done && proc_done) {
            state = REPEAT_DONE;
        }
        break;
    case REPEAT_STOP:
        give = s->send ? some(proc) : sig_stop && proc_stop && !s->close;
        sent = give && room(out);
        if (sent)
            send = false;
        if (s->close) {
            if ((sent || !s->send) && proc_stop) {
                pop_proc = true;
                close = false;
            }
        } else if (proc_stop) {
            pop_proc = sent && !s->send;
            if (sig_item || sig_done)
                state = REPEAT_REPEAT;
        } else if ((sent || !s->send) && some(proc)) {
            state = REPEAT_REPEAT;
        }
        break;
    default: /* REPEAT_DONE */
        give = true;
        pop_proc = room(out);
        if (room(out))
            state = REPEAT_START;
    }
    sent = give && room(out);
    if (s->leading && s->state == REPEAT_STOP && pop_proc && proc_stop)
        cycle_note_hazard(m, c, CYCLE_HAZARD_REPEAT_LEADING, 2, proc_token, signal);
    if (sent && s->state == REPEAT_REPEAT && sig_item && rtl_is_control(signal))
        cycle_note_hazard(m, c, CYCLE_HAZARD_REPEAT_MAYBE, 2, proc_token, signal);
    const bool ends = s->state == REPEAT_REPEAT && !s->spacc && sig_stop && (proc_item || proc_stop);
    const bool harms = s->kept && sent && s->state == REPEAT_REPEAT && sig_item;
    const bool keeps = s->stays && sig_stop && proc_item && !s->send && !s->close;
    const bool kept = (s->kept || keeps) && s->state != REPEAT_DONE;
    const bool late = (s->late && !sent) || (ends && proc_stop && s->stays);
    const bool stays = s->stays ? (s->late && s->send) || !(some_proc && !proc_stop && room(out))
                                : s->state == REPEAT_REPEAT && sig_stop && !proc_done && !s->spacc;
    if (harms)
        cycle_note_hazard(m, c, CYCLE_HAZARD_REPEAT_EMPTY, 2, proc_token, signal);
    bool begins = ends && proc_stop && s->fresh;
    bool leading = (s->leading || begins) && !proc_item && !proc_done;
    if (sent) {
        push(out, s->state == REPEAT_REPEAT && !sig_stop ? proc_token : signal);
        s->fresh = sig_done;
        pop(sig);
    }
    if (pop_proc)
        pop(proc);
    bool changed = sent || pop_proc || state != s->state || send != s->send || close != s->close ||
                   leading != s->leading || stays != s->stays || late != s->late || kept != s->kept;
    s->leading = leading;
    s->stays = stays;
    s->late = late;
    s->kept = kept;
    s->state = state;
    s->send = send;
    s->close = close;
    return changed;
}

/* ---- onyx_rsg -------------------------------------------------------------------------------- */

enum { RSG_START, RSG_DATA, RSG_CONTROL, RSG_DONE };

static bool step_rsg(cycle_model *m, core *c) {
    (void)m;
    uint8_t *state = &c->u.reduce.state;
    fifo *in = &c->in[0], *out = &c->out[0];
    if (*state == RSG_START || *state == RSG_DONE) {
        *state = *state == RSG_START ? RSG_DATA : RSG_START;
        return true;
    }
    if (!some(in))
        return false;
    uint32_t t = token(in);
    if (rtl_is_control(t) != (*state == RSG_CONTROL)) {
        *state = rtl_is_control(t) ? RSG_CONTROL : RSG_DATA;
        return true;
    }
    if (!room(out))
        return false;
    push(out, rtl_is_control(t) ? t : 1);
    pop(in);
    if (rtl_is_done(t))
        *state = RSG_DONE;
    return true;
}

/* ---- onyx_reduce ----------------------------------------------------------------------------- */

enum { REDUCE_START, REDUCE_ADD, REDUCE_SUM, REDUCE_STOP, REDUCE_DONE };

/* Returns the bits of the float32 sum of a float32 and a bfloat16, as onyx_float_sum.sv. The machine's
 * additions of float32 are those of IEEE 754. */
static uint32_t float32_sum(uint32_t a, uint16_t b) {
    const uint32_t wide = (uint32_t)b << 16;
    float x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &wide, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return x != x ? 0x7fc00000 : a;
}

/* Returns the sum for one further value. */
static uint32_t reduce_next(const reduce_state *s, uint16_t value) {
    return s->float32 ? float32_sum(s->sum, value) : rtl_combine(s->by, s->bf16, (uint16_t)s->sum, value);
}

/* Returns the word that leaves: of a float32 the nearest bf16, ties to even. */
static uint32_t reduce_word(const reduce_state *s) {
    return s->float32 ? (s->sum + 0x7fff + (s->sum >> 16 & 1)) >> 16 : s->sum;
}

static uint32_t reduce_first(const reduce_state *s) {
    return s->float32 ? (uint32_t)s->default_value << 16 : s->default_value;
}

static bool step_reduce(cycle_model *m, core *c) {
    reduce_state *s = &c->u.reduce;
    fifo *in = &c->in[0], *out = &c->out[0];
    uint32_t t = token(in);
    bool stop = rtl_is_stop(t), done = rtl_is_done(t), sends;
    switch (s->state) {
    case REDUCE_START:
        if (!some(in))
            return false;
        s->state = stop ? REDUCE_SUM : done ? REDUCE_DONE : REDUCE_ADD;
        if (s->by != RTL_BY_ADD)
            s->sum = reduce_first(s);
        return true;
    case REDUCE_ADD:
        if (!some(in))
            return false;
        if (stop || done) {
            s->state = REDUCE_SUM;
            return true;
        }
        if (rtl_is_maybe(t))
            cycle_note_hazard(m, c, CYCLE_HAZARD_REDUCE_MAYBE, 1, t, 0);
        else
            s->sum = reduce_next(s, (uint16_t)t);
        m->work.operations += !rtl_is_maybe(t);
        pop(in);
        return true;
    case REDUCE_SUM:
        if (!room(out))
            return false;
        push(out, reduce_word(s));
        s->state = REDUCE_STOP;
        return true;
    case REDUCE_STOP:
        sends = done || is_high(t);
        if (sends && !room(out))
            return false;
        if (sends)
            push(out, stop ? t - 1 : t);
        pop(in);
        s->sum = reduce_first(s);
        s->state = REDUCE_START;
        return true;
    default: /* REDUCE_DONE */
        if (!room(out))
            return false;
        push(out, t);
        pop(in);
        s->state = REDUCE_START;
        return true;
    }
}

cycle_step *cycle_step_of_pe(core_kind kind) {
    switch (kind) {
    case CORE_JOINER:
        return step_joiner;
    case CORE_CRDDROP:
        return step_crddrop;
    case CORE_CRDHOLD:
        return step_crdhold;
    case CORE_ALU:
        return step_alu;
    case CORE_REPEAT:
        return step_repeat;
    case CORE_RSG:
        return step_rsg;
    case CORE_REDUCE:
        return step_reduce;
    case CORE_REGION_JOIN:
        return step_region_join;
    case CORE_WRITE_SCANNER:
    case CORE_BUFFET:
    case CORE_READ_SCANNER:
    case CORE_VECTOR_REDUCE:
    case CORE_IO_IN:
    case CORE_IO_OUT:
        break;
    }
    BUG("core kind %d", (int)kind);
}
