/* report.json and the summary a person reads. */
#include "report/report.h"
#include "kernel/edges.h"
#include "kernel/stand_in.h"
#include "kernel/workspace.h"
#include "report/accuracy.h"
#include "report/cpu.h"
#include "report/energy.h"
#include "report/masks.h"
#include "sam/operators.h"
#include "support/number.h"

#include <math.h>

/* The figures of one kernel, or of all: sums, but the most tiles, the most copies and the slowest clock. */
typedef struct {
    uint32_t pe, mem, io, copies, hops;
    VEC(uint32_t) words; /* address, data */
    uint64_t pairs, pairs_run, skipped, passes;
    uint64_t config, kernel, firmware, total, verify;
    double build_s, cpu_s;
    double fmax_mhz, time_us;
    compile_times times;
} figures;

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void add_tiles(const netlist *n, figures *f) {
    uint32_t pe = 0, mem = 0, io = 0;
    for (uint32_t c = 0; c < n->cells.len; c++) {
        net_tile tile = net_mode_table[n->cells.at[c].mode].tile;
        pe += tile == NET_TILE_PE;
        mem += tile == NET_TILE_MEM;
        io += tile == NET_TILE_IO;
    }
    f->pe = larger(f->pe, pe);
    f->mem = larger(f->mem, mem);
    f->io = larger(f->io, io);
}

static void add_times(const compile_times *t, compile_times *sum) {
    sum->frontend += t->frontend;
    sum->lower += t->lower;
    sum->place += t->place;
    sum->route += t->route;
    sum->bitstream += t->bitstream;
    sum->tile += t->tile;
    sum->firmware += t->firmware;
    sum->run += t->run;
    sum->total += t->total;
}

/* What the chip's processor did of a kernel that has nothing on the array. */
static void add_processor(const compile_kernel *k, figures *f) {
    f->config += k->ran.cycles.config;
    f->kernel += k->ran.cycles.kernel;
    f->firmware += k->ran.cycles.firmware;
    f->total += k->ran.cycles.total;
    f->verify += k->ran.cycles.verify;
    if (k->on_processor && k->board.cgra_mhz)
        f->time_us += (double)k->ran.cycles.total / k->board.cgra_mhz;
}

static void add_kernel(const compile_kernel *k, arena *mem, figures *f) {
    const tile_counts *counts = &k->ran.cut.counts;
    add_times(&k->times, &f->times);
    if (k->on_host) {
        add_processor(k, f);
        return;
    }
    add_tiles(&k->array.net, f);
    f->copies = larger(f->copies, k->array.copies);
    f->hops += k->array.design.net ? pnr_hops(&k->array.design) : 0;
    for (uint32_t w = 0; w < k->bits.stream.words.len; w++) {
        vec_push(mem, &f->words, k->bits.stream.words.at[w].address);
        vec_push(mem, &f->words, k->bits.stream.words.at[w].data);
    }
    f->pairs += counts->possible;
    f->pairs_run += counts->expected.runs;
    f->skipped += counts->possible - counts->pairs;
    f->passes += k->ran.cut.passes;
    f->config += k->ran.cycles.config;
    f->kernel += k->ran.cycles.kernel;
    f->firmware += k->ran.cycles.firmware;
    f->total += k->ran.cycles.total;
    f->verify += k->ran.cycles.verify;
    f->build_s += k->ran.build_s;
    f->cpu_s += k->ran.cpu_s;
    /* By the board's delay table; the chip itself is faster than the table says. */
    double fmax_mhz = k->array.timing.period_ps ? 1e6 / k->array.timing.period_ps : 0;
    f->fmax_mhz = f->fmax_mhz > 0 && f->fmax_mhz < fmax_mhz ? f->fmax_mhz : fmax_mhz;
    f->time_us += fmax_mhz > 0 ? (double)k->ran.cycles.total / fmax_mhz : 0;
}

static figures figures_of_all(const compile_kernel *k, arena *mem) {
    figures f = {0};
    for (uint32_t n = 0; n < k->producers.len; n++)
        add_kernel(&k->producers.at[n], mem, &f);
    add_kernel(k, mem, &f);
    return f;
}

static cpu_chip chip_of(const figures *f) {
    return (cpu_chip){f->time_us, f->fmax_mhz > 0 ? (double)f->config / f->fmax_mhz : 0};
}

static cJSON *add_object(cJSON *parent, const char *key) {
    return cJSON_AddObjectToObject(parent, key);
}

static void add_number(cJSON *object, const char *key, double value) {
    cJSON_AddNumberToObject(object, key, value);
}

static void add_wall(cJSON *json, const compile_times *t) {
    cJSON *wall = add_object(json, "wall_s");
    add_number(wall, "frontend", t->frontend);
    add_number(wall, "lower", t->lower);
    add_number(wall, "place", t->place);
    add_number(wall, "route", t->route);
    add_number(wall, "bitstream", t->bitstream);
    add_number(wall, "tile", t->tile);
    add_number(wall, "firmware", t->firmware);
    add_number(wall, "run", t->run);
    add_number(wall, "total", t->total);
}

