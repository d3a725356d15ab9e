/* The cycle model as a whole: tiles and nets to FIFOs, links and cores, and their cycles. */
#include "rtl_models/cycle_int.h"

#define X(kind, name, what) [CYCLE_HAZARD_##kind] = name,
const char *const cycle_hazard_name[CYCLE_HAZARD_KINDS] = {CYCLE_HAZARDS(X)};
#undef X
#define X(kind, name, what) [CYCLE_HAZARD_##kind] = what,
const char *const cycle_hazard_what[CYCLE_HAZARD_KINDS] = {CYCLE_HAZARDS(X)};
#undef X

/* ---- building -------------------------------------------------------------------------------- */

enum {
    FIFOS_OF_A_CELL = 17, /* at most: ports, links inside */
    LINKS_OF_A_CELL = 5,
    CORES_OF_A_CELL = 3,
    A_CORE = 0x8000, /* reader or writer is a core: its number until the links are counted */
};

static fifo *new_fifo(cycle_model *m, uint32_t cell) {
    fifo *f = &m->fifos[m->n_fifos++];
    f->cell = (uint16_t)cell;
    return f;
}

static core *new_core(cycle_model *m, core_kind kind, uint32_t cell) {
    core *c = &m->cores[m->n_cores++];
    *c = (core){.kind = kind, .cell = cell, .late = m->design->cells.at[cell].late};
    for (int i = 0; i < CYCLE_INS; i++)
        c->in[i] = &m->fifos[NOWHERE];
    return c;
}

static void reads(cycle_model *m, core *c, int port, fifo *f) {
    c->in[port] = f;
    f->reader = (uint16_t)(A_CORE | (c - m->cores));
}

static void writes(cycle_model *m, core *c, int port, fifo *f) {
    c->out[port] = f;
    f->writer = (uint16_t)(A_CORE | (c - m->cores));
}

static link *new_link(cycle_model *m, fifo *from, uint32_t n_sinks, uint32_t n_registers) {
    link *l = &m->links[m->n_links];
    l->from = from;
    from->reader = (uint16_t)m->n_links++;
    l->n_sinks = (uint16_t)n_sinks;
    l->n_registers = (uint16_t)n_registers;
    l->sinks = arena_new_n(m->mem, link_sink, n_sinks + 1);
    l->registers = arena_new_n(m->mem, link_register, n_registers + 1);
    l->nodes = arena_new_n(m->mem, link_node, n_registers + 1);
    return l;
}

/* From FIFO to FIFO inside a tile. */
static void join(cycle_model *m, fifo *from, fifo *to) {
    link *l = new_link(m, from, 1, 0);
    l->inside = true;
    l->sinks[0].to = to;
    to->writer = (uint16_t)(l - m->links);
}

/* A row of FIFOs between two parts of a MEM tile, as onyx_fifo_link has it; *near and *far are its ends. */
static void new_row(cycle_model *m, uint32_t cell, int stages, fifo **near, fifo **far) {
    *near = *far = new_fifo(m, cell);
    for (int i = 1; i < stages; i++) {
        fifo *next = new_fifo(m, cell);
        join(m, *far, next);
        *far = next;
    }
}

static void build_pe(cycle_model *m, uint32_t cell, const cell_ports *p) {
    static const core_kind kinds[] = {CORE_JOINER, CORE_CRDDROP, CORE_CRDHOLD, CORE_ALU,
                                      CORE_REPEAT, CORE_RSG,     CORE_REDUCE};
    static const int ins[] = {4, 2, 2, 2, 2, 1, 1}, outs[] = {3, 2, 2, 1, 1, 1, 1};
    const cycle_cell *cc = &m->design->cells.at[cell];
    if (cc->mode >= sizeof kinds / sizeof *kinds)
        return;
    core *c = new_core(m, kinds[cc->mode], cell);
    for (int i = 0; i < ins[cc->mode]; i++)
        reads(m, c, i, p->in[i]);
    for (int o = 0; o < outs[cc->mode]; o++)
        writes(m, c, o, p->out[o]);
    switch (cc->mode) {
    case RTL_PE_JOINER:
        c->u.joiner.is_union = cc->space[0] >> 1 & 1;
        break;
    case RTL_PE_ALU: { /* a FIFO stands behind the PE */
        fifo *results = new_fifo(m, cell);
        writes(m, c, 0, results);
        join(m, results, p->out[0]);
        memcpy(c->u.alu.space, cc->space, sizeof c->u.alu.space);
        break;
    }
    case RTL_PE_REPEAT: /* a FIFO stands behind the proc port */
        c->u.repeat.root = cc->space[0] >> 18 & 1;
        c->u.repeat.queue = new_fifo(m, cell);
        reads(m, c, 0, c->u.repeat.queue);
        if (c->u.repeat.root)
            c->u.repeat.queue->writer = c->u.repeat.queue->reader;
        else
            join(m, p->in[0], c->u.repeat.queue);
        break;
    case RTL_PE_REDUCE:
        c->u.reduce.default_value = (uint16_t)(cc->space[0] >> 17 | cc->space[1] << 15);
        break;
    default:
        break;
    }
}

