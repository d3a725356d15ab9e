/* Engine cycle: the decoded bitstream in the C cycle model, run on the plan's blocks; and what the chip would
 * get wrong there, which engines rtl and soc ask before they run. */
#include "compile/cycle_load.h"
#include "compile/engine.h"
#include "rtl_models/cycle/wave.h"

/* The streams that start together: of all copies, or of one. */
typedef struct {
    VEC(cycle_stream) streams; /* inputs in the order of the plan, then outputs */
    VEC(uint32_t) columns;
    uint32_t inputs;
    uint64_t free; /* cycle at which the latest run was over */
} edge;

/* Adds the streams at n columns, each of which is one of `at`'s. */
static void add_streams(compile_context *ctx, edge *e, const uint32_t *column, uint32_t n,
                        const uint32_t *cell, const uint32_t *at, uint32_t n_at) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n_at && at[k] != column[i])
            k++;
        BUG_IF(k == n_at, "no stream at column %u", column[i]);
        vec_push(ctx->mem, &e->streams, (cycle_stream){.cell = cell[k]});
        vec_push(ctx->mem, &e->columns, column[i]);
    }
}

/* One edge for all copies, or one for each that starts by itself; NULL after errors. */
static edge *edges_of(compile_context *ctx, const compile_kernel *k, uint32_t *n) {
    compile_streams at;
    compile_streams_of(&k->bits.decoded, &at);
    fw_columns c = {at.in_column, at.out_column, at.n_in, at.n_out, 1, 1};
    if (k->array.apart && !fw_columns_of(&k->array.design, true, ctx->mem, ctx->diag, &c))
        return NULL;
    edge *all = arena_new_n(ctx->mem, edge, c.copies);
    for (uint32_t i = 0; i < c.copies; i++) {
        all[i].inputs = c.n_in;
        add_streams(ctx, &all[i], c.in + i * c.n_in, c.n_in, at.in_cell, at.in_column, at.n_in);
        add_streams(ctx, &all[i], c.out + i * c.n_out, c.n_out, at.out_cell, at.out_column, at.n_out);
    }
    *n = c.copies;
    return all;
}

/* The edge that is free first. */
static edge *next_edge(edge *all, uint32_t n) {
    edge *first = all;
    for (uint32_t i = 1; i < n; i++)
        first = all[i].free < first->free ? &all[i] : first;
    return first;
}

static void set_run(edge *e, const tile_plan *plan, uint32_t run) {
    const uint32_t *blocks = &plan->run_block.at[plan->runs.at[run].block_first];
    for (uint32_t i = 0; i < e->streams.len; i++) {
        cycle_stream *one = &e->streams.at[i];
        *one = (cycle_stream){.cell = one->cell};
        if (i < e->inputs) {
            const tile_block *block = &plan->inputs.at[i].blocks.at[blocks[i]];
            one->words = plan->words.at + block->first;
            one->length = block->length;
        } else {
            one->blocks = plan->outputs.at[i - e->inputs].num_blocks;
        }
    }
}

static void write_trace(FILE *out, const edge *e, uint32_t number) {
    for (uint32_t i = 0; i < e->streams.len && out; i++) {
        const u32_vec *stamp = &e->streams.at[i].stamp;
        fprintf(out, "run %u %s %u:", number, i < e->inputs ? "in" : "out", e->columns.at[i]);
        for (uint32_t k = 0; k < stamp->len; k++)
            fprintf(out, " %u", stamp->at[k]);
        fputc('\n', out);
    }
}

static void explain_stuck(compile_context *ctx, const edge *e, const cycle_model *m, uint32_t number,
                          uint64_t cycles) {
    const char *ends = "";
    for (uint32_t i = 0; i < e->streams.len; i++) {
        const cycle_stream *t = &e->streams.at[i];
        if (i < e->inputs)
            ends = arena_printf(ctx->mem, "%s  input column %u: %u of %u %s taken\n", ends, e->columns.at[i],
                                t->taken, t->length, plural(t->length, "word", "words"));
        else
            ends = arena_printf(ctx->mem, "%s  output column %u: %u of %u %s, %u %s\n", ends,
                                e->columns.at[i], t->taken, t->blocks, plural(t->blocks, "block", "blocks"),
                                t->got.len, plural(t->got.len, "word", "words"));
    }
    diag_error(ctx->diag, (src_loc){0}, "E0802-cycle-stuck", "run %u: nothing moves any more after %llu %s",
               number, (unsigned long long)cycles, plural(cycles, "cycle", "cycles"));
    diag_hint(ctx->diag, "tokens at the heads, and who waits for whom:\n%s%s", ends,
              cycle_wait_graph(m, ctx->mem));
}