/* As text: JSON numbers are doubles. */
static void add_hash(cJSON *json, const char *key, uint64_t hash, arena *mem) {
    cJSON_AddStringToObject(json, key, arena_printf(mem, "%016llx", (unsigned long long)hash));
}

/* Adds what the stages made that leave no file; compile_publish adds the others. */
static void add_checksums(cJSON *json, const compile_kernel *k, bool ran, arena *mem) {
    const tile_tensor *t = &k->ran.result;
    cJSON *sums = add_object(json, "checksums");
    uint64_t runs = k->ran.cut.hash, result = hash_bytes(t->dim, t->order * sizeof *t->dim);
    for (uint32_t n = 0; n < k->producers.len; n++)
        runs = hash_more(runs, &k->producers.at[n].ran.cut.hash, sizeof runs);
    if (k->ran.cut.batches)
        add_hash(sums, "tile", runs, mem);
    if (!ran)
        return;
    for (uint64_t e = 0; e < t->nnz; e++) {
        result =
            hash_more(result, t->order ? (const void *)&t->crd[e * t->order] : "", t->order * sizeof *t->crd);
        result = hash_more(result, &t->val[e], sizeof *t->val);
    }
    add_hash(sums, "run", result, mem);
}

static void add_figures(cJSON *json, const figures *f, arena *mem) {
    cJSON *tiles = add_object(json, "tiles");
    add_number(tiles, "pe", f->pe);
    add_number(tiles, "mem", f->mem);
    add_number(tiles, "io", f->io);
    add_number(json, "unroll", f->copies);
    add_number(json, "hops", f->hops);
    cJSON *bits = add_object(json, "bitstream");
    uint64_t hash = hash_bytes(f->words.at, sizeof *f->words.at * f->words.len);
    add_number(bits, "words", f->words.len / 2);
    add_hash(bits, "xxh64", hash, mem);
    cJSON *sub = add_object(json, "subtiles");
    add_number(sub, "total", (double)f->pairs);
    add_number(sub, "run", (double)f->pairs_run);
    add_number(sub, "skipped_empty", (double)f->skipped);
    add_number(sub, "passes", (double)f->passes);
    /* Loads and stores overlap the kernel: nothing is left that would be theirs alone. */
    cJSON *cycles = add_object(json, "cycles");
    add_number(cycles, "config", (double)f->config);
    add_number(cycles, "load", 0);
    add_number(cycles, "kernel", (double)f->kernel);
    add_number(cycles, "store", 0);
    add_number(cycles, "firmware", (double)f->firmware);
    add_number(cycles, "total", (double)f->total);
    if (f->verify)
        add_number(cycles, "verify", (double)f->verify);
    add_number(json, "fmax_mhz", f->fmax_mhz);
    add_number(json, "time_us", f->time_us);
    if (f->cpu_s > 0) {
        cJSON *simulation = add_object(json, "simulation");
        add_number(simulation, "build_s", f->build_s);
        add_number(simulation, "cpu_s", f->cpu_s);
        add_number(simulation, "cycles_per_second", (double)f->kernel / f->cpu_s);
    }
}

/* Returns the coordinates of a corner, 1-based as in files. */
static const char *corner_text(const tile_split *split, uint32_t i, arena *mem) {
    const char *text = "";
    for (uint32_t m = 0; m < split->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "", split->corner[i][m] + 1);
    return text;
}

/* By tiling's model, which knows one copy of the kernel. */
static double predicted_cycles(const compile_kernel *k) {
    return (double)(uint64_t)(k->ran.cut.counts.expected.cycles / (k->array.copies ? k->array.copies : 1));
}

static uint32_t widest(const sam_statement *st, const uint32_t *edge) {
    uint32_t most = 0;
    for (uint32_t l = 0; l < st->loops.len; l++)
        most = edge[st->loops.at[l].v - 1] > most ? edge[st->loops.at[l].v - 1] : most;
    return most;
}

static void add_candidates(cJSON *tiling, const sam_statement *st, const tile_candidates *tried, arena *mem) {
    cJSON *list = tried->len ? cJSON_AddArrayToObject(tiling, "candidates") : NULL;
    for (uint32_t i = 0; i < tried->len; i++) {
        const tile_candidate *c = &tried->at[i];
        cJSON *item = json_add_item(list);
        cJSON_AddStringToObject(item, "edges", compile_edges_text(st, c->edge, mem));
        add_number(item, "runs", (double)c->expected.runs);
        add_number(item, "predicted", (double)(uint64_t)c->predicted);
        cJSON_AddBoolToObject(item, "complete", c->complete);
        if (c->measured == 0)
            continue;
        add_number(item, "copies", c->copies);
        add_number(item, "measured", isfinite(c->measured) ? (double)(uint64_t)c->measured : -1);
    }
}

/* Returns whether levels of the result share a store stream: where there is more than one, and all wait for a
 * load. */
