/* The simulator: builds a machine of units and queues from a graph and steps it cycle by cycle.
 *
 * Units are stepped from the sinks to the sources: a token emitted in a cycle is seen in the next. No second
 * buffer is needed: a SAM graph has cycles only through skip requests, and a scanner takes only requests from
 * before the cycle. With unbounded queues the order of units without a path between them does not matter;
 * with bounds the order does not matter either, since readers come before writers. An idle unit moves only
 * after receiving a token: only units that moved last or received a token are tried. A cycle without a move
 * repeats for ever: the run is over or stuck. */
#include "sam/coordinates.h"
#include "sam/sim_data.h"
#include "sam/sim_units.h"
#include "sam/sim_watch.h"

static void want_inputs(arena *mem, sim_unit *u, uint32_t n) {
    if (n <= u->n_in)
        return;
    sim_queue **in = arena_new_n(mem, sim_queue *, n);
    for (uint32_t i = 0; i < n; i++)
        in[i] = i < u->n_in ? u->in[i] : sim_new_queue(mem);
    u->in = in;
    u->n_in = n;
}

void sim_add_sink(arena *mem, sim_unit *u, uint32_t port, sim_queue *q) {
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
    sim_queue *q = m->units[n.v].in[port];
    for (uint32_t i = 0; i < count; i++)
        sim_push(m->mem, q, tokens[i]);
    *q->ready |= q->ready_bit;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Operands of an operation: finds constants, and checks the operation's name. */
static bool set_operation(sim_machine *m, sim_unit *u) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    const char *name = names_text(m->g->names, node->alu);
    uint32_t most = node->program ? node->program->parameters : 0, n = u->n_in;
    u->s.alu.f = node->program ? NULL : sim_find_operation(name, node->fp, &most);
    if (!u->s.alu.f && !node->program) {
        diag_error(m->d, node->loc, "E0234-alu", "the simulator does not know the operation '%s%s'",
                   node->fp ? "fp_" : "", name);
        return diag_hint(m->d, "docs/ir_sam.md lists the operations");
    }
    while (sam_alu_constant(m->g, u->node, n))
        n++;
    want_inputs(m->mem, u, n);
    bool *is_constant = arena_new_n(m->mem, bool, n + 1);
    uint16_t *constant = arena_new_n(m->mem, uint16_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = sam_alu_constant(m->g, u->node, i);
        is_constant[i] = text;
        if (text && !sam_parse_constant(text, node->fp, &constant[i])) {
            diag_error(m->d, node->loc, "E0234-alu", "%s: constant '%s' is no %s",
                       sam_node_label(m->g, u->node, m->mem), text, node->fp ? "number" : "16-bit integer");
            return diag_hint(m->d, "%s", node->fp ? "for example 0.5" : "from -32768 to 65535");
        }
    }
    if (n < (most == 1 ? 1 : 2) || n > most) {
        diag_error(m->d, node->loc, "E0234-alu", "%s has %u %s", sam_node_label(m->g, u->node, m->mem), n,
                   plural(n, "operand", "operands"));
        return diag_hint(m->d, "it takes %s", most == 1 ? "one" : most == 2 ? "two" : "two or more");
    }
    u->s.alu.is_constant = is_constant;
    u->s.alu.constant = constant;
    return true;
}

static uint32_t level_of(const sim_machine *m, const sim_unit *u) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    int l = sam_storage_level(sam_find_tensor(m->g, node->tensor), node->mode);
    BUG_IF(l < 0, "mode %d of %s", node->mode, names_text(m->g->names, node->tensor));
    return (uint32_t)l;
}

static uint32_t word_width(const sam_node_data *n) {
    return n->width ? n->width : 64;
}

static void set_scanner(sim_machine *m, sim_unit *u, const sam_tensor_levels *operand) {
    uint32_t l = level_of(m, u);
    u->s.scan.level = &operand->level[l];
    u->s.scan.fibers = sim_fibers(operand, l);
    const sam_node_data *node = sam_node_at(m->g, u->node);
    u->s.scan.width = word_width(node);
    u->s.scan.vals = node->words == SAM_WORDS_RUNS && l + 1 == operand->order ? operand->vals : NULL;
    for (uint32_t below = 0; node->kind == SAM_FIBERLOOKUP && below < node->depth; below++)
        u->s.scan.seg[below] = operand->level[l + 1 + below].seg;
}

/* A locator may find places in a dense result, which has no data yet. */
static void set_locator(sim_machine *m, sim_unit *u, const sam_tensor_levels *operand) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    if (operand) {
        u->s.locate.level = &operand->level[level_of(m, u)];
        u->s.locate.fibers = sim_fibers(operand, level_of(m, u));
        return;
    }
    sam_level_data *level = arena_new(m->mem, sam_level_data);
    *level = (sam_level_data){.format = SAM_LEVEL_DENSE,
                              .dim = sim_dimension_of(m->g, node->index, m->operands, m->n_operands)};
    u->s.locate.level = level;
    u->s.locate.fibers = UINT32_MAX; /* the storing array knows its size */
}