/* E0803, as --hazards says. False: the run ends. */
static bool report_hazard(const compile_options *o, compile_context *ctx, cycle_hazard_kind kind,
                          const char *tile, const char *when) {
    const char *text =
        arena_printf(ctx->mem, "the chip would be wrong here: %s: %s%s", tile, cycle_hazard_what[kind], when);
    if (o->hazards == REPORT_OFF)
        return true;
    if (o->hazards == REPORT_WARN) {
        diag_warning(ctx->diag, (src_loc){0}, "E0803-hazard", "%s", text);
        return true;
    }
    diag_unmappable(ctx->diag, (src_loc){0}, "E0803-hazard", "%s", text);
    diag_hint(ctx->diag, "%s; --hazards warn goes on, our RTL does it right (hazard '%s', docs/errata.md)",
              cycle_hazard_help[kind], cycle_hazard_name[kind]);
    return false;
}

static bool report_hazards(const compile_options *o, compile_context *ctx, const cycle_design *design,
                           cycle_model *model) {
    const cycle_hazards *all = cycle_hazards_of(model);
    bool safe = true;
    for (uint32_t i = 0; i < all->len; i++) {
        const cycle_hazard *h = &all->at[i];
        const char *tokens = h->tokens ? " at" : "", *times = "";
        for (uint32_t t = 0; t < h->tokens; t++)
            tokens = arena_printf(ctx->mem, "%s %s", tokens, cycle_token_text(h->token[t], ctx->mem));
        if (h->count > 1)
            times = arena_printf(ctx->mem, " (%llu times)", (unsigned long long)h->count);
        const char *when = arena_printf(ctx->mem, "; run %u, cycle %llu%s%s", h->run,
                                        (unsigned long long)h->cycle, tokens, times);
        safe = report_hazard(o, ctx, h->kind, design->cells.at[h->cell].name, when) && safe;
    }
    return safe;
}

bool compile_model_raised(const compile_outcome *out, const char *kind, const char *tile) {
    const cycle_hazards *met = cycle_hazards_of(out->model);
    for (uint32_t i = 0; i < met->len; i++) {
        if (strcmp(cycle_hazard_name[met->at[i].kind], kind) == 0 &&
            strcmp(out->design->cells.at[met->at[i].cell].name, tile) == 0)
            return true;
    }
    return false;
}

bool compile_hazard_of_array(const compile_options *o, compile_context *ctx, const compile_outcome *out,
                             cycle_hazard_kind kind, uint32_t x, uint32_t y) {
    const char *site = arena_printf(ctx->mem, "x%uy%u ", x, y), *tile = site;
    for (uint32_t c = 0; c < out->design->cells.len; c++) {
        if (strncmp(out->design->cells.at[c].name, site, strlen(site)) == 0)
            tile = out->design->cells.at[c].name;
    }
    return compile_model_raised(out, cycle_hazard_name[kind], tile) ||
           report_hazard(o, ctx, kind, tile, "; in the firmware's run only");
}

/* The model `out` keeps, and the array's edge for each copy that starts by itself. */
typedef struct {
    edge *edges;
    uint32_t n_edges, runs; /* so far */
} machine;

static bool begin_model(compile_context *ctx, const compile_kernel *k, compile_outcome *out, machine *m) {
    cycle_design *design = arena_new(ctx->mem, cycle_design);
    if (!cycle_load(&k->bits.decoded, k->bits.map, ctx->mem, ctx->diag, design))
        return false;
    out->model = cycle_build(design, ctx->mem);
    out->design = design;
    *m = (machine){.edges = NULL};
    m->edges = edges_of(ctx, k, &m->n_edges);
    return m->edges != NULL;
}

/* All runs of the plan on the model. Copies that start by themselves share nothing, so their runs are
 * computed one after the other, each on the copy that would be free first; the last one to end ends all. The
 * words that come are collected and their cycles written, where there is something to collect and write them
 * to. */
