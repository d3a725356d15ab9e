/* Tiles and nets to cores, and pipes between them. */
#include "rtl_models/cycle/cycle_int.h"

#include <stdlib.h>

enum {
    CORES_OF_A_CELL = 3, /* at most */
    ROWS_OF_A_CELL = 3,  /* inside a tile */
    PORTS_OF_A_CELL = CYCLE_INS + CYCLE_OUTS,
};

/* Where a pipe ends: a port of a core, by the core's first number, or nowhere. `queued`: another FIFO stands
 * between core and port of the tile. */
typedef struct {
    bool there, queued;
    uint32_t core, port;
} pipe_end;

/* A pipe while its bundle is unknown. Branches of a net count from `first`, which is the writer's. */
typedef struct {
    pipe_end writer, reader;
    uint32_t first, branches;
    bool watched; /* the writer waits for an empty FIFO */
} draft;

typedef struct {
    pipe_end in[CYCLE_INS], out[CYCLE_OUTS];
} cell_ends;

typedef struct {
    cycle_model *m;
    arena *mem;
    cell_ends *ends;   /* by cell */
    draft *drafts;     /* by pipe */
    uint32_t *core_at; /* places of cores by their first numbers */
} builder;

static core *new_core(builder *b, core_kind kind, uint32_t cell) {
    cycle_model *m = b->m;
    core *c = &m->cores[m->n_cores++];
    *c = (core){.kind = kind, .cell = cell, .late = m->design->cells.at[cell].late};
    for (int i = 0; i < CORE_PORTS; i++)
        c->in[i] = c->out[i] = m->nowhere;
    return c;
}

static pipe_end end_at(const builder *b, const core *c, uint32_t port, bool queued) {
    return (pipe_end){true, queued, (uint32_t)(c - b->m->cores), port};
}

/* A core reads a port of its tile, or writes one. */
static void reads(builder *b, const core *c, uint32_t port, uint32_t of_tile, bool queued) {
    b->ends[c->cell].in[of_tile] = end_at(b, c, port, queued);
}

static void writes(builder *b, const core *c, uint32_t port, bool queued) {
    b->ends[c->cell].out[port] = end_at(b, c, port, queued);
}

/* Drafts pipe `index`, with so many FIFOs between the queues of its ends and the input port. */
static pipe *draft_pipe(builder *b, uint32_t index, pipe_end writer, pipe_end reader, uint32_t before) {
    pipe *p = &b->m->pipes[index];
    *p = (pipe){.last = reader.queued ? PLACE_QUEUE : PLACE_PORT,
                .source = PLACE_PORT + before,
                .first = PLACE_PORT + before + writer.queued};
    b->drafts[index] = (draft){.writer = writer, .reader = reader, .first = index, .branches = 1};
    return p;
}

/* A row of FIFOs inside a tile, as in onyx_fifo_link; all that stand before the last are its writer's. */
static pipe *new_row(builder *b, uint32_t cell, pipe_end writer, pipe_end reader, uint32_t fifos) {
    pipe *p = draft_pipe(b, b->m->n_pipes++, writer, reader, fifos - 1);
    p->source = p->source < PLACE_ROUTE ? p->source : PLACE_ROUTE;
    p->from = p->to = cell;
    return p;
}

static core *build_core(builder *b, uint32_t cell, core_kind kind, uint32_t ins, uint32_t outs) {
    core *c = new_core(b, kind, cell);
    for (uint32_t i = 0; i < ins; i++)
        reads(b, c, i, i, false);
    for (uint32_t o = 0; o < outs; o++)
        writes(b, c, o, false);
    return c;
}