static void set_capacity(buffet_id *b, uint32_t log) {
    b->capacity = (uint16_t)(log == 0 ? 0 : log > 9 ? 512 : 1u << log);
    b->mask = (uint16_t)((b->capacity - 1u) & 0x1ff);
}

static void build_mem(cycle_model *m, uint32_t cell, const cell_ports *p) {
    const uint32_t *space = m->design->cells.at[cell].space;
    bool on = space[0] >> 22 & 1;
    fifo *wr_near, *wr_far, *rd_near, *rd_far, *rsp_near, *rsp_far;
    new_row(m, cell, 3, &wr_near, &wr_far);
    new_row(m, cell, 2, &rd_near, &rd_far);
    new_row(m, cell, 2, &rsp_near, &rsp_far);
    if (on && (space[0] & 1)) {
        core *c = new_core(m, CORE_WRITE_SCANNER, cell);
        for (int i = 1; i < CYCLE_INS; i++)
            reads(m, c, i, p->in[i]);
        writes(m, c, 0, wr_near);
        c->u.writer.lowest_level = space[0] >> 18 & 1;
        c->u.writer.compressed = space[0] >> 20 & 1;
        c->u.writer.block_mode = space[0] >> 21 & 1;
    }
    if (on && (space[2] >> 31 & 1)) {
        core *c = new_core(m, CORE_BUFFET, cell);
        reads(m, c, 0, wr_far);
        reads(m, c, 1, rd_far);
        writes(m, c, 0, rsp_near);
        c->two_phases = true;
        c->u.buffet = arena_new(m->mem, buffet_state);
        set_capacity(&c->u.buffet->id[0], space[3] >> 4 & 15);
        set_capacity(&c->u.buffet->id[1], space[3] & 15);
    }
    if (on && (space[0] >> 23 & 1)) {
        core *c = new_core(m, CORE_READ_SCANNER, cell);
        reader_state *s = c->u.reader = arena_new(m->mem, reader_state);
        c->two_phases = true;
        s->root = space[1] >> 9 & 1;
        s->lookup = space[1] >> 27 & 1;
        s->dim_size = (uint16_t)(space[2] >> 13);
        s->dense = space[2] >> 29 & 1;
        s->block_mode = space[2] >> 30 & 1;
        s->compressed = !s->dense && !s->lookup && !s->block_mode;
        if (!s->root && !s->block_mode) {
            fifo *refs = new_fifo(m, cell);
            join(m, p->in[0], refs);
            reads(m, c, 0, refs);
        }
        reads(m, c, 1, rsp_far);
        for (int o = 0; o < CYCLE_OUTS; o++)
            writes(m, c, o, p->out[o]);
        writes(m, c, 3, rd_near);
    }
}

/* A tile that works; ports nobody uses are already NOWHERE or a drain. */
static bool used(const cycle_cell *c) {
    return c->kind == CYCLE_PE    ? c->tile_en && (c->space[0] & 1)
           : c->kind == CYCLE_MEM ? c->tile_en && c->mode == 0
                                  : true;
}

static void build_cell(cycle_model *m, uint32_t cell) {
    const cycle_cell *cc = &m->design->cells.at[cell];
    const cell_ports *p = &m->ports[cell];
    if (!used(cc))
        return;
    switch (cc->kind) {
    case CYCLE_PE:
        build_pe(m, cell, p);
        return;
    case CYCLE_MEM:
        build_mem(m, cell, p);
        return;
    case CYCLE_IO_IN:
        writes(m, new_core(m, CORE_IO_IN, cell), 0, p->out[0]);
        return;
    case CYCLE_IO_OUT:
        reads(m, new_core(m, CORE_IO_OUT, cell), 0, p->in[0]);
        return;
    case CYCLE_NONE:
        break;
    }
    BUG("cell %u has no kind", cell);
}

