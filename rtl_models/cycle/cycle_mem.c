/* One cycle of the three parts of a MEM tile: write scanner, buffet, read scanner. States and cycles are
 * those of onyx_write_scanner.sv, onyx_buffet.sv with onyx_buffet_id.sv, and onyx_read_scanner.sv, where they
 * are explained; the enable bits of the parts are taken care of by cycle_build, which leaves out what is off.
 */
#include "rtl_models/cycle/cycle_int.h"

/* ---- write scanner --------------------------------------------------------------------------- */

enum {
    WR_START,
    WR_OPEN0,
    WR_OPEN1,
    WR_SETTLE,
    WR_LENGTH,
    WR_WORDS,
    WR_VALUES,
    WR_PAIRS,
    WR_LOOK,
    WR_PUT_CRD,
    WR_PUT_SEG,
    WR_TAKE,
    WR_CLOSE0,
    WR_TAKE_DONE,
    WR_REST
};
enum { WR_IN_ADDR = 1, WR_IN_BLOCK = 2, WR_IN_DATA = 3 };

/* {write, ID, address[15:0], data[15:0]} */
static uint64_t command(bool write, int id, uint32_t address, uint32_t data) {
    return (uint64_t)write << 33 | (uint64_t)id << 32 | (uint64_t)(address & 0xffff) << 16 | (data & 0xffff);
}

/* A word of the data at `index` was handed over. */
static void count_word(writer_state *s) {
    s->pause = (s->index & 3) == 3;
    s->index++;
}