static void build_pe(builder *b, uint32_t cell) {
    const cycle_cell *cc = &b->m->design->cells.at[cell];
    core *c;
    switch ((onyx_pe_mode)cc->mode) {
    case ONYX_PE_MODE_INTERSECT_UNIT:
        c = build_core(b, cell, CORE_JOINER, 4, 3);
        c->u.joiner.is_union = onyx_space_field(cc->space, ONYX_INTERSECT_UNIT_JOINER_OP);
        break;
    case ONYX_PE_MODE_CRDDROP:
    case ONYX_PE_MODE_CRDHOLD:
        build_core(b, cell, cc->mode == ONYX_PE_MODE_CRDDROP ? CORE_CRDDROP : CORE_CRDHOLD, 2, 2);
        break;
    case ONYX_PE_MODE_PE_ONYX:
        c = build_core(b, cell, CORE_ALU, 2, 1);
        writes(b, c, 0, true);
        memcpy(c->u.alu.space, cc->space, sizeof c->u.alu.space);
        break;
    case ONYX_PE_MODE_REPEAT: /* a queue stands behind the proc port; a root fills its queue itself */
        c = build_core(b, cell, CORE_REPEAT, 2, 1);
        c->u.repeat.spacc = onyx_space_field(cc->space, ONYX_REPEAT_SPACC_MODE);
        c->u.repeat.root = onyx_space_field(cc->space, ONYX_REPEAT_ROOT);
        reads(b, c, 0, 0, true);
        if (c->u.repeat.root) {
            b->ends[cell].in[0] = (pipe_end){0};
            new_row(b, cell, end_at(b, c, 1, false), end_at(b, c, 0, false), 1);
        }
        break;
    case ONYX_PE_MODE_REPEATSIGNALGENERATOR:
        build_core(b, cell, CORE_RSG, 1, 1);
        break;
    case ONYX_PE_MODE_REG_CR:
        c = build_core(b, cell, CORE_REDUCE, 1, 1);
        c->u.reduce.default_value = (uint16_t)onyx_space_field(cc->space, ONYX_REG_CR_DEFAULT_VALUE);
        c->u.reduce.bf16 = onyx_space_field(cc->space, ONYX_REG_CR_BF16);
        c->u.reduce.by = (rtl_reduction)onyx_space_field(cc->space, ONYX_REG_CR_OP);
        c->u.reduce.float32 = c->u.reduce.bf16 && c->u.reduce.by == RTL_BY_ADD &&
                              onyx_space_field(cc->space, ONYX_REG_CR_FLOAT32);
        break;
    case ONYX_PE_MODE_REGION_JOIN:
        c = build_core(b, cell, CORE_REGION_JOIN, 4, 3);
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

static core *build_writer(builder *b, uint32_t cell, const uint32_t *space) {
    core *c = new_core(b, CORE_WRITE_SCANNER, cell);
    const bool listens = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SKIP),
               chained = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_AHEAD);
    for (uint32_t i = 1; i < CYCLE_INS; i++) {
        if (!(i == 1 && listens) && !(i == 2 && chained))
            reads(b, c, i, i, false);
    }
    c->u.writer.stop_lvl = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_STOP_LVL);
    c->u.writer.spacc = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_SPACC_MODE);
    c->u.writer.lowest_level = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_LOWEST_LEVEL);
    c->u.writer.init_blank = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_INIT_BLANK);
    c->u.writer.compressed = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_COMPRESSED);
    c->u.writer.block_mode = onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BLOCK_MODE);
    c->u.writer.before = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BEFORE);
    c->u.writer.behind = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_BEHIND);
    return c;
}

static core *build_buffet(builder *b, uint32_t cell, const uint32_t *space) {
    core *c = new_core(b, CORE_BUFFET, cell);
    c->u.buffet = arena_new(b->m->mem, buffet_state);
    set_capacity(&c->u.buffet->id[0],
                 onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_0));
    set_capacity(&c->u.buffet->id[1],
                 onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_BUFFET_CAPACITY_LOG_1));
    return c;
}