static bool stores_share(const compile_kernel *k) {
    const sam_graph *g = &k->lowered.hardware;
    return lower_count_stores(g, k->tiling.options.stored) < lower_count_stores(g, false);
}

static void add_tiling(cJSON *json, const compile_context *ctx, const compile_kernel *k) {
    const tile_counts *counts = &k->ran.cut.counts;
    cJSON *tiling = add_object(json, "tiling");
    add_number(tiling, "tile", k->ran.cut.tile);
    add_number(tiling, "glb_tile", widest(&k->lowered.statement, k->ran.cut.glb_edge));
    cJSON_AddStringToObject(tiling, "edges",
                            compile_edges_text(&k->lowered.statement, k->ran.cut.edge, ctx->mem));
    cJSON_AddStringToObject(tiling, "glb_edges",
                            compile_edges_text(&k->lowered.statement, k->ran.cut.glb_edge, ctx->mem));
    cJSON_AddStringToObject(tiling, "streams",
                            stores_share(k)             ? "all"
                            : k->tiling.options.in_turn ? "tensors"
                                                        : "levels");
    add_number(tiling, "mem_words", counts->most_words);
    add_number(tiling, "bank_words", (double)counts->most_bank_words);
    add_number(tiling, "glb_tiles", (double)counts->glb_tiles);
    add_number(tiling, "loads", (double)counts->loads);
    add_number(tiling, "load_words", (double)counts->load_words);
    add_number(tiling, "batches", k->ran.cut.batches);
    add_number(tiling, "predicted", predicted_cycles(k));
    cJSON *work = add_object(tiling, "work");
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        add_number(work, tile_work_name[i], (double)(uint64_t)(counts->expected.work[i] + 0.5));
    add_candidates(tiling, &k->lowered.statement, &k->tiling.candidates, ctx->mem);
    cJSON *partials = add_object(tiling, "partials");
    add_number(partials, "entries", (double)k->ran.cut.partials.entries);
    add_number(partials, "seconds", k->ran.cut.partials.seconds);
    add_number(partials, "words", (double)k->ran.cut.partials.words);
    add_number(partials, "bound_words", (double)k->ran.cut.partials.bound_words);
    cJSON *splits = cJSON_AddArrayToObject(tiling, "splits");
    for (uint32_t i = 0; i < counts->splits.len; i++) {
        const tile_split *split = &counts->splits.at[i];
        cJSON *item = json_add_item(splits);
        cJSON_AddStringToObject(item, "tensor", names_text(ctx->names, split->tensor));
        add_number(item, "subtiles", (double)split->tiles);
        add_number(item, "most_words", (double)split->most_words);
        cJSON *corners = cJSON_AddArrayToObject(item, "corners");
        for (uint32_t c = 0; c < split->tiles && c < TILE_SPLITS_LISTED; c++)
            cJSON_AddItemToArray(corners, cJSON_CreateString(corner_text(split, c, ctx->mem)));
    }
}

static void add_dispatch(cJSON *json, const compile_array *a) {
    const compile_dispatch *d = &a->dispatch;
    static const char *const ways[] = {"inorder", "sorted", "dynamic", "banks"}; /* as tile_dispatch */
    cJSON *dispatch = add_object(json, "dispatch");
    cJSON_AddStringToObject(dispatch, "how", ways[d->how]);
    if (d->why)
        cJSON_AddStringToObject(dispatch, "why", d->why);
    if (d->pairs) {
        add_number(dispatch, "pair", (double)(uint64_t)d->pair);
        add_number(dispatch, "predicted_sorted", (double)(uint64_t)d->sorted);
        add_number(dispatch, "predicted_dynamic", (double)(uint64_t)d->dynamic);
    }
    if (d->load.banks) {
        cJSON_AddStringToObject(dispatch, "operand", d->load.operand);
        cJSON_AddStringToObject(dispatch, "index", d->load.index);
        add_number(dispatch, "banks", d->load.banks);
        add_number(dispatch, "entries_most", (double)d->load.fullest);
        add_number(dispatch, "entries_mean", (double)d->load.entries / a->copies);
    }
}

/* Adds what the copies of a kernel lack streams for, and what frees some. */
static void add_freed(cJSON *json, const compile_freed *f) {
    cJSON *freed = add_object(json, "freed");
    add_number(freed, "loads", f->loads);
    add_number(freed, "stores", f->stores);
    add_number(freed, "room", f->room);
    if (isfinite(f->cycles))
        add_number(freed, "expected", (double)(uint64_t)f->cycles);
    cJSON *by = cJSON_AddArrayToObject(freed, "by");
    for (uint32_t i = 0; i < f->by.len; i++) {
        const compile_freeing *one = &f->by.at[i];
        cJSON *item = json_add_item(by);
        cJSON_AddStringToObject(item, "how", one->how);
        add_number(item, "loads", one->loads);
        add_number(item, "stores", one->stores);
        add_number(item, "copies", one->copies);
        if (isfinite(one->cycles))
            add_number(item, "expected", (double)(uint64_t)one->cycles);
    }
}

