/* The simulator: builds a machine of units and queues from a graph and steps it cycle by cycle.
 *
 * Units are stepped from the sinks to the sources, so a token that is put out in one cycle is seen in the
 * next: no second buffer is needed, since a SAM graph has no cycles. The queues never block, so the order of
 * units without a path between them does not matter. A cycle in which nothing moves repeats for ever: then
 * the run is over or stuck. */
#include "sam/sim_int.h"

/* ---- queues ---------------------------------------------------------------------------------- */

enum { QUEUE_FIRST = 16 };

void sim_push(arena *mem, sim_queue *q, sim_token t) {
    uint32_t size = q->at ? q->mask + 1 : 0, used = q->end - q->begin;
    if (used == size) {
        uint32_t larger = size ? size * 2 : QUEUE_FIRST;
        BUG_IF(larger < size, "queue of %u tokens", used);
        sim_token *at = arena_new_n(mem, sim_token, larger);
        for (uint32_t i = 0; i < used; i++)
            at[i] = q->at[(q->begin + i) & q->mask];
        q->at = at;
        q->mask = larger - 1;
        q->begin = 0;
        q->end = used;
    }
    q->at[q->end++ & q->mask] = t;
}

static void want_inputs(arena *mem, sim_unit *u, uint32_t n) {
    if (n <= u->n_in)
        return;
    sim_queue **in = arena_new_n(mem, sim_queue *, n);
    for (uint32_t i = 0; i < n; i++)
        in[i] = i < u->n_in ? u->in[i] : arena_new(mem, sim_queue);
    u->in = in;
    u->n_in = n;
}

static void add_sink(arena *mem, sim_unit *u, uint32_t port, sim_queue *q) {
    if (port >= u->n_out) {
        sim_output *out = arena_new_n(mem, sim_output, port + 1);
        for (uint32_t i = 0; i < u->n_out; i++)
            out[i] = u->out[i];
        u->out = out;
        u->n_out = port + 1;
    }
    sim_output *o = &u->out[port];
    sim_queue **to = arena_new_n(mem, sim_queue *, o->n + 1);
    for (uint32_t i = 0; i < o->n; i++)
        to[i] = o->to[i];
    to[o->n++] = q;
    o->to = to;
}

void sim_feed(sim_machine *m, sam_node n, uint32_t port, const sim_token *tokens, uint32_t count) {
    want_inputs(m->mem, &m->units[n.v], port + 1);
    for (uint32_t i = 0; i < count; i++)
        sim_push(m->mem, m->units[n.v].in[port], tokens[i]);
}

sim_queue *sim_probe(sim_machine *m, sam_node n, uint32_t port) {
    sim_queue *q = arena_new(m->mem, sim_queue);
    add_sink(m->mem, &m->units[n.v], port, q);
    return q;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Operands of an operation: which are constants, and that the operation exists. */
static bool set_operation(sim_machine *m, sim_unit *u) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    const char *name = names_text(m->g->names, node->alu);
    uint32_t most = 0, n = u->n_in;
    u->s.alu.f = sim_find_operation(name, node->fp, &most);
    if (!u->s.alu.f) {
        diag_error(m->d, node->loc, "E0234-alu", "the simulator does not know the operation '%s%s'",
                   node->fp ? "fp_" : "", name);
        diag_hint(m->d, "docs/ir_sam.md lists the operations");
        return false;
    }
    while (sam_alu_constant(m->g, u->node, n))
        n++;
    want_inputs(m->mem, u, n);
    bool *is_constant = arena_new_n(m->mem, bool, n + 1);
    uint16_t *constant = arena_new_n(m->mem, uint16_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = sam_alu_constant(m->g, u->node, i);
        is_constant[i] = text;
        if (text && !sim_parse_constant(text, node->fp, &constant[i])) {
            diag_error(m->d, node->loc, "E0234-alu", "%s: constant '%s' is no %s",
                       sam_node_label(m->g, u->node, m->mem), text, node->fp ? "number" : "16-bit integer");
            diag_hint(m->d, "%s", node->fp ? "for example 0.5" : "from -32768 to 65535");
            return false;
        }
    }
    if (n < (most == 1 ? 1 : 2) || n > most) {
        diag_error(m->d, node->loc, "E0234-alu", "%s has %u operands", sam_node_label(m->g, u->node, m->mem),
                   n);
        diag_hint(m->d, "it takes %s", most == 1 ? "one" : most == 2 ? "two" : "two or more");
        return false;
    }
    u->s.alu.is_constant = is_constant;
    u->s.alu.constant = constant;
    return true;
}