static void build_net(cycle_model *m, uint32_t index) {
    const cycle_net *net = &m->design->nets.at[index];
    fifo *from = m->ports[net->cell].out[net->port];
    BUG_IF(!from, "net %u has no source", index);
    link *l = new_link(m, from, net->sinks.len, net->registers.len);
    l->net = index;
    m->ports[net->cell].to[net->port] = l;
    const cycle_cell *source = &m->design->cells.at[net->cell];
    l->values = source->kind == CYCLE_MEM && net->port == 0 && (source->space[1] >> 27 & 1);
    for (uint32_t r = 0; r < net->registers.len; r++) {
        const cycle_register *reg = &net->registers.at[r];
        l->registers[r] = (link_register){
            .from = reg->from == CYCLE_SOURCE ? 0 : reg->from + 1, .start = reg->start, .end = reg->end};
    }
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        const cycle_sink *sink = &net->sinks.at[s];
        fifo *to = m->ports[sink->cell].in[sink->port];
        l->sinks[s] = (link_sink){.to = to ? to : &m->fifos[WALL],
                                  .from = sink->from == CYCLE_SOURCE ? 0 : sink->from + 1,
                                  .cell = sink->cell,
                                  .port = sink->port};
        m->ports[sink->cell].from[sink->port] = l;
        if (to)
            to->writer = (uint16_t)(l - m->links);
    }
}

/* The FIFOs of the ports that `pins` or a net uses; the others take nothing and give nothing, or take all. */
static void build_ports(cycle_model *m, bool pins) {
    const cycle_design *d = m->design;
    for (uint32_t cell = 0; cell < d->cells.len; cell++) {
        bool works = used(&d->cells.at[cell]);
        cell_ports *p = &m->ports[cell];
        for (int i = 0; i < CYCLE_INS; i++)
            p->in[i] = pins && works ? new_fifo(m, cell) : NULL;
        for (int o = 0; o < CYCLE_OUTS; o++) {
            p->out[o] = new_fifo(m, cell);
            p->out[o]->drain = !pins;
        }
    }
    for (uint32_t n = 0; n < d->nets.len; n++) {
        const cycle_net *net = &d->nets.at[n];
        m->ports[net->cell].out[net->port]->drain = false;
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            const cycle_sink *sink = &net->sinks.at[s];
            if (used(&d->cells.at[sink->cell]))
                m->ports[sink->cell].in[sink->port] = new_fifo(m, sink->cell);
        }
    }
}

static uint16_t final_id(const cycle_model *m, uint16_t id) {
    return id & A_CORE ? (uint16_t)(m->link_words * 64 + (id ^ A_CORE)) : id;
}

static void wake_all(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_links; i++)
        wake(m, i);
    for (uint32_t i = 0; i < m->n_cores; i++)
        wake(m, m->cores[i].id);
}

