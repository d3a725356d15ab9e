/* Tiles and nets to FIFOs, links and cores. */
#include "rtl_models/cycle/links.h"

#include <stdlib.h>

enum {
    FIFOS_OF_A_CELL = 17, /* at most: ports, links inside */
    JOINTS_OF_A_CELL = 5,
    CORES_OF_A_CELL = 3,
};

/* A reader or writer is a core or a joint: its number until all are counted. */
enum { A_CORE = 0x8000, A_JOINT = 0x4000 };

static fifo *new_fifo(cycle_model *m, uint32_t cell) {
    m->cell_of[m->n_fifos] = (uint16_t)cell;
    return &m->fifos[m->n_fifos++];
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
    f->reader.word = (uint16_t)(A_CORE | (c - m->cores));
}

static void writes(cycle_model *m, core *c, int port, fifo *f) {
    c->out[port] = f;
    f->writer.word = (uint16_t)(A_CORE | (c - m->cores));
}

/* From FIFO to FIFO inside a tile. */
static void join(cycle_model *m, fifo *from, fifo *to) {
    m->joints[m->n_joints] = (joint){from, to};
    from->reader.word = to->writer.word = (uint16_t)(A_JOINT | m->n_joints++);
}

/* A row of FIFOs between two cores of a MEM tile, as in onyx_fifo_link; *near and *far are its ends. */
static void new_row(cycle_model *m, uint32_t cell, int stages, fifo **near, fifo **far) {
    *near = *far = new_fifo(m, cell);
    for (int i = 1; i < stages; i++) {
        fifo *next = new_fifo(m, cell);
        join(m, *far, next);
        *far = next;
    }
}

static core *build_core(cycle_model *m, uint32_t cell, core_kind kind, int ins, int outs) {
    const cell_ports *p = &m->ports[cell];
    core *c = new_core(m, kind, cell);
    for (int i = 0; i < ins; i++)
        reads(m, c, i, p->in[i]);
    for (int o = 0; o < outs; o++)
        writes(m, c, o, p->out[o]);
    return c;
}

static void build_pe(cycle_model *m, uint32_t cell, const cell_ports *p) {
    const cycle_cell *cc = &m->design->cells.at[cell];
    core *c;
    switch ((onyx_pe_mode)cc->mode) {
    case ONYX_PE_MODE_INTERSECT_UNIT:
        c = build_core(m, cell, CORE_JOINER, 4, 3);
        c->u.joiner.is_union = onyx_space_field(cc->space, ONYX_INTERSECT_UNIT_JOINER_OP);
        break;
    case ONYX_PE_MODE_CRDDROP:
        build_core(m, cell, CORE_CRDDROP, 2, 2);
        break;
    case ONYX_PE_MODE_CRDHOLD:
        build_core(m, cell, CORE_CRDHOLD, 2, 2);
        break;
    case ONYX_PE_MODE_PE_ONYX: { /* a FIFO stands behind the PE */
        c = build_core(m, cell, CORE_ALU, 2, 1);
        fifo *results = new_fifo(m, cell);
        writes(m, c, 0, results);
        join(m, results, p->out[0]);
        memcpy(c->u.alu.space, cc->space, sizeof c->u.alu.space);
        break;
    }
    case ONYX_PE_MODE_REPEAT: /* a FIFO stands behind the proc port */
        c = build_core(m, cell, CORE_REPEAT, 2, 1);
        c->u.repeat.spacc = onyx_space_field(cc->space, ONYX_REPEAT_SPACC_MODE);
        c->u.repeat.root = onyx_space_field(cc->space, ONYX_REPEAT_ROOT);
        c->u.repeat.queue = new_fifo(m, cell);
        reads(m, c, 0, c->u.repeat.queue);
        if (c->u.repeat.root)
            c->u.repeat.queue->writer = c->u.repeat.queue->reader;
        else
            join(m, p->in[0], c->u.repeat.queue);
        break;
    case ONYX_PE_MODE_REPEATSIGNALGENERATOR:
        build_core(m, cell, CORE_RSG, 1, 1);
        break;
    case ONYX_PE_MODE_REG_CR:
        c = build_core(m, cell, CORE_REDUCE, 1, 1);
        c->u.reduce.default_value = (uint16_t)onyx_space_field(cc->space, ONYX_REG_CR_DEFAULT_VALUE);
        c->u.reduce.bf16 = onyx_space_field(cc->space, ONYX_REG_CR_BF16);
        c->u.reduce.by = (rtl_reduction)onyx_space_field(cc->space, ONYX_REG_CR_OP);
        c->u.reduce.float32 = c->u.reduce.bf16 && c->u.reduce.by == RTL_BY_ADD &&
                              onyx_space_field(cc->space, ONYX_REG_CR_FLOAT32);
        break;
    case ONYX_PE_MODE_REGION_JOIN:
        c = build_core(m, cell, CORE_REGION_JOIN, 4, 3);
        c->u.region.regions = (uint8_t)onyx_space_field(cc->space, ONYX_REGION_JOIN_REGIONS);
        break;
    }
}

