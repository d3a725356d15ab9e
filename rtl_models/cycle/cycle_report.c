/* Reports of a model about its runs: hazards, waiting times between tiles, and the graph of a stuck run. */
#include "rtl_models/cycle/accounts.h"
#include "rtl_models/cycle/pipes.h"

#include <stdlib.h>

/* ---- hazards --------------------------------------------------------------------------------- */

/* clang-format off */
#define HAZARD(kind, name, tile, what, help) [CYCLE_HAZARD_##kind] = name,
const char *const cycle_hazard_name[CYCLE_HAZARD_KINDS] = {
#include "boards/onyx/hazards.def"
};
#undef HAZARD
#define HAZARD(kind, name, tile, what, help) [CYCLE_HAZARD_##kind] = what,
const char *const cycle_hazard_what[CYCLE_HAZARD_KINDS] = {
#include "boards/onyx/hazards.def"
};
#undef HAZARD
#define HAZARD(kind, name, tile, what, help) [CYCLE_HAZARD_##kind] = help,
const char *const cycle_hazard_help[CYCLE_HAZARD_KINDS] = {
#include "boards/onyx/hazards.def"
};
#undef HAZARD
/* clang-format on */

void cycle_note_hazard(cycle_model *m, core *c, cycle_hazard_kind kind, uint32_t tokens, uint32_t a,
                       uint32_t b) {
    if (c->hazards >> kind & 1) {
        for (uint32_t i = 0; i < m->hazards.len; i++) {
            cycle_hazard *h = &m->hazards.at[i];
            h->count += h->kind == kind && h->core == (uint32_t)(c - m->cores);
        }
        return;
    }
    c->hazards |= 1u << kind;
    cycle_hazard h = {.kind = kind,
                      .cell = c->cell,
                      .core = (uint32_t)(c - m->cores),
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

/* ---- accounts -------------------------------------------------------------------------------- */

void cycle_channels_of(cycle_model *m, arena *mem, cycle_channels *out) {
    *out = (cycle_channels){0};
    for (uint32_t i = 0; i < m->n_channels; i++) {
        const pipe *p = &m->pipes[i];
        const uint64_t *cycles = p->cycles;
        vec_push(mem, out,
                 (cycle_channel){.net = p->net,
                                 .sink = p->sink,
                                 .moved = cycles[CYCLE_MOVES],
                                 .stalled = cycles[CYCLE_STALLED],
                                 .held = cycles[CYCLE_HELD],
                                 .starved = cycles[CYCLE_STARVED],
                                 .idle = cycles[CYCLE_IDLE]});
    }
}

void cycle_work_of(const cycle_model *m, cycle_work *out) {
    *out = m->work;
}

/* ---- accounts of several models -------------------------------------------------------------- */

void cycle_number_run(cycle_model *m, uint32_t run) {
    m->run = run;
}

void cycle_forget(cycle_model *m) {
    for (uint32_t i = 0; i < m->n_channels; i++)
        memset(m->pipes[i].cycles, 0, sizeof m->pipes[i].cycles);
    for (uint32_t i = 0; i < m->n_cores; i++)
        m->cores[i].hazards = 0;
    m->hazards.len = 0;
    m->work = (cycle_work){0};
}

void cycle_put_accounts(const cycle_model *m, FILE *out) {
    for (uint32_t i = 0; i < m->n_channels; i++)
        fwrite(m->pipes[i].cycles, sizeof m->pipes[i].cycles, 1, out);
    fwrite(&m->work, sizeof m->work, 1, out);
    fwrite(&m->hazards.len, sizeof m->hazards.len, 1, out);
    if (m->hazards.len)
        fwrite(m->hazards.at, sizeof *m->hazards.at, m->hazards.len, out);
}

/* Adds a hazard of another model: the first hazard of a kind in a core is the one of the earliest run.
 * Hazards of a run come from a single model, in order. */
static void add_hazard(cycle_model *m, cycle_hazard h) {
    cycle_hazards *all = &m->hazards;
    uint32_t i = 0;
    while (i < all->len && (all->at[i].kind != h.kind || all->at[i].core != h.core))
        i++;
    if (i < all->len && all->at[i].run <= h.run) {
        all->at[i].count += h.count;
        return;
    }
    if (i < all->len) {
        h.count += all->at[i].count;
        all->len--;
        memmove(&all->at[i], &all->at[i + 1], (all->len - i) * sizeof *all->at);
    }
    m->cores[h.core].hazards |= 1u << h.kind;
    vec_push(m->mem, all, h);
    for (i = all->len - 1; i > 0 && all->at[i - 1].run > h.run; i--)
        all->at[i] = all->at[i - 1];
    all->at[i] = h;
}

bool cycle_add_accounts(cycle_model *m, FILE *in) {
    uint64_t cycles[CYCLE_ACTIVITIES];
    cycle_work work;
    cycle_hazard h;
    uint32_t hazards = 0;
    for (uint32_t i = 0; i < m->n_channels; i++) {
        if (fread(cycles, sizeof cycles, 1, in) != 1)
            return false;
        for (uint32_t a = 0; a < CYCLE_ACTIVITIES; a++)
            m->pipes[i].cycles[a] += cycles[a];
    }
    if (fread(&work, sizeof work, 1, in) != 1 || fread(&hazards, sizeof hazards, 1, in) != 1)
        return false;
    m->work.operations += work.operations;
    m->work.accesses += work.accesses;
    m->work.written += work.written;
    m->work.loaded += work.loaded;
    m->work.stored += work.stored;
    for (uint32_t o = 0; o < CYCLE_OCCUPATIONS; o++)
        m->work.cycles[o] += work.cycles[o];
    for (; hazards > 0 && fread(&h, sizeof h, 1, in) == 1; hazards--)
        add_hazard(m, h);
    return hazards == 0;
}

/* ---- bottlenecks ----------------------------------------------------------------------------- */

static int by_cycles(const void *a, const void *b) {
    const cycle_bottleneck *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* The least number of cycles of `total` with both events. */
static uint64_t overlap(uint64_t a, uint64_t b, uint64_t total) {
    return a + b > total ? a + b - total : 0;
}

/* Cycles `at` kept its producer waiting though no other input of its tile lacked a token, at most. */
static uint64_t kept_waiting(const cycle_model *m, const cycle_channels *all, const cycle_channel *at) {
    const cycle_sink *here = &m->design->nets.at[at->net].sinks.at[at->sink];
    uint64_t total = at->moved + at->stalled + at->held + at->starved + at->idle, excused = 0;
    for (uint32_t i = 0; i < all->len; i++) {
        const cycle_channel *c = &all->at[i];
        const cycle_sink *sink = &m->design->nets.at[c->net].sinks.at[c->sink];
        uint64_t both = overlap(at->stalled, c->starved, total);
        if (sink->cell == here->cell && sink->port != here->port && both > excused)
            excused = both;
    }
    return at->stalled - excused;
}

/* O(channels^2). */
void cycle_bottlenecks_of(cycle_model *m, arena *mem, cycle_bottlenecks *out) {
    uint32_t cells = m->design->cells.len;
    uint64_t *kept = arena_new_n(mem, uint64_t, cells + 1), *waited = arena_new_n(mem, uint64_t, cells + 1);
    cycle_channels channels;
    *out = (cycle_bottlenecks){0};
    cycle_channels_of(m, mem, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        const cycle_net *net = &m->design->nets.at[c->net];
        uint32_t from = net->cell, to = net->sinks.at[c->sink].cell;
        uint64_t cycles = kept_waiting(m, &channels, c);
        kept[to] = cycles > kept[to] ? cycles : kept[to];
        waited[from] = c->stalled + c->held > waited[from] ? c->stalled + c->held : waited[from];
    }
    for (uint32_t cell = 0; cell < cells; cell++) {
        if (kept[cell] > waited[cell])
            vec_push(mem, out, (cycle_bottleneck){cell, kept[cell] - waited[cell]});
    }
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_cycles);
}

/* ---- the graph of waiting -------------------------------------------------------------------- */

const char *cycle_token_text(uint32_t token, arena *mem) {
    if (rtl_is_stop(token))
        return arena_printf(mem, "S%u", rtl_stop_level(token));
    if (rtl_is_done(token))
        return "D";
    return rtl_is_maybe(token) ? "N" : arena_printf(mem, "%u", token & 0xffff);
}

typedef struct {
    const cycle_model *m;
    arena *mem;
    const char *text;
    VEC(uint32_t) edges; /* from, to, from, to .. */
} graph;

static const char *tokens_text(const graph *g, const pipe *p, uint32_t place) {
    const char *first = cycle_token_text(pipes_token(g->m, p, place, 0), g->mem);
    if (pipes_count(g->m, p, place) < 2)
        return first;
    return arena_printf(g->mem, "%s %s", first, cycle_token_text(pipes_token(g->m, p, place, 1), g->mem));
}

static const char *port_name(const graph *g, uint32_t cell, bool output, int port) {
    const cycle_cell *c = &g->m->design->cells.at[cell];
    const char *name = output ? c->port_out[port] : c->port_in[port];
    return name ? name : arena_printf(g->mem, "%s%d", output ? "out" : "in", port);
}

static const char *cell_name(const graph *g, uint32_t cell) {
    const char *name = g->m->design->cells.at[cell].name;
    return name ? name : arena_printf(g->mem, "tile %u", cell);
}

static void add_edge(graph *g, const char **line, uint32_t from, uint32_t to, const char *why) {
    *line = arena_printf(g->mem, "%s%s%s (%s)", *line, *line[0] ? ", " : "", cell_name(g, to), why);
    vec_push(g->mem, &g->edges, from);
    vec_push(g->mem, &g->edges, to);
}

static const core *io_core(const cycle_model *m, uint32_t cell) {
    for (uint32_t i = 0; i < m->n_cores; i++)
        if (m->cores[i].cell == cell)
            return &m->cores[i];
    return NULL;
}

/* Whether a tile cannot act before a token comes to an empty input: a MEM tile with references waits for its
 * block, a MEM tile without waits for references; a PE for its missing operand; an output of the array for
 * the rest of its blocks. */
static bool needs(const cycle_model *m, uint32_t cell, int port) {
    const cell_ports *p = &m->ports[cell];
    const cycle_cell *c = &m->design->cells.at[cell];
    if (c->kind == CYCLE_MEM)
        return (port == 0) != (p->in[0] && pipes_count(m, p->in[0], PLACE_PORT));
    if (c->kind == CYCLE_IO_OUT) {
        const io_state *s = &io_core(m, cell)->u.io;
        return s->stream && s->stream->taken < s->stream->blocks;
    }
    return true;
}

static void visit_cell(graph *g, uint32_t cell) {
    const cycle_model *m = g->m;
    const cell_ports *p = &m->ports[cell];
    const char *heads = "", *waits = "";
    for (int i = 0; i < CYCLE_INS; i++) {
        if (!p->in[i])
            continue;
        const char *name = port_name(g, cell, false, i);
        if (pipes_count(m, p->in[i], PLACE_PORT))
            heads = arena_printf(g->mem, "%s %s [%s]", heads, name, tokens_text(g, p->in[i], PLACE_PORT));
        else if (needs(m, cell, i))
            add_edge(g, &waits, cell, p->in[i]->from, arena_printf(g->mem, "%s is empty", name));
    }
    for (int o = 0; o < CYCLE_OUTS; o++) {
        const pipe *first = p->out[o];
        if (!first || !pipes_count(m, first, first->source))
            continue;
        heads = arena_printf(g->mem, "%s %s [%s]", heads, port_name(g, cell, true, o),
                             tokens_text(g, first, first->source));
        for (const pipe *to = first; to < m->pipes + m->n_channels && to->net == first->net; to++) {
            const uint32_t port = m->design->nets.at[to->net].sinks.at[to->sink].port;
            if (pipes_count(m, to, PLACE_PORT) == 2)
                add_edge(g, &waits, cell, to->to,
                         arena_printf(g->mem, "%s is full", port_name(g, to->to, false, (int)port)));
        }
    }
    if (*heads || *waits)
        g->text = arena_printf(g->mem, "%s  %s:%s%s%s\n", g->text, cell_name(g, cell), heads,
                               *waits ? " waits for " : " waits for nobody: the cause is here", waits);
}

/* Follows the waiting from `cell`; true on return to a visited cell, whose circle is printed. */
static bool find_circle(graph *g, uint32_t cell, uint8_t *state, uint32_t *path, uint32_t depth) {
    enum { NEW, ON_THE_PATH, CLOSED };
    state[cell] = ON_THE_PATH;
    path[depth] = cell;
    for (uint32_t e = 0; e < g->edges.len; e += 2) {
        uint32_t to = g->edges.at[e + 1];
        if (g->edges.at[e] != cell)
            continue;
        if (state[to] == ON_THE_PATH) {
            uint32_t first = 0;
            while (path[first] != to)
                first++;
            g->text = arena_printf(g->mem, "%s  circle: ", g->text);
            for (uint32_t i = first; i <= depth; i++)
                g->text = arena_printf(g->mem, "%s%s -> ", g->text, cell_name(g, path[i]));
            g->text = arena_printf(g->mem, "%s%s\n", g->text, cell_name(g, to));
            return true;
        }
        if (state[to] == NEW && find_circle(g, to, state, path, depth + 1))
            return true;
    }
    state[cell] = CLOSED;
    return false;
}

const char *cycle_wait_graph(const cycle_model *m, arena *mem) {
    graph g = {.m = m, .mem = mem, .text = ""};
    uint32_t cells = m->design->cells.len;
    for (uint32_t cell = 0; cell < cells; cell++)
        visit_cell(&g, cell);
    uint8_t *state = arena_new_n(mem, uint8_t, cells + 1);
    uint32_t *path = arena_new_n(mem, uint32_t, cells + 1);
    bool circle = false;
    for (uint32_t cell = 0; cell < cells && !circle; cell++)
        circle = state[cell] == 0 && find_circle(&g, cell, state, path, 0);
    return g.text;
}
