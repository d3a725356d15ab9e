/* report.json. */
#include "report/report.h"
#include "engines/engines.h"
#include "frontend/lowering/lowering.h"
#include "kernel/edges.h"
#include "kernel/prebuilt.h"
#include "kernel/processor_time.h"
#include "kernel/workspace.h"
#include "report/accuracy.h"
#include "report/cpu.h"
#include "report/energy.h"
#include "report/figures.h"
#include "report/masks.h"
#include "report/roofline.h"
#include "report/tensors.h"
#include "sam/operators.h"
#include "support/number.h"

#include <math.h>

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

/* Adds checksums of passes without a file; compile_publish adds the rest. */
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

static void add_figures(cJSON *json, const compile_figures *f, arena *mem) {
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
    add_number(sub, "total", (double)f->tile_pairs);
    add_number(sub, "run", (double)f->tile_pairs_run);
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
    compile_processor_range_json(f->config + f->firmware, f->lag, cycles);
    if (f->memory.runs) {
        cJSON *memory = add_object(json, "memory");
        add_number(memory, "graph_cycles", (double)f->memory.kernel);
        add_number(memory, "fetched_bytes", (double)f->memory.fetched);
        add_number(memory, "loaded_bytes", (double)f->memory.moved);
        add_number(memory, "stored_bytes", (double)f->memory.stored);
    }
    add_number(json, "fmax_mhz", f->fmax_mhz);
    add_number(json, "time_us", f->time_us);
    if (f->cpu_s > 0) {
        cJSON *simulation = add_object(json, "simulation");
        add_number(simulation, "build_s", f->build_s);
        add_number(simulation, "cpu_s", f->cpu_s);
        add_number(simulation, "cycles_per_second", (double)f->kernel / f->cpu_s);
    }
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
        add_number(item, "predicted", round(c->predicted));
        cJSON_AddBoolToObject(item, "complete", c->complete);
        if (c->measured == 0)
            continue;
        add_number(item, "copies", c->copies);
        add_number(item, "measured", isfinite(c->measured) ? round(c->measured) : -1);
    }
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
    cJSON_AddStringToObject(tiling, "streams", sam_sharing_table[compile_find_sharing(k)].word);
    add_number(tiling, "mem_words", counts->most_words);
    add_number(tiling, "bank_words", (double)counts->most_bank_words);
    add_number(tiling, "glb_tiles", (double)counts->glb_tiles);
    add_number(tiling, "loads", (double)counts->loads);
    add_number(tiling, "load_words", (double)counts->load_words);
    add_number(tiling, "batches", k->ran.cut.batches);
    add_number(tiling, "predicted", compile_predicted_cycles(k));
    cJSON *work = add_object(tiling, "work");
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        add_number(work, tile_work_name[i], round(counts->expected.work[i]));
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
            cJSON_AddItemToArray(corners, cJSON_CreateString(compile_corner_text(split, c, ctx->mem)));
    }
}

static void add_dispatch(cJSON *json, const compile_array *a) {
    const compile_dispatch *d = &a->dispatch;
    static const char *const names[] = {"inorder", "sorted", "dynamic", "banks"}; /* as tile_dispatch */
    cJSON *dispatch = add_object(json, "dispatch");
    cJSON_AddStringToObject(dispatch, "how", names[d->how]);
    if (d->why)
        cJSON_AddStringToObject(dispatch, "why", d->why);
    if (d->tile_pairs) {
        add_number(dispatch, "pair", round(d->pair_cycles));
        add_number(dispatch, "predicted_sorted", round(d->sorted));
        add_number(dispatch, "predicted_dynamic", round(d->dynamic));
    }
    if (d->load.banks) {
        cJSON_AddStringToObject(dispatch, "operand", d->load.operand);
        cJSON_AddStringToObject(dispatch, "index", d->load.index);
        add_number(dispatch, "banks", d->load.banks);
        add_number(dispatch, "entries_most", (double)d->load.fullest);
        add_number(dispatch, "entries_mean", (double)d->load.entries / a->copies);
    }
}

/* Adds the streams missing for copies of a kernel, and the ways to free some. */
static void add_freed(cJSON *json, const compile_stream_relief *f) {
    cJSON *freed = add_object(json, "freed");
    add_number(freed, "loads", f->loads);
    add_number(freed, "stores", f->stores);
    add_number(freed, "room", f->room);
    if (isfinite(f->cycles))
        add_number(freed, "expected", round(f->cycles));
    cJSON *by = cJSON_AddArrayToObject(freed, "by");
    for (uint32_t i = 0; i < f->by.len; i++) {
        const compile_freeing *one = &f->by.at[i];
        cJSON *item = json_add_item(by);
        cJSON_AddStringToObject(item, "how", one->how);
        add_number(item, "loads", one->loads);
        add_number(item, "stores", one->stores);
        add_number(item, "copies", one->copies);
        if (isfinite(one->cycles))
            add_number(item, "expected", round(one->cycles));
    }
}