/* Adds what the host did for a board. */
static void add_host(cJSON *json, const host_outcome *h) {
    cJSON *host = add_object(json, "host");
    add_number(host, "batches", h->batches);
    add_number(host, "kept", h->kept);
    add_number(host, "buffers", h->buffers);
    add_number(host, "rewritten", h->rewritten);
    if (host_found_name(h->found))
        cJSON_AddStringToObject(host, "found", host_found_name(h->found));
    add_number(host, "load_s", h->seconds.load);
    add_number(host, "wait_s", h->seconds.wait);
    add_number(host, "collect_s", h->seconds.collect);
}

/* Adds what the masks of a kernel save, if it has some. */
static void add_masks(cJSON *json, const compile_context *ctx, const compile_kernel *last,
                      const compile_kernel *k) {
    const compile_masks masks = compile_masks_of(last, k, ctx->mem);
    cJSON *list = masks.len ? cJSON_AddArrayToObject(json, "masks") : NULL;
    for (uint32_t i = 0; i < masks.len; i++) {
        cJSON *item = json_add_item(list);
        cJSON_AddStringToObject(item, "mask", masks.at[i].mask);
        cJSON_AddStringToObject(item, "saves", compile_saving_name[masks.at[i].saves]);
        cJSON_AddStringToObject(item, "why", masks.at[i].why);
    }
}

void compile_placed_json(const compile_context *ctx, const compile_placed *p, cJSON *list) {
    const bool glb = p->stated == SAM_REGION_GLB || (!p->stated && p->times <= p->streams);
    cJSON *one = json_add_item(list);
    cJSON_AddStringToObject(one, "operand", names_text(ctx->names, p->tensor));
    cJSON_AddStringToObject(one, "region", glb ? "glb" : "host");
    cJSON_AddBoolToObject(one, "stated", p->stated != SAM_REGION_AUTO);
    add_number(one, "loaded", (double)(p->loaded / 4));
    add_number(one, "kept", (double)(p->kept / 4));
    add_number(one, "from", p->since);
    add_number(one, "to", p->batches);
}

/* What a program's statement has is reported with its passes. */
static void add_placed(const compile_context *ctx, const compile_kernel *k, cJSON *json) {
    cJSON *list = k->placed.len && !k->session ? cJSON_AddArrayToObject(json, "operands") : NULL;
    for (uint32_t p = 0; list && p < k->placed.len; p++)
        compile_placed_json(ctx, &k->placed.at[p], list);
}

/* Returns what came of an operand's region, behind its name. */
static const char *region_text(const compile_kernel *k, name_id tensor, arena *mem) {
    for (uint32_t p = 0; p < k->placed.len; p++) {
        const compile_placed *one = &k->placed.at[p];
        if (name_eq(one->tensor, tensor))
            return arena_printf(mem, "%llu words are loaded, for %u %s, and %llu lay there from before",
                                (unsigned long long)(one->loaded / 4), one->batches,
                                plural(one->batches, "batch", "batches"),
                                (unsigned long long)(one->kept / 4));
    }
    return "nothing was loaded: only a processor beside the array has a global buffer (--engine soc, onyx "
           "program)";
}

void compile_regions_summary(const compile_context *ctx, const compile_kernel *k, FILE *out) {
    const sam_statement *s = &k->lowered.statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const name_id name = sam_user_name(&s->tensors.at[t]);
        bool said = !s->tensors.at[t].region;
        for (uint32_t b = 0; b < t; b++)
            said = said || name_eq(sam_user_name(&s->tensors.at[b]), name);
        if (!said)
            fprintf(out, "  %s@%s: %s\n", names_text(ctx->names, name),
                    s->tensors.at[t].region == SAM_REGION_GLB ? "glb" : "host",
                    region_text(k, name, ctx->mem));
    }
}

/* Adds what is said of a single kernel only, one of those that lead up to the last. */
static void add_details(cJSON *json, const compile_options *o, const compile_context *ctx,
                        const compile_kernel *last, const compile_kernel *k) {
    cJSON_AddStringToObject(json, "loops", compile_loops_text(&k->lowered.statement, ctx->mem));
    if (k->choices.chosen)
        cJSON_AddStringToObject(json, "chosen", k->choices.chosen);
    if (o->written.explain)
        cJSON_AddStringToObject(json, "workspace", compile_workspace_on_array(k, ctx->mem));
    add_masks(json, ctx, last, k);
    cJSON *dense = k->choices.dense.len ? cJSON_AddArrayToObject(json, "dense") : NULL;
    for (uint32_t t = 0; t < k->choices.dense.len; t++)
        cJSON_AddItemToArray(dense, cJSON_CreateString(k->choices.dense.at[t]));
    const char *described = k->given || last != k ? NULL : compile_describe(o, ctx, k);
    if (described)
        cJSON_AddStringToObject(json, "description", described);
    if (k->given)
        cJSON_AddStringToObject(json, "given", k->given->folder);
    cJSON *repacked = cJSON_AddArrayToObject(json, "repacked");
    for (uint32_t t = 1; t <= k->lowered.statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->lowered.statement, (sam_tensor){t}, ctx->mem);
        if (text)
            cJSON_AddItemToArray(repacked, cJSON_CreateString(text));
    }
    add_placed(ctx, k, json);
    if (k->array.copies > 1)
        add_dispatch(json, &k->array);
    if (k->choices.freed.by.len)
        add_freed(json, &k->choices.freed);
    if (k->ran.cut.batches)
        add_tiling(json, ctx, k);
    if (k->ran.host.batches)
        add_host(json, &k->ran.host);
    if (k->array.net.cells.len && o->target.deadlock != REPORT_OFF)
        cJSON_AddItemToObject(json, "deadlock", net_deadlock_to_json(&k->array.net, &k->array.liveness));
    if (k->ran.modelled.model && !k->ran.modelled.ahead)
        compile_stalls_json(ctx, &k->ran.modelled, json);
    if (k->ran.modelled.model)
        compile_hazards_json(&k->ran.modelled, json);
}