static cycle_model *build(const cycle_design *d, bool pins, arena *mem) {
    cycle_model *m = arena_new(mem, cycle_model);
    uint32_t cells = d->cells.len;
    m->mem = mem;
    m->design = d;
    m->fifos = arena_new_n(mem, fifo, FIRST_FIFO + cells * FIFOS_OF_A_CELL);
    m->links = arena_new_n(mem, link, 1 + d->nets.len + cells * LINKS_OF_A_CELL);
    m->cores = arena_new_n(mem, core, cells * CORES_OF_A_CELL + 1);
    m->ports = arena_new_n(mem, cell_ports, cells + 1);
    m->fifos[WALL].count = 2;
    m->n_fifos = FIRST_FIFO;
    m->n_links = 1;
    m->links[0].from = &m->fifos[NOWHERE];
    m->links[0].inside = true;
    m->links[0].sinks = arena_new(mem, link_sink);
    m->links[0].sinks[0].to = &m->fifos[WALL];
    build_ports(m, pins);
    for (uint32_t i = 0; i < cells; i++) {
        cell_ports *p = &m->ports[i];
        cell_ports kept = *p;
        for (int port = 0; port < CYCLE_INS; port++)
            p->in[port] = p->in[port] ? p->in[port] : &m->fifos[NOWHERE];
        build_cell(m, i);
        *p = kept;
    }
    for (uint32_t i = 0; i < d->nets.len; i++)
        build_net(m, i);
    m->link_words = (m->n_links + 63) / 64;
    m->words = m->link_words + (m->n_cores + 63) / 64;
    BUG_IF(m->words * 64 >= A_CORE, "too many parts for 15 bits");
    m->awake = arena_new_n(mem, uint64_t, m->words + 1);
    m->moving = arena_new_n(mem, uint16_t, m->n_links);
    for (uint32_t i = 0; i < m->n_cores; i++)
        m->cores[i].id = (uint16_t)(m->link_words * 64 + i);
    for (uint32_t i = FIRST_FIFO; i < m->n_fifos; i++) {
        m->fifos[i].reader = final_id(m, m->fifos[i].reader);
        m->fifos[i].writer = final_id(m, m->fifos[i].writer);
    }
    m->fifos[NOWHERE].reader = m->fifos[NOWHERE].writer = 0;
    wake_all(m);
    return m;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void sleep_id(cycle_model *m, uint32_t id) {
    m->awake[id >> 6] &= ~(1ull << (id & 63));
}

/* Puts the cycles since the sinks' states were decided to their accounts. */
static void account(link *l, uint64_t now) {
    uint64_t cycles = now - l->since;
    l->since = now;
    for (uint32_t s = 0; s < l->n_sinks; s++)
        l->sinks[s].cycles[l->sinks[s].now] += cycles;
}

static sink_state state_of(bool valid, bool has_room) {
    return valid ? has_room ? SINK_HELD : SINK_STALLED : has_room ? SINK_STARVED : SINK_IDLE;
}

/* Each returns whether anything moves in this cycle. */
static bool decide_wire(link *l) {
    bool have = some(l->from), all = true;
    for (uint32_t s = 0; s < l->n_sinks; s++)
        all &= room(l->sinks[s].to);
    for (uint32_t s = 0; s < l->n_sinks; s++)
        l->sinks[s].now = have && all ? SINK_MOVES : state_of(have, room(l->sinks[s].to));
    return have && all;
}

/* Ready goes backward, valid forward; only the source gates its valid with ready. */
static bool decide_routed(link *l) {
    link_node *nodes = l->nodes;
    bool moves = false;
    for (uint32_t n = 0; n <= l->n_registers; n++)
        nodes[n].ready = true;
    for (uint32_t s = 0; s < l->n_sinks; s++)
        nodes[l->sinks[s].from].ready &= room(l->sinks[s].to);
    for (uint32_t r = l->n_registers; r-- > 0;) {
        const link_register *reg = &l->registers[r];
        nodes[r + 1].take = !reg->full || (nodes[r + 1].ready && !reg->start);
        nodes[reg->from].ready &= nodes[r + 1].take;
    }
    nodes[0].valid = some(l->from) && nodes[0].ready;
    nodes[0].data = token(l->from);
    moves |= nodes[0].valid;
    for (uint32_t r = 0; r < l->n_registers; r++) {
        const link_register *reg = &l->registers[r];
        const link_node *before = &nodes[reg->from];
        nodes[r + 1].valid = reg->full || (before->valid && !reg->end);
        nodes[r + 1].data = reg->full || reg->end ? reg->value : before->data;
        moves |= (before->valid && nodes[r + 1].take) || (reg->full && nodes[r + 1].ready);
    }
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        link_sink *sink = &l->sinks[s];
        bool there = sink->from ? nodes[sink->from].valid : some(l->from), has_room = room(sink->to);
        bool arrives = nodes[sink->from].valid && has_room;
        sink->now = arrives ? SINK_MOVES : state_of(there, has_room);
        moves |= arrives;
    }
    return moves;
}

static void decide(cycle_model *m, uint32_t id) {
    link *l = &m->links[id];
    bool moves;
    if (l->inside) {
        moves = some(l->from) && room(l->sinks[0].to);
    } else {
        account(l, m->now);
        if (m->flushing)
            l->since = m->now + 1;
        moves = l->n_registers ? decide_routed(l) : decide_wire(l);
    }
    if (moves)
        m->moving[m->n_moving++] = (uint16_t)id;
    else
        sleep_id(m, id);
}

