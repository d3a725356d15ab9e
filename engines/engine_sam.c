/* Engine sam: the SAM graph on whole operands; and a look inside, the statistics as JSON, the trace as text:
 * docs/simulator.md. With a finite memory the graph on sub-tiles, run after run. */
#include "engines/engine.h"
#include "engines/memory.h"
#include "kernel/edges.h"
#include "support/trial.h"

#include <math.h>

typedef struct {
    const compile_running *how;
    const name_table *names;
    file_out file;
    bool *met; /* by --trace-edge: the edge had a token */
} tracing;

/* Returns 1 plus the index of the last --trace-edge equal to this edge, or 0. */
static uint32_t asked_for(const tracing *t, const sam_edge_statistics *e) {
    const char *src = names_text(t->names, e->src), *dst = names_text(t->names, e->dst);
    for (uint32_t i = t->how->trace_edges.len; i > 0; i--) {
        const char *edge = t->how->trace_edges.at[i - 1];
        size_t length = strlen(src);
        if (strncmp(edge, src, length) == 0 && edge[length] == ',' && strcmp(edge + length + 1, dst) == 0)
            return i;
    }
    return 0;
}

static void trace_token(void *context, const sam_trace_event *event) {
    tracing *t = context;
    const sam_edge_statistics *e = event->edge;
    uint32_t asked = asked_for(t, e);
    if (t->how->trace_edges.len && !asked)
        return;
    if (asked)
        t->met[asked - 1] = true;
    fprintf(t->file.stream, "%llu %s.%u %s.%u %s ", (unsigned long long)event->cycle,
            names_text(t->names, e->src), e->src_port, names_text(t->names, e->dst), e->dst_port,
            sam_stream_name(e->stream));
    if (event->kind == SAM_TOKEN_NUMBER)
        fprintf(t->file.stream, "%u\n", event->value);
    else if (event->kind == SAM_TOKEN_STOP)
        fprintf(t->file.stream, "S%u\n", event->value);
    else
        fputs(event->kind == SAM_TOKEN_EMPTY ? "N\n" : "D\n", t->file.stream);
}

static bool end_trace(tracing *t, bool finished, compile_context *ctx) {
    for (uint32_t i = 0; i < t->how->trace_edges.len && finished; i++) {
        if (t->met[i])
            continue;
        diag_error(ctx->diag, (src_loc){0}, "E0907-trace-edge", "no edge goes as --trace-edge %s says",
                   t->how->trace_edges.at[i]);
        diag_hint(ctx->diag, "the ids of two nodes of the graph, a comma between them: --trace-edge 3,12");
        return file_abandon(&t->file);
    }
    return file_commit(&t->file, ctx->diag);
}

static void add_tokens(cJSON *object, const uint64_t *tokens) {
    static const char *const kinds[SAM_TOKEN_KINDS] = {"number", "stop", "empty", "done"};
    cJSON *json = cJSON_AddObjectToObject(object, "tokens");
    for (int kind = 0; kind < SAM_TOKEN_KINDS; kind++)
        cJSON_AddNumberToObject(json, kinds[kind], (double)tokens[kind]);
}

static void add_primitive(cJSON *item, const name_table *names, const sam_unit_statistics *u) {
    cJSON_AddStringToObject(item, "id", names_text(names, u->id));
    cJSON_AddStringToObject(item, "label", u->label);
    cJSON_AddNumberToObject(item, "active", (double)u->active);
    cJSON_AddNumberToObject(item, "idle", (double)u->idle);
    cJSON_AddNumberToObject(item, "stalled", (double)u->stalled);
    cJSON_AddNumberToObject(item, "done", (double)u->done);
    add_tokens(item, u->tokens);
}

static void add_edge(cJSON *item, const name_table *names, const sam_edge_statistics *e) {
    cJSON_AddStringToObject(item, "src", names_text(names, e->src));
    cJSON_AddNumberToObject(item, "src_port", e->src_port);
    cJSON_AddStringToObject(item, "dst", names_text(names, e->dst));
    cJSON_AddNumberToObject(item, "dst_port", e->dst_port);
    cJSON_AddStringToObject(item, "stream", sam_stream_name(e->stream));
    cJSON_AddNumberToObject(item, "high_water", e->high_water);
    add_tokens(item, e->tokens);
}