static core *build_reader(builder *b, uint32_t cell, const uint32_t *space) {
    core *c = new_core(b, CORE_READ_SCANNER, cell);
    reader_state *s = c->u.reader = arena_new(b->m->mem, reader_state);
    const bool root = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_ROOT),
               block = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_BLOCK_MODE),
               listens = onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_SKIP);
    s->crd_first = b->m->design->recorded;
    s->chain.ahead = (uint8_t)onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_AHEAD);
    s->set = reader_config_of(space);
    if (listens)
        reads(b, c, 2, 1, false);
    if (s->chain.ahead)
        reads(b, c, 3, 2, false);
    if (!root && !block)
        reads(b, c, 0, 0, true);
    for (uint32_t o = 0; o < CYCLE_OUTS; o++)
        writes(b, c, o, false);
    return c;
}

static void build_mem(builder *b, uint32_t cell) {
    const uint32_t *space = b->m->design->cells.at[cell].space;
    const bool on = onyx_space_field(space, ONYX_FIBER_ACCESS_16_TILE_EN);
    pipe_end written = {0}, commands = {0}, asked = {0}, requests = {0}, answers = {0}, answered = {0};
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_WRITE_SCANNER_TILE_EN))
        written = end_at(b, build_writer(b, cell, space), 0, false);
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_BUFFET_TILE_EN)) {
        const core *c = build_buffet(b, cell, space);
        commands = end_at(b, c, 0, false);
        requests = end_at(b, c, 1, false);
        answers = end_at(b, c, 0, false);
    }
    if (on && onyx_space_field(space, ONYX_FIBER_ACCESS_16_READ_SCANNER_TILE_EN)) {
        const core *c = build_reader(b, cell, space);
        asked = end_at(b, c, 3, false);
        answered = end_at(b, c, 1, false);
    }
    new_row(b, cell, written, commands, 3);
    new_row(b, cell, asked, requests, 2);
    b->drafts[new_row(b, cell, answers, answered, 2) - b->m->pipes].watched = true;
}

static void build_vector(builder *b, uint32_t cell) {
    const uint32_t *space = b->m->design->cells.at[cell].space;
    const uint8_t inner = (uint8_t)onyx_space_field(space, ONYX_VEC_REDUCE_INNER);
    core *c = build_core(b, cell, CORE_VECTOR_REDUCE, inner ? 3 : 2, inner ? 3 : 2);
    c->u.vector = arena_new(b->m->mem, vector_state);
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

static void build_cell(builder *b, uint32_t cell) {
    const cycle_cell *cc = &b->m->design->cells.at[cell];
    if (!used(cc))
        return;
    switch (cc->kind) {
    case CYCLE_PE:
        build_pe(b, cell);
        return;
    case CYCLE_MEM:
        if (cc->mode == RTL_MEM_VECTOR_REDUCE)
            build_vector(b, cell);
        else
            build_mem(b, cell);
        return;
    case CYCLE_IO_IN:
        build_core(b, cell, CORE_IO_IN, 0, 1);
        return;
    case CYCLE_IO_OUT:
        build_core(b, cell, CORE_IO_OUT, 1, 0);
        return;
    case CYCLE_NONE:
        break;
    }
    BUG("cell %u has no kind", cell);
}

/* SplitFIFO pairs on the way to a sink, each a FIFO of two words: the first register takes while it is empty,
 * the second gives while it is full. */
static uint32_t pairs_to(const cycle_net *net, const cycle_sink *sink) {
    uint32_t pairs = 0;
    for (uint32_t r = sink->from; r != CYCLE_SOURCE; pairs++) {
        const cycle_register *ends = &net->registers.at[r];
        BUG_IF(!ends->end || ends->start || ends->from == CYCLE_SOURCE, "a register without its pair");
        const cycle_register *starts = &net->registers.at[ends->from];
        BUG_IF(!starts->start || starts->end, "a register without its pair");
        r = starts->from;
    }
    return pairs;
}

/* Drafts the pipes of a net, from `first` on. Returns their number. */
static uint32_t build_net(builder *b, uint32_t index, uint32_t first) {
    cycle_model *m = b->m;
    const cycle_net *net = &m->design->nets.at[index];
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        const cycle_sink *sink = &net->sinks.at[s];
        pipe *p = draft_pipe(b, first + s, b->ends[net->cell].out[net->port],
                             b->ends[sink->cell].in[sink->port], 1 + pairs_to(net, sink));
        p->net = index;
        p->sink = s;
        p->from = net->cell;
        p->to = sink->cell;
        draft *d = &b->drafts[first + s];
        d->first = first;
        d->branches = net->sinks.len;
        if (!used(&m->design->cells.at[sink->cell]))
            p->last = PLACE_ROUTE;
        else
            m->ports[sink->cell].in[sink->port] = p;
    }
    m->ports[net->cell].out[net->port] = net->sinks.len ? &m->pipes[first] : NULL;
    return net->sinks.len;
}

