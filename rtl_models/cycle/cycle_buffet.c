/* One cycle of the buffet of a MEM tile. States and cycles are those of onyx_buffet.sv with
 * onyx_buffet_id.sv, which explain them. cycle_build handles the enable bit by leaving out disabled units.
 */
#include "rtl_models/cycle/cycle_int.h"

static uint32_t lane_of(uint64_t line, uint32_t lane) {
    return (uint16_t)(line >> 16 * lane);
}

/* The bit of an ID's writer among those who ask for the memory; a reader's is the next. */
static uint32_t writer_bit(uint32_t id) {
    return 1u << 2 * id;
}

static uint32_t words_of(uint32_t size) {
    return (size >> 2) + ((size & 3) != 0);
}

/* The steps of these units stand in one function. */
#define INLINE static inline __attribute__((always_inline))

/* The command at the head of the writer's FIFO. */
typedef struct {
    bool there, write, same_line, accept, wants; /* wants: the memory */
    uint32_t id, addr, data;
} write_wish;

INLINE write_wish look_at_write(const buffet_state *s, const fifo *wr) {
    if (!some(wr))
        return (write_wish){0};
    const uint32_t word = token(wr);
    write_wish w = {.there = true, .id = word >> 28 & 1, .addr = word >> 16 & 0xfff, .data = (uint16_t)word};
    const buffet_id *b = &s->id[w.id];
    w.write = word >> 29 & 1;
    w.same_line = b->lanes == 0 || (b->lanes != 15 && b->line_at == (w.addr >> 2 & 0x1ff));
    w.wants = b->lanes != 0 && (w.write ? !w.same_line : b->blocks != 2);
    const bool fits = w.addr >> 11 == 0 && (w.addr >> 2) + b->used < b->capacity;
    w.accept = w.write && b->open && fits && w.same_line;
    return w;
}

/* The command at the head of the reader's FIFO; a word is read if `row`, its line of the block, is at hand.
 */
typedef struct {
    bool there, hit, wants;
    uint32_t id, op, addr;
    uint16_t row;
} read_wish;

INLINE read_wish look_at_read(const buffet_state *s, const fifo *rd, const fifo *rsp) {
    if (!some(rd))
        return (read_wish){0};
    const uint32_t word = token(rd);
    read_wish r = {.there = true, .id = word >> 16 & 1, .op = word >> 17 & 3, .addr = word & 0xffff};
    const buffet_id *b = &s->id[r.id];
    r.row = r.addr >> 2 & 0x1ff;
    r.hit = b->read_hit && b->read_at == r.row;
    r.wants =
        b->blocks != 0 && r.op != OP_FREE && r.op != OP_SIZE && !r.hit && !some(rsp) && s->fetch != r.id + 1;
    return r;
}

/* The lanes not written come from the memory line read before. */
static uint64_t merged(const buffet_id *b, uint64_t rdata) {
    uint64_t keep = 0;
    if (b->lanes == 15)
        return b->line;
    for (uint32_t lane = 0; lane < 4; lane++)
        if (b->lanes >> lane & 1)
            keep |= (uint64_t)0xffff << 16 * lane;
    return (b->line & keep) | (rdata & ~keep);
}

static void watch_write(cycle_model *m, core *c, const buffet_id *b, const write_wish *w) {
    if (w->addr >> 2 >= b->capacity)
        cycle_note_hazard(m, c, CYCLE_HAZARD_OVERFLOW, 1, w->data, 0);
    if (b->lanes != 0 && b->lanes != 15 && !w->same_line)
        cycle_note_hazard(m, c, CYCLE_HAZARD_WRITE_ORDER, 1, w->data, 0);
}

/* Puts a word into its line. */
INLINE void accept(buffet_state *s, const write_wish *w) {
    buffet_id *b = &s->id[w->id];
    const uint32_t lane = w->addr & 3;
    b->line_at = (uint16_t)(w->addr >> 2 & 0x1ff);
    b->line = (b->line & ~((uint64_t)0xffff << 16 * lane)) | (uint64_t)w->data << 16 * lane;
    b->lanes |= (uint8_t)(1u << lane);
    if ((w->addr & 0x7ff) >= b->size)
        b->size = (uint16_t)((w->addr & 0x7ff) + 1);
    if (b->lanes == 15)
        s->full = (uint8_t)(s->full | writer_bit(w->id));
}

enum { BLOCK_CLOSED = 1, HEAD_FREED = 2 };