static void set_scanner(sim_machine *m, sim_unit *u, const sam_tensor_levels *operand) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    int l = sam_storage_level(sam_find_tensor(m->g, node->tensor), node->mode);
    BUG_IF(l < 0, "mode %d of %s", node->mode, names_text(m->g->names, node->tensor));
    u->s.scan.level = &operand->level[l];
    u->s.scan.fibers = sim_fibers(operand, (uint32_t)l);
}

static bool build_unit(sim_machine *m, sim_unit *u, const sam_tensor_levels *operand) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    uint32_t most;
    switch (u->kind) {
    case SAM_FIBERLOOKUP:
        set_scanner(m, u, operand);
        return true;
    case SAM_ARRAYVALS:
        u->s.array.vals = operand->vals;
        u->s.array.n_vals = operand->n_vals;
        return true;
    case SAM_ALU:
        return set_operation(m, u);
    case SAM_REDUCE:
        u->s.reduce.add = sim_find_operation("add", node->fp, &most);
        return true;
    case SAM_VECTORREDUCER:
        u->s.vector.add = sim_find_operation("add", node->fp, &most);
        u->s.vector.depth = node->depth;
        want_inputs(m->mem, u, node->depth + 1u);
        return true;
    case SAM_SPACCUMULATOR:
        diag_error(m->d, node->loc, "E0235-unsupported",
                   "the simulator has no sparse accumulator on points: %s",
                   sam_node_label(m->g, u->node, m->mem));
        diag_hint(m->d, "use a vectorreducer, which works on streams");
        return false;
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        u->s.deal.depth = node->depth;
        u->s.deal.owed = arena_new_n(m->mem, sim_token, UINT8_MAX + 1);
        u->s.deal.ended = arena_new_n(m->mem, bool, UINT8_MAX + 1);
        return true;
    case SAM_FIBERWRITE:
    case SAM_REPEAT:
    case SAM_REPSIGGEN:
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_CRDDROP:
    case SAM_CRDHOLD:
        return true;
    case SAM_BROADCAST:
    case SAM_NONE:
    case SAM_PRIMITIVES:
        break;
    }
    BUG("no unit for primitive %d", (int)u->kind);
}

/* Sinks before sources: a node goes out when every node it feeds has. */
static void order_units(sim_machine *m) {
    const sam_graph *g = m->g;
    uint32_t n = g->nodes.len;
    uint32_t *waits = arena_new_n(m->mem, uint32_t, n + 1);
    m->order = arena_new_n(m->mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < g->edges.len; i++)
        waits[g->edges.at[i].src.v]++;
    for (uint32_t v = n; v > 0; v--)
        if (!waits[v])
            m->order[m->n_order++] = v;
    for (uint32_t at = 0; at < m->n_order; at++)
        for (uint32_t i = 0; i < g->edges.len; i++)
            if (g->edges.at[i].dst.v == m->order[at] && --waits[g->edges.at[i].src.v] == 0)
                m->order[m->n_order++] = g->edges.at[i].src.v;
    BUG_IF(m->n_order != n, "the graph has a cycle");
}