/* Drafts pipes to and from pins, which stand in place of nets. */
static void build_pins(builder *b, uint32_t cell) {
    cell_ports *p = &b->m->ports[cell];
    const pipe_end pin = {0};
    for (int i = 0; i < CYCLE_INS && used(&b->m->design->cells.at[cell]); i++)
        p->in[i] = new_row(b, cell, pin, b->ends[cell].in[i], 1);
    for (int o = 0; o < CYCLE_OUTS; o++)
        p->out[o] = new_row(b, cell, b->ends[cell].out[o], pin, 1);
}

typedef struct {
    uint64_t key;
    uint32_t from;
} ranked;

static int by_key(const void *a, const void *b) {
    const ranked *l = a, *r = b;
    return l->key != r->key ? (l->key < r->key ? -1 : 1) : l->from < r->from ? -1 : l->from > r->from;
}

/* Sorts the places. Returns the new place of each. */
static uint32_t *sort(ranked *places, uint32_t n, arena *mem) {
    uint32_t *to = arena_new_n(mem, uint32_t, n + 1);
    if (n)
        qsort(places, n, sizeof *places, by_key);
    for (uint32_t i = 0; i < n; i++)
        to[places[i].from] = i;
    return to;
}

/* Puts cores that take the same steps side by side, so that branches are predicted. Returns the new place of
 * each. */
static uint32_t *sort_cores(cycle_model *m, arena *mem) {
    const uint32_t n = m->n_cores;
    const core *before = m->cores;
    ranked *places = arena_new_n(mem, ranked, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const unsigned is = before[i].kind == CORE_READ_SCANNER ? before[i].u.reader->set.is : 0;
        places[i] = (ranked){(uint32_t)before[i].kind << 8 | is, i};
    }
    uint32_t *to = sort(places, n, mem);
    m->cores = arena_new_n(m->mem, core, n + 1);
    m->actors = arena_new_n(m->mem, actor, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        m->cores[i] = before[places[i].from];
        m->actors[i] = (actor){cycle_step_of(&m->cores[i]), &m->cores[i]};
    }
    return to;
}

/* ---- bundles --------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *up, uint32_t cell) {
    while (up[cell] != cell)
        cell = up[cell] = up[up[cell]];
    return cell;
}

/* Returns of each cell a number of those that nets connect. */
static uint32_t *islands_of(const cycle_model *m, arena *mem) {
    const uint32_t cells = m->design->cells.len;
    uint32_t *up = arena_new_n(mem, uint32_t, cells + 1);
    for (uint32_t i = 0; i < cells; i++)
        up[i] = i;
    for (uint32_t i = 0; i < m->n_pipes; i++)
        up[root_of(up, m->pipes[i].from)] = root_of(up, m->pipes[i].to);
    for (uint32_t i = 0; i < cells; i++)
        up[i] = root_of(up, i);
    return up;
}

/* Orders n pipes by their islands, if any, by their nets' sinks and registers, and by number: branches of a
 * net stand side by side. */