static bool write_statistics(const compile_running *how, compile_context *ctx, const sam_sim_result *r) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddStringToObject(json, "timing", how->timing == SAM_TIMING_PUBLISHED ? "sam" : "ideal");
    cJSON_AddNumberToObject(json, "fifo", how->fifo_depth);
    cJSON_AddNumberToObject(json, "cycles", (double)r->cycles);
    cJSON_AddNumberToObject(json, "tokens", (double)r->tokens);
    cJSON_AddNumberToObject(json, "stored", (double)r->stored);
    cJSON *primitives = cJSON_AddArrayToObject(json, "primitives");
    for (uint32_t i = 0; i < r->n_units; i++)
        add_primitive(json_add_item(primitives), ctx->names, &r->units[i]);
    cJSON *edges = cJSON_AddArrayToObject(json, "edges");
    for (uint32_t i = 0; i < r->n_edges; i++)
        add_edge(json_add_item(edges), ctx->names, &r->edges[i]);
    bool good = json_write(json, how->stats, ctx->diag);
    cJSON_Delete(json);
    return good;
}

/* Writes the statistics and the trace also after a failed run; of several kernels those of the last.
 * E0907-trace-edge. */
static bool simulate(const compile_engine_in *in, const sam_tensor_levels *operands, uint32_t n_operands,
                     sam_sim_result *out) {
    compile_context *ctx = in->ctx;
    const compile_running *how = &in->how;
    tracing t = {.how = how, .names = ctx->names};
    sam_sim_options options = {.max_cycles = how->most_cycles,
                               .timing = how->timing,
                               .fifo_depth = how->fifo_depth,
                               .statistics = how->stats};
    if (how->trace) {
        if (!file_create(&t.file, how->trace, ctx->mem, ctx->diag))
            return false;
        t.met = arena_new_n(ctx->mem, bool, how->trace_edges.len + 1);
        options.trace = trace_token;
        options.trace_context = &t;
    }
    compile_stage(ctx, "simulating the graph", 0);
    bool good = sam_simulate(in->graph, operands, n_operands, &options, ctx->diag, out);
    good = (!how->trace || end_trace(&t, good, ctx)) && good;
    return (!how->stats || write_statistics(how, ctx, out)) && good;
}

/* An operand whose file does not say how long its modes are, but how long at least, is as long as their
 * indices. A sum over nothing is one over an empty coordinate. */
static tile_tensor as_long_as(const tile_tensor *t, const sam_statement *st, sam_tensor h,
                              const uint32_t *extent) {
    tile_tensor longer = *t;
    for (uint32_t e = 0; t->dim_inferred && e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        bool access = x->kind == SAM_EXPR_ACCESS && x->tensor.v == h.v;
        for (uint32_t m = 0; access && m < t->order; m++) {
            uint32_t most = extent[x->index[m].v - 1];
            longer.dim[m] = most > t->dim[m] ? most : t->dim[m];
        }
    }
    for (uint32_t m = 0; m < t->order; m++)
        longer.dim[m] += !longer.dim[m];
    return longer;
}

/* Removes the explicit zero of an operand without entries, needed only by hardware. */
static void without_zero(const sam_tensor_data *t, arena *mem, sam_tensor_levels *out) {
    uint32_t fibers = 1;
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->level[l] != SAM_LEVEL_DENSE && t->level[l] != SAM_LEVEL_COMPRESSED)
            return;
    }
    for (uint32_t l = 0; l < t->order; l++) {
        sam_level_data *level = &out->level[l];
        if (t->level[l] == SAM_LEVEL_DENSE) {
            fibers *= level->dim;
            continue;
        }
        level->n_seg = fibers + 1;
        level->seg = arena_new_n(mem, uint32_t, level->n_seg);
        level->n_crd = fibers = 0;
    }
    out->n_vals = fibers;
    out->vals = arena_new_n(mem, uint16_t, fibers + 1);
}

/* Returns whether a joiner of the graph passes on coordinates absent from the operand: an explicit zero would
 * count. */
static bool is_lacked(const sam_graph *g, name_id tensor) {
    for (uint32_t e = 0; e < g->edges.len; e++) {
        const sam_edge_data *edge = &g->edges.at[e];
        const name_id lacks = edge->src.v ? sam_attribute_of(g, edge->dst, "lacks") : (name_id){0};
        if (lacks.v && name_eq(sam_node_at(g, edge->src)->tensor, tensor) &&
            edge->dst_port / 2 == (strcmp(names_text(g->names, lacks), "0") != 0))
            return true;
    }
    return false;
}