static void move_routed(cycle_model *m, link *l) {
    const link_node *nodes = l->nodes;
    for (uint32_t s = 0; s < l->n_sinks; s++) {
        if (l->sinks[s].now == SINK_MOVES)
            push(m, l->sinks[s].to, nodes[l->sinks[s].from].data);
    }
    for (uint32_t r = 0; r < l->n_registers; r++) {
        link_register *reg = &l->registers[r];
        const link_node *before = &nodes[reg->from], *here = &nodes[r + 1];
        if (before->valid && here->take && (reg->full || reg->end || !here->ready)) {
            reg->value = before->data;
            reg->full = true;
        } else if (here->ready) {
            reg->full = false;
        }
    }
    if (nodes[0].valid)
        pop(m, l->from);
}

static void move(cycle_model *m, uint32_t id) {
    link *l = &m->links[id];
    if (l->n_registers) {
        move_routed(m, l);
        return;
    }
    uint64_t word = front(l->from);
    for (uint32_t s = 0; s < l->n_sinks; s++)
        push(m, l->sinks[s].to, word);
    pop(m, l->from);
}

static void stamp(cycle_model *m, io_state *s) {
    m->io_moved = true;
    if (s->stamps)
        vec_push(s->mem, &s->stream->stamp, (uint32_t)(m->now - m->run_began));
}

static bool step_io_in(cycle_model *m, core *c) {
    io_state *s = &c->u.io;
    if (!s->stream || s->stream->taken == s->stream->length || !room(c->out[0]))
        return false;
    push(m, c->out[0], s->stream->words[s->stream->taken++]);
    stamp(m, s);
    return true;
}

static bool step_io_out(cycle_model *m, core *c) {
    io_state *s = &c->u.io;
    if (!s->stream || s->stream->taken == s->stream->blocks || !some(c->in[0]))
        return false;
    uint16_t word = (uint16_t)token(c->in[0]);
    vec_push(s->mem, &s->stream->got, word);
    stamp(m, s);
    pop(m, c->in[0]);
    if (s->left == 0)
        s->left = word;
    else
        s->left--;
    if (s->left == 0 && ++s->stream->taken == s->stream->blocks)
        m->incomplete--;
    return true;
}

static bool step(cycle_model *m, core *c) {
    bool phase = (m->now - c->flushed) & 1;
    switch (c->kind) {
    case CORE_WRITE_SCANNER:
        return cycle_step_writer(m, c);
    case CORE_BUFFET:
        return cycle_step_buffet(m, c, phase);
    case CORE_READ_SCANNER:
        return cycle_step_reader(m, c, phase);
    case CORE_IO_IN:
        return step_io_in(m, c);
    case CORE_IO_OUT:
        return step_io_out(m, c);
    case CORE_JOINER:
    case CORE_CRDDROP:
    case CORE_CRDHOLD:
    case CORE_ALU:
    case CORE_REPEAT:
    case CORE_RSG:
    case CORE_REDUCE:
        break;
    }
    return cycle_step_pe(m, c);
}

typedef enum { FLUSH_NONE, FLUSH_EARLY, FLUSH_LATE, FLUSH_ALL } flush_group;

static bool flushes(flush_group group, bool late) {
    return group == FLUSH_ALL || group == (late ? FLUSH_LATE : FLUSH_EARLY);
}

/* What flush resets in a core; the rest is set anew before it is read. */
static void flush_core(cycle_model *m, core *c) {
    c->flushed = m->now + 1;
    c->quiet = 0;
    switch (c->kind) {
    case CORE_JOINER:
        c->u.joiner.state = 0;
        break;
    case CORE_CRDDROP:
        c->u.drop = (crddrop_state){0};
        break;
    case CORE_CRDHOLD:
        c->u.hold = (crdhold_state){0};
        break;
    case CORE_REPEAT:
        c->u.repeat = (repeat_state){.root = c->u.repeat.root, .queue = c->u.repeat.queue};
        break;
    case CORE_RSG:
    case CORE_REDUCE:
        c->u.reduce = (reduce_state){.default_value = c->u.reduce.default_value};
        break;
    case CORE_WRITE_SCANNER:
        c->u.writer.state = 0;
        c->u.writer.pause = false;
        break;
    case CORE_BUFFET:
        for (int i = 0; i < 2; i++) {
            buffet_id *b = &c->u.buffet->id[i];
            b->blocks = b->lanes = 0;
            b->used = b->base = 0;
            b->open = b->merging = b->read_hit = b->fetch = false;
            b->opened = b->freed = 0;
            memset(b->clobbered, 0, sizeof b->clobbered);
        }
        break;
    case CORE_READ_SCANNER: {
        reader_state *s = c->u.reader;
        s->state = 0;
        s->seg_half = s->active = s->walk_hold = false;
        s->plan = s->pairs = s->out = s->answers = (ring){0};
        s->trees = 0;
        s->seen_ref = false;
        break;
    }
    case CORE_ALU:
    case CORE_IO_IN:
    case CORE_IO_OUT:
        break;
    }
}

