/* The decoded bitstream in the C cycle model, run on the plan's blocks; and the chip's hazards, asked by
 * engines rtl, soc and program before they run. */
#include "engines/model.h"
#include "engines/cycle_load.h"
#include "kernel/streams.h"
#include "rtl_models/cycle/accounts.h"
#include "support/child.h"
#include "support/refusals.h"

#include <signal.h>

/* Streams with a common start: of all copies, or of a single copy. */
typedef struct {
    VEC(cycle_stream) streams; /* inputs in the order of the plan, followed by outputs */
    VEC(uint32_t) columns;
    uint32_t inputs;
    uint64_t free; /* cycle of the latest run's end */
} edge;

/* The IO cells of a direction, and their columns. */
typedef struct {
    const uint32_t *cell, *column;
    uint32_t n;
} io_cells;

/* Adds the streams at n columns, each a column of the cells. */
static void add_streams(compile_context *ctx, edge *e, const uint32_t *column, uint32_t n, io_cells of) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < of.n && of.column[k] != column[i])
            k++;
        BUG_IF(k == of.n, "no stream at column %u", column[i]);
        vec_push(ctx->mem, &e->streams, (cycle_stream){.cell = of.cell[k]});
        vec_push(ctx->mem, &e->columns, column[i]);
    }
}

/* A single edge for all copies, or an edge for each copy with an independent start; NULL after errors. */
static edge *edges_of(const compile_engine_in *in, uint32_t *n) {
    compile_context *ctx = in->ctx;
    compile_streams at, of;
    compile_streams_of(in->decoded, 0, &at);
    compile_streams_of(in->design, in->kernel, &of);
    fw_columns c = {of.in_column, of.out_column, of.n_in, of.n_out, 1, 1, in->kernel, 0, NULL, NULL};
    if (in->independent && !fw_columns_of(in->design, in->kernel, true, ctx->mem, ctx->diag, &c))
        return NULL;
    edge *all = arena_new_n(ctx->mem, edge, c.copies);
    for (uint32_t i = 0; i < c.copies; i++) {
        all[i].inputs = c.n_in;
        add_streams(ctx, &all[i], c.in + i * c.n_in, c.n_in, (io_cells){at.in_cell, at.in_column, at.n_in});
        add_streams(ctx, &all[i], c.out + i * c.n_out, c.n_out,
                    (io_cells){at.out_cell, at.out_column, at.n_out});
    }
    *n = c.copies;
    return all;
}

/* Returns the edge free first. */
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
    diag_refuse(ctx->diag, DIAG_ERROR, DIAG_REFUSED_CYCLE_STUCK, (src_loc){0},
                "run %u: nothing moves any more after %llu %s", number, (unsigned long long)cycles,
                plural(cycles, "cycle", "cycles"));
    diag_hint(ctx->diag, "tokens at the heads, and who waits for whom:\n%s%s", ends,
              cycle_wait_graph(m, ctx->mem));
}

/* E0803, as --hazards says. False: the run ends. */
static bool report_hazard(const compile_engine_in *in, cycle_hazard_kind kind, const char *tile,
                          const char *when) {
    compile_context *ctx = in->ctx;
    const char *text =
        arena_printf(ctx->mem, "the chip would be wrong here: %s: %s%s", tile, cycle_hazard_what[kind], when);
    if (in->how.hazards == REPORT_OFF)
        return true;
    const bool warn = in->how.hazards == REPORT_WARN;
    diag_refuse(ctx->diag, warn ? DIAG_WARNING : DIAG_UNMAPPABLE, DIAG_REFUSED_HAZARD, (src_loc){0}, "%s",
                text);
    return warn ||
           diag_hint(ctx->diag,
                     "%s; --hazards warn goes on, our RTL does it right (hazard '%s', docs/errata.md)",
                     cycle_hazard_help[kind], cycle_hazard_name[kind]);
}

bool compile_model_report(const compile_engine_in *in, const compile_modelled *met) {
    const cycle_hazards *all = cycle_hazards_of(met->model);
    arena *mem = in->ctx->mem;
    bool safe = true;
    for (uint32_t i = 0; i < all->len; i++) {
        const cycle_hazard *h = &all->at[i];
        const char *tokens = h->tokens ? " at" : "", *times = "";
        for (uint32_t t = 0; t < h->tokens; t++)
            tokens = arena_printf(mem, "%s %s", tokens, cycle_token_text(h->token[t], mem));
        if (h->count > 1)
            times = arena_printf(mem, " (%llu times)", (unsigned long long)h->count);
        const char *when = arena_printf(mem, "; run %u, cycle %llu%s%s", h->run, (unsigned long long)h->cycle,
                                        tokens, times);
        safe = report_hazard(in, h->kind, met->design->cells.at[h->cell].name, when) && safe;
    }
    return safe;
}

