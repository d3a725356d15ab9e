/* A cycle of a vector or matrix reducer: states, handshakes and cycles are those of rtl/onyx_vector_reduce.sv
 * and rtl/onyx_matrix_reduce.sv, which explain them. */
#include "rtl_models/cycle/cycle_int.h"

enum { VECTOR_TAKE, VECTOR_ADD, VECTOR_FIND, VECTOR_SEND };

static bool kept(const vector_state *s, uint32_t line) {
    return s->lines[line >> 6] >> (line & 63) & 1;
}

/* Removes the first nonempty line from the set, to be sent; false if none is left. */
static bool next_line(vector_state *s) {
    for (uint32_t w = 0; w < 8; w++) {
        if (s->lines[w] == 0)
            continue;
        s->line = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(s->lines[w]));
        s->lines[w] &= s->lines[w] - 1;
        s->odd = false;
        return true;
    }
    return false;
}

/* An outer coordinate stays until its fiber ends. */
static void take(core *c) {
    if (c->u.vector->inner && !rtl_is_item(token(&c->in[0])))
        pop(&c->in[2]);
    pop(&c->in[0]);
    pop(&c->in[1]);
}

/* Kind of the heads for the vector reducer: a coordinate, a point of a matrix, or the end of either. */
static uint32_t head(const core *c) {
    const uint8_t inner = c->u.vector->inner;
    const uint32_t crd = token(&c->in[0]);
    if (!inner)
        return crd;
    const uint32_t outer = token(&c->in[2]);
    if (!rtl_is_item(crd))
        return outer;
    if (rtl_is_control(crd) || rtl_is_control(outer))
        return RTL_MAYBE;
    return crd >> inner || outer << inner > UINT16_MAX ? UINT16_MAX : outer << inner | crd;
}

/* Takes the end of an outer coordinate's fiber: its own stop, or the matrix's stop, which stays. */
static bool end_row(core *c) {
    const uint32_t crd = token(&c->in[0]);
    if (!rtl_is_item(token(&c->in[2])) || !rtl_is_stop(crd))
        return false;
    if (rtl_stop_level(crd) == 0)
        take(c);
    else
        pop(&c->in[2]);
    return true;
}

static uint16_t value_of(const vector_state *s, uint32_t t) {
    return rtl_entry(s->by, rtl_is_control(t) ? 0 : (uint16_t)t);
}

/* The entry at the heads is the first of its line. */
static void begin_line(vector_state *s, uint32_t crd, uint16_t value) {
    s->lines[crd >> 7] |= 1ull << (crd >> 1 & 63);
    s->there[crd] = true;
    s->there[crd ^ 1] = false;
    s->sum[crd] = value;
}

static bool step_take(cycle_model *m, core *c) {
    vector_state *s = c->u.vector;
    if (!some(&c->in[0]) || !some(&c->in[1]) || (s->inner && !some(&c->in[2])))
        return false;
    if (s->inner && rtl_is_item(token(&c->in[0])) != rtl_is_item(token(&c->in[2])))
        return end_row(c);
    uint32_t crd = head(c);
    if (!rtl_is_item(crd)) {
        if (rtl_is_stop(crd) && rtl_stop_level(crd) == 0)
            take(c);
        else
            s->state = VECTOR_FIND;
        return true;
    }
    if (!rtl_is_maybe(crd) && crd >= RTL_VECTOR_COORDINATES)
        cycle_note_hazard(m, c, CYCLE_HAZARD_OVERFLOW, 1, crd, 0);
    bool fits = crd < RTL_VECTOR_COORDINATES;
    if (fits && kept(s, crd >> 1)) {
        s->state = VECTOR_ADD;
        return true;
    }
    m->work.accesses += fits;
    if (fits)
        begin_line(s, crd, value_of(s, token(&c->in[1])));
    take(c);
    return true;
}

static bool step_add(cycle_model *m, core *c) {
    vector_state *s = c->u.vector;
    uint32_t crd = head(c);
    uint16_t value = value_of(s, token(&c->in[1])), old = s->sum[crd];
    m->work.operations += s->there[crd];
    m->work.accesses += 2;
    s->sum[crd] = s->there[crd] ? rtl_combine(s->by, s->bf16, old, value) : value;
    s->there[crd] = true;
    s->state = VECTOR_TAKE;
    take(c);
    return true;
}

static bool has_room(const core *c) {
    return room(&c->out[0]) && room(&c->out[1]);
}

static bool step_find(core *c) {
    vector_state *s = c->u.vector;
    uint32_t end = head(c);
    if (next_line(s)) {
        s->state = VECTOR_SEND;
        return true;
    }
    if (!has_room(c) || (s->inner && !room(&c->out[2])))
        return false;
    end = rtl_is_stop(end) ? RTL_STOP(rtl_stop_level(end) - 1) : end;
    if (s->inner)
        push(&c->out[2], end);
    end = rtl_is_stop(end) && s->inner ? RTL_STOP(rtl_stop_level(end) + 1) : end;
    push(&c->out[0], end);
    push(&c->out[1], end);
    s->open = false;
    s->state = VECTOR_TAKE;
    take(c);
    return true;
}

/* Gives an outer coordinate, and ends the previous fiber. */
static bool begin_row(core *c, uint16_t row) {
    vector_state *s = c->u.vector;
    if (!room(&c->out[2]) || (s->open && !has_room(c)))
        return false;
    if (s->open) {
        push(&c->out[0], RTL_STOP(0));
        push(&c->out[1], RTL_STOP(0));
    }
    push(&c->out[2], row);
    s->open = true;
    s->row = row;
    return true;
}

static bool step_send(cycle_model *m, core *c) {
    vector_state *s = c->u.vector;
    uint32_t even = s->line * 2u;
    bool odd = s->odd || !s->there[even];
    const uint16_t row = (uint16_t)((even + odd) >> s->inner);
    if (s->inner && (!s->open || s->row != row))
        return begin_row(c, row);
    if (!has_room(c))
        return false;
    m->work.accesses += !s->odd;
    push(&c->out[0], s->inner ? (even + odd) & ((1u << s->inner) - 1) : even + odd);
    push(&c->out[1], s->sum[even + odd]);
    if (!odd && s->there[even + 1])
        s->odd = true;
    else if (!next_line(s))
        s->state = VECTOR_FIND;
    return true;
}

bool cycle_step_vector(cycle_model *m, core *c) {
    switch (c->u.vector->state) {
    case VECTOR_TAKE:
        return step_take(m, c);
    case VECTOR_ADD:
        return step_add(m, c);
    case VECTOR_FIND:
        return step_find(c);
    default:
        return step_send(m, c);
    }
}