static const char *result_name(const compile_context *ctx, const compile_kernel *k) {
    return names_text(ctx->names, sam_tensor_at(&k->user, k->user.result)->name);
}

void compile_processor_json(const compile_processed *p, cJSON *json) {
    if (!p->names)
        return;
    cJSON *own = cJSON_AddObjectToObject(json, "processor");
    cJSON_AddStringToObject(own, "functions", p->names);
    add_number(own, "calls", (double)p->calls);
    add_number(own, "words", (double)p->words);
    add_number(own, "cycles", (double)p->cycles);
    if (p->beside)
        add_number(own, "beside", (double)p->beside);
    if (p->calls) {
        cJSON *each = cJSON_AddObjectToObject(own, "per_call");
        add_number(each, "words", (double)p->words / (double)p->calls);
        add_number(each, "cycles", (double)p->cycles / (double)p->calls);
    }
    cJSON_AddBoolToObject(own, "measured", p->measured);
}

static cJSON *host_kernel_json(const compile_context *ctx, const compile_kernel *k) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "tensor", result_name(ctx, k));
    cJSON_AddStringToObject(json, "on", k->on_processor ? "processor" : "host");
    compile_processor_json(&k->ran.processor, json);
    if (k->calls.call)
        cJSON_AddStringToObject(json, "function", k->calls.name);
    compile_taken_json(k, json);
    add_number(json, "computed", (double)k->ran.computed);
    if (k->ran.calls)
        add_number(json, "calls", (double)k->ran.calls);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    add_wall(json, &k->times);
    return json;
}

static cJSON *kernel_json(const compile_options *o, const compile_context *ctx, const compile_kernel *last,
                          const compile_kernel *k) {
    if (k->on_host)
        return host_kernel_json(ctx, k);
    cJSON *json = cJSON_CreateObject();
    figures f = {0};
    add_kernel(k, ctx->mem, &f);
    cJSON_AddStringToObject(json, "tensor", result_name(ctx, k));
    add_figures(json, &f, ctx->mem);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    add_details(json, o, ctx, last, k);
    add_wall(json, &f.times);
    return json;
}