static bool step_words(cycle_model *m, core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *block = c->in[WR_IN_BLOCK], *cmd = c->out[0];
    if (s->index != s->count) {
        if (!some(block) || !room(cmd) || pause)
            return pause;
        push(m, cmd, command(true, s->second, s->index, token(block)));
        pop(m, block);
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
    push(m, cmd, command(false, !s->lowest_level, 0, 0));
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

static bool step_values(cycle_model *m, core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *data = c->in[WR_IN_DATA], *cmd = c->out[0];
    if (!some(data))
        return pause;
    uint32_t t = token(data);
    bool value = !rtl_is_control(t);
    if (!value && !closes(s, t)) {
        pop(m, data);
        return true;
    }
    if (!room(cmd) || (pause && value))
        return pause;
    push(m, cmd, command(value, 0, s->index, t));
    pop(m, data);
    if (value) {
        count_word(s);
    } else {
        s->state = WR_TAKE_DONE;
        s->blank = s->blank && !renews(s, t);
    }
    return true;
}

static bool step_pairs(cycle_model *m, core *c, bool pause) {
    writer_state *s = &c->u.writer;
    fifo *data = c->in[WR_IN_DATA], *addr = c->in[WR_IN_ADDR], *cmd = c->out[0];
    if (!some(data) || !some(addr))
        return pause;
    uint32_t t = token(data), at = token(addr);
    bool take_data, take_addr;
    if (!rtl_is_control(t) && !rtl_is_control(at)) {
        if (!room(cmd) || pause)
            return pause;
        push(m, cmd, command(true, 0, at, t));
        count_word(s);
        take_data = take_addr = true;
    } else if (rtl_is_done(t) && rtl_is_done(at)) {
        if (!room(cmd))
            return pause;
        push(m, cmd, command(false, 0, 0, 0));
        s->state = WR_TAKE_DONE;
        take_data = take_addr = true;
    } else {
        take_data = rtl_is_done(at) || (rtl_is_control(t) && !rtl_is_done(t));
        take_addr = rtl_is_done(t) || (rtl_is_control(at) && !rtl_is_done(at));
    }
    if (take_data)
        pop(m, data);
    if (take_addr)
        pop(m, addr);
    return pause || take_data || take_addr;
}

/* Upper level: looks at the head and hands over nothing but the leading segment or the first close. */
static bool step_look(cycle_model *m, core *c) {
    writer_state *s = &c->u.writer;
    fifo *data = c->in[WR_IN_DATA], *cmd = c->out[0];
    bool can = room(cmd), had_seg0 = s->seg0, close = false, changed = false;
    uint32_t t = token(data);
    bool ends = blank_due(s) || closes(s, t);
    if ((some(data) || blank_due(s)) && (had_seg0 || can)) {
        if (ends && s->ended) {
            close = true;
            if (can) {
                push(m, cmd, command(false, 1, 0, 0));
                s->state = WR_CLOSE0;
                changed = true;
            }
        } else if (!ends && rtl_is_control(t) && (s->ended || rtl_is_done(t))) {
            if (rtl_is_stop(t))
                cycle_note_hazard(m, c, CYCLE_HAZARD_EMPTY_FIBER, 1, t, 0);
            pop(m, data);
            changed = true;
        } else if (!ends && !rtl_is_control(t) && s->have_last && (uint16_t)t == s->last) {
            cycle_note_hazard(m, c, CYCLE_HAZARD_EQUAL_CRD, 1, t, 0);
            pop(m, data);
            changed = true;
        } else {
            s->state = ends || rtl_is_control(t) ? WR_PUT_SEG : WR_PUT_CRD;
            changed = true;
        }
    }
    if (can && !had_seg0) {
        if (!close)
            push(m, cmd, command(true, 0, 0, 0));
        s->seg0 = true;
        s->index = 1;
        changed = true;
    }
    return changed;
}

bool cycle_step_writer(cycle_model *m, core *c) {
    writer_state *s = &c->u.writer;
    fifo *block = c->in[WR_IN_BLOCK], *data = c->in[WR_IN_DATA], *cmd = c->out[0];
    bool pause = s->pause;
    s->pause = false;
    switch (s->state) {
    case WR_START:
        s->index = s->count = 0;
        s->have_last = s->ended = s->seg0 = s->second = false;
        s->state = WR_OPEN0;
        return true;
    case WR_OPEN0:
        if (!room(cmd))
            return false;
        push(m, cmd, command(false, 0, 0, 0));
        s->state = !s->lowest_level ? WR_OPEN1 : s->block_mode ? WR_LENGTH : WR_SETTLE;
        return true;
    case WR_OPEN1:
        if (!room(cmd))
            return false;
        push(m, cmd, command(false, 1, 0, 0));
        s->state = s->block_mode ? WR_LENGTH : WR_LOOK;
        return true;
    case WR_SETTLE:
        s->state = blank_due(s) ? WR_CLOSE0 : s->compressed ? WR_VALUES : WR_PAIRS;
        s->blank |= blank_due(s);
        return true;
    case WR_LENGTH:
        s->index = 0;
        if (!some(block))
            return pause;
        s->count = (uint16_t)token(block);
        pop(m, block);
        s->state = WR_WORDS;
        return true;
    case WR_WORDS:
        return step_words(m, c, pause);
    case WR_VALUES:
        return step_values(m, c, pause);
    case WR_PAIRS:
        return step_pairs(m, c, pause);
    case WR_LOOK:
        return step_look(m, c);
    case WR_PUT_CRD:
        s->last = (uint16_t)token(data);
        if (!room(cmd))
            return false;
        push(m, cmd, command(true, 1, s->count, token(data)));
        s->count++;
        s->have_last = true;
        s->ended = false;
        s->state = WR_TAKE;
        return true;
    case WR_PUT_SEG:
        if (!room(cmd))
            return false;
        push(m, cmd, command(true, 0, s->index, s->count));
        s->index++;
        s->have_last = false;
        s->ended = true;
        s->state = blank_due(s) || closes(s, token(data)) ? WR_LOOK : WR_TAKE;
        return true;
    case WR_TAKE:
        if (some(data))
            pop(m, data);
        s->state = WR_LOOK;
        return true;
    case WR_CLOSE0:
        if (!room(cmd))
            return false;
        push(m, cmd, command(false, 0, 0, 0));
        s->state = WR_TAKE_DONE;
        return true;
    case WR_TAKE_DONE:
        s->state = WR_REST;
        return true;
    default: /* WR_REST */
        if (!s->lowest_level && blank_due(s)) {
            s->blank = true;
        } else if (!s->lowest_level) {
            s->blank = s->blank && !renews(s, token(data));
            if (!s->block_mode && some(data))
                pop(m, data);
        }
        s->state = WR_START;
        return true;
    }
}

/* ---- buffet ---------------------------------------------------------------------------------- */

enum { OP_FREE, OP_READ, OP_SIZE };

static uint32_t lane_of(uint64_t line, uint32_t lane) {
    return (uint16_t)(line >> 16 * lane);
}

static uint32_t words_of(uint32_t size) {
    return (size >> 2) + ((size & 3) != 0);
}

/* What one ID wants in a cycle, before anything is granted. */
typedef struct {
    bool wr_valid, write, same_line, wr_req, wr_we, accept;
    uint32_t wr_addr, wr_data;
    bool rd_valid, is_read, hit, rd_req;
    uint32_t op, rd_addr;
} wishes;

static wishes look_at(const buffet_id *b, const fifo *wr, bool wr_here, const fifo *rd, bool rd_here,
                      bool rsp_room) {
    wishes w = {.wr_valid = wr_here, .rd_valid = rd_here};
    uint64_t command_word = front(wr);
    if (wr_here) {
        w.write = command_word >> 33 & 1;
        w.wr_addr = command_word >> 16 & 0xffff;
        w.wr_data = (uint16_t)command_word;
    }
    w.same_line = b->lanes == 0 || (b->lanes != 15 && b->line_at == (w.wr_addr >> 2 & 0x1ff));
    w.wr_req = b->lanes == 15 || (wr_here && b->lanes != 0 && (w.write ? !w.same_line : b->blocks != 2));
    w.wr_we = b->merging || b->lanes == 15;
    bool fits = w.wr_addr >> 11 == 0 && (w.wr_addr >> 2) + b->used < b->capacity;
    w.accept = wr_here && w.write && b->open && fits && w.same_line;
    if (rd_here) {
        w.op = token(rd) >> 17 & 3;
        w.rd_addr = token(rd) & 0xffff;
        w.is_read = w.op != OP_FREE && w.op != OP_SIZE;
        w.hit = b->read_hit && b->read_at == (w.rd_addr >> 2 & 0x1ff);
        w.rd_req = b->blocks != 0 && w.is_read && !b->read_hit && rsp_room;
    }
    return w;
}

/* The lanes not written come from the memory line read before. */
static uint64_t merged(const buffet_id *b, uint64_t rdata) {
    uint64_t keep = 0;
    for (uint32_t lane = 0; lane < 4; lane++)
        if (b->lanes >> lane & 1)
            keep |= (uint64_t)0xffff << 16 * lane;
    return (b->line & keep) | (rdata & ~keep);
}

static void watch_write(cycle_model *m, core *c, const buffet_id *b, const wishes *w) {
    if (!w->wr_valid || !w->write || !b->open)
        return;
    if (w->wr_addr >> 2 >= b->capacity)
        cycle_note_hazard(m, c, CYCLE_HAZARD_OVERFLOW, 1, w->wr_data, 0);
    if (b->lanes != 0 && b->lanes != 15 && !w->same_line)
        cycle_note_hazard(m, c, CYCLE_HAZARD_WRITE_ORDER, 1, w->wr_data, 0);
}

/* The writing side of one ID; true if the command is taken. *commit: a block was closed. */
static bool write_side(buffet_id *b, const wishes *w, bool granted, bool *changed, bool *commit) {
    *commit =
        w->wr_valid && !w->write && b->open && b->blocks != 2 && (b->lanes == 0 || (granted && w->wr_we));
    bool taken = w->accept || *commit || (w->wr_valid && !w->write && !b->open);
    if (w->wr_valid && !b->open) {
        b->open = true;
        b->size = 0;
        b->opened++;
        *changed = true;
    }
    if (w->accept) {
        uint32_t lane = w->wr_addr & 3;
        b->line_at = (uint16_t)(w->wr_addr >> 2 & 0x1ff);
        b->line = (b->line & ~((uint64_t)0xffff << 16 * lane)) | (uint64_t)w->wr_data << 16 * lane;
        b->lanes |= (uint8_t)(1u << lane);
        if ((w->wr_addr & 0x7ff) >= b->size)
            b->size = (uint16_t)((w->wr_addr & 0x7ff) + 1);
    }
    if (*commit)
        b->open = false;
    if (granted) {
        b->merging = !w->wr_we;
        if (w->wr_we)
            b->lanes = 0;
    }
    *changed |= taken || granted;
    return taken;
}

/* The row of finished blocks after a commit, a free, or both. `base`: of the block just closed. */
static void move_blocks(buffet_id *b, bool commit, bool free_head) {
    uint32_t words = words_of(b->size), head_words = words_of(b->head_size);
    uint8_t blocks = b->blocks;
    uint16_t base = b->base;
    b->used = (uint16_t)((b->used + (commit ? words : 0) - (free_head ? head_words : 0)) & 0x3ff);
    b->blocks = (uint8_t)(blocks + commit - free_head);
    if (free_head) {
        b->head_base = b->next_base;
        b->head_size = b->next_size;
        b->read_hit = false;
        b->freed++;
    }
    if (!commit)
        return;
    b->base = (uint16_t)((base + words) & b->mask);
    if (blocks == free_head) {
        b->head_base = base;
        b->head_size = b->size;
    } else {
        b->next_base = base;
        b->next_size = b->size;
    }
}

/* The reading side of one ID: answers go to `rsp`. True if the command is taken. `line`: what memory delivers
 * in this cycle. */
static bool read_side(cycle_model *m, buffet_id *b, int id, const wishes *w, bool granted, uint64_t line,
                      fifo *rsp, bool *changed) {
    uint32_t tag = (uint32_t)id << 16;
    bool taken = false;
    if (b->fetch) {
        if (room(rsp))
            push(m, rsp, tag | lane_of(line, b->lane));
        b->fetch = false;
        b->read_hit = true;
        b->read_line = line;
        *changed = true;
        return false;
    }
    if (!w->rd_valid)
        return false;
    if (b->blocks != 0 && w->op == OP_FREE) {
        taken = true;
    } else if (b->blocks != 0 && w->op == OP_SIZE) {
        taken = room(rsp);
        if (taken)
            push(m, rsp, tag | b->head_size);
    } else if (b->blocks != 0 && w->hit) {
        taken = room(rsp);
        if (taken)
            push(m, rsp, tag | lane_of(b->read_line, w->rd_addr & 3));
    } else if (granted) {
        taken = true;
        b->fetch = true;
        b->read_at = (uint16_t)(w->rd_addr >> 2 & 0x1ff);
        b->lane = (uint8_t)(w->rd_addr & 3);
    }
    if (w->is_read && b->read_hit && !w->hit) {
        b->read_hit = false;
        *changed = true;
    }
    *changed |= taken;
    return taken;
}

/* Who gets the memory port: 0 and 2 the writers, 1 and 3 the readers of IDs 0 and 1; 4 nobody. The second
 * half of a merge before all, then whose turn it is, then the first that wants it. */
static uint32_t grant(const buffet_state *s, const wishes w[2], uint32_t turn) {
    const bool wants[4] = {w[0].wr_req, w[0].rd_req, w[1].wr_req, w[1].rd_req};
    if (s->id[0].merging)
        return 0;
    if (s->id[1].merging)
        return 2;
    if (wants[turn])
        return turn;
    uint32_t first = 0;
    while (first < 4 && !wants[first])
        first++;
    return first;
}

bool cycle_step_buffet(cycle_model *m, core *c, uint32_t turn) {
    buffet_state *s = c->u.buffet;
    fifo *wr = c->in[0], *rd = c->in[1], *rsp = c->out[0];
    int wr_id = (int)(front(wr) >> 32 & 1), rd_id = (int)(token(rd) >> 16 & 1);
    bool rd_go = some(rd) && !s->id[0].fetch && !s->id[1].fetch, rsp_room = room(rsp);
    wishes w[2];
    for (int i = 0; i < 2; i++)
        w[i] = look_at(&s->id[i], wr, some(wr) && wr_id == i, rd, rd_go && rd_id == i, rsp_room);

    uint32_t granted = grant(s, w, turn);
    uint64_t line = s->rdata;
    if (granted < 4) {
        uint32_t id = granted / 2;
        bool wr_gnt = granted % 2 == 0;
        const buffet_id *b = &s->id[id];
        uint32_t at = wr_gnt ? (uint32_t)(b->line_at + b->base) : (w[id].rd_addr >> 2 & 0x1ff) + b->head_base;
        at = (at & b->mask) ^ (id ? 0x100u : 0);
        if (!wr_gnt || !w[id].wr_we) {
            s->rdata = s->words[at];
        } else {
            s->words[at] = merged(b, s->rdata);
            if (b->opened == 2 && b->freed == 0 && s->id[id].second <= b->line_at)
                s->id[id].second = b->line_at + 1u;
        }
        if (!wr_gnt && b->freed == 0 && (w[id].rd_addr >> 2 & 0x1ff) < b->second)
            cycle_note_hazard(m, c, CYCLE_HAZARD_SECOND_BLOCK, 1, w[id].rd_addr, 0);
    }

    bool changed = false, wr_pop = false, rd_pop = false;
    for (int i = 0; i < 2; i++) {
        buffet_id *b = &s->id[i];
        bool commit;
        watch_write(m, c, b, &w[i]);
        bool free_head = w[i].rd_valid && b->blocks != 0 && w[i].op == OP_FREE;
        rd_pop |= read_side(m, b, i, &w[i], granted == 2 * (uint32_t)i + 1, line, rsp, &changed);
        wr_pop |= write_side(b, &w[i], granted == 2 * (uint32_t)i, &changed, &commit);
        if (commit || free_head)
            move_blocks(b, commit, free_head);
    }
    if (wr_pop)
        pop(m, wr);
    if (rd_pop)
        pop(m, rd);
    return changed;
}

/* ---- read scanner ---------------------------------------------------------------------------- */

enum {
    RD_START,
    RD_REF,
    RD_REF_END,
    RD_STOP,
    RD_WALK,
    RD_FREE1,
    RD_FREE0,
    RD_REST,
    RD_INJECT,
    RD_SIZE,
    RD_SIZE_WAIT,
    RD_READ,
    RD_DRAIN,
    RD_ROUTE,
    RD_PASS_DONE
};
enum { FIBER = 1 << 17, ANSWER = 1 << 17 }; /* marks of a word of `plan`, of `out` */
enum { RING_WORDS = 8 };

static bool ring_room(const ring *r) {
    return r->count < RING_WORDS;
}
static uint32_t ring_front(const ring *r) {
    return r->at[r->head];
}
static void ring_push(ring *r, uint32_t word) {
    r->at[(r->head + r->count++) & 7] = word;
}
static void ring_pop(ring *r) {
    r->head = (r->head + 1) & 7;
    r->count--;
}

static uint32_t read_command(uint32_t op, uint32_t id, uint32_t address) {
    return op << 17 | id << 16 | (address & 0xffff);
}

static uint32_t raised(uint32_t stop) {
    return (stop & 0x1ff00) | ((stop + 1) & 0xff);
}

/* What the front does in this cycle. If it needs the read port, all of it waits for the grant. */
typedef struct {
    bool needs, wants; /* the read port for `command`; and there is room for what comes of it */
    uint32_t command;
    bool give; /* `answer` goes to the output queue */
    uint32_t answer;
    bool plan; /* `planned` goes to the walker */
    uint32_t planned;
    bool take;     /* the reference leaves */
    uint8_t state; /* next */
    uint8_t level; /* next: of the last stop that did not go to the read-out */
    bool done_given;
} front_plan;

static void ask(front_plan *f, bool has_room, uint32_t command) {
    f->needs = true;
    f->wants = has_room;
    f->command = command;
}

static bool is_barrier(const reader_state *s, uint32_t stop) {
    return rtl_is_stop(stop) && rtl_stop_level(stop) >= s->stop_lvl;
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
    if (out_room && (s->spacc ? is_barrier(s, t) : rtl_is_done(t)))
        f->state = RD_FREE0;
}

/* A stop behind a fiber, and the pass it may end. */
static void front_stop(const reader_state *s, bool plan_room, uint32_t stop, front_plan *f) {
    f->planned = stop;
    f->plan = plan_room;
    if (!plan_room)
        return;
    f->level = (uint8_t)stop;
    f->state = s->accumulates && is_barrier(s, stop) ? RD_PASS_DONE : RD_REF;
}

static void front_ref(const reader_state *s, uint32_t t, bool plan_room, front_plan *f) {
    bool data = !rtl_is_control(t), maybe = rtl_is_maybe(t);
    if (s->accumulates && rtl_is_done(t)) {
        f->state = RD_START;
    } else if (data && !s->dense) {
        ask(f, true, read_command(OP_READ, 0, t));
        f->state = RD_REF_END;
    } else if (data || (maybe && s->dense)) {
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
            f->state = RD_WALK;
    } else {
        front_stop(s, plan_room, raised(t), f);
        f->take = plan_room;
    }
}

static void front_start(const reader_state *s, bool valid, uint32_t t, front_plan *f) {
    if (!s->accumulates) {
        f->state = s->block_mode ? RD_SIZE : s->root ? RD_INJECT : RD_REF;
    } else if (valid && rtl_is_done(t) && !s->read_out) {
        f->take = true;
        f->done_given = false;
    } else if (valid || s->read_out) {
        f->state = RD_ROUTE;
    }
}

static front_plan plan_front(const reader_state *s, bool valid, uint32_t t, bool rsp, uint32_t answer) {
    front_plan f = {.state = s->state, .level = s->level, .done_given = s->done_given};
    bool out_room = ring_room(&s->out), plan_room = ring_room(&s->plan);
    switch (s->state) {
    case RD_START:
        front_start(s, valid, t, &f);
        break;
    case RD_INJECT:
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
            ask(&f, true, read_command(OP_READ, 0, 0));
            f.state = RD_REF_END;
        } else if (valid && s->lookup) {
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
        bool last = s->read_out ? s->done_given : s->level == (uint8_t)(s->stop_lvl + 2);
        f.planned = RTL_DONE;
        f.plan = last && plan_room;
        f.done_given |= f.plan;
        if (plan_room || !last)
            f.state = RD_WALK;
        break;
    }
    case RD_WALK: /* otherwise the walker ends it */
        if (s->accumulates && s->plan.count == 0)
            f.state = RD_FREE1;
        break;
    case RD_FREE1:
        ask(&f, true, read_command(OP_FREE, 1, 0));
        f.state = RD_FREE0;
        break;
    case RD_FREE0:
        ask(&f, true, read_command(OP_FREE, 0, 0));
        f.state = RD_REST;
        break;
    case RD_SIZE:
        ask(&f, out_room, read_command(OP_SIZE, 0, 0));
        f.give = true;
        f.answer = ANSWER;
        f.state = RD_SIZE_WAIT;
        break;
    case RD_SIZE_WAIT:
        if (rsp)
            f.state = (uint16_t)answer == 0 ? RD_DRAIN : RD_READ;
        break;
    case RD_READ:
        ask(&f, out_room, read_command(OP_READ, s->second, s->read_addr));
        f.give = true;
        f.answer = ANSWER;
        if (s->left == 1)
            f.state = RD_DRAIN;
        break;
    case RD_DRAIN:
        if (s->out.count == 0) {
            bool on = !s->second && !s->lookup; /* to the coordinate block */
            ask(&f, true, on ? read_command(OP_SIZE, 1, 0) : read_command(OP_FREE, !s->lookup, 0));
            f.give = on;
            f.answer = ANSWER;
            f.state = on ? RD_SIZE_WAIT : s->lookup ? RD_REST : RD_FREE0;
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
    if (!s->dense)
        return;
    if (s->trees > 0)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_AGAIN, 1, t, 0);
    if (rtl_is_stop(t) && !s->seen_ref)
        cycle_note_hazard(m, c, CYCLE_HAZARD_DENSE_STOP, 1, t, 0);
    s->seen_ref = true;
    s->trees += rtl_is_done(t);
}

bool cycle_step_reader(cycle_model *m, core *c, uint32_t turn) {
    reader_state *s = c->u.reader;
    fifo *refs = c->in[0], *rsp = c->in[1];
    fifo *rd = c->out[3], *coord = s->block_mode || s->to_block ? c->out[0] : c->out[1], *pos = c->out[2];

    /* All of this cycle is decided by what was there before it. */
    bool ref_valid = s->root || some(refs);
    uint32_t ref = !s->root ? token(refs) : s->root_done ? RTL_DONE : 0;
    uint32_t answer = token(rsp), plan = ring_front(&s->plan), pair = ring_front(&s->pairs);
    bool out_room = ring_room(&s->out), rd_room = room(rd), pos_room = room(pos);
    bool rsp_seg = s->compressed && !(answer >> 16 & 1);
    front_plan f = plan_front(s, ref_valid, ref, some(rsp), answer);

    /* Walker. */
    bool is_fiber = plan & FIBER, plan_valid = s->plan.count != 0;
    uint16_t first = s->dense ? 0 : (uint16_t)pair, last = s->dense ? s->dim_size : (uint16_t)(pair >> 16);
    uint16_t at = s->active ? s->at : first;
    bool known = plan_valid && is_fiber && (s->dense || s->pairs.count != 0), empty = at >= last;
    bool more = (uint16_t)(at + 1) != last;
    bool walk_token = plan_valid && !is_fiber && out_room, walk_fiber = known && !empty && out_room;
    bool walk_gnt = rd_room && (turn == 1 || s->walk_hold || !f.wants);
    bool front_gnt = rd_room && f.wants && !(walk_fiber && s->compressed && walk_gnt);
    bool pos_valid = walk_token || (walk_fiber && (!s->compressed || walk_gnt));
    bool walk_go = pos_valid && pos_room;
    bool plan_pop = (walk_go && (!is_fiber || !more)) || (known && empty);
    bool front_goes = f.needs ? front_gnt : true;

    /* Output: the head of the queue, with its answer if it is a place for one. */
    uint32_t out_head = ring_front(&s->out);
    bool head_valid = s->out.count != 0 && (!(out_head & ANSWER) || s->answers.count != 0);
    bool routes = s->spacc && out_head >> 8 == RTL_ROUTE >> 8;
    bool out_pop = head_valid && (routes || room(coord));
    bool pair_room = ring_room(&s->pairs), answer_room = ring_room(&s->answers);
    bool rsp_pop = some(rsp) && (rsp_seg ? pair_room : answer_room);
    bool changed = front_goes && (f.needs || f.give || f.plan || f.take || f.state != s->state);
    changed |= walk_go || plan_pop || out_pop || rsp_pop || s->walk_hold != (pos_valid && !pos_room);

    if (out_pop && routes) {
        s->to_block = out_head & 1;
        ring_pop(&s->out);
    } else if (out_pop) {
        push(m, coord, out_head & ANSWER ? ring_front(&s->answers) : out_head & 0x1ffff);
        ring_pop(&s->out);
        if (out_head & ANSWER)
            ring_pop(&s->answers);
    }
    if (walk_go)
        push(m, pos, !is_fiber ? plan & 0x1ffff : s->dense ? (uint16_t)(plan * s->dim_size + at) : at);
    if (walk_go && is_fiber && s->compressed)
        push(m, rd, read_command(OP_READ, 1, at));
    if (walk_go)
        ring_push(&s->out, !is_fiber ? plan & 0x1ffff : s->dense ? at : (uint32_t)ANSWER);
    if (walk_go && is_fiber) {
        s->at = (uint16_t)(at + 1);
        s->active = more;
    }
    if (plan_pop) {
        ring_pop(&s->plan);
        if (is_fiber && !s->dense)
            ring_pop(&s->pairs);
    }
    if (s->state == RD_WALK && !s->accumulates && walk_go && !is_fiber && rtl_is_done(plan) &&
        !(s->dense && s->root))
        s->state = s->dense ? RD_START : RD_FREE1;
    else if (front_goes) {
        bool data = !rtl_is_control(ref);
        if (f.needs)
            push(m, rd, f.command);
        if (f.give)
            ring_push(&s->out, f.answer);
        if (f.plan)
            ring_push(&s->plan, f.planned);
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
        if (s->state == RD_DRAIN && f.give)
            s->second = true;
        if (s->state == RD_REST)
            s->read_out = s->accumulates && !s->read_out && s->level > s->stop_lvl;
        s->level = f.level;
        s->done_given = f.done_given;
        if (f.take && data)
            s->root_done = true;
        if (f.take) {
            watch_reference(m, c, ref);
            if (!s->root)
                pop(m, refs);
        }
        s->state = f.state;
    }
    if (rsp_pop) {
        if (rsp_seg && s->seg_half)
            ring_push(&s->pairs, (answer & 0xffff) << 16 | s->seg_first);
        else if (rsp_seg)
            s->seg_first = (uint16_t)answer;
        else
            ring_push(&s->answers, answer & 0xffff);
        s->seg_half ^= rsp_seg;
        pop(m, rsp);
    }
    s->walk_hold = pos_valid && !pos_room;
    return changed;
}