static uint32_t *order_pipes(const builder *b, uint32_t n, const uint32_t *islands, arena *mem) {
    const cycle_model *m = b->m;
    ranked *places = arena_new_n(b->mem, ranked, n + 1);
    uint32_t *order = arena_new_n(mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const pipe *p = &m->pipes[i];
        places[i] = (ranked){islands ? (uint64_t)islands[p->from] << 32 : 0, i};
        if (i < m->n_channels)
            places[i].key |= (uint64_t)b->drafts[i].branches << 16 | m->design->nets.at[p->net].registers.len;
    }
    const uint32_t *at = sort(places, n, b->mem);
    for (uint32_t i = 0; i < n; i++)
        order[at[i]] = i;
    return order;
}

/* Deals the pipes to bundles, each of connected cells. */
static void deal_pipes(builder *b) {
    cycle_model *m = b->m;
    const uint32_t *islands = islands_of(m, b->mem), *order = order_pipes(b, m->n_pipes, islands, b->mem);
    uint32_t lane = 64, island = UINT32_MAX;
    for (uint32_t i = 0; i < m->n_pipes; i++) {
        pipe *p = &m->pipes[order[i]];
        const draft *d = &b->drafts[order[i]];
        BUG_IF(d->branches > 64, "a net with %u sinks", d->branches);
        if (islands[p->from] != island || (d->first == order[i] && lane + d->branches > 64)) {
            lane = 0;
            m->n_bundles++;
        }
        island = islands[p->from];
        p->bundle = m->n_bundles - 1;
        p->lane = lane++;
    }
    m->bundles = arena_new_n(m->mem, bundle, m->n_bundles + 1);
    for (uint32_t i = 0; i < m->n_pipes; i++) {
        pipe *p = &m->pipes[i];
        const draft *d = &b->drafts[i];
        bundle *to = &m->bundles[p->bundle];
        to->pipes[p->lane] = p;
        to->n = p->first >= to->n ? p->first + 1 : to->n;
        to->n_forks += d->branches > 1 && d->first == i;
    }
    for (uint32_t i = 0; i < m->n_bundles; i++) {
        bundle *to = &m->bundles[i];
        to->n = (to->n + 1) / 2 * 2;
        BUG_IF(to->n > PLACES - 2, "a pipe of %u FIFOs", to->n);
        to->flushed = arena_new_n(m->mem, flushed_fifos, to->n);
        to->forks = arena_new_n(m->mem, fork, to->n_forks + 1);
        to->n_forks = 0;
    }
}

/* Returns the core's end of a pipe; *id: of the core. An end where no core stands has a FIFO of its own. */
static fifo *end_of(const builder *b, const pipe_end *e, const pipe *p, bool writes, core_id *id) {
    if (!e->there)
        return arena_new(b->m->mem, fifo);
    const uint32_t number = b->core_at[e->core];
    core *c = &b->m->cores[number];
    c->bundles |= (uint64_t)1 << p->bundle % 64;
    *id = core_number(number);
    return writes ? &c->out[e->port] : &c->in[e->port];
}

static void mark_flushed(const cycle_model *m, const pipe *p, uint32_t place, uint32_t cell) {
    flushed_fifos *f = &m->bundles[p->bundle].flushed[place];
    *(m->design->cells.at[cell].late ? &f->late : &f->early) |= (uint64_t)1 << p->lane;
}

static void join_branches(cycle_model *m, const pipe *first, uint32_t n) {
    bundle *to = &m->bundles[first->bundle];
    fork *f = &to->forks[to->n_forks++];
    *f = (fork){.branches = arena_new_n(m->mem, branch, n), .n = n};
    for (uint32_t i = 0; i < n; i++) {
        const pipe *p = &first[i];
        f->branches[i] = (branch){mask_of(to, FULL, p->source - 1), mask_of(to, HELD, p->source),
                                  mask_of(to, PUSHED, p->first), (uint64_t)1 << p->lane};
    }
}

