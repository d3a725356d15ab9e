/* A cycle of the write scanner of a MEM tile. States and cycles are those of onyx_write_scanner.sv, which
 * explains them. cycle_build handles the enable bit by leaving out disabled units.
 */
#include "rtl_models/cycle/cycle_int.h"

enum {
    WR_START,
    WR_OPEN0,
    WR_OPEN1,
    WR_SETTLE,
    WR_LENGTH,
    WR_WORDS,
    WR_VALUES,
    WR_PAIRS,
    WR_ZERO,
    WR_LOOK,
    WR_TAKE,
    WR_NEXT,
    WR_CLOSE0,
    WR_TAKE_DONE,
    WR_REST
};
enum { WR_IN_ADDR = 1, WR_IN_BLOCK = 2, WR_IN_DATA = 3 };

/* {write, ID, address, data[15:0]}. Bit 11 of the address stands for all bits above the 11 of a block. */
static uint32_t command(bool write, unsigned id, uint32_t address, uint32_t data) {
    const uint32_t beyond = (address & 0xf800) != 0;
    return (uint32_t)write << 29 | id << 28 | beyond << 27 | (address & 0x7ff) << 16 | (data & 0xffff);
}

/* A word of the data at `index` was handed over. */
static void count_word(writer_state *s) {
    s->pause = (s->index & 3) == 3;
    s->index++;
}

/* Blocks of the tree up to the last of the scanner's own. */
static uint8_t up_to_own(const writer_state *s) {
    return (uint8_t)(s->before + (s->lowest_level ? 1 : 2));
}

static bool is_own(const writer_state *s) {
    return s->block >= s->before && s->block < up_to_own(s);
}

/* Takes the word at the head of the block stream. */
static void take_block_word(core *c) {
    writer_state *s = &c->u.writer;
    fifo *block = &c->in[WR_IN_BLOCK];
    s->remaining = s->inside ? (uint16_t)(s->remaining - 1) : (uint16_t)token(block);
    s->inside = s->remaining != 0;
    pop(block);
    if (!s->inside && ++s->block == up_to_own(s) + s->behind)
        s->block = 0;
}

/* A word of the scanner's own blocks is present. */
static bool some_own(const core *c) {
    return some(&c->in[WR_IN_BLOCK]) && is_own(&c->u.writer);
}

static bool step_words(core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *block = &c->in[WR_IN_BLOCK], *cmd = &c->out[0];
    if (s->index != s->count) {
        if (!some_own(c) || !room(cmd) || pause)
            return pause;
        push(cmd, command(true, s->second, s->index, token(block)));
        take_block_word(c);
        count_word(s);
        return true;
    }
    if (!s->lowest_level && !s->second) {
        s->second = true;
        s->state = WR_LENGTH;
        return true;
    }
    if (!room(cmd))
        return pause;
    push(cmd, command(false, !s->lowest_level, 0, 0));
    s->state = s->lowest_level ? WR_TAKE_DONE : WR_CLOSE0;
    return true;
}

static bool blank_due(const writer_state *s) {
    return s->spacc && s->init_blank && !s->blank;
}

/* The control token ends a block, and an accumulation. */
static bool closes(const writer_state *s, uint32_t t) {
    return s->spacc ? rtl_is_stop(t) && rtl_stop_level(t) >= s->stop_lvl : rtl_is_done(t);
}
static bool renews(const writer_state *s, uint32_t t) {
    return rtl_is_stop(t) && rtl_stop_level(t) > s->stop_lvl;
}

static bool step_values(core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *data = &c->in[WR_IN_DATA], *cmd = &c->out[0];
    if (!some(data))
        return pause;
    uint32_t t = token(data);
    bool value = !rtl_is_control(t);
    if (!value && !closes(s, t)) {
        pop(data);
        return true;
    }
    if (!room(cmd) || (pause && value))
        return pause;
    push(cmd, command(value, 0, s->index, t));
    pop(data);
    if (value) {
        count_word(s);
    } else {
        s->state = WR_TAKE_DONE;
        s->blank = s->blank && !renews(s, t);
    }
    return true;
}

static bool step_pairs(core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *data = &c->in[WR_IN_DATA], *addr = &c->in[WR_IN_ADDR], *cmd = &c->out[0];
    if (!some(data) || !some(addr))
        return pause;
    uint32_t t = token(data), at = token(addr);
    bool take_data, take_addr;
    if (!rtl_is_control(t) && !rtl_is_control(at)) {
        if (!room(cmd) || pause)
            return pause;
        push(cmd, command(true, 0, at, t));
        count_word(s);
        take_data = take_addr = true;
    } else if (rtl_is_done(t) && rtl_is_done(at)) {
        if (!room(cmd))
            return pause;
        push(cmd, command(false, 0, 0, 0));
        s->state = WR_TAKE_DONE;
        take_data = take_addr = true;
    } else {
        take_data = rtl_is_done(at) || (rtl_is_control(t) && !rtl_is_done(t));
        take_addr = rtl_is_done(t) || (rtl_is_control(at) && !rtl_is_done(at));
    }
    if (take_data)
        pop(data);
    if (take_addr)
        pop(addr);
    return pause || take_data || take_addr;
}