static void flush(cycle_model *m, flush_group group) {
    for (uint32_t i = 0; i < m->n_cores; i++)
        if (flushes(group, m->cores[i].late))
            flush_core(m, &m->cores[i]);
    for (uint32_t i = FIRST_FIFO; i < m->n_fifos; i++)
        if (flushes(group, m->design->cells.at[m->fifos[i].cell].late))
            m->fifos[i].count = m->fifos[i].head = 0;
    wake_all(m);
}

/* One cycle. Links decide before any core steps and move after all have: both see FIFOs as they were. */
static void advance(cycle_model *m, flush_group group) {
    m->n_moving = 0;
    m->io_moved = false;
    for (uint32_t w = 0; w < m->link_words; w++) {
        for (uint64_t bits = m->awake[w]; bits; bits &= bits - 1)
            decide(m, w * 64 + (uint32_t)__builtin_ctzll(bits));
    }
    for (uint32_t w = m->link_words; w < m->words; w++) {
        for (uint64_t bits = m->awake[w]; bits; bits &= bits - 1) {
            core *c = &m->cores[(w - m->link_words) * 64 + (uint32_t)__builtin_ctzll(bits)];
            if (group != FLUSH_NONE && flushes(group, c->late))
                continue;
            if (step(m, c)) {
                c->quiet = 0;
            } else if (++c->quiet > c->two_phases) {
                c->quiet = 0;
                sleep_id(m, c->id);
            }
        }
    }
    for (uint32_t i = 0; i < m->n_moving; i++)
        move(m, m->moving[i]);
    if (group != FLUSH_NONE)
        flush(m, group);
    m->now++;
}

/* ---- runs ------------------------------------------------------------------------------------ */

cycle_model *cycle_build(const cycle_design *design, arena *mem) {
    cycle_model *m = build(design, false, mem);
    /* The harness of the RTL gives a cycle between reset and the first flush. */
    m->flushing = true;
    advance(m, FLUSH_NONE);
    return m;
}

static void set_streams(cycle_model *m, cycle_stream *streams, uint32_t n, bool stamps, arena *mem) {
    m->incomplete = 0;
    for (uint32_t i = 0; i < m->n_cores; i++) {
        core *c = &m->cores[i];
        if (c->kind != CORE_IO_IN && c->kind != CORE_IO_OUT)
            continue;
        c->u.io = (io_state){.stamps = stamps, .mem = mem};
        for (uint32_t s = 0; s < n; s++) {
            if (streams[s].cell == c->cell)
                c->u.io.stream = &streams[s];
        }
        m->incomplete += c->kind == CORE_IO_OUT && c->u.io.stream && c->u.io.stream->blocks > 0;
    }
    wake_all(m);
}

static bool all_asleep(const cycle_model *m) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < m->words; w++)
        any |= m->awake[w];
    return any == 0;
}

/* Brings the accounts up to date; cycles a read-out of values waited and offered, over all runs. */
static void settle_accounts(cycle_model *m) {
    for (uint32_t i = 1; i < m->n_links; i++) {
        if (!m->links[i].inside && m->links[i].since < m->now)
            account(&m->links[i], m->now);
    }
}

static void waits_of(const link *l, uint64_t *waited, uint64_t *offered) {
    const uint64_t *cycles = l->sinks[0].cycles;
    *waited = cycles[SINK_STALLED] + cycles[SINK_HELD];
    *offered = *waited + cycles[SINK_MOVES];
}