/* Returns whether the operand should have no value, where nothing is stored. */
static bool has_no_zero(const compile_engine_in *in, const sam_tensor_data *t) {
    return in->how.as_stored || in->how.timing == SAM_TIMING_PUBLISHED || is_lacked(in->graph, t->name);
}

/* ---- sub-tiles, with a finite memory ------------------------------------------------------------- */

typedef struct {
    const compile_engine_in *in;
    tile_plan plan;
    compile_memory_clock *clock;
    tile_collector *collector;
    sam_sim_options simulated;
    bool spent; /* the graphs take more cycles than are allowed */
} finite_run;

/* Lists the arrays of a tensor, each with a stream of its own. */
static uint32_t list_streams(const sam_tensor_data *t, tile_stream *out) {
    uint32_t n = 0;
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->level[l] != SAM_LEVEL_DENSE)
            out[n++] = (tile_stream){.tensor = t->name, .level = (int)l};
    }
    out[n++] = (tile_stream){.tensor = t->name, .level = SAM_MODE_VALS};
    return n;
}

static const uint32_t *widen(const uint16_t *words, uint32_t n, arena *mem) {
    uint32_t *wide = arena_new_n(mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        wide[i] = words[i];
    return wide;
}

/* Finds how long the storage levels of a tensor's sub-tiles are. */
static void list_edges(const finite_run *f, sam_tensor h, uint32_t *dim) {
    const sam_statement *st = f->in->statement;
    const sam_tensor_data *t = sam_tensor_at(st, h);
    const sam_var *index = st->result_index;
    for (uint32_t e = 0; e < st->exprs.len; e++) {
        const sam_expr_data *x = &st->exprs.at[e];
        index = x->kind == SAM_EXPR_ACCESS && x->tensor.v == h.v ? x->index : index;
    }
    for (uint32_t l = 0; l < t->order; l++)
        dim[l] = f->plan.edge[index[t->mode[l]].v - 1];
}

/* Reads a sub-tile's levels from the blocks of its streams, from input *i on, and requests the sub-tile. */
static void take_sub_tile(finite_run *f, uint32_t run, sam_tensor h, uint32_t *i, arena *mem,
                          sam_tensor_levels *out) {
    const compile_engine_in *in = f->in;
    const tile_plan *plan = &f->plan;
    const sam_tensor_data *t = sam_tensor_at(in->statement, h);
    uint64_t words = 0;
    uint32_t sub_tile = 0, dim[SAM_MAX_ORDER];
    list_edges(f, h, dim);
    *out = (sam_tensor_levels){.name = t->name, .order = t->order};
    for (uint32_t l = 0; l < t->order; l++)
        out->level[l] = (sam_level_data){.format = t->level[l], .dim = dim[l]};
    for (bool more = true; more; (*i)++) {
        const tile_input *input = &plan->inputs.at[*i];
        sub_tile = plan->run_block.at[plan->runs.at[run].block_first + *i];
        const uint16_t *w = plan->words.at + input->blocks.at[sub_tile].first;
        more = input->stream.level != SAM_MODE_VALS;
        if (more) {
            sam_level_data *level = &out->level[input->stream.level];
            level->n_seg = w[0];
            level->seg = widen(w + 1, level->n_seg, mem);
            level->n_crd = w[1 + level->n_seg];
            level->crd = widen(w + 2 + level->n_seg, level->n_crd, mem);
            words += level->n_seg + level->n_crd;
        } else {
            uint16_t *vals = arena_new_n(mem, uint16_t, w[0] + 1);
            out->n_vals = w[0];
            out->vals = vals;
            for (uint32_t k = 0; k < out->n_vals; k++)
                vals[k] = w[1 + k] ^ t->fill; /* a block holds value ^ fill */
            words += out->n_vals;
        }
    }
    compile_memory_load(f->clock, h.v - 1, sub_tile, words);
    if (!sub_tile && has_no_zero(in, t))
        without_zero(t, mem, out);
}

static uint16_t *narrow(const uint32_t *words, uint32_t n, uint16_t *out) {
    *out++ = (uint16_t)n;
    for (uint32_t i = 0; i < n; i++)
        *out++ = (uint16_t)words[i];
    return out;
}

/* Collects the result as the words of a stream for each array; returns their number, without headers, or
 * UINT64_MAX after errors. */
static uint64_t give_result(const finite_run *f, uint32_t run, const sam_tensor_levels *r, arena *mem) {
    const uint16_t *words[SAM_MAX_ORDER + 1];
    uint32_t length[SAM_MAX_ORDER + 1];
    uint64_t all = 0;
    for (uint32_t o = 0; o < f->plan.outputs.len; o++) {
        const int array = f->plan.outputs.at[o].stream.level;
        const sam_level_data *level = array == SAM_MODE_VALS ? NULL : &r->level[array];
        length[o] = level ? level->n_seg + level->n_crd + 2 : r->n_vals + 1;
        uint16_t *at = arena_new_n(mem, uint16_t, length[o]);
        words[o] = at;
        if (level)
            narrow(level->crd, level->n_crd, narrow(level->seg, level->n_seg, at));
        else
            *at = (uint16_t)r->n_vals;
        if (!level && r->n_vals)
            memcpy(at + 1, r->vals, sizeof *at * r->n_vals);
        all += length[o] - (level ? 2 : 1);
    }
    return tile_collect_run(f->collector, run, words, length, f->in->ctx->diag) ? all : UINT64_MAX;
}

/* Runs the graph on a sub-tile of each operand. */
static bool run_pair(finite_run *f, uint32_t run) {
    const compile_engine_in *in = f->in;
    const sam_statement *st = in->statement;
    arena scratch = {0};
    sam_tensor_levels *levels = arena_new_n(&scratch, sam_tensor_levels, st->tensors.len);
    sam_sim_result sim;
    uint32_t input = 0, n = 0;
    for (uint32_t t = 1; t <= st->tensors.len; t++) {
        if (t != st->result.v)
            take_sub_tile(f, run, (sam_tensor){t}, &input, &scratch, &levels[n++]);
    }
    bool ok = sam_simulate(in->graph, levels, n, &f->simulated, in->ctx->diag, &sim);
    f->spent = !ok && f->simulated.max_cycles && sim.cycles >= f->simulated.max_cycles;
    const uint64_t stored = ok ? give_result(f, run, &sim.result, &scratch) : UINT64_MAX;
    ok = stored != UINT64_MAX;
    if (ok)
        compile_memory_run(f->clock, sim.cycles, stored);
    if (ok && f->simulated.max_cycles) /* 0 would be no bound */
        f->simulated.max_cycles -=
            sim.cycles < f->simulated.max_cycles ? sim.cycles : f->simulated.max_cycles - 1;
    arena_free(&scratch);
    return ok;
}

/* Runs the graph on all sub-tiles with work, and collects the result. */
static bool run_finite(const compile_engine_in *in, const tile_options *cut, const tile_operands *packed,
                       const uint32_t *extent, compile_outcome *out) {
    const sam_statement *st = in->statement;
    compile_context *ctx = in->ctx;
    tile_stream *inputs = arena_new_n(ctx->mem, tile_stream, st->tensors.len * (SAM_MAX_ORDER + 1)),
                outputs[SAM_MAX_ORDER + 1];
    finite_run f = {.in = in,
                    .simulated = {.max_cycles = in->how.most_cycles, .fifo_depth = in->how.fifo_depth}};
    uint32_t n = 0;
    for (uint32_t t = 1; t <= st->tensors.len; t++)
        n += t == st->result.v ? 0 : list_streams(sam_tensor_at(st, (sam_tensor){t}), inputs + n);
    const uint32_t n_out = list_streams(sam_tensor_at(st, st->result), outputs);
    tile_planner *planner = tile_plan_begin(st, packed, cut, inputs, n, outputs, n_out, ctx->mem, ctx->diag);
    if (!planner)
        return false;
    arena mem = {0};
    tile_step step = tile_plan_next(planner, 0, &mem, &f.plan);
    out->cut = (compile_cut){.counts = *tile_plan_counts(planner),
                             .passes = f.plan.runs.len,
                             .batches = 1,
                             .tile = f.plan.tile,
                             .edge = f.plan.edge,
                             .glb_edge = f.plan.glb_edge};
    f.clock = compile_memory_begin(&in->how.finite->machine, st->tensors.len, ctx->mem);
    f.collector = tile_collect_begin(st, &f.plan, extent, packed->dtype, ctx->mem);
    bool ok = step != TILE_FAILED;
    for (uint32_t run = 0; ok && run < f.plan.runs.len; run++)
        ok = run_pair(&f, run);
    ok = tile_collect_end(f.collector, ctx->mem, &out->result) && ok;
    out->memory = compile_memory_end(f.clock);
    out->memory.cycles = f.spent ? INFINITY : out->memory.cycles;
    out->cycles.kernel = out->cycles.total = ok ? (uint64_t)out->memory.cycles : 0;
    tile_plan_end(planner);
    arena_free(&mem);
    return ok;
}

/* Doubles the edges that may be longer so many times; returns how often any became longer. */
static uint32_t widen_edges(const sam_statement *st, const uint32_t *extent, uint32_t times,
                            tile_options *cut) {
    const uint64_t fixed = st->stepped | st->single | st->uncut;
    uint32_t longer = 0;
    for (bool more = true; more && longer < times; longer += more) {
        more = false;
        for (uint32_t l = 0; l < st->loops.len; l++) {
            const uint32_t v = st->loops.at[l].v - 1,
                           most = extent[v] < COMPILE_MOST_EDGE ? extent[v] : COMPILE_MOST_EDGE,
                           edge = 2 * cut->edge[v] < most ? 2 * cut->edge[v] : most;
            if (fixed >> v & 1 || edge <= cut->edge[v])
                continue;
            cut->edge[v] = edge;
            more = true;
        }
    }
    return longer;
}

/* Runs with the widest edges that fit, then with edges half as long, as long as they take fewer cycles:
 * O(log extents) times. */
static bool run_widest(const compile_engine_in *in, const tile_operands *packed, const uint32_t *extent,
                       compile_outcome *out) {
    const compile_finite *finite = in->how.finite;
    const diagnostics before = *in->ctx->diag;
    const compile_outcome unrun = *out;
    compile_engine_in bounded = *in;
    tile_options cut = finite->cut;
    uint32_t times = finite->open ? widen_edges(in->statement, extent, UINT32_MAX, &cut) : 0;
    bool found = false;
    for (bool more = true; more; times--) {
        compile_outcome one = unrun;
        cut = finite->cut;
        widen_edges(in->statement, extent, times, &cut);
        const bool ran = run_finite(&bounded, &cut, packed, extent, &one),
                   better = ran && (!found || one.cycles.total < out->cycles.total);
        /* Narrower edges take more cycles than those that took too many. */
        more = times && (found ? better : ran || !isinf(one.memory.cycles));
        found = found || better;
        if (better)
            *out = one;
        if (found || more)
            diag_return_to(in->ctx->diag, &before);
        if (found)
            bounded.how.most_cycles = out->cycles.total;
    }
    return found;
}

static bool whole(const compile_engine_in *in, const tile_operands *packed, compile_outcome *out) {
    const sam_statement *st = in->statement;
    arena *mem = in->ctx->mem;
    diagnostics *d = in->ctx->diag;
    sam_tensor_levels *levels = arena_new_n(mem, sam_tensor_levels, st->tensors.len);
    uint32_t *extent = NULL, result_extent[SAM_MAX_ORDER] = {0}, n = 0;
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    if (!tile_extents(st, packed, mem, d, &extent))
        return false;
    tile_result_dim(st, extent, result_extent);
    *out = (compile_outcome){.result = {.name = result->name, .order = result->order}};
    memcpy(out->result.dim, result_extent, sizeof result_extent);
    for (uint32_t m = 0; m < result->order; m++) {
        if (!result_extent[m])
            return true; /* an index without coordinates: the result is empty */
    }
    if (in->how.finite)
        return run_widest(in, packed, extent, out);
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        if (t + 1 == st->result.v)
            continue;
        const tile_tensor operand = as_long_as(&packed->operand[t], st, (sam_tensor){t + 1}, extent);
        if (!tile_levels(&operand, &st->tensors.at[t], mem, d, &levels[n++]))
            return false;
        if (!operand.nnz && has_no_zero(in, &st->tensors.at[t]))
            without_zero(&st->tensors.at[t], mem, &levels[n - 1]);
    }
    sam_sim_result sim;
    if (!simulate(in, levels, n, &sim))
        return false;
    for (uint32_t l = 0; l < result->order; l++) /* a dense result level is as long as its index */
        sim.result.level[l].dim = result_extent[result->mode[l]];
    out->cycles.kernel = out->cycles.total = sim.cycles;
    return tile_from_levels(&sim.result, result, result_extent, packed->dtype, mem, d, &out->result);
}

const compile_engine_row compile_engine_sam = {.whole = whole};