/* The row of finished blocks after a commit, a free, or both. `base`: of the block just closed. */
static void move_blocks(buffet_id *b, unsigned moves) {
    const bool commit = moves & BLOCK_CLOSED, free_head = moves & HEAD_FREED;
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

/* The answer of a line read in the cycle before. */
INLINE void answer(buffet_state *s, fifo *rsp, uint64_t line) {
    const uint32_t id = s->fetch - 1u;
    buffet_id *b = &s->id[id];
    if (room(rsp))
        push(rsp, id << 16 | lane_of(line, b->lane));
    s->fetch = 0;
    b->read_hit = true;
    b->read_line = line;
}

/* Begins to read a line; its answer follows in the next cycle. */
INLINE void begin_fetch(buffet_state *s, const read_wish *r) {
    buffet_id *b = &s->id[r->id];
    s->fetch = (uint8_t)(r->id + 1);
    b->read_at = r->row;
    b->lane = (uint8_t)(r->addr & 3);
}

/* A command of the reading side that needs no memory. `answers`: to a command of the cycle before. Returns
 * whether the command is taken. */
INLINE bool read_side(const buffet_state *s, const read_wish *r, bool answers, fifo *rsp) {
    const buffet_id *b = &s->id[r->id];
    if (!r->there || b->blocks == 0)
        return false;
    if (r->op == OP_FREE)
        return true;
    if ((r->op != OP_SIZE && !r->hit) || !room(rsp) || answers)
        return false;
    push(rsp, r->id << 16 | (r->op == OP_SIZE ? b->head_size : lane_of(b->read_line, r->addr & 3)));
    return true;
}

/* Arbitrates the memory port: 0 and 2 the writers, 1 and 3 the readers of IDs 0 and 1; 4 nobody. The second
 * half of a merge wins, next the requester whose turn comes, next the first requester. */
INLINE uint32_t grant(const buffet_state *s, uint32_t wants, uint32_t turn) {
    if (s->merging)
        return 2 * (s->merging - 1u);
    return wants >> turn & 1 ? turn : (uint32_t)__builtin_ctz(wants | 1u << 4);
}

/* Reads or writes the line that was granted. */
INLINE void use_memory(cycle_model *m, core *c, uint32_t granted, bool writes, const read_wish *r) {
    buffet_state *s = c->u.buffet;
    const uint32_t id = granted / 2;
    const bool reader = granted % 2;
    buffet_id *b = &s->id[id];
    uint32_t at = reader ? (uint32_t)(r->row + b->head_base) : (uint32_t)(b->line_at + b->base);
    at = (at & b->mask) ^ (id ? 0x100u : 0);
    m->work.accesses++;
    if (!writes) {
        s->rdata = s->words[at];
    } else {
        m->work.written++;
        s->words[at] = merged(b, s->rdata);
        if (b->opened == 2 && b->freed == 0 && b->second <= b->line_at)
            b->second = b->line_at + 1u;
    }
    if (reader && b->freed == 0 && r->row < b->second)
        cycle_note_hazard(m, c, CYCLE_HAZARD_SECOND_BLOCK, 1, r->addr, 0);
}

/* The writing side's command. *commit: a block was closed. Returns whether the command is taken; a first
 * command opens a block. */
INLINE bool write_side(buffet_state *s, const write_wish *w, bool written, bool *commit) {
    buffet_id *b = &s->id[w->id];
    if (!b->open) {
        b->open = true;
        b->size = 0;
        b->opened++;
        return !w->write;
    }
    if (w->accept)
        accept(s, w);
    *commit = !w->write && b->blocks != 2 && (b->lanes == 0 || written);
    b->open = !*commit;
    return w->accept || *commit;
}

/* The end of a writer's turn at the memory: the first half of a merge, or a line written. */
INLINE void end_turn(buffet_state *s, uint32_t id, bool written) {
    s->merging = written ? 0 : (uint8_t)(id + 1);
    if (!written)
        return;
    s->id[id].lanes = 0;
    s->full &= (uint8_t)~writer_bit(id);
}

/* A cycle in which the writing side rests: no command is there, no line is to be written. */
INLINE bool step_reading(cycle_model *m, core *c) {
    buffet_state *s = c->u.buffet;
    fifo *rd = &c->in[1], *rsp = &c->out[0];
    const bool answers = s->fetch;
    const uint64_t line = s->rdata;
    const read_wish r = look_at_read(s, rd, rsp);
    if (r.wants)
        use_memory(m, c, 2 * r.id + 1, false, &r);
    if (answers)
        answer(s, rsp, line);
    if (r.wants)
        begin_fetch(s, &r);
    else if (!read_side(s, &r, answers, rsp))
        return answers;
    if (r.op == OP_FREE)
        move_blocks(&s->id[r.id], HEAD_FREED);
    pop(rd);
    return true;
}

bool cycle_step_buffet(cycle_model *m, core *c) {
    buffet_state *s = c->u.buffet;
    fifo *wr = &c->in[0], *rd = &c->in[1], *rsp = &c->out[0];
    if (!some(wr) && !s->full && !s->merging)
        return step_reading(m, c);
    const bool rests = !some(rd) && !s->full && !s->merging && !s->fetch;
    const write_wish w = look_at_write(s, wr);
    if (rests && w.accept) { /* the word goes to the line at hand */
        accept(s, &w);
        pop(wr);
        return true;
    }
    const read_wish r = look_at_read(s, rd, rsp);
    const uint32_t wants = s->full | (w.wants ? writer_bit(w.id) : 0) | (r.wants ? writer_bit(r.id) << 1 : 0),
                   granted = grant(s, wants, (m->now - c->flushed) & 3);
    const bool writer = granted == 0 || granted == 2,
               written = writer && (s->merging || (s->full >> granted & 1));
    const bool answers = s->fetch, opens = w.there && !s->id[w.id].open;
    const uint64_t line = s->rdata;
    bool commit = false;
    if (granted < 4)
        use_memory(m, c, granted, written, &r);
    if (w.there && w.write && !opens)
        watch_write(m, c, &s->id[w.id], &w);
    if (answers)
        answer(s, rsp, line);
    const bool fetches = granted == 1 || granted == 3, reads = fetches || read_side(s, &r, answers, rsp);
    if (fetches)
        begin_fetch(s, &r);
    const bool writes = w.there && write_side(s, &w, written && granted == 2 * w.id, &commit);
    if (writer)
        end_turn(s, granted / 2, written);
    const bool frees = reads && r.op == OP_FREE;
    if (frees)
        move_blocks(&s->id[r.id], HEAD_FREED | (commit && w.id == r.id ? BLOCK_CLOSED : 0));
    if (commit && !(frees && w.id == r.id))
        move_blocks(&s->id[w.id], BLOCK_CLOSED);
    if (writes)
        pop(wr);
    if (reads)
        pop(rd);
    return writer || answers || opens || reads || writes;
}