/* The chip's read-out of values bears a sink that stalls a third of the time. */
static void watch_values(cycle_model *m, bool begin) {
    for (uint32_t i = 1; i < m->n_links; i++) {
        link *l = &m->links[i];
        uint64_t waited, offered;
        if (!l->values)
            continue;
        waits_of(l, &waited, &offered);
        if (!begin && (waited - l->waited) * 3 > offered - l->offered)
            for (uint32_t k = 0; k < m->n_cores; k++) {
                core *c = &m->cores[k];
                if (c->kind == CORE_READ_SCANNER && c->cell == m->design->nets.at[l->net].cell)
                    cycle_note_hazard(m, c, CYCLE_HAZARD_VALUES_STALLED, 0, 0, 0);
            }
        l->waited = waited;
        l->offered = offered;
    }
}

cycle_end cycle_run(cycle_model *m, cycle_stream *streams, uint32_t n_streams, bool stamps, arena *mem,
                    uint64_t *cycles) {
    uint32_t idle = 0;
    settle_accounts(m);
    set_streams(m, NULL, 0, false, mem);
    m->flushing = true;
    advance(m, FLUSH_EARLY);
    advance(m, FLUSH_LATE);
    m->flushing = false;
    set_streams(m, streams, n_streams, stamps, mem);
    m->run_began = m->now;
    watch_values(m, true);
    cycle_end end = CYCLE_DONE;
    while (m->incomplete && end == CYCLE_DONE) {
        advance(m, FLUSH_NONE);
        idle = m->io_moved ? 0 : idle + 1;
        if (idle > CYCLE_PATIENCE || all_asleep(m))
            end = m->incomplete ? CYCLE_STUCK : CYCLE_DONE;
    }
    settle_accounts(m);
    watch_values(m, false);
    *cycles = m->now - m->run_began;
    m->run++;
    return end;
}

/* ---- hazards --------------------------------------------------------------------------------- */

void cycle_note_hazard(cycle_model *m, core *c, cycle_hazard_kind kind, uint32_t tokens, uint32_t a,
                       uint32_t b) {
    if (c->hazards >> kind & 1) {
        for (uint32_t i = 0; i < m->hazards.len; i++) {
            cycle_hazard *h = &m->hazards.at[i];
            h->count += h->kind == kind && h->cell == c->cell;
        }
        return;
    }
    c->hazards |= 1u << kind;
    cycle_hazard h = {.kind = kind,
                      .cell = c->cell,
                      .run = m->run,
                      .cycle = m->now - m->run_began,
                      .token = {a & 0x1ffff, b & 0x1ffff},
                      .tokens = tokens,
                      .count = 1};
    vec_push(m->mem, &m->hazards, h);
}

const cycle_hazards *cycle_hazards_of(cycle_model *m) {
    return &m->hazards;
}

/* ---- one tile alone -------------------------------------------------------------------------- */

cycle_model *cycle_build_tile(const cycle_cell *cell, arena *mem) {
    cycle_design *design = arena_new(mem, cycle_design);
    vec_push(mem, &design->cells, *cell);
    return build(design, true, mem);
}

void cycle_tile_settle(const cycle_model *m, cycle_pins *pins) {
    const cell_ports *p = &m->ports[0];
    for (int i = 0; i < CYCLE_INS; i++)
        pins->in_ready[i] = p->in[i] && room(p->in[i]);
    for (int o = 0; o < CYCLE_OUTS; o++) {
        pins->out_valid[o] = some(p->out[o]);
        pins->out_data[o] = token(p->out[o]);
    }
}

void cycle_tile_clock(cycle_model *m, const cycle_pins *pins) {
    cell_ports *p = &m->ports[0];
    bool come[CYCLE_INS], go[CYCLE_OUTS];
    for (int i = 0; i < CYCLE_INS; i++)
        come[i] = pins->in_valid[i] && p->in[i] && room(p->in[i]) && !pins->flush;
    for (int o = 0; o < CYCLE_OUTS; o++)
        go[o] = pins->out_ready[o] && some(p->out[o]) && !pins->flush;
    advance(m, pins->flush ? FLUSH_ALL : FLUSH_NONE);
    for (int i = 0; i < CYCLE_INS; i++)
        if (come[i])
            push(m, p->in[i], pins->in_data[i] & 0x1ffff);
    for (int o = 0; o < CYCLE_OUTS; o++)
        if (go[o])
            pop(m, p->out[o]);
}