static void set_capacity(buffet_id *b, uint32_t log) {
    b->capacity = (uint16_t)(log == 0 ? 0 : log > 9 ? 512 : 1u << log);
    b->mask = (uint16_t)((b->capacity - 1u) & 0x1ff);
}

static reader_config reader_config_of(const uint32_t *space) {
    reader_config set = {
        .stop_lvl = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_STOP_LVL),
        .dim_size = (uint16_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_DIM_SIZE)};
    set.is |= onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_ROOT) ? READ_ROOT : 0;
    set.is |= onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_LOOKUP) ? READ_LOOKUP : 0;
    set.is |= onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_DENSE) ? READ_DENSE : 0;
    set.is |= onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_BLOCK_MODE) ? READ_BLOCK : 0;
    set.is |= onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_AHEAD) ? READ_CHAINED : 0;
    const bool compressed = !(set.is & (READ_LOOKUP | READ_DENSE | READ_BLOCK)),
               spacc = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SPACC_MODE),
               listens = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SKIP);
    set.is |= spacc ? READ_SPACC : 0;
    set.is |= listens && compressed && !spacc ? READ_SKIPS : 0;
    return set;
}

static void build_mem(cycle_model *m, uint32_t cell, const cell_ports *p) {
    const uint32_t *space = m->design->cells.at[cell].space;
    bool on = onyx_space_field(space, ONYX_FIBER_ACCESS_16_TILE_EN);
    fifo *wr_near, *wr_far, *rd_near, *rd_far, *rsp_near, *rsp_far;
    new_row(m, cell, 3, &wr_near, &wr_far);
    new_row(m, cell, 2, &rd_near, &rd_far);
    new_row(m, cell, 2, &rsp_near, &rsp_far);
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_TILE_EN)) {
        core *c = new_core(m, CORE_WRITE_SCANNER, cell);
        const bool listens = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SKIP),
                   chained = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_AHEAD);
        for (int i = 1; i < CYCLE_INS; i++) {
            if (!(i == 1 && listens) && !(i == 2 && chained))
                reads(m, c, i, p->in[i]);
        }
        writes(m, c, 0, wr_near);
        c->u.writer.stop_lvl = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_STOP_LVL);
        c->u.writer.spacc = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_SPACC_MODE);
        c->u.writer.lowest_level = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_LOWEST_LEVEL);
        c->u.writer.init_blank = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_INIT_BLANK);
        c->u.writer.compressed = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_COMPRESSED);
        c->u.writer.block_mode = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BLOCK_MODE);
        c->u.writer.before = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BEFORE);
        c->u.writer.behind = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BEHIND);
    }
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_TILE_EN)) {
        core *c = new_core(m, CORE_BUFFET, cell);
        reads(m, c, 0, wr_far);
        reads(m, c, 1, rd_far);
        writes(m, c, 0, rsp_near);
        rsp_near->watched = true;
        c->u.buffet = arena_new(m->mem, buffet_state);
        set_capacity(&c->u.buffet->id[0],
                     onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_0));
        set_capacity(&c->u.buffet->id[1],
                     onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_1));
    }
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_TILE_EN)) {
        core *c = new_core(m, CORE_READ_SCANNER, cell);
        reader_state *s = c->u.reader = arena_new(m->mem, reader_state);
        const bool root = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_ROOT),
                   block = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_BLOCK_MODE),
                   listens = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SKIP);
        s->crd_first = m->design->recorded;
        s->chain.ahead = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_AHEAD);
        s->set = reader_config_of(space);
        if (listens)
            reads(m, c, 2, p->in[1]);
        if (s->chain.ahead)
            reads(m, c, 3, p->in[2]);
        if (!root && !block) {
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

static void build_vector(cycle_model *m, uint32_t cell) {
    const uint32_t *space = m->design->cells.at[cell].space;
    const uint8_t inner = (uint8_t)onyx_space_field(space, ONYX_VEC_REDUCE_INNER);
    core *c = build_core(m, cell, CORE_VECTOR_REDUCE, inner ? 3 : 2, inner ? 3 : 2);
    c->u.vector = arena_new(m->mem, vector_state);
    c->u.vector->bf16 = onyx_space_field(space, ONYX_VEC_REDUCE_BF16);
    c->u.vector->by = (rtl_reduction)onyx_space_field(space, ONYX_VEC_REDUCE_OP);
    c->u.vector->inner = inner;
}

/* A working tile; unused ports are already NOWHERE or a drain. */
static bool used(const cycle_cell *c) {
    return c->kind == CYCLE_PE    ? c->tile_en && (c->space[0] & 1)
           : c->kind == CYCLE_MEM ? c->tile_en && (c->mode == RTL_MEM_FIBER_ACCESS ||
                                                   (c->mode == RTL_MEM_VECTOR_REDUCE &&
                                                    onyx_space_field(c->space, ONYX_VEC_REDUCE_TILE_EN)))
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
            build_vector(m, cell);
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
    const uint32_t id = m->n_links++;
    link *l = &m->links[id];
    *l = (link){.from = from,
                .n_sinks = (uint16_t)net->sinks.len,
                .n_registers = (uint16_t)net->registers.len,
                .net = index,
                .sinks = arena_new_n(m->mem, link_sink, net->sinks.len + 1),
                .registers = arena_new_n(m->mem, link_register, net->registers.len + 1)};
    from->reader.word = (uint16_t)id;
    m->ports[net->cell].to[net->port] = l;
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
            to->writer.word = (uint16_t)id;
    }
    links_prepare(m, l);
}