/* Places a pipe in its bundle; branches share the ring of the first. */
static void lay_pipe(builder *b, uint32_t index) {
    cycle_model *m = b->m;
    const draft *d = &b->drafts[index];
    pipe *p = &m->pipes[index];
    bundle *to = &m->bundles[p->bundle];
    const uint64_t bit = (uint64_t)1 << p->lane;
    uint32_t words = 2, longest = 0;
    for (uint32_t i = 0; i < d->branches; i++)
        longest = m->pipes[d->first + i].first > longest ? m->pipes[d->first + i].first : longest;
    while (words < 2 * (longest + 1))
        words *= 2;
    const bool leads = d->first == index;
    const pipe_end nobody = {0}, *writer = leads ? &d->writer : &nobody;
    uint32_t *at = leads ? arena_new_n(m->mem, uint32_t, words) : m->pipes[d->first].writer->ring;
    p->writer = end_of(b, writer, p, true, &to->writer[p->lane]);
    p->reader = end_of(b, &d->reader, p, false, &to->reader[p->lane]);
    *p->writer = (fifo){mask_of(to, SOME, p->first), bit, at, 0, words - 1};
    *p->reader = (fifo){mask_of(to, SOME, p->last), bit, at, 0, words - 1};
    *mask_of(to, WRITES, p->first) |= writer->there ? bit : 0;
    *mask_of(to, WATCHED, p->first) |= writer->there && d->watched ? bit : 0;
    *mask_of(to, READS, p->last) |= d->reader.there ? bit : 0;
    to->channels |= index < m->n_channels ? bit : 0;
    for (uint32_t place = 0; place < p->last; place++) { /* a FIFO that is not there is full */
        *mask_of(to, SOME, place) |= bit;
        *mask_of(to, FULL, place) |= bit;
    }
    for (uint32_t place = p->last; place <= PLACE_PORT; place++)
        mark_flushed(m, p, place, p->to);
    for (uint32_t place = p->source > PLACE_PORT ? p->source : PLACE_ROUTE; place <= p->first; place++)
        mark_flushed(m, p, place, p->from);
    if (d->branches > 1 && leads)
        join_branches(m, p, d->branches);
}

cycle_model *cycle_assemble(const cycle_design *d, bool pins, arena *mem) {
    cycle_model *m = arena_new(mem, cycle_model);
    const uint32_t cells = d->cells.len;
    arena scratch = {0};
    builder b = {.m = m, .mem = &scratch, .ends = arena_new_n(&scratch, cell_ends, cells + 1)};
    uint32_t channels = 0;
    for (uint32_t i = 0; i < d->nets.len; i++)
        channels += d->nets.at[i].sinks.len;
    const uint32_t most = channels + cells * (ROWS_OF_A_CELL + PORTS_OF_A_CELL) + 1;
    *m = (cycle_model){.mem = mem,
                       .design = d,
                       .n_channels = channels,
                       .n_pipes = channels,
                       .cores = arena_new_n(mem, core, cells * CORES_OF_A_CELL + 1),
                       .ports = arena_new_n(mem, cell_ports, cells + 1),
                       .pipes = arena_new_n(mem, pipe, most),
                       .stirred = UINT64_MAX};
    m->nowhere = (fifo){.at = (uint64_t *)arena_new_n(mem, two, MASKS), .ring = arena_new(mem, uint32_t)};
    b.drafts = arena_new_n(&scratch, draft, most);
    for (uint32_t i = 0; i < cells; i++)
        build_cell(&b, i);
    for (uint32_t i = 0, first = 0; i < d->nets.len; i++)
        first += build_net(&b, i, first);
    for (uint32_t i = 0; i < cells && pins; i++)
        build_pins(&b, i);
    m->n_words = (m->n_cores + 63) / 64;
    m->awake = arena_new_n(mem, uint64_t, m->n_words + 1);
    b.core_at = sort_cores(m, &scratch);
    deal_pipes(&b);
    m->watched.in_turn = order_pipes(&b, channels, NULL, mem);
    for (uint32_t i = 0; i < m->n_pipes; i++)
        lay_pipe(&b, i);
    cycle_wake_all(m);
    arena_free(&scratch);
    return m;
}
