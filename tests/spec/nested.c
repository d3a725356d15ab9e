/* primitives that walk an inner stream along its outer stream: dropper, holder, repeater.
 *
 * All three rest on the nesting of the two streams. Each outer element owns an inner fiber. An inner stop of
 * level 0 ends the fiber of an element with a successor in the same outer fiber; a stop of level n+1 ends the
 * last fiber of an outer fiber ended by stop n, or stands for an outer fiber without elements.
 */
#include "tests/spec/streams.h"

/* Outer tokens ended by an inner stop. */
typedef struct {
    bool element;         /* an element was at the head and is taken */
    bool closes;          /* an outer stop was taken */
    uint32_t token, stop; /* those tokens */
} ended;

/* Takes from `outer` the tokens ended by the inner stop `stop`; false when the stream ran out. */
static bool take_ended(spec_streams *s, int outer, uint32_t stop, ended *e) {
    *e = (ended){0};
    if (!has(s, outer))
        return false;
    if (rtl_is_item(head(s, outer))) {
        e->element = true;
        e->token = take(s, outer);
        if (rtl_stop_level(stop) == 0)
            return true;
        if (!has(s, outer))
            return false;
    }
    if (rtl_is_stop(head(s, outer))) {
        e->closes = true;
        e->stop = take(s, outer);
    }
    return true;
}

/* Skips an outer stop without an inner stop: an earlier dropper lowered the inner stop's level. Such a stop
 * is at the head when the inner stream continues with data or done. */
static void skip_stops(spec_streams *s, int outer) {
    while (has(s, outer) && rtl_is_stop(head(s, outer)))
        take(s, outer);
}

void spec_crddrop(spec_streams *s) {
    bool filled = false;
    if (s->meaning >= SPEC_CHIP) {
        spec_chip_crddrop(s);
        return;
    }
    while (has(s, 0)) {
        uint32_t inner = head(s, 0);
        bool stands_for_empty = rtl_is_stop(inner) && rtl_stop_level(inner) > 0 && !filled;
        while (!rtl_is_item(inner) && !stands_for_empty && has(s, 1) && rtl_is_stop(head(s, 1)))
            put(s, 1, take(s, 1));
        if (rtl_is_done(inner)) {
            if (!has(s, 1) || !rtl_is_done(head(s, 1)))
                return;
            put(s, 0, inner);
            put(s, 1, take(s, 1));
        } else if (rtl_is_stop(inner) && has(s, 1) && rtl_is_done(head(s, 1))) {
            put(s, 0, inner); /* nothing left to end: no scanner sends this stop, the chip passes it */
            filled = false;
        } else if (rtl_is_stop(inner)) {
            ended e;
            bool whole = take_ended(s, 1, inner, &e);
            if (e.element && filled) {
                put(s, 0, inner);
                put(s, 1, e.token);
            }
            if (e.closes)
                put(s, 1, e.stop);
            if (!whole)
                return;
            filled = false;
        } else {
            put(s, 0, inner);
            filled = true;
        }
        take(s, 0);
    }
}

void spec_crdhold(spec_streams *s) {
    if (s->meaning >= SPEC_CHIP) {
        spec_chip_crdhold(s);
        return;
    }
    while (has(s, 0)) {
        uint32_t inner = head(s, 0);
        if (!rtl_is_stop(inner))
            skip_stops(s, 1);
        if (!has(s, 1) || rtl_is_done(inner) != rtl_is_done(head(s, 1)))
            return;
        uint32_t outer = head(s, 1);
        put(s, 0, inner);
        if (rtl_is_item(inner)) {
            put(s, 1, outer);
        } else {
            put(s, 1, inner);
            ended e;
            if (rtl_is_done(inner))
                take(s, 1);
            else
                take_ended(s, 1, inner, &e);
        }
        take(s, 0);
    }
}

/* With root the proc stream is [0, done], once for every tree of the other. */
static void make_root(spec_streams *s) {
    s->in[0] = (u32_vec){0};
    for (uint32_t i = 0; i < s->in[1].len; i++) {
        if (rtl_is_done(s->in[1].at[i])) {
            vec_push(s->mem, &s->in[0], 0);
            vec_push(s->mem, &s->in[0], RTL_DONE);
        }
    }
}

void spec_repeat(spec_streams *s, bool root, bool one_reference) {
    if (root)
        make_root(s);
    if (s->meaning >= SPEC_CHIP && !one_reference) {
        if (root && s->meaning == SPEC_CHIP_EARLY)
            s->meaning = SPEC_CHIP; /* its reference is present from the start */
        spec_chip_repeat(s);
        return;
    }
    while (has(s, 1)) {
        uint32_t signal = head(s, 1);
        if (!rtl_is_stop(signal) || one_reference)
            skip_stops(s, 0);
        if (one_reference && rtl_is_done(signal) && has(s, 0) && rtl_is_item(head(s, 0))) {
            take(s, 0);
            skip_stops(s, 0);
        }
        if (!has(s, 0) || rtl_is_done(signal) != rtl_is_done(head(s, 0)))
            return;
        uint32_t proc = head(s, 0);
        ended e;
        if (rtl_is_done(signal))
            take(s, 0);
        else if (rtl_is_stop(signal) && !one_reference)
            take_ended(s, 0, signal, &e);
        put(s, 0, rtl_is_item(signal) ? proc : signal);
        take(s, 1);
    }
}