bool compile_model_raised(const compile_modelled *met, const char *kind, const char *tile) {
    if (!met->model)
        return false;
    const cycle_hazards *all = cycle_hazards_of(met->model);
    for (uint32_t i = 0; i < all->len; i++) {
        if (strcmp(cycle_hazard_name[all->at[i].kind], kind) == 0 &&
            strcmp(met->design->cells.at[all->at[i].cell].name, tile) == 0)
            return true;
    }
    return false;
}

bool compile_hazard_of_array(const compile_engine_in *in, const compile_modelled *met, cycle_hazard_kind kind,
                             pnr_site at) {
    const char *site = arena_printf(in->ctx->mem, "x%uy%u ", at.x, at.y), *tile = site;
    for (uint32_t c = 0; met->design && c < met->design->cells.len; c++) {
        if (strncmp(met->design->cells.at[c].name, site, strlen(site)) == 0)
            tile = met->design->cells.at[c].name;
    }
    return compile_model_raised(met, cycle_hazard_name[kind], tile) ||
           report_hazard(in, kind, tile, "; in the firmware's run only");
}

/* ---- the runs -------------------------------------------------------------------------------- */

struct compile_model {
    cycle_samples *samples; /* or NULL */
    uint32_t modes;         /* of the result */
    compile_context *ctx;
    compile_modelled *on;
    edge *edges; /* the array's, for each copy with an independent start */
    uint32_t n_edges, runs;
    bool hazards_end; /* a hazard ends the command, as --hazards says */
    uint64_t cycles;
};

/* If kernels share the array, other kernels' starts have flushed this kernel's tiles while it stood still. */
static void idle(cycle_model *m) {
    enum { TIMES = 3 };
    arena scratch = {0};
    uint64_t cycles;
    for (int i = 0; i < TIMES; i++)
        cycle_run(m, NULL, 0, false, &scratch, &cycles);
    cycle_number_run(m, 0);
    arena_free(&scratch);
}

compile_model *compile_model_begin(const compile_engine_in *in, compile_outcome *out) {
    compile_context *ctx = in->ctx;
    cycle_design *design = arena_new(ctx->mem, cycle_design);
    compile_model *m = arena_new(ctx->mem, compile_model);
    compile_stage(ctx, "running the cycle model", 0);
    if (!cycle_load(in->decoded, in->map, ctx->mem, ctx->diag, design))
        return NULL;
    out->modelled.model = cycle_build(design, ctx->mem);
    if (in->shared)
        idle(out->modelled.model);
    out->modelled.design = design;
    *m = (compile_model){.ctx = ctx, .on = &out->modelled, .hazards_end = in->how.hazards == REPORT_ERROR};
    m->edges = edges_of(in, &m->n_edges);
    if (m->edges && (in->session || in->how.kept) && !in->independent)
        out->modelled.stored = arena_alloc(ctx->mem, sizeof *out->modelled.stored *
                                                         (m->edges->streams.len - m->edges->inputs + 1));
    return m->edges ? m : NULL;
}

/* Results spoiled by a hazard are not judged if the hazard itself ends the command: the hazard is the
 * verdict, and later runs only count occurrences. */
static bool is_spoiled(const compile_model *m, uint32_t number) {
    const cycle_hazards *met = cycle_hazards_of(m->on->model);
    return m->hazards_end && met->len > 0 && met->at[0].run <= number;
}

static void keep_stored(compile_model *m, uint32_t output, const u16_vec *got) {
    for (uint32_t i = 0; i < got->len; i++) {
        vec_push(m->ctx->mem, &m->on->stored[output], (uint8_t)got->at[i]);
        vec_push(m->ctx->mem, &m->on->stored[output], (uint8_t)(got->at[i] >> 8));
    }
}