/* FIFOs of the ports used by `pins` or a net; unused ports neither take nor give, or take everything. */
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

typedef struct {
    uint32_t key, from;
} place;

static int by_key(const void *a, const void *b) {
    const place *l = a, *r = b;
    return l->key != r->key ? (l->key < r->key ? -1 : 1) : l->from < r->from ? -1 : l->from > r->from;
}

/* Sorts the places. Returns the new place of each. */
static uint32_t *sort(place *places, uint32_t n, arena *mem) {
    uint32_t *to = arena_new_n(mem, uint32_t, n + 1);
    if (n)
        qsort(places, n, sizeof *places, by_key);
    for (uint32_t i = 0; i < n; i++)
        to[places[i].from] = i;
    return to;
}

/* Puts cores that take the same steps side by side, so that branches are predicted. Returns the new place of
 * each. */
static uint32_t *sort_cores(cycle_model *m) {
    const uint32_t n = m->n_cores;
    const core *before = m->cores;
    place *places = arena_new_n(m->mem, place, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const unsigned is = before[i].kind == CORE_READ_SCANNER ? before[i].u.reader->set.is : 0;
        places[i] = (place){(uint32_t)before[i].kind << 8 | is, i};
    }
    uint32_t *to = sort(places, n, m->mem);
    m->cores = arena_new_n(m->mem, core, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        m->cores[i] = before[places[i].from];
        m->cores[i].step = cycle_step_of(&m->cores[i]);
    }
    return to;
}