static bool run_model(compile_context *ctx, machine *m, const tile_plan *plan, tile_collector *c, FILE *trace,
                      compile_outcome *out, uint64_t *all_cycles) {
    const uint16_t *words[TILE_MAX_STREAMS];
    uint32_t lengths[TILE_MAX_STREAMS];
    bool ok = true;
    for (uint32_t run = 0; run < plan->runs.len && ok; run++) {
        uint32_t number = m->runs++;
        compile_count(ctx, number);
        arena scratch = {0};
        uint64_t cycles = 0;
        edge *e = next_edge(m->edges, m->n_edges);
        set_run(e, plan, run);
        ok = cycle_run(out->model, e->streams.at, e->streams.len, trace != NULL, &scratch, &cycles) ==
             CYCLE_DONE;
        if (!ok)
            explain_stuck(ctx, e, out->model, number, cycles);
        write_trace(trace, e, number);
        for (uint32_t i = e->inputs; i < e->streams.len; i++) {
            words[i - e->inputs] = e->streams.at[i].got.at;
            lengths[i - e->inputs] = e->streams.at[i].got.len;
        }
        ok = ok && (!c || tile_collect_run(c, run, words, lengths, ctx->diag));
        e->free += cycles;
        out->model_cycles += cycles;
        *all_cycles = e->free > *all_cycles ? e->free : *all_cycles;
        arena_free(&scratch);
    }
    return ok;
}

/* Where --io-trace writes: the cycle of every word, and the job it is of. */
typedef struct {
    file_out trace;
    tile_job job;
} tracing;

static bool begin_trace(const compile_options *o, compile_context *ctx, tracing *t) {
    if (!file_create(&t->trace, arena_printf(ctx->mem, "%s/io.trace", o->out), ctx->mem, ctx->diag))
        return false;
    bool ok = tile_job_begin(&t->job, arena_printf(ctx->mem, "%s/job.bin", o->out), ctx->diag);
    if (!ok)
        file_abandon(&t->trace);
    return ok;
}

/* What there is of both stays when the run is stuck. */
static bool end_trace(compile_context *ctx, tracing *t) {
    bool job = tile_job_end(&t->job, t->job.plans > 0, ctx->diag) || !t->job.plans;
    return file_commit(&t->trace, ctx->diag) && job;
}

bool compile_run_cycle(const compile_options *o, compile_context *ctx, compile_kernel *k,
                       compile_batches *batches, tile_collector *c, compile_outcome *out) {
    tracing t = {.trace = {.stream = NULL}};
    machine m;
    wave *waves = NULL;
    if (!begin_model(ctx, k, out, &m) || (o->io_trace && !begin_trace(o, ctx, &t)))
        return false;
    if (o->wave)
        waves = wave_of_model(o->out, out->design, out->model, ctx->mem, ctx->diag);
    bool ok = waves || !o->wave, more = ok;
    compile_stage(ctx, "running the cycle model", 0);
    while (ok && more) {
        more = compile_next_batch(batches);
        if (o->io_trace && !batches->failed)
            tile_job_add(&t.job, &k->plan);
        ok = !batches->failed && run_model(ctx, &m, &k->plan, c, t.trace.stream, out, &out->kernel_cycles);
    }
    cycle_watch(out->model, NULL, NULL);
    if (waves)
        ok = wave_end(waves, ctx->diag) && ok;
    if (o->io_trace)
        ok = end_trace(ctx, &t) && ok;
    out->total_cycles = out->kernel_cycles;
    return report_hazards(o, ctx, out->design, out->model) && ok;
}

struct compile_ahead {
    machine machine;
    uint64_t cycles;
};

compile_ahead *compile_ahead_begin(compile_context *ctx, const compile_kernel *k, compile_outcome *out) {
    compile_ahead *a = arena_new(ctx->mem, compile_ahead);
    out->ahead = true;
    compile_stage(ctx, "running the cycle model", 0);
    return begin_model(ctx, k, out, &a->machine) ? a : NULL;
}

bool compile_ahead_batch(compile_context *ctx, compile_ahead *a, const tile_plan *plan,
                         compile_outcome *out) {
    return run_model(ctx, &a->machine, plan, NULL, NULL, out, &a->cycles);
}

bool compile_ahead_end(const compile_options *o, compile_context *ctx, const compile_outcome *out) {
    return report_hazards(o, ctx, out->design, out->model);
}