/* MiB this program had at most; getrusage would count what forked it, too. 0 without /proc. */
static double peak_rss_mb(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    unsigned long kib = 0;
    while (status && !kib && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %lu", &kib);
    if (status)
        fclose(status);
    return (double)kib / 1024;
}

static compile_accuracy accuracy_of(const compile_options *o, const compile_kernel *k) {
    return (compile_accuracy){&k->ran.accuracy, &k->user, k->data.operands.operand, k->data.operands.n,
                              o->tensors.dtype};
}

cJSON *compile_report(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                      const char *check) {
    const figures totals = figures_of_all(k, ctx->mem), *all = &totals;
    compile_activity activity = {0};
    cJSON *json = cJSON_CreateObject();
    add_number(json, "format_version", 1);
    compile_version_json(json);
    cJSON_AddStringToObject(json, "expression", o->written.expression);
    cJSON_AddStringToObject(json, "board", o->target.board);
    cJSON_AddStringToObject(json, "profile", o->target.profile);
    cJSON_AddStringToObject(json, "engine", compile_engines[ran ? o->target.engine : ENGINE_NONE].name);
    add_number(json, "seed", (double)o->seed);
    cJSON_AddStringToObject(json, "check", check);
    const compile_accuracy accuracy = accuracy_of(o, k);
    compile_accuracy_json(&accuracy, ctx->names, json);
    compile_warnings_json(ctx->diag, json);
    if (o->running.shards) {
        cJSON *shard = cJSON_AddObjectToObject(json, "shard");
        add_number(shard, "number", o->running.shard);
        add_number(shard, "of", o->running.shards);
    }
    add_figures(json, all, ctx->mem);
    if (compile_activity_add(k, &activity))
        compile_energy_json(&activity, json);
    compile_cpu_json(&k->ran.cpu, chip_of(all), json);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    if (k->ran.result.fill)
        add_number(json, "fill", tile_to_double(o->tensors.dtype, k->ran.result.fill));
    if (k->choices.staged)
        cJSON_AddStringToObject(json, "chosen", k->choices.staged);
    if (k->producers.len || k->on_host) {
        cJSON *kernels = cJSON_AddArrayToObject(json, "kernels");
        for (uint32_t n = 0; n < k->producers.len; n++)
            cJSON_AddItemToArray(kernels, kernel_json(o, ctx, k, &k->producers.at[n]));
        cJSON_AddItemToArray(kernels, kernel_json(o, ctx, k, k));
    } else {
        add_details(json, o, ctx, k, k);
    }
    add_checksums(json, k, ran, ctx->mem);
    add_wall(json, &all->times);
    add_number(json, "peak_rss_mb", peak_rss_mb());
    return json;
}

/* Prints what --tile auto came to. */
static void print_choice(const compile_context *ctx, FILE *out, const compile_kernel *k, bool ran) {
    const tile_candidate *chosen = &k->tiling.expected;
    number_print(out, "  --tile %s was chosen of %u: %.0f cycles predicted",
                 compile_edges_text(&k->lowered.statement, chosen->edge, ctx->mem), k->tiling.candidates.len,
                 ran ? predicted_cycles(k) : chosen->predicted / k->array.copies);
    if (ran)
        fprintf(out, ", %llu measured", (unsigned long long)k->ran.cycles.kernel);
    fputc('\n', out);
    for (uint32_t i = 0; i < k->tiling.candidates.len; i++) {
        const tile_candidate *c = &k->tiling.candidates.at[i];
        if (c->measured == 0)
            continue;
        const char *edges = compile_edges_text(&k->lowered.statement, c->edge, ctx->mem);
        if (isfinite(c->measured))
            number_print(out, "    %s: %.0f cycles predicted, %.0f measured with %u %s\n", edges,
                         c->predicted / c->copies, c->measured, c->copies,
                         plural(c->copies, "copy", "copies"));
        else
            fprintf(out, "    %s: does not run\n", edges);
    }
}

/* Prints what became of the statement. */
static void compiled_summary(const compile_context *ctx, FILE *out, const compile_kernel *k,
                             const figures *f) {
    for (uint32_t t = 1; t <= k->lowered.statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->lowered.statement, (sam_tensor){t}, ctx->mem);
        if (text)
            fprintf(out, "  the host re-packs %s\n", text);
    }
    compile_regions_summary(ctx, k, out);
    if (k->given)
        fprintf(out, "  the bitstream of %s%s\n", names_text(ctx->names, k->given->name),
                k->given->emit ? ", made for this shape and kept for the next call"
                               : ", as it is: nothing was placed or routed");
    if (f->words.len)
        fprintf(out,
                "  %u PE, %u MEM and %u IO tiles; %u configuration words, read back and found equal to the "
                "routed netlist\n",
                f->pe, f->mem, f->io, f->words.len / 2);
    if (f->fmax_mhz > 0)
        number_print(out, "  %.0f MHz by the board's delay table\n", f->fmax_mhz);
}

/* Prints what frees streams for more copies, if it is expected to take less, or all of it. */
static void print_freed(FILE *out, const compile_freed *f, bool all) {
    for (uint32_t i = 0; i < f->by.len; i++) {
        const compile_freeing *one = &f->by.at[i];
        if (!all && !(isfinite(one->cycles) && one->cycles < COMPILE_WORTH_CHANGING * f->cycles))
            continue;
        fprintf(out, "  %s frees streams for %u %s, %u to load and %u to store each, %u and %u now", one->how,
                one->copies, plural(one->copies, "copy", "copies"), one->loads, one->stores, f->loads,
                f->stores);
        if (isfinite(one->cycles))
            number_print(out, ": %.0f cycles of the chip expected, %.0f as it is", one->cycles, f->cycles);
        else if (isfinite(f->cycles))
            number_print(out, "; no fewer cycles of the chip than %.0f expected", f->cycles);
        fputc('\n', out);
    }
}