/* Takes the words of a run, and counts its cycles. */
static bool take_run(compile_model *m, edge *e, uint32_t run, uint32_t number, uint64_t cycles,
                     tile_collector *c) {
    const uint16_t *words[TILE_MAX_STREAMS];
    uint32_t lengths[TILE_MAX_STREAMS];
    for (uint32_t i = e->inputs; i < e->streams.len; i++) {
        words[i - e->inputs] = e->streams.at[i].got.at;
        lengths[i - e->inputs] = e->streams.at[i].got.len;
        if (m->on->stored)
            keep_stored(m, i - e->inputs, &e->streams.at[i].got);
    }
    e->free += cycles;
    m->on->cycles += cycles;
    m->cycles = e->free > m->cycles ? e->free : m->cycles;
    return !c || is_spoiled(m, number) || tile_collect_run(c, run, words, lengths, m->ctx->diag);
}

/* Notes where the run's boxes of the result begin: one of each copy that works in it. */
static void note_boxes(const compile_model *m, const tile_plan *plan, uint32_t run, uint64_t cycles) {
    for (uint32_t c = 0; c < plan->copies; c++) {
        if (plan->boxes.len <= run * plan->copies + c) /* programs of other tools have no boxes */
            break;
        const tile_box *box = &plan->boxes.at[run * plan->copies + c];
        if (!box->idle)
            cycle_samples_note(m->samples, cycles, box->origin, m->modes);
    }
}

/* Copies with independent starts share nothing: their runs are computed in turn, each on the copy free first;
 * the last end ends all. */
bool compile_model_batch(compile_model *m, const tile_plan *plan, tile_collector *c, FILE *trace) {
    compile_context *ctx = m->ctx;
    bool ok = true;
    for (uint32_t run = 0; run < plan->runs.len && ok; run++) {
        uint32_t number = m->runs++;
        compile_count(ctx, number);
        arena scratch = {0};
        uint64_t cycles = 0;
        edge *e = next_edge(m->edges, m->n_edges);
        set_run(e, plan, run);
        if (m->samples)
            cycle_samples_run(m->samples, (uint32_t)(e - m->edges), e->free);
        ok = cycle_run(m->on->model, e->streams.at, e->streams.len, trace != NULL, &scratch, &cycles) ==
             CYCLE_DONE;
        if (!ok)
            explain_stuck(ctx, e, m->on->model, number, cycles);
        write_trace(trace, e, number);
        if (m->samples)
            note_boxes(m, plan, run, cycles);
        ok = ok && take_run(m, e, run, number, cycles, c);
        arena_free(&scratch);
    }
    return ok;
}

/* ---- the runs of a batch in several processes ------------------------------------------------- */

/* A run begins with a flush and ends when nothing moves: it is equal in any process. Of n processes, number i
 * makes the runs i, i + n, i + 2 n .. of the batch. Its file: a `share_head`; of each run the cycles, and of
 * each output length and words; at accounts_at the model's counts. */
typedef struct {
    uint64_t accounts_at;
    uint64_t stuck; /* a run was stuck; the rest of the file is undefined */
} share_head;

typedef struct {
    compile_model *m;
    const tile_plan *plan;
    uint32_t n;
    uint32_t stuck; /* the stuck run, from 1 on, and its cycles */
    uint64_t cycles;
    const char *const *file; /* of onyx merge: where the shares are from */
} share;

/* Makes the share's runs, and writes them into an empty file. */
static bool make_runs(share *s, uint32_t i, FILE *out) {
    cycle_model *model = s->m->on->model;
    edge *e = s->m->edges;
    share_head p = {0};
    fwrite(&p, sizeof p, 1, out);
    for (uint32_t run = i; run < s->plan->runs.len && !p.stuck; run += s->n) {
        arena scratch = {0};
        uint64_t cycles = 0;
        set_run(e, s->plan, run);
        cycle_number_run(model, s->m->runs + run);
        p.stuck = cycle_run(model, e->streams.at, e->streams.len, false, &scratch, &cycles) != CYCLE_DONE;
        s->stuck = p.stuck ? run + 1 : 0;
        s->cycles = cycles;
        fwrite(&cycles, sizeof cycles, 1, out);
        for (uint32_t k = e->inputs; k < e->streams.len; k++) {
            const u16_vec *got = &e->streams.at[k].got;
            fwrite(&got->len, sizeof got->len, 1, out);
            if (got->len)
                fwrite(got->at, sizeof *got->at, got->len, out);
        }
        arena_free(&scratch);
    }
    long at = ftell(out);
    p.accounts_at = (uint64_t)at;
    cycle_put_accounts(model, out);
    return at >= 0 && fseek(out, 0, SEEK_SET) == 0 && fwrite(&p, sizeof p, 1, out) == 1;
}

