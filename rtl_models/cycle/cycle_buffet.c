/* One cycle of the buffet of a MEM tile. States and cycles are those of onyx_buffet.sv with
 * onyx_buffet_id.sv, which explain them. cycle_build handles the enable bit by leaving out disabled units.
 */
#include "rtl_models/cycle/cycle_int.h"

static uint32_t lane_of(uint64_t line, uint32_t lane) {
    return (uint16_t)(line >> 16 * lane);
}

static uint32_t words_of(uint32_t size) {
    return (size >> 2) + ((size & 3) != 0);
}

/* Requests of an ID in a cycle, before arbitration. */
typedef struct {
    bool idle; /* nothing to do */
    bool wr_valid, write, same_line, wr_req, wr_we, accept;
    uint32_t wr_addr, wr_data;
    bool rd_valid, is_read, hit, rd_req;
    uint32_t op, rd_addr;
} wishes;

/* The compiler makes the step of each ID apart. */
#define INLINE static inline __attribute__((always_inline))

/* What both IDs share. */
typedef struct {
    fifo *wr, *rd, *rsp;
    uint64_t line; /* memory's data of this cycle */
    bool fetching; /* memory answers a read in this cycle, of either ID */
} buffet_ports;

INLINE wishes look_at(const buffet_id *b, uint32_t id, const buffet_ports *p) {
    const bool wr_here = some(p->wr) && (token(p->wr) >> 28 & 1) == id,
               rd_here = some(p->rd) && (token(p->rd) >> 16 & 1) == id;
    if (!wr_here && !rd_here && b->lanes != 15 && !b->merging && !b->fetch)
        return (wishes){.idle = true};
    wishes w = {.wr_valid = wr_here, .rd_valid = rd_here};
    const uint32_t command_word = token(p->wr);
    if (wr_here) {
        w.write = command_word >> 29 & 1;
        w.wr_addr = command_word >> 16 & 0xfff;
        w.wr_data = (uint16_t)command_word;
    }
    w.same_line = b->lanes == 0 || (b->lanes != 15 && b->line_at == (w.wr_addr >> 2 & 0x1ff));
    w.wr_req = b->lanes == 15 || (wr_here && b->lanes != 0 && (w.write ? !w.same_line : b->blocks != 2));
    w.wr_we = b->merging || b->lanes == 15;
    bool fits = w.wr_addr >> 11 == 0 && (w.wr_addr >> 2) + b->used < b->capacity;
    w.accept = wr_here && w.write && b->open && fits && w.same_line;
    if (rd_here) {
        w.op = token(p->rd) >> 17 & 3;
        w.rd_addr = token(p->rd) & 0xffff;
        w.is_read = w.op != OP_FREE && w.op != OP_SIZE;
        w.hit = b->read_hit && b->read_at == (w.rd_addr >> 2 & 0x1ff);
        w.rd_req = b->blocks != 0 && w.is_read && !w.hit && !some(p->rsp) && !b->fetch;
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

/* The writing side of an ID; true if the command is taken. *commit: a block was closed. */
INLINE bool write_side(buffet_id *b, const wishes *w, bool granted, bool *changed, bool *commit) {
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

/* The reading side of an ID. Returns whether the command is taken. */
INLINE bool read_side(cycle_model *m, buffet_id *b, uint32_t tag, const wishes *w, bool granted,
                      const buffet_ports *p) {
    fifo *rsp = p->rsp;
    bool taken = false;
    if (b->fetch) {
        if (room(rsp))
            push(m, rsp, tag | lane_of(p->line, b->lane));
        b->fetch = false;
        b->read_hit = true;
        b->read_line = p->line;
    }
    if (!w->rd_valid)
        return false;
    if (b->blocks != 0 && w->op == OP_FREE) {
        taken = true;
    } else if (b->blocks != 0 && w->op == OP_SIZE) {
        taken = room(rsp) && !p->fetching;
        if (taken)
            push(m, rsp, tag | b->head_size);
    } else if (b->blocks != 0 && w->hit) {
        taken = room(rsp) && !p->fetching;
        if (taken)
            push(m, rsp, tag | lane_of(b->read_line, w->rd_addr & 3));
    } else if (granted) {
        taken = true;
        b->fetch = true;
        b->read_at = (uint16_t)(w->rd_addr >> 2 & 0x1ff);
        b->lane = (uint8_t)(w->rd_addr & 3);
    }
    return taken;
}

/* Arbitrates the memory port: 0 and 2 the writers, 1 and 3 the readers of IDs 0 and 1; 4 nobody. The second
 * half of a merge wins, next the requester whose turn comes, next the first requester. */
INLINE uint32_t grant(const buffet_state *s, const wishes *first, const wishes *second, uint32_t turn) {
    const uint32_t wants = (uint32_t)first->wr_req | (uint32_t)first->rd_req << 1 |
                           (uint32_t)second->wr_req << 2 | (uint32_t)second->rd_req << 3;
    if (s->id[0].merging || s->id[1].merging)
        return s->id[0].merging ? 0 : 2;
    return wants >> turn & 1 ? turn : (uint32_t)__builtin_ctz(wants | 1u << 4);
}

/* Reads or writes the line that was granted. */
static void use_memory(cycle_model *m, core *c, uint32_t granted, const wishes *w) {
    buffet_state *s = c->u.buffet;
    const uint32_t id = granted / 2;
    const bool wr_gnt = granted % 2 == 0;
    const buffet_id *b = &s->id[id];
    uint32_t at = wr_gnt ? (uint32_t)(b->line_at + b->base) : (w->rd_addr >> 2 & 0x1ff) + b->head_base;
    at = (at & b->mask) ^ (id ? 0x100u : 0);
    m->work.accesses++;
    if (!wr_gnt || !w->wr_we) {
        s->rdata = s->words[at];
    } else {
        m->work.written++;
        s->words[at] = merged(b, s->rdata);
        if (b->opened == 2 && b->freed == 0 && b->second <= b->line_at)
            s->id[id].second = b->line_at + 1u;
    }
    if (!wr_gnt && b->freed == 0 && (w->rd_addr >> 2 & 0x1ff) < b->second)
        cycle_note_hazard(m, c, CYCLE_HAZARD_SECOND_BLOCK, 1, w->rd_addr, 0);
}

/* Who was granted the memory; what the IDs took, or changed otherwise. */
typedef struct {
    uint32_t granted;
    bool changed, wr_pop, rd_pop;
} buffet_acts;

INLINE void act(cycle_model *m, core *c, uint32_t id, const wishes *w, const buffet_ports *p,
                buffet_acts *acts) {
    buffet_id *b = &c->u.buffet->id[id];
    bool commit;
    if (w->idle)
        return;
    watch_write(m, c, b, w);
    const bool free_head = w->rd_valid && b->blocks != 0 && w->op == OP_FREE, fetched = b->fetch;
    const bool read = read_side(m, b, id << 16, w, acts->granted == 2 * id + 1, p);
    acts->rd_pop |= read;
    acts->changed |= read | fetched;
    acts->wr_pop |= write_side(b, w, acts->granted == 2 * id, &acts->changed, &commit);
    if (commit || free_head)
        move_blocks(b, (commit ? BLOCK_CLOSED : 0) | (free_head ? HEAD_FREED : 0));
}

bool cycle_step_buffet(cycle_model *m, core *c) {
    buffet_state *s = c->u.buffet;
    const uint32_t turn = (m->now - c->flushed) & 3;
    const buffet_ports p = {c->in[0], c->in[1], c->out[0], s->rdata, s->id[0].fetch || s->id[1].fetch};
    const wishes first = look_at(&s->id[0], 0, &p), second = look_at(&s->id[1], 1, &p);
    buffet_acts acts = {.granted = grant(s, &first, &second, turn)};
    if (acts.granted < 4)
        use_memory(m, c, acts.granted, acts.granted < 2 ? &first : &second);
    act(m, c, 0, &first, &p, &acts);
    act(m, c, 1, &second, &p, &acts);
    if (acts.wr_pop)
        pop(m, p.wr);
    if (acts.rd_pop)
        pop(m, p.rd);
    return acts.changed;
}