bool sim_build(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands, arena *mem,
               diagnostics *d, sim_machine *out) {
    *out = (sim_machine){.g = g, .mem = mem, .d = d};
    out->units = arena_new_n(mem, sim_unit, g->nodes.len + 1);
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){v});
        sim_unit *u = &out->units[v];
        *u = (sim_unit){.kind = node->kind, .node = {v}, .compress = node->compress, .fp = node->fp};
        int inputs = sam_primitive_table[node->kind].in;
        want_inputs(mem, u, inputs == SAM_ANY ? 0 : (uint32_t)inputs);
        out->has_writers = out->has_writers || node->kind == SAM_FIBERWRITE;
    }
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        sim_unit *dst = &out->units[e->dst.v];
        want_inputs(mem, dst, e->dst_port + 1u);
        dst->in[e->dst_port]->source = e->src;
        add_sink(mem, &out->units[e->src.v], e->src_port, dst->in[e->dst_port]);
    }
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){v});
        if (!build_unit(out, &out->units[v], sim_find_operand(operands, n_operands, node->tensor)))
            return false;
        if (node->root)
            sim_feed(out, (sam_node){v}, 0, (sim_token[]){0, SIM_DONE}, 2);
        out->unfinished += !out->has_writers || node->kind == SAM_FIBERWRITE;
    }
    order_units(out);
    return true;
}

/* ---- running --------------------------------------------------------------------------------- */

sim_end sim_run(sim_machine *m, uint64_t max_cycles) {
    while (m->unfinished) {
        if (max_cycles && m->cycle == max_cycles)
            return SIM_RUN_LIMIT;
        m->cycle++;
        bool moved = false;
        for (uint32_t i = 0; i < m->n_order; i++) {
            sim_unit *u = &m->units[m->order[i]];
            if (!u->done && sim_step(m, u))
                moved = true;
        }
        if (m->failed)
            return SIM_RUN_FAILED;
        if (!moved)
            return SIM_RUN_STUCK;
    }
    return SIM_RUN_FINISHED;
}

/* The node that unit v waits for: whoever should fill its first empty input. */
static sam_node waits_for(const sim_machine *m, uint32_t v) {
    const sim_unit *u = &m->units[v];
    for (uint32_t i = 0; i < u->n_in; i++)
        if (!sim_has(u->in[i]) && u->in[i]->source.v)
            return u->in[i]->source;
    return (sam_node){0};
}

void sim_report_stuck(const sim_machine *m) {
    sam_node n = {0};
    for (uint32_t v = m->g->nodes.len; v > 0; v--)
        if (m->units[v].kind == SAM_FIBERWRITE && !m->units[v].done)
            n.v = v;
    diag_error(m->d, sam_node_at(m->g, n)->loc, "E0230-deadlock",
               "nothing moves after %llu cycles, %s is not done", (unsigned long long)m->cycle,
               sam_node_label(m->g, n, m->mem));
    diag_hint(m->d, "a stream ends early or a primitive's inputs do not belong together");
    for (sam_node next = waits_for(m, n.v); next.v; n = next, next = waits_for(m, n.v)) {
        diag_note(m->d, sam_node_at(m->g, n)->loc, "%s waits for %s%s", sam_node_label(m->g, n, m->mem),
                  sam_node_label(m->g, next, m->mem), m->units[next.v].done ? ", which is done" : "");
        if (m->units[next.v].done)
            return;
    }
}

bool sam_simulate(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                  const sam_sim_options *options, arena *mem, diagnostics *d, sam_sim_result *out) {
    *out = (sam_sim_result){0};
    sam_graph plain;
    arena scratch = {0};
    sim_machine m;
    bool good = sam_check(g, d) && sam_remove_broadcasts(g, &scratch, d, &plain) &&
                sim_check_operands(&plain, operands, n_operands, &scratch, d) &&
                sim_build(&plain, operands, n_operands, &scratch, d, &m);
    if (good) {
        uint64_t limit = options ? options->max_cycles : 0;
        sim_end end = sim_run(&m, limit);
        if (end == SIM_RUN_STUCK)
            sim_report_stuck(&m);
        if (end == SIM_RUN_LIMIT) {
            diag_error(d, (src_loc){0}, "E0236-cycle-limit", "not done after %llu cycles",
                       (unsigned long long)limit);
            diag_hint(d, "raise the limit, or 0 for none");
        }
        out->cycles = m.cycle;
        out->tokens = m.tokens;
        m.mem = mem; /* the result outlives the machine */
        good = end == SIM_RUN_FINISHED && sim_result_of(&m, operands, n_operands, &out->result);
    }
    arena_free(&scratch);
    return good;
}