/* Prints how the data were cut, and who takes which part. */
static void runs_summary(const compile_context *ctx, FILE *out, const compile_kernel *k, const figures *f,
                         bool ran) {
    const char *edges =
        k->ran.cut.edge ? compile_edges_text(&k->lowered.statement, k->ran.cut.edge, ctx->mem) : "";
    if (k->ran.cut.counts.expected.runs)
        fprintf(out, "  %llu %s on %s-wide sub-tiles (%llu %s without work skipped)\n",
                (unsigned long long)f->pairs_run, plural(f->pairs_run, "run", "runs"), edges,
                (unsigned long long)f->skipped, plural(f->skipped, "pair", "pairs"));
    if (k->tiling.candidates.len)
        print_choice(ctx, out, k, ran);
    for (uint32_t i = 0; i < k->ran.cut.counts.splits.len; i++) {
        const tile_split *split = &k->ran.cut.counts.splits.at[i];
        fprintf(
            out,
            "  split sub-tiles of %s: %llu; the fullest wants %llu words of a memory tile, the first is at "
            "%s\n",
            names_text(ctx->names, split->tensor), (unsigned long long)split->tiles,
            (unsigned long long)split->most_words, corner_text(split, 0, ctx->mem));
    }
    if (stores_share(k))
        fputs("  a store stream for the result, on which its levels and values leave in turn\n", out);
    if (k->tiling.options.in_turn)
        fputs("  a load stream for each operand, which brings its levels and values in turn\n", out);
    if (k->ran.cut.passes && k->array.apart)
        fprintf(out, "  %u copies of the kernel, each of which takes the next pair when it is free\n",
                k->array.copies);
    else if (k->ran.cut.passes && k->array.copies > 1)
        fprintf(out, "  %u copies of the kernel, which take %llu %s\n", k->array.copies,
                (unsigned long long)k->ran.cut.passes, plural(k->ran.cut.passes, "pass", "passes"));
    const compile_bank_load *load = &k->array.dispatch.load;
    if (load->banks)
        number_print(
            out,
            "  %u banks of %s's %s dealt to %u copies, which have %llu entries at most and %.2f on average\n",
            load->banks, load->operand, load->index, k->array.copies, (unsigned long long)load->fullest,
            (double)load->entries / k->array.copies);
    if (k->array.copies > 1 && k->array.dispatch.pairs)
        fprintf(out, "  --dispatch %s was chosen: %s\n", k->array.apart ? "dynamic" : "sorted",
                k->array.dispatch.why);
}

/* Each of several kernels stands under its name. */
static void print_name(const compile_context *ctx, FILE *out, const compile_kernel *k) {
    if (k->on_processor)
        fprintf(out, "  kernel %s, on the chip's processor\n", result_name(ctx, k));
    else if (k->on_host)
        fprintf(out, "  kernel %s, on the host%s%s\n", result_name(ctx, k), k->calls.call ? ": " : "",
                k->calls.call ? k->calls.name : "");
    else
        fprintf(out, "  kernel %s, in %s\n", result_name(ctx, k), k->place);
}

/* --explain: what the masks of a kernel save. */
static void print_masks(const compile_context *ctx, FILE *out, const compile_kernel *last,
                        const compile_kernel *k) {
    const compile_masks masks = k->on_host ? (compile_masks){0} : compile_masks_of(last, k, ctx->mem);
    for (uint32_t i = 0; i < masks.len; i++)
        fprintf(out, "  %s\n", masks.at[i].why);
}

/* Who waited for whom, as report.json has it. */
static void stalls_summary(const compile_context *ctx, FILE *out, const compile_modelled *met) {
    cJSON *section = cJSON_CreateObject();
    compile_stalls_json(ctx, met, section);
    const text_vec lines = compile_stalls_lines(section, (double)met->cycles, ctx->mem);
    for (uint32_t i = 0; i < lines.len; i++)
        fprintf(out, "  %s\n", lines.at[i]);
    cJSON_Delete(section);
}

const char *compile_processor_text(const compile_processed *p, arena *mem) {
    const double calls = p->calls ? (double)p->calls : 1;
    const char *each = p->calls < 2 ? ""
                                    : arena_printf(mem, " (each %.4g words, %.0f cycles)",
                                                   (double)p->words / calls, (double)p->cycles / calls);
    const char *beside = p->beside ? arena_printf(mem, ", %llu of them while the array was waited for",
                                                  (unsigned long long)p->beside)
                                   : "";
    return arena_printf(mem, "%s: %llu %s of %llu words, %llu cycles in them%s%s%s", p->names,
                        (unsigned long long)p->calls, plural(p->calls, "call", "calls"),
                        (unsigned long long)p->words, (unsigned long long)p->cycles,
                        p->measured ? "" : " expected", each, beside);
}

/* Lines about one kernel, which makes `result`. */
static void kernel_summary(const compile_options *o, const compile_context *ctx, FILE *out,
                           const compile_kernel *k, bool ran, const char *result) {
    figures f = {0};
    add_kernel(k, ctx->mem, &f);
    if (k->on_host) {
        if (ran && k->ran.processor.names)
            fprintf(out, "  %s; %llu cycles\n", compile_processor_text(&k->ran.processor, ctx->mem),
                    (unsigned long long)k->ran.cycles.total);
        if (ran)
            fprintf(out, "  %llu %s computed, %llu %s in %s\n", (unsigned long long)k->ran.computed,
                    plural(k->ran.computed, "value", "values"), (unsigned long long)k->ran.result.nnz,
                    plural(k->ran.result.nnz, "nonzero", "nonzeros"), result);
        return;
    }
    if (k->choices.chosen)
        fprintf(out, "  %s\n", k->choices.chosen);
    if (o->written.explain)
        fprintf(out, "  %s\n", compile_workspace_on_array(k, ctx->mem));
    compiled_summary(ctx, out, k, &f);
    runs_summary(ctx, out, k, &f, ran);
    print_freed(out, &k->choices.freed, o->written.explain);
    if (ran)
        fprintf(out, "  %llu %s, %llu %s in %s\n", (unsigned long long)f.total,
                plural(f.total, "cycle", "cycles"), (unsigned long long)k->ran.result.nnz,
                plural(k->ran.result.nnz, "nonzero", "nonzeros"), result);
    if (k->ran.host.batches > 1)
        number_print(out, "  %u batches with %s: %.1f s to load them, %.1f s waited, %.1f s to collect\n",
                     k->ran.host.batches,
                     k->ran.host.buffers > 1 ? "two buffers, one loaded while the other is worked on"
                                             : "one buffer (--buffers 2 makes it two)",
                     k->ran.host.seconds.load, k->ran.host.seconds.wait, k->ran.host.seconds.collect);
    if (k->ran.host.found == HOST_FOUND_READY)
        fprintf(out, "  the board was found ready: not loaded, and not configured again\n");
    if (k->ran.modelled.model && !k->ran.modelled.ahead)
        stalls_summary(ctx, out, &k->ran.modelled);
}

