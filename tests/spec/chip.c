/* The primitives of a PE tile as in the public netlist, where the netlist departs from their meaning: its
 * state machines on streams whose tokens are all present. If the netlist's result depends on the arrival of a
 * token, the token is present at once, the case of most loss. */
#include "tests/spec/streams.h"

static bool is_data_at(const spec_streams *s, int port) {
    return has(s, port) && !rtl_is_control(head(s, port));
}

static bool is_control_at(const spec_streams *s, int port) {
    return has(s, port) && rtl_is_control(head(s, port));
}

/* ---- joiner: a control token of any kind ends a fiber ------------------------------------------ */

static bool both_end(const spec_streams *s, int side) {
    return is_control_at(s, side) && is_control_at(s, side + 2);
}

static void drop_side(spec_streams *s, int side) {
    take(s, side);
    take(s, side + 2);
}

/* Discards a side's tokens up to its end; false if the end is missing. */
static bool align(spec_streams *s, int side) {
    while (has(s, side) && has(s, side + 2) && !both_end(s, side))
        drop_side(s, side);
    return has(s, side) && has(s, side + 2);
}

static bool all_there(const spec_streams *s) {
    return has(s, 0) && has(s, 1) && has(s, 2) && has(s, 3);
}

/* Returns false where a stream ends before the fiber does. */
static bool intersect_fiber(spec_streams *s) {
    while (all_there(s)) {
        bool over = false;
        for (int port = 0; port < 4; port++)
            over |= is_control_at(s, port);
        if (over)
            return align(s, 0) && align(s, 1);
        const uint32_t a = head(s, 0), b = head(s, 1);
        if (a == b) {
            put(s, 0, a);
            put(s, 1, head(s, 2));
            put(s, 2, head(s, 3));
        }
        if (a <= b)
            drop_side(s, 0);
        if (a >= b)
            drop_side(s, 1);
    }
    return false;
}

static bool unite_fiber(spec_streams *s) {
    while (all_there(s)) {
        const uint32_t a = head(s, 0), b = head(s, 1);
        const bool end0 = rtl_is_control(a), end1 = rtl_is_control(b);
        if (both_end(s, 0) && both_end(s, 1))
            return true;
        const bool from0 = !end0 && (a <= b || end1), from1 = !end1 && (b <= a || end0);
        put(s, 0, from0 ? a : b);
        put(s, 1, from0 ? head(s, 2) : RTL_MAYBE);
        put(s, 2, from1 ? head(s, 3) : RTL_MAYBE);
        if (from0)
            drop_side(s, 0);
        if (from1)
            drop_side(s, 1);
        if (!from0 && !from1)
            return false;
    }
    return false;
}

void spec_chip_joiner(spec_streams *s, bool unites) {
    while (unites ? unite_fiber(s) : intersect_fiber(s)) {
        while (all_there(s) && both_end(s, 0) && both_end(s, 1)) {
            const uint32_t token = head(s, 0);
            for (int port = 0; port < 3; port++)
                put(s, port, token);
            drop_side(s, 0);
            drop_side(s, 1);
        }
    }
}

/* ---- dropper, holder ------------------------------------------------------------------------- */

/* A cycle; false if nothing can change. */
static bool drop_step(spec_streams *s, bool *filled) {
    const bool inner_data = is_data_at(s, 0), outer_data = is_data_at(s, 1);
    const bool inner_done = has(s, 0) && rtl_is_done(head(s, 0)),
               outer_done = has(s, 1) && rtl_is_done(head(s, 1));
    const bool inner_end = is_control_at(s, 0), outer_end = is_control_at(s, 1) && !outer_done;
    const bool keep = *filled;
    bool take_inner = inner_done ? outer_done : inner_data || (inner_end && (outer_done || outer_data));
    bool take_outer = outer_done ? inner_done : outer_end || (inner_end && outer_data);
    const bool put_inner =
        inner_done ? outer_done : inner_data || (inner_end && (outer_done || (outer_data && keep)));
    const bool put_outer = outer_done ? inner_done : outer_end || (inner_end && outer_data && keep);
    if (put_inner)
        put(s, 0, head(s, 0));
    if (put_outer)
        put(s, 1, head(s, 1));
    *filled = (keep || inner_data) && !inner_done && !(inner_end && outer_data);
    if (take_inner)
        take(s, 0);
    if (take_outer)
        take(s, 1);
    return take_inner || take_outer;
}

void spec_chip_crddrop(spec_streams *s) {
    bool filled = false;
    while (drop_step(s, &filled))
        continue;
}

void spec_chip_crdhold(spec_streams *s) {
    while (has(s, 0) && has(s, 1)) {
        const uint32_t inner = head(s, 0), outer = head(s, 1);
        const bool done = rtl_is_done(inner) && rtl_is_done(outer);
        const bool data = !rtl_is_control(inner) && !rtl_is_control(outer);
        if (!rtl_is_stop(inner) && !rtl_is_stop(outer) && !done && !data)
            return;
        if (rtl_is_stop(inner) || done || data) {
            put(s, 0, inner);
            put(s, 1, data ? outer : inner);
            take(s, 0);
        }
        if (rtl_is_stop(outer) || rtl_is_stop(inner) || done)
            take(s, 1);
    }
}

/* ---- repeater -------------------------------------------------------------------------------- */

typedef enum { REPEATS, STOPS, ENDS } repeat_state;

/* A cycle with done at the head of the processed stream, or after the head. */
static bool repeat_end(spec_streams *s, bool there, repeat_state *state) {
    const repeat_state was = *state;
    if (was == STOPS && there && rtl_is_stop(head(s, 1)))
        put(s, 0, take(s, 1));
    *state = was == STOPS ? REPEATS : ENDS;
    if (was != ENDS || !there || !rtl_is_done(head(s, 1)))
        return was != ENDS;
    put(s, 0, take(s, 1));
    take(s, 0);
    *state = REPEATS;
    return true;
}

/* A cycle with or without the signal's token; false if nothing can change. */
static bool repeat_step(spec_streams *s, bool there, repeat_state *state) {
    const bool any = has(s, 0), proc_stop = any && rtl_is_stop(head(s, 0));
    const bool stop = there && rtl_is_stop(head(s, 1)), item = there && !rtl_is_control(head(s, 1));
    if (any && (*state == ENDS || rtl_is_done(head(s, 0))))
        return repeat_end(s, there, state);
    if (*state == REPEATS && item) {
        if (any) {
            put(s, 0, rtl_is_maybe(head(s, 0)) ? head(s, 0) : head(s, 0) & 0xffff);
            take(s, 1);
        }
        return any;
    }
    if (*state == REPEATS) { /* a control token pops any head */
        if (there && any)
            take(s, 0);
        *state = stop && any ? STOPS : REPEATS;
        return there && any;
    }
    if (stop && any)
        put(s, 0, take(s, 1));
    if (there && proc_stop)
        take(s, 0);
    *state = any && !proc_stop ? REPEATS : STOPS;
    return any && (there || !proc_stop);
}

void spec_chip_repeat(spec_streams *s) {
    repeat_state state = REPEATS;
    if (s->meaning == SPEC_CHIP_EARLY && has(s, 1) && rtl_is_stop(head(s, 1)))
        state = STOPS; /* no head to pop */
    for (bool moves = true; moves;) {
        const uint32_t signal = s->taken[1];
        while (s->meaning == SPEC_CHIP_LATE && repeat_step(s, false, &state))
            continue;
        do
            moves = repeat_step(s, has(s, 1), &state); /* a head stays until taken */
        while (moves && s->taken[1] == signal);
    }
}