static bool make_share(void *context, uint32_t i, FILE *out) {
    share *s = context;
    cycle_forget(s->m->on->model);
    return make_runs(s, i, out);
}

/* Reads the next run of a share. */
static bool read_run(edge *e, FILE *in, arena *mem, uint64_t *cycles) {
    bool ok = fread(cycles, sizeof *cycles, 1, in) == 1;
    for (uint32_t i = e->inputs; i < e->streams.len && ok; i++) {
        u16_vec *got = &e->streams.at[i].got;
        uint32_t length = 0;
        *got = (u16_vec){0};
        ok = fread(&length, sizeof length, 1, in) == 1;
        if (ok && length) {
            got->at = arena_new_n(mem, uint16_t, length);
            got->len = length;
            ok = fread(got->at, sizeof *got->at, length, in) == length;
        }
    }
    return ok;
}

static bool read_accounts(cycle_model *m, FILE *in, const share_head *p) {
    return fseek(in, (long)p->accounts_at, SEEK_SET) == 0 && cycle_add_accounts(m, in) &&
           fseek(in, (long)sizeof *p, SEEK_SET) == 0;
}

bool compile_share_failed(compile_context *ctx, const char *runs, uint32_t i, uint32_t n, int end) {
    const char *how = end == PROGRAM_NOT_RUN ? "could not be started"
                      : end < 0              ? arena_printf(ctx->mem, "was ended by signal %d", -end)
                                             : "could not write what it found";
    ctx->interrupted = ctx->interrupted || end == -SIGINT;
    if (ctx->interrupted)
        return false;
    diag_error(ctx->diag, (src_loc){0}, "E0930-tool", "%s: process %u of the %u of --jobs %s", runs, i + 1, n,
               how);
    return diag_hint(ctx->diag, "fewer --jobs need less memory, and less room for files in passing");
}

static bool share_failed(const share *s, uint32_t i, int end) {
    if (s->file) {
        diag_error(s->m->ctx->diag, (src_loc){0}, "E0955-shards", "'%s' is damaged or cut short", s->file[i]);
        return diag_hint(s->m->ctx->diag, "copy the folder of the shard again, or make it anew");
    }
    const uint32_t first = s->m->runs, last = first + s->plan->runs.len - 1;
    return compile_share_failed(s->m->ctx, arena_printf(s->m->ctx->mem, "runs %u to %u", first, last), i,
                                s->n, end);
}

/* Takes the processes' results, the runs in their order. After a stuck run, this process makes the batch once
 * more, and reports. */
static bool take_shares(const share *s, const child_result *shares, tile_collector *c, bool *stuck) {
    compile_model *m = s->m;
    share_head *p = arena_new_n(m->ctx->mem, share_head, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        if (shares[i].end != 0)
            return share_failed(s, i, shares[i].end);
        if (fread(&p[i], sizeof p[i], 1, shares[i].found) != 1)
            return share_failed(s, i, 1);
        *stuck = *stuck || p[i].stuck;
    }
    for (uint32_t i = 0; i < s->n && !*stuck; i++) {
        if (!read_accounts(m->on->model, shares[i].found, &p[i]))
            return share_failed(s, i, 1);
    }
    bool ok = true;
    for (uint32_t run = 0; run < s->plan->runs.len && !*stuck && ok; run++) {
        arena scratch = {0};
        uint64_t cycles = 0;
        uint32_t number = m->runs + run;
        compile_count(m->ctx, number);
        ok =
            read_run(m->edges, shares[run % s->n].found, &scratch, &cycles) || share_failed(s, run % s->n, 1);
        ok = ok && take_run(m, m->edges, run, number, cycles, c);
        arena_free(&scratch);
    }
    return ok;
}

bool compile_model_share(compile_model *m, const tile_plan *plan, tile_collector *c, uint32_t jobs) {
    share s = {.m = m, .plan = plan, .n = jobs < plan->runs.len ? jobs : plan->runs.len};
    if (m->n_edges > 1 || s.n < 2)
        return compile_model_batch(m, plan, c, NULL);
    child_result *shares = arena_new_n(m->ctx->mem, child_result, s.n);
    bool stuck = false;
    child_run(shares, s.n, make_share, &s);
    bool ok = take_shares(&s, shares, c, &stuck);
    for (uint32_t i = 0; i < s.n; i++) {
        if (shares[i].found)
            fclose(shares[i].found);
    }
    if (stuck)
        return compile_model_batch(m, plan, c, NULL);
    m->runs += plan->runs.len;
    cycle_number_run(m->on->model, m->runs);
    return ok;
}