/* The current block ends: with the head, or without a token. */
static bool ends(const writer_state *s, const fifo *data) {
    return blank_due(s) || (some(data) && closes(s, token(data)));
}

/* Gives a command that opens or closes a block, and moves to the next state. */
static bool give_mark(core *c, unsigned id, uint8_t next) {
    if (!room(&c->out[0]))
        return false;
    push(&c->out[0], command(false, id, 0, 0));
    c->u.writer.state = next;
    return true;
}

/* Upper level: writes a coordinate, or where a fiber ends. */
static bool step_look(core *c) {
    writer_state *s = &c->u.writer;
    fifo *data = &c->in[WR_IN_DATA], *cmd = &c->out[0];
    uint32_t t = token(data);
    bool last = ends(s, data);
    if (!last && some(data) && rtl_is_done(t)) { /* the scanner accumulates */
        pop(data);
        return true;
    }
    if ((!some(data) && !last) || !room(cmd))
        return false;
    if (last || rtl_is_control(t)) {
        push(cmd, command(true, 0, s->index++, s->count));
        s->have_last = false;
        s->ended = true;
    } else {
        push(cmd, command(true, 1, s->count++, t));
        s->last = (uint16_t)t;
        s->have_last = true;
        s->ended = false;
    }
    s->state = WR_TAKE;
    return true;
}

/* Upper level, after an entry: takes tokens that add nothing, up to a token that adds an entry. */
static bool step_next(cycle_model *m, core *c) {
    writer_state *s = &c->u.writer;
    fifo *data = &c->in[WR_IN_DATA];
    uint32_t t = token(data);
    bool last = ends(s, data);
    if (last && s->ended)
        return give_mark(c, 1, WR_CLOSE0);
    if (!some(data) && !last)
        return false;
    bool drops = rtl_is_control(t) ? s->ended || rtl_is_done(t) : s->have_last && (uint16_t)t == s->last;
    if (last || !drops) {
        s->state = WR_LOOK;
        return true;
    }
    if (rtl_is_stop(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_EMPTY_FIBER, 1, t, 0);
    if (!rtl_is_control(t))
        cycle_note_hazard(m, c, CYCLE_HAZARD_EQUAL_CRD, 1, t, 0);
    pop(data);
    return true;
}

static bool step_writer(cycle_model *m, core *c) {
    writer_state *s = &c->u.writer;
    fifo *block = &c->in[WR_IN_BLOCK], *data = &c->in[WR_IN_DATA], *cmd = &c->out[0];
    bool pause = s->pause;
    s->pause = false;
    switch (s->state) {
    case WR_START:
        s->index = s->count = 0;
        s->have_last = s->ended = s->second = false;
        s->state = WR_OPEN0;
        return true;
    case WR_OPEN0:
        return give_mark(c, 0, !s->lowest_level ? WR_OPEN1 : s->block_mode ? WR_LENGTH : WR_SETTLE);
    case WR_OPEN1:
        return give_mark(c, 1, s->block_mode ? WR_LENGTH : WR_ZERO);
    case WR_ZERO:
        if (!room(cmd))
            return false;
        push(cmd, command(true, 0, 0, 0));
        s->index = 1;
        s->state = WR_LOOK;
        return true;
    case WR_SETTLE:
        s->state = blank_due(s) ? WR_CLOSE0 : s->compressed ? WR_VALUES : WR_PAIRS;
        s->blank |= blank_due(s);
        return true;
    case WR_LENGTH:
        s->index = 0;
        if (!some_own(c))
            return pause;
        s->count = (uint16_t)token(block);
        take_block_word(c);
        s->state = WR_WORDS;
        return true;
    case WR_WORDS:
        return step_words(c, pause);
    case WR_VALUES:
        return step_values(c, pause);
    case WR_PAIRS:
        return step_pairs(c, pause);
    case WR_LOOK:
        return step_look(c);
    case WR_NEXT:
        return step_next(m, c);
    case WR_TAKE:
        if (s->ended && ends(s, data))
            return give_mark(c, 1, WR_CLOSE0);
        pop(data);
        s->state = WR_NEXT;
        return true;
    case WR_CLOSE0:
        return give_mark(c, 0, WR_TAKE_DONE);
    case WR_TAKE_DONE:
        s->state = WR_REST;
        return true;
    default: /* WR_REST */
        if (!s->lowest_level && blank_due(s)) {
            s->blank = true;
        } else if (!s->lowest_level) {
            s->blank = s->blank && !renews(s, token(data));
            if (!s->block_mode && some(data))
                pop(data);
        }
        s->state = WR_START;
        return true;
    }
}

bool cycle_step_writer(cycle_model *m, core *c) {
    const writer_state *s = &c->u.writer;
    const bool passes = s->block_mode && some(&c->in[WR_IN_BLOCK]) && !is_own(s), steps = step_writer(m, c);
    if (passes)
        take_block_word(c);
    return steps || passes;
}