/* Sorts the visits of links; links stay in the order of the nets for reports. The party of pins stays number
 * 0. */
static uint32_t *sort_links(cycle_model *m) {
    place *places = arena_new_n(m->mem, place, m->n_links);
    for (uint32_t i = 0; i < m->n_links; i++)
        places[i] = (place){(uint32_t)m->links[i].n_sinks << 16 | m->links[i].n_registers, i};
    uint32_t *to = sort(places, m->n_links, m->mem);
    m->in_turn = arena_new_n(m->mem, link *, m->n_links);
    for (uint32_t i = 0; i < m->n_links; i++)
        m->in_turn[i] = &m->links[places[i].from];
    return to;
}

static actor_id final_id(const cycle_model *m, uint32_t id, const uint32_t *core_at,
                         const uint32_t *link_at) {
    return actor_number(id & A_CORE    ? m->actors.first_cores * 64 + core_at[id ^ A_CORE]
                        : id & A_JOINT ? m->actors.first_joints * 64 + (id ^ A_JOINT)
                                       : link_at[id]);
}

/* Numbers all actors. */
static void number_actors(cycle_model *m) {
    const uint32_t *core_at = sort_cores(m), *link_at = sort_links(m);
    m->actors.first_joints = (m->n_links + 63) / 64;
    m->actors.first_cores = m->actors.first_joints + (m->n_joints + 63) / 64;
    m->actors.words = m->actors.first_cores + (m->n_cores + 63) / 64;
    BUG_IF(m->n_links >= A_JOINT || m->n_joints >= A_JOINT || m->actors.words * 64 > UINT16_MAX,
           "too many actors for 16 bits");
    m->actors.awake = arena_new_n(m->mem, uint64_t, m->actors.words + 1);
    m->moving.links = arena_new_n(m->mem, link *, m->n_links);
    m->moving.joints = arena_new_n(m->mem, joint *, m->n_joints + 1);
    for (uint32_t i = FIRST_FIFO; i < m->n_fifos; i++) {
        m->fifos[i].reader = final_id(m, m->fifos[i].reader.word, core_at, link_at);
        m->fifos[i].writer = final_id(m, m->fifos[i].writer.word, core_at, link_at);
    }
    m->fifos[NOWHERE].reader = m->fifos[NOWHERE].writer = actor_number(0);
}

cycle_model *cycle_assemble(const cycle_design *d, bool pins, arena *mem) {
    cycle_model *m = arena_new(mem, cycle_model);
    uint32_t cells = d->cells.len;
    m->mem = mem;
    m->design = d;
    m->fifos = arena_new_n(mem, fifo, FIRST_FIFO + cells * FIFOS_OF_A_CELL);
    m->cell_of = arena_new_n(mem, uint16_t, FIRST_FIFO + cells * FIFOS_OF_A_CELL);
    m->links = arena_new_n(mem, link, 1 + d->nets.len);
    m->joints = arena_new_n(mem, joint, cells * JOINTS_OF_A_CELL + 1);
    m->cores = arena_new_n(mem, core, cells * CORES_OF_A_CELL + 1);
    m->ports = arena_new_n(mem, cell_ports, cells + 1);
    m->fifos[WALL].count = 2;
    m->n_fifos = FIRST_FIFO;
    m->n_links = 1;
    m->links[0].from = &m->fifos[NOWHERE];
    links_prepare(m, &m->links[0]);
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
    number_actors(m);
    cycle_wake_all(m);
    return m;
}