/* --explain: the other forms of the statement that were tried, and why each lost. */
static void print_candidates(FILE *out, const compile_candidates *all) {
    for (uint32_t i = 0; i < all->len; i++) {
        const compile_candidate *one = &all->at[i];
        const char *how = *one->schedule ? one->schedule : one->by_hand;
        fprintf(out, "  candidate %s, %s (%s%s): ", one->name, one->what, *one->schedule ? "-s " : "", how);
        if (one->refused)
            fputs("the chip cannot run it\n", out);
        else if (isfinite(one->cycles))
            number_print(out, "%.0f cycles of the chip expected, %.0f without: %s\n", one->cycles,
                         one->before, one->taken ? "taken" : "not worth it");
        else
            number_print(out, "it is not expected to take enough less than %.0f cycles of the chip\n",
                         one->before);
    }
}

/* Says what the result's file leaves out. */
static void print_fill(const compile_options *o, const compile_context *ctx, const compile_kernel *k,
                       FILE *out) {
    const char *name = names_text(ctx->names, sam_tensor_at(&k->user, k->user.result)->name);
    number_print(out,
                 "  %s is %g where it stores nothing, as its file says (--fill %s:0 stores what is not 0)\n",
                 name, tile_to_double(o->tensors.dtype, k->ran.result.fill), name);
}

void compile_summary(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                     const char *check, FILE *out) {
    const figures totals = figures_of_all(k, ctx->mem), *all = &totals;
    compile_activity activity = {0};
    bool several = k->producers.len > 0;
    fprintf(out, "%s\n", o->written.expression);
    for (uint32_t i = 0; o->written.explain && i < k->choices.bindings.len; i++)
        fprintf(out, "  %u. %s\n", i + 1, k->choices.bindings.at[i]);
    if (o->written.explain && k->choices.staged && k->choices.as_written)
        fprintf(out, "  as one: %s\n", k->choices.as_written);
    if (k->choices.staged)
        fprintf(out, "  %s\n", k->choices.staged);
    if (o->written.explain)
        print_candidates(out, &k->choices.candidates);
    if (k->choices.instead)
        fprintf(out, "  another mapping; of the one first chosen: %s\n", k->choices.instead);
    for (uint32_t n = 0; n < k->producers.len; n++) {
        const compile_kernel *p = &k->producers.at[n];
        print_name(ctx, out, p);
        if (o->written.explain)
            print_masks(ctx, out, k, p);
        kernel_summary(o, ctx, out, p, ran, result_name(ctx, p));
    }
    if (several || k->on_host)
        print_name(ctx, out, k);
    if (o->written.explain)
        print_masks(ctx, out, k, k);
    kernel_summary(o, ctx, out, k, ran && !o->running.shards,
                   arena_printf(ctx->mem, "the result, check: %s", check));
    if (o->running.shards)
        fprintf(out, "  %llu %s of these runs, shard %u of %u: 'onyx merge' puts them together\n",
                (unsigned long long)all->total, plural(all->total, "cycle", "cycles"), o->running.shard,
                o->running.shards);
    if (ran && several)
        fprintf(out, "  %llu %s in all\n", (unsigned long long)all->total,
                plural(all->total, "cycle", "cycles"));
    if (ran && compile_activity_add(k, &activity))
        compile_energy_print(&activity, out);
    compile_cpu_print(&k->ran.cpu, chip_of(all), out);
    if (ran)
        compile_print_taken(k, "  ", out);
    if (ran && k->ran.result.fill)
        print_fill(o, ctx, k, out);
    const compile_times *t = &all->times;
    number_print(out, "  %.3f s to the bitstream, %.3f s in all; %s is in %s\n",
                 t->frontend + t->lower + t->place + t->route + t->bitstream, t->total,
                 o->files.passing ? "the result" : "everything",
                 o->files.passing ? strchr(o->tensors.outputs.at[0], ':') + 1 : o->files.out);
    const compile_accuracy accuracy = accuracy_of(o, k);
    const char *how_good = compile_accuracy_text(&accuracy, ctx->names, ctx->mem);
    if (how_good)
        fprintf(out, "  %s\n", how_good);
}