/* ---- the runs of a batch in several commands -------------------------------------------------- */

/* Adds the cycles of the share's runs. */
static bool count_runs(compile_model *m, const share *s, uint32_t i, FILE *in) {
    bool ok = fseek(in, (long)sizeof(share_head), SEEK_SET) == 0;
    for (uint32_t run = i; run < s->plan->runs.len && ok; run += s->n) {
        arena scratch = {0};
        uint64_t cycles = 0;
        ok = read_run(m->edges, in, &scratch, &cycles) &&
             take_run(m, m->edges, run, m->runs + run, cycles, NULL);
        arena_free(&scratch);
    }
    return ok;
}

bool compile_model_shard(compile_model *m, const tile_plan *plan, uint32_t i, uint32_t n, const char *path) {
    share s = {.m = m, .plan = plan, .n = n};
    compile_context *ctx = m->ctx;
    FILE *out = fopen(path, "w+b"), *before = tmpfile();
    bool ok = out && before;
    if (ok) {
        cycle_put_accounts(m->on->model, before);
        cycle_forget(m->on->model); /* each file has its own batch's counts */
        ok = make_runs(&s, i, out) && fflush(out) == 0;
        rewind(before);
        ok = cycle_add_accounts(m->on->model, before) && ok;
    }
    if (ok && s.stuck) {
        explain_stuck(ctx, m->edges, m->on->model, m->runs + s.stuck - 1, s.cycles);
        ok = false;
    } else if (!ok || !count_runs(m, &s, i, out)) {
        diag_error(ctx->diag, (src_loc){0}, "E0004-write", "cannot write '%s'", path);
        ok = false;
    }
    if (out)
        fclose(out);
    if (before)
        fclose(before);
    m->runs += plan->runs.len;
    return ok;
}

bool compile_model_merge(compile_model *m, const tile_plan *plan, tile_collector *c, const char *const *file,
                         uint32_t n) {
    share s = {.m = m, .plan = plan, .n = n, .file = file};
    compile_context *ctx = m->ctx;
    child_result *shares = arena_new_n(ctx->mem, child_result, n);
    bool stuck = false, ok = true;
    memset(shares, 0, sizeof *shares * n);
    for (uint32_t i = 0; i < n && ok; i++) {
        shares[i] = (child_result){.found = fopen(file[i], "rb")};
        ok = shares[i].found != NULL;
        if (!ok) {
            diag_error(ctx->diag, (src_loc){0}, "E0955-shards", "'%s' cannot be read", file[i]);
            diag_hint(ctx->diag, "onyx run --shard leaves it beside shard.json: copy the whole folder");
        }
    }
    ok = ok && take_shares(&s, shares, c, &stuck) && (!stuck || share_failed(&s, 0, 1));
    for (uint32_t i = 0; i < n; i++) {
        if (shares[i].found)
            fclose(shares[i].found);
    }
    m->runs += plan->runs.len;
    cycle_number_run(m->on->model, m->runs);
    return ok;
}

/* Returns of each cell the copy that it is of: the nets lead from there to the streams of an edge. */
static uint32_t *copies_of_cells(const compile_model *m) {
    const cycle_design *d = m->on->design;
    uint32_t *of = arena_new_n(m->ctx->mem, uint32_t, d->cells.len + 1);
    for (uint32_t i = 0; i < m->n_edges; i++) {
        for (uint32_t s = 0; s < m->edges[i].streams.len; s++)
            of[m->edges[i].streams.at[s].cell] = i;
    }
    for (bool more = m->n_edges > 1; more;) {
        more = false;
        for (uint32_t n = 0; n < d->nets.len; n++) {
            const cycle_net *net = &d->nets.at[n];
            for (uint32_t s = 0; s < net->sinks.len; s++) {
                uint32_t *a = &of[net->cell], *b = &of[net->sinks.at[s].cell], most = *a > *b ? *a : *b;
                more = more || *a != *b;
                *a = *b = most;
            }
        }
    }
    return of;
}

cycle_samples *compile_model_sample(compile_model *m, uint32_t modes) {
    const cycle_copies copies = {copies_of_cells(m), m->n_edges};
    m->samples = cycle_samples_begin(m->on->model, &copies, m->ctx->mem);
    m->modes = modes;
    cycle_sample(m->on->model, m->samples);
    return m->samples;
}

uint64_t compile_model_cycles(const compile_model *m) {
    return m->cycles;
}
