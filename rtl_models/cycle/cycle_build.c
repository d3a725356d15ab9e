/* Tiles and nets to FIFOs, links and cores. */
#include "rtl_models/cycle/cycle_int.h"

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
        c->u.repeat.spacc = cc->space[0] >> 17 & 1;
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
        c->u.reduce.bf16 = cc->space[1] >> 1 & 1;
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
        c->u.writer.stop_lvl = (uint8_t)(space[0] >> 1);
        c->u.writer.spacc = space[0] >> 17 & 1;
        c->u.writer.lowest_level = space[0] >> 18 & 1;
        c->u.writer.init_blank = space[0] >> 19 & 1;
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
        s->stop_lvl = (uint8_t)(space[0] >> 24);
        s->spacc = space[1] >> 8 & 1;
        s->root = space[1] >> 9 & 1;
        s->lookup = space[1] >> 27 & 1;
        s->dim_size = (uint16_t)(space[2] >> 13);
        s->dense = space[2] >> 29 & 1;
        s->block_mode = space[2] >> 30 & 1;
        s->compressed = !s->dense && !s->lookup && !s->block_mode;
        s->accumulates = s->spacc && s->compressed && !s->root;
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

static void build_vector(cycle_model *m, uint32_t cell, const cell_ports *p) {
    core *c = new_core(m, CORE_VECTOR_REDUCE, cell);
    c->u.vector = arena_new(m->mem, vector_state);
    c->u.vector->bf16 = m->design->cells.at[cell].space[0] >> 1 & 1;
    for (int port = 0; port < 2; port++) {
        reads(m, c, port, p->in[port]);
        writes(m, c, port, p->out[port]);
    }
}

/* A tile that works; ports nobody uses are already NOWHERE or a drain. */
static bool used(const cycle_cell *c) {
    return c->kind == CYCLE_PE    ? c->tile_en && (c->space[0] & 1)
           : c->kind == CYCLE_MEM ? c->tile_en && (c->mode == RTL_MEM_FIBER_ACCESS ||
                                                   (c->mode == RTL_MEM_VECTOR_REDUCE && (c->space[0] & 1)))
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
        if (cc->mode == RTL_MEM_VECTOR_REDUCE)
            build_vector(m, cell, p);
        else
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
    l->values = source->kind == CYCLE_MEM && source->mode == RTL_MEM_FIBER_ACCESS && net->port == 0 &&
                (source->space[1] >> 27 & 1) && (source->space[2] >> 30 & 1);
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

cycle_model *cycle_assemble(const cycle_design *d, bool pins, arena *mem) {
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
    cycle_wake_all(m);
    return m;
}