static bool set_store(sim_machine *m, sim_unit *u) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    const sam_graph_tensor *t = sam_find_tensor(m->g, node->tensor);
    const char *name = names_text(m->g->names, node->alu);
    uint64_t size = 1;
    uint32_t most = 0;
    for (uint32_t l = 0; l < t->order && size < SIM_STOP; l++)
        size *= sim_dimension_of(m->g, sam_stored_index(m->g, u->node, l), m->operands, m->n_operands);
    if (size >= SIM_STOP) {
        diag_error(m->d, node->loc, "E0232-result", "%s has 2^31 positions or more",
                   sam_node_label(m->g, u->node, m->mem));
        return diag_hint(m->d, "give the result a compressed level");
    }
    u->s.store.n_vals = (uint32_t)size;
    u->s.store.vals = arena_new_n(m->mem, uint16_t, size + 1);
    u->s.store.combine = *name ? sim_find_operation(name, node->fp, &most) : NULL;
    if (*name && (!u->s.store.combine || most < 2)) {
        diag_error(m->d, node->loc, "E0234-alu", "%s cannot combine values by '%s'",
                   sam_node_label(m->g, u->node, m->mem), name);
        return diag_hint(m->d, "op=\"add\", or none to write over");
    }
    return true;
}

/* An intersecter may exclude the coordinates of one of two operands. */
static bool set_lacks(sim_machine *m, sim_unit *u) {
    const name_id lacks = sam_attribute_of(m->g, u->node, "lacks");
    if (!lacks.v)
        return true;
    const char *operand = names_text(m->g->names, lacks);
    u->s.join.lacks = strcmp(operand, "0") == 0 ? 1 : 2;
    if (m->timing == SAM_TIMING_IDEAL && u->kind == SAM_INTERSECT && u->n_in == 4 && u->n_out <= 3 &&
        (u->s.join.lacks == 1 || strcmp(operand, "1") == 0))
        return true;
    diag_error(m->d, sam_node_at(m->g, u->node)->loc, "E0235-unsupported",
               "the simulator has no joiner of this kind that lacks an operand: %s",
               sam_node_label(m->g, u->node, m->mem));
    return diag_hint(
        m->d,
        "lacks=\"0\" or \"1\", at an intersecter of two operands without skip requests, and ideal timing");
}

/* A joiner's state for each of n operands. */
static void set_joiner(sim_machine *m, sim_unit *u) {
    uint32_t operands = u->n_in / 2;
    if (u->kind == SAM_INTERSECT || u->kind == SAM_UNION) {
        u->s.join.asked = arena_new_n(m->mem, sim_token, operands);
        return;
    }
    u->s.bits.width = word_width(sam_node_at(m->g, u->node));
    u->s.bits.present = arena_new_n(m->mem, uint64_t, operands);
    u->s.bits.first = arena_new_n(m->mem, sim_token, operands);
}