/* Adds the host's work for a board. */
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

/* Adds the savings of a kernel's masks, if any. */
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

/* Operands of a program's statement are reported with its passes. */
static void add_placed(const compile_context *ctx, const compile_kernel *k, cJSON *json) {
    cJSON *list = k->placed.len && !k->chip.session ? cJSON_AddArrayToObject(json, "operands") : NULL;
    for (uint32_t p = 0; list && p < k->placed.len; p++)
        compile_placed_json(ctx, &k->placed.at[p], list);
}

/* Adds details of a single kernel, one of those before the last. */
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
    const char *described = k->prebuilt || last != k ? NULL : compile_describe(o, ctx, k);
    if (described)
        cJSON_AddStringToObject(json, "description", described);
    if (k->prebuilt)
        cJSON_AddStringToObject(json, "given", k->prebuilt->folder);
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
        compile_stalls_json(ctx, &k->ran.modelled, k->ran.cycles.kernel, json);
    if (k->ran.modelled.model) {
        compile_hazards_json(&k->ran.modelled, json);
        compile_roofline_json(ctx, k, json);
    }
}

void compile_processor_json(const compile_processed *p, cJSON *json) {
    if (!p->names)
        return;
    cJSON *own = cJSON_AddObjectToObject(json, "processor");
    cJSON_AddStringToObject(own, "functions", p->names);
    add_number(own, "calls", (double)p->calls);
    add_number(own, "words", (double)p->words);
    add_number(own, "cycles", (double)p->cycles);
    if (p->overlapped)
        add_number(own, "beside", (double)p->overlapped);
    if (p->calls) {
        cJSON *each = cJSON_AddObjectToObject(own, "per_call");
        add_number(each, "words", (double)p->words / (double)p->calls);
        add_number(each, "cycles", (double)p->cycles / (double)p->calls);
    }
    cJSON_AddBoolToObject(own, "measured", p->measured);
}

static cJSON *host_kernel_json(const compile_context *ctx, const compile_kernel *k) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "tensor", compile_result_name(ctx, k));
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
    compile_figures f = {0};
    compile_figures_add(k, ctx->mem, &f);
    cJSON_AddStringToObject(json, "tensor", compile_result_name(ctx, k));
    add_figures(json, &f, ctx->mem);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    add_details(json, o, ctx, last, k);
    add_wall(json, &f.times);
    return json;
}

/* Peak memory of this program in MiB; getrusage would count its parent process, too. 0 without /proc. */
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

cJSON *compile_report(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                      const char *check) {
    const compile_figures totals = compile_figures_of_all(k, ctx->mem), *all = &totals;
    compile_activity activity = {0};
    cJSON *json = compile_begin_report(o, "expression", ran, check);
    compile_type_json(o, &k->user, ctx->names, json);
    const compile_accuracy accuracy = compile_accuracy_of(o, k);
    compile_accuracy_json(&accuracy, ctx->names, json);
    compile_tensors_json(&accuracy, ctx->names, json);
    compile_warnings_json(ctx->diag, json);
    if (o->running.shards) {
        cJSON *shard = cJSON_AddObjectToObject(json, "shard");
        add_number(shard, "number", o->running.shard);
        add_number(shard, "of", o->running.shards);
        if (k->producers.len)
            cJSON_AddStringToObject(shard, "kernel",
                                    compile_result_name(ctx, compile_without_shards(o, ctx, k)));
    }
    add_figures(json, all, ctx->mem);
    if (compile_counts_host(o) && all->handed)
        add_number(cJSON_GetObjectItem(json, "cycles"), "host", (double)compile_host_cycles(o, k, all));
    if (compile_activity_add(k, &activity))
        compile_energy_json(&activity, json);
    compile_cpu_json(&k->ran.cpu, compile_chip_of(all), json);
    add_number(json, "result_nnz", (double)k->ran.result.nnz);
    if (k->ran.result.fill)
        compile_number_json(
            json, "fill", ldexp(tile_to_double(o->tensors.dtype, k->ran.result.fill), -k->ran.result.scale));
    if (k->choices.staged)
        cJSON_AddStringToObject(json, "chosen", k->choices.staged);
    if (k->producers.len || k->on_host) {
        cJSON *kernels = cJSON_AddArrayToObject(json, "kernels");
        for (uint32_t n = 0; n <= k->producers.len; n++)
            cJSON_AddItemToArray(kernels, kernel_json(o, ctx, k, compile_kernel_at(k, n)));
    } else {
        add_details(json, o, ctx, k, k);
    }
    add_checksums(json, k, ran, ctx->mem);
    add_wall(json, &all->times);
    add_number(json, "peak_rss_mb", peak_rss_mb());
    return json;
}