static bool build_unit(sim_machine *m, sim_unit *u, const sam_tensor_levels *operand) {
    const sam_node_data *node = sam_node_at(m->g, u->node);
    switch (u->kind) {
    case SAM_FIBERLOOKUP:
    case SAM_BVLOOKUP:
        set_scanner(m, u, operand);
        return true;
    case SAM_LOCATE:
        set_locator(m, u, operand);
        return true;
    case SAM_ARRAYSTORE:
        return set_store(m, u);
    case SAM_BVCONVERT:
        u->s.bits.width = word_width(node);
        return true;
    case SAM_INTERSECT:
    case SAM_UNION:
    case SAM_BVINTERSECT:
    case SAM_BVUNION:
        if (m->timing == SAM_TIMING_IDEAL)
            set_joiner(m, u);
        return set_lacks(m, u);
    case SAM_ARRAYVALS:
        u->s.array.vals = operand->vals;
        u->s.array.n_vals = operand->n_vals;
        u->s.array.fill = node->fill;
        return true;
    case SAM_ALU:
        return set_operation(m, u);
    case SAM_REDUCE:
        u->s.reduce.add = sam_reducing(m->g, u->node)->apply;
        u->s.reduce.sum = u->s.reduce.empty = sam_reducing(m->g, u->node)->monoid.value;
        return true;
    case SAM_VECTORREDUCER:
        u->s.vector.add = sam_reducing(m->g, u->node)->apply;
        u->s.vector.depth = node->depth;
        want_inputs(m->mem, u, node->depth + 1u);
        return true;
    case SAM_SPACCUMULATOR:
        if (m->timing == SAM_TIMING_PUBLISHED)
            return true;
        diag_error(m->d, node->loc, "E0235-unsupported",
                   "the simulator has no sparse accumulator on points: %s",
                   sam_node_label(m->g, u->node, m->mem));
        return diag_hint(m->d, "use a vectorreducer, which works on streams, or the published timing");
    case SAM_PARALLELIZE:
    case SAM_SERIALIZE:
        u->s.deal.depth = node->depth;
        u->s.deal.owed = arena_new_n(m->mem, sim_token, UINT8_MAX + 1);
        u->s.deal.ended = arena_new_n(m->mem, bool, UINT8_MAX + 1);
        return true;
    case SAM_FIBERWRITE:
    case SAM_REPEAT:
    case SAM_REPSIGGEN:
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

/* Sinks before sources: a node follows all its sinks. */
static void order_units(sim_machine *m) {
    const sam_graph *g = m->g;
    uint32_t n = g->nodes.len;
    uint32_t *waits = arena_new_n(m->mem, uint32_t, n + 1);
    m->order = arena_new_n(m->mem, sim_unit *, n + 1);
    for (uint32_t i = 0; i < g->edges.len; i++)
        waits[g->edges.at[i].src.v] += g->edges.at[i].stream != SAM_STREAM_SKIP;
    for (uint32_t v = n; v > 0; v--)
        if (!waits[v])
            m->order[m->n_order++] = &m->units[v];
    for (uint32_t at = 0; at < m->n_order; at++)
        for (uint32_t i = 0; i < g->edges.len; i++)
            if (g->edges.at[i].stream != SAM_STREAM_SKIP && g->edges.at[i].dst.v == m->order[at]->node.v &&
                --waits[g->edges.at[i].src.v] == 0)
                m->order[m->n_order++] = &m->units[g->edges.at[i].src.v];
    BUG_IF(m->n_order != n, "the graph has a cycle");
}

/* A bit for each position in the order; at first every unit may move. */
static void set_ready(sim_machine *m) {
    m->ready = arena_new_n(m->mem, uint64_t, m->n_order / 64 + 1);
    for (uint32_t at = 0; at < m->n_order; at++) {
        const sim_unit *u = m->order[at];
        m->ready[at / 64] |= UINT64_C(1) << at % 64;
        for (uint32_t i = 0; i < u->n_in; i++) {
            u->in[i]->sink = u->node;
            u->in[i]->ready = &m->ready[at / 64];
            u->in[i]->ready_bit = UINT64_C(1) << at % 64;
        }
    }
}

static void connect(sim_machine *m) {
    for (uint32_t i = 0; i < m->g->edges.len; i++) {
        const sam_edge_data *e = &m->g->edges.at[i];
        sim_unit *dst = &m->units[e->dst.v];
        want_inputs(m->mem, dst, e->dst_port + 1u);
        dst->in[e->dst_port]->source = e->src;
        sim_add_sink(m->mem, &m->units[e->src.v], e->src_port, dst->in[e->dst_port]);
    }
}

static const sim_token root_stream[] = {0, SIM_DONE};

bool sim_build(sim_machine *out, const sam_sim_options *options) {
    const sam_graph *g = out->g;
    out->timing = options ? options->timing : SAM_TIMING_IDEAL;
    out->fifo_depth = options ? options->fifo_depth : 0;
    bool published = out->timing == SAM_TIMING_PUBLISHED;
    out->units = arena_new_n(out->mem, sim_unit, g->nodes.len + 1);
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){v});
        sim_unit *u = &out->units[v];
        *u = (sim_unit){sim_step, node->kind, .node = {v}, .compress = node->compress, .fp = node->fp};
        int inputs = sam_primitive_table[node->kind].in;
        want_inputs(out->mem, u, inputs == SAM_ANY ? node->kind == SAM_FIBERLOOKUP : (uint32_t)inputs);
        out->has_writers = out->has_writers || sim_is_writer(node->kind);
    }
    connect(out);
    for (uint32_t v = 1; v <= g->nodes.len; v++) {
        const sam_node_data *node = sam_node_at(g, (sam_node){v});
        sim_unit *u = &out->units[v];
        if (!build_unit(out, u, sim_find_operand(out->operands, out->n_operands, node->tensor)) ||
            (published && !sim_publish(out, u)))
            return false;
        out->unfinished += !out->has_writers || sim_is_writer(node->kind);
    }
    order_units(out);
    set_ready(out);
    for (uint32_t v = 1; v <= g->nodes.len; v++)
        if (sam_node_at(g, (sam_node){v})->root)
            sim_feed(out, (sam_node){v}, 0, root_stream, published ? 1 : 2);
    return true;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The published simulator's root references end in its second cycle. */
static void end_roots(sim_machine *m) {
    for (uint32_t v = 1; v <= m->g->nodes.len; v++)
        if (sam_node_at(m->g, (sam_node){v})->root)
            sim_feed(m, (sam_node){v}, 0, root_stream + 1, 1);
}

/* A cycle of the units that may move. */
static bool step_ready(sim_machine *m) {
    bool moved = false;
    for (uint32_t first = 0, w = 0; first < m->n_order; first += 64, w++) {
        for (uint64_t remaining = m->ready[w]; remaining;) {
            uint32_t at = (uint32_t)__builtin_ctzll(remaining);
            sim_unit *u = m->order[first + at];
            if (!u->done && u->step(m, u))
                moved = true;
            else
                m->ready[w] &= ~(UINT64_C(1) << at);
            remaining = m->ready[w] & ~UINT64_C(1) << at;
        }
    }
    return moved;
}

/* A cycle of every unit, with bounded queues and statistics. */
static bool step_watched(sim_machine *m) {
    bool any = false;
    for (uint32_t i = 0; i < m->n_order; i++) {
        sim_unit *u = m->order[i];
        if (u->done)
            continue;
        bool room = !m->fifo_depth || sim_has_room(m, u);
        bool moved = room && u->step(m, u);
        any = any || moved;
        if (!m->watch)
            continue;
        sam_unit_statistics *count = &m->watch->unit[u->node.v - 1];
        count->active += moved;
        count->idle += room && !moved;
        count->stalled += !room;
        count->done = u->done ? m->cycle : 0;
    }
    if (m->watch)
        sim_watch_queues(m);
    return any;
}

sim_end sim_run(sim_machine *m, uint64_t max_cycles) {
    bool watched = m->fifo_depth || m->watch, roots_go_on = m->timing == SAM_TIMING_PUBLISHED;
    while (m->unfinished) {
        if (max_cycles && m->cycle == max_cycles)
            return SIM_RUN_LIMIT;
        m->cycle++;
        bool moved = watched ? step_watched(m) : step_ready(m);
        if (m->failed)
            return SIM_RUN_FAILED;
        if (roots_go_on) {
            end_roots(m);
            roots_go_on = false;
        } else if (!moved) {
            return SIM_RUN_STUCK;
        }
    }
    return SIM_RUN_FINISHED;
}

static uint64_t tokens_of(const sim_machine *m) {
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < m->g->edges.len; i++) {
        const sam_edge_data *e = &m->g->edges.at[i];
        tokens += m->units[e->dst.v].in[e->dst_port]->end;
    }
    return tokens;
}

/* The simulated graph: without broadcasts, and with binary joiners only for the published timing. */
static bool plain_graph(const sam_graph *g, const sam_sim_options *options, arena *mem, diagnostics *d,
                        sam_graph *out) {
    sam_graph binary;
    if (!options || options->timing != SAM_TIMING_PUBLISHED)
        return sam_remove_broadcasts(g, mem, d, out);
    if (options->fifo_depth) {
        diag_error(d, (src_loc){0}, "E0235-unsupported", "the published timing has no FIFO depth");
        return diag_hint(d, "use the ideal timing");
    }
    return sam_to_binary_joiners(g, mem, d, &binary) && sam_remove_broadcasts(&binary, mem, d, out);
}

bool sam_simulate(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                  const sam_sim_options *options, diagnostics *d, sam_sim_result *out) {
    *out = (sam_sim_result){0};
    sam_graph plain;
    arena scratch = {0};
    sim_machine m = {.g = &plain, .operands = operands, .n_operands = n_operands, .mem = &scratch, .d = d};
    bool good = sam_check(g, d) && plain_graph(g, options, &scratch, d, &plain) &&
                sim_check_operands(&plain, operands, n_operands, &scratch, d) && sim_build(&m, options);
    if (good) {
        uint64_t limit = options ? options->max_cycles : 0;
        if (options && (options->statistics || options->trace))
            m.watch = sim_watch_begin(&m, options, d->mem);
        sim_end end = sim_run(&m, limit);
        if (end == SIM_RUN_STUCK)
            sim_report_stuck(&m);
        if (end == SIM_RUN_LIMIT) {
            diag_error(d, (src_loc){0}, "E0236-cycle-limit", "not done after %llu %s",
                       (unsigned long long)limit, plural(limit, "cycle", "cycles"));
            diag_hint(d, "raise the limit, or 0 for none");
        }
        out->cycles = m.cycle;
        out->tokens = tokens_of(&m);
        if (m.watch)
            sim_watch_end(&m, out);
        m.mem = d->mem; /* the result outlives the machine */
        good = end == SIM_RUN_FINISHED && sim_result_of(&m, operands, n_operands, &out->result, &out->stored);
    }
    arena_free(&scratch);
    return good;
}
