/* The summary of a run for people: aligned lines, and with --explain the decisions behind the run. */
#include "engines/engines.h"
#include "frontend/lowering/lowering.h"
#include "kernel/edges.h"
#include "kernel/prebuilt.h"
#include "kernel/processor_time.h"
#include "kernel/workspace.h"
#include "report/figures.h"
#include "report/masks.h"
#include "report/report.h"
#include "report/roofline.h"
#include "support/number.h"

#include <math.h>

/* Inputs of a summary, and its destination. */
typedef struct {
    const compile_options *o;
    const compile_context *ctx;
    const compile_kernel *last; /* the result's kernel */
    bool ran;
    const char *check;
    FILE *out;
} summary;

static void print_line(const summary *s, const char *label, const char *text) {
    fprintf(s->out, "  %-9s %s\n", label, text);
}

static const char *count(const summary *s, uint64_t n) {
    return text_thousands(n, s->ctx->mem);
}

static const char *cycles(const summary *s, double n) {
    return isfinite(n) && n >= 0 ? count(s, (uint64_t)round(n)) : "?";
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *tiles_text(const summary *s, const compile_figures *f) {
    arena *mem = s->ctx->mem;
    const char *clock = f->fmax_mhz > 0 ? arena_printf(mem, " at %.0f MHz", f->fmax_mhz) : "",
               *copies = f->copies > 1 ? arena_printf(mem, "; %u copies of the kernel", f->copies) : "";
    return arena_printf(mem, "%u PE, %u MEM and %u IO tiles%s%s", f->pe, f->mem, f->io, clock, copies);
}

static const char *time_text(const summary *s, const compile_figures *f) {
    const char *took = f->time_us > 0 ? compile_time_text(f->time_us, s->ctx->mem) : NULL;
    const uint64_t host = compile_counts_host(s->o) && f->handed ? compile_host_cycles(s->o, s->last, f) : 0;
    return arena_printf(s->ctx->mem, "%s %s%s%s%s", count(s, f->total), plural(f->total, "cycle", "cycles"),
                        took ? ", " : "", took ? took : "",
                        compile_other_cycles(host, f->verify, s->ctx->mem));
}

/* Returns the sizes of a tile as "i=34, j=34, k=8"; NULL for a scalar expression (no loops). */
static const char *sizes_text(const summary *s, const compile_kernel *k) {
    const sam_statement *st = &k->lowered.statement;
    const char *text = NULL;
    for (uint32_t l = 0; k->ran.cut.edge && l < st->loops.len; l++) {
        const sam_var v = st->loops.at[l];
        text = arena_printf(s->ctx->mem, "%s%s%s=%u", text ? text : "", text ? ", " : "",
                            names_text(st->names, sam_var_at(st, v)->name), k->ran.cut.edge[v.v - 1]);
    }
    return text;
}

/* Returns "; 5 tile pairs of i=34, j=34, k=8, none empty"; "" where nothing was cut. */
static const char *tile_pairs_text(const summary *s, const compile_kernel *k, const compile_figures *f) {
    arena *mem = s->ctx->mem;
    const char *sizes = sizes_text(s, k);
    if (!k->ran.cut.counts.expected.runs)
        return "";
    const char *empty = f->skipped ? arena_printf(mem, "%s empty and skipped", count(s, f->skipped))
                        : f->tile_pairs_run == 1 ? NULL
                                                 : "none empty";
    return arena_printf(mem, "; %s tile %s%s%s%s%s", count(s, f->tile_pairs_run),
                        plural(f->tile_pairs_run, "pair", "pairs"), sizes ? " of " : "", sizes ? sizes : "",
                        empty ? ", " : "", empty ? empty : "");
}

/* Returns the lines about stalled tiles, equal to report.json. */
static text_vec stalls_of(const summary *s, const compile_kernel *k) {
    cJSON *section = cJSON_CreateObject();
    compile_stalls_json(s->ctx, &k->ran.modelled, k->ran.cycles.kernel, section);
    const text_vec lines = compile_stalls_lines(section, s->ctx->mem);
    cJSON_Delete(section);
    return lines;
}

static bool has_stalls(const compile_kernel *k) {
    return !k->on_host && k->ran.modelled.model && !k->ran.modelled.ahead;
}

/* Returns the kernel with most cycles. */
static const compile_kernel *longest(const compile_kernel *last) {
    const compile_kernel *most = last;
    for (uint32_t n = 0; n < last->producers.len; n++)
        if (last->producers.at[n].ran.cycles.total > most->ran.cycles.total)
            most = &last->producers.at[n];
    return most;
}

/* Returns what a finite memory moved, and how long the graph ran. */
static const char *memory_text(const summary *s, const compile_figures *f) {
    const compile_memory_counts *m = &f->memory;
    return arena_printf(
        s->ctx->mem,
        "the graph runs in %.0f %% of the cycles; %s bytes from DRAM, %s from the buffer, %s back",
        100 * (double)m->kernel / (double)f->total, count(s, m->fetched), count(s, m->moved), count(s, m->stored));
}

/* Returns the bound of the run: a tile of the longest kernel or, with the chip's processor, the share of each
 * part of the chip, or with a finite memory the graph's; NULL if nothing of these counted. */
static const char *bound_text(const summary *s, const compile_figures *f) {
    const compile_kernel *k = longest(s->last);
    if (f->memory.runs)
        return memory_text(s, f);
    const double total = f->total ? (double)f->total / 100 : 1;
    const text_vec lines = has_stalls(k) ? stalls_of(s, k) : (text_vec){0};
    if (lines.len)
        return s->last->producers.len
                   ? arena_printf(s->ctx->mem, "kernel %s: %s", compile_result_name(s->ctx, k), lines.at[0])
                   : lines.at[0];
    if (!f->firmware)
        return NULL;
    return arena_printf(s->ctx->mem, "array %.0f %% of the cycles, configuration %.0f %%, processor %.0f %%",
                        (double)f->kernel / total, (double)f->config / total, (double)f->firmware / total);
}

static const char *accuracy_text(const summary *s) {
    const compile_accuracy accuracy = compile_accuracy_of(s->o, s->last);
    const char *how_good = compile_accuracy_text(&accuracy, s->ctx->names, s->ctx->mem);
    const uint64_t nnz = s->last->ran.result.nnz;
    return arena_printf(s->ctx->mem, "%s%scheck: %s; %s %s in the result", how_good ? how_good : "",
                        how_good ? "; " : "", compile_accuracy_check(&accuracy, s->check), count(s, nnz),
                        plural(nnz, "nonzero", "nonzeros"));
}

/* ---- --explain --------------------------------------------------------------------------------- */

static void print_candidate_sizes(const summary *s, const compile_kernel *k) {
    for (uint32_t i = 0; i < k->tiling.candidates.len; i++) {
        const tile_candidate *c = &k->tiling.candidates.at[i];
        if (c->measured == 0)
            continue;
        const char *edges = compile_edges_text(&k->lowered.statement, c->edge, s->ctx->mem);
        if (isfinite(c->measured))
            fprintf(s->out, "    %s: %s cycles predicted, %s measured with %u %s\n", edges,
                    cycles(s, c->predicted / c->copies), cycles(s, c->measured), c->copies,
                    plural(c->copies, "copy", "copies"));
        else
            fprintf(s->out, "    %s: does not run\n", edges);
    }
}

/* Prints the chosen tile sizes, with the option to repeat the choice. */
static void print_sizes(const summary *s, const compile_kernel *k) {
    const tile_candidate *chosen = &k->tiling.expected;
    if (!k->tiling.candidates.len || !k->lowered.statement.loops.len)
        return;
    const double predicted = s->ran ? compile_predicted_cycles(k) : chosen->predicted / k->array.copies;
    const char *measured =
        s->ran ? arena_printf(s->ctx->mem, ", %s measured", count(s, k->ran.cycles.kernel)) : "";
    print_line(s, "sizes",
               arena_printf(s->ctx->mem, "--tile %s, chosen among %u: %s cycles predicted%s",
                            compile_edges_text(&k->lowered.statement, chosen->edge, s->ctx->mem),
                            k->tiling.candidates.len, cycles(s, predicted), measured));
    print_candidate_sizes(s, k);
}

static void print_splits(const summary *s, const compile_kernel *k) {
    for (uint32_t i = 0; i < k->ran.cut.counts.splits.len; i++) {
        const tile_split *split = &k->ran.cut.counts.splits.at[i];
        print_line(s, "split",
                   arena_printf(s->ctx->mem,
                                "%s %s of %s, from %s on: the largest needs %s words of a memory tile",
                                count(s, split->tiles), plural(split->tiles, "tile", "tiles"),
                                names_text(s->ctx->names, split->tensor),
                                compile_corner_text(split, 0, s->ctx->mem), count(s, split->most_words)));
    }
}

static void print_streams(const summary *s, const compile_kernel *k) {
    const sam_sharing_info *sharing = &sam_sharing_table[compile_find_sharing(k)];
    if (sharing->store != SAM_MODE_VALS)
        print_line(s, "streams",
                   arena_printf(s->ctx->mem, "one store stream for the %s of the result, in turn",
                                sam_contents_of(sharing->store)->words));
    if (sharing->load != SAM_MODE_VALS)
        print_line(s, "streams",
                   arena_printf(s->ctx->mem, "one load stream for the %s of each operand, in turn",
                                sam_contents_of(sharing->load)->words));
}

static void print_copies(const summary *s, const compile_kernel *k) {
    arena *mem = s->ctx->mem;
    const uint32_t n = k->array.copies;
    const uint64_t passes = k->ran.cut.passes;
    const compile_bank_load *load = &k->array.dispatch.load;
    if (passes && k->array.independent)
        print_line(s, "copies", arena_printf(mem, "%u, each takes the next tile pair when it is free", n));
    else if (passes && n > 1)
        print_line(s, "copies",
                   arena_printf(mem, "%u, which start together %s %s", n, count(s, passes),
                                plural(passes, "time", "times")));
    if (load->banks)
        print_line(
            s, "banks",
            arena_printf(mem, "%u banks of %s of %s, dealt to %u copies: %s entries at most, %.2f on average",
                         load->banks, load->index, load->operand, n, count(s, load->fullest),
                         (double)load->entries / n));
    if (n > 1 && k->array.dispatch.tile_pairs)
        print_line(
            s, "dispatch",
            arena_printf(mem, "%s (%s)", k->array.independent ? "dynamic" : "sorted", k->array.dispatch.why));
}

/* Prints formats and orders of loops with free streams for more copies of the kernel. */
static void print_freed(const summary *s, const compile_stream_relief *f) {
    arena *mem = s->ctx->mem;
    for (uint32_t i = 0; i < f->by.len; i++) {
        const compile_freeing *one = &f->by.at[i];
        const char *cost = isfinite(one->cycles) ? arena_printf(mem, "%s cycles predicted, %s now",
                                                                cycles(s, one->cycles), cycles(s, f->cycles))
                           : isfinite(f->cycles)
                               ? arena_printf(mem, "no fewer than %s cycles predicted", cycles(s, f->cycles))
                               : "cycles unknown without data";
        print_line(s, "streams",
                   arena_printf(
                       mem, "%s makes room for %u %s (%u load and %u store streams each, %u and %u now): %s",
                       one->how, one->copies, plural(one->copies, "copy", "copies"), one->loads, one->stores,
                       f->loads, f->stores, cost));
    }
}

static void print_masks(const summary *s, const compile_kernel *k) {
    const compile_masks masks = k->on_host ? (compile_masks){0} : compile_masks_of(s->last, k, s->ctx->mem);
    for (uint32_t i = 0; i < masks.len; i++)
        fprintf(s->out, "  %s\n", masks.at[i].why);
}

static void print_repacked(const summary *s, const compile_kernel *k) {
    for (uint32_t t = 1; t <= k->lowered.statement.tensors.len; t++) {
        const char *text = fe_repacked(&k->lowered.statement, (sam_tensor){t}, s->ctx->mem);
        if (text)
            print_line(s, "operands", arena_printf(s->ctx->mem, "the host re-packs %s", text));
    }
}

static void print_waits(const summary *s, const compile_kernel *k) {
    const text_vec lines = has_stalls(k) ? stalls_of(s, k) : (text_vec){0};
    for (uint32_t i = 1; i < lines.len; i++)
        print_line(s, "waits", lines.at[i]);
}

static void print_roofline(const summary *s, const compile_kernel *k) {
    if (!k->ran.modelled.model)
        return;
    cJSON *section = cJSON_CreateObject();
    compile_roofline_json(s->ctx, k, section);
    const text_vec lines = compile_roofline_lines(section, k->ran.cycles.kernel, s->ctx->mem);
    cJSON_Delete(section);
    print_line(s, "roofline", lines.at[0]);
    print_line(s, "spent", lines.at[1]);
}

/* --explain: the decisions about a kernel on the array. */
static void explain_kernel(const summary *s, const compile_kernel *k) {
    compile_figures f = {0};
    print_masks(s, k);
    if (k->on_host)
        return;
    compile_figures_add(k, s->ctx->mem, &f);
    if (k->choices.chosen)
        print_line(s, "chosen", k->choices.chosen);
    if (k->lowered.statement.loops.len)
        fprintf(s->out, "  %s\n", compile_workspace_on_array(k, s->ctx->mem));
    print_repacked(s, k);
    if (f.words.len)
        print_line(s, "bits",
                   arena_printf(s->ctx->mem,
                                "%s configuration words, read back and found equal to the routed netlist",
                                count(s, f.words.len / 2)));
    print_sizes(s, k);
    print_splits(s, k);
    print_streams(s, k);
    print_copies(s, k);
    print_freed(s, &k->choices.freed);
    print_waits(s, k);
    print_roofline(s, k);
}

/* --explain: other forms of the statement, and why each lost. */
static void print_candidates(const summary *s, const compile_candidates *all) {
    for (uint32_t i = 0; i < all->len; i++) {
        const compile_candidate *one = &all->at[i];
        const char *how = *one->schedule ? one->schedule : one->by_hand;
        fprintf(s->out, "  candidate %s, %s (%s%s): ", one->name, one->what, *one->schedule ? "-s " : "",
                how);
        if (one->refused)
            fputs("the chip cannot run it\n", s->out);
        else if (isfinite(one->cycles))
            fprintf(s->out, "%s cycles predicted, %s without: %s\n", cycles(s, one->cycles),
                    cycles(s, one->before), one->taken ? "taken" : "not worth it");
        else
            fprintf(s->out, "not predicted to take enough less than %s cycles\n", cycles(s, one->before));
    }
}

/* --explain: the forms of the statement, found and tried. */
static void explain_statement(const summary *s) {
    const compile_choices *choices = &s->last->choices;
    for (uint32_t i = 0; i < choices->bindings.len; i++)
        fprintf(s->out, "  %u. %s\n", i + 1, choices->bindings.at[i]);
    if (choices->staged && choices->as_written)
        print_line(s, "as one", choices->as_written);
    print_candidates(s, &choices->candidates);
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Returns the host's loaded words for an operand with a stated region. */
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

const char *compile_processor_text(const compile_processed *p, arena *mem) {
    const double calls = p->calls ? (double)p->calls : 1;
    const char *each = p->calls < 2 ? ""
                                    : arena_printf(mem, " (each %.4g words, %.0f cycles)",
                                                   (double)p->words / calls, (double)p->cycles / calls);
    const char *overlapped = p->overlapped
                                 ? arena_printf(mem, ", %llu of them while the array was waited for",
                                                (unsigned long long)p->overlapped)
                                 : "";
    return arena_printf(mem, "%s: %llu %s of %llu words, %llu cycles in them%s%s%s", p->names,
                        (unsigned long long)p->calls, plural(p->calls, "call", "calls"),
                        (unsigned long long)p->words, (unsigned long long)p->cycles,
                        p->measured ? "" : " expected", each, overlapped);
}

/* Returns "12 values computed, 9 nonzeros" of a kernel on the host, behind the work of the chip's processor.
 */
static const char *on_host_text(const summary *s, const compile_kernel *k) {
    arena *mem = s->ctx->mem;
    const uint64_t n = k->ran.computed, nnz = k->ran.result.nnz;
    const char *own = k->ran.processor.names ? arena_printf(mem, "%s; %s cycles; ",
                                                            compile_processor_text(&k->ran.processor, mem),
                                                            count(s, k->ran.cycles.total))
                                             : "";
    return arena_printf(mem, "%s%s %s computed, %s %s", own, count(s, n), plural(n, "value", "values"),
                        count(s, nnz), plural(nnz, "nonzero", "nonzeros"));
}

/* Prints a line for a kernel of several, or on the host. */
static void print_kernel(const summary *s, const compile_kernel *k) {
    arena *mem = s->ctx->mem;
    const char *where = k->on_processor ? "on the chip's processor"
                        : !k->on_host   ? arena_printf(mem, "in %s", k->final_folder)
                        : k->calls.call ? arena_printf(mem, "on the host: %s", k->calls.name)
                                        : "on the host";
    compile_figures f = {0};
    compile_figures_add(k, mem, &f);
    const char *tiles = k->on_host ? NULL : tiles_text(s, &f),
               *ran = !s->ran || (s->o->running.shards && !k->ran.modelled.model) ? NULL
                      : k->on_host                                                ? on_host_text(s, k)
                                   : arena_printf(mem, "%s%s; %s %s", time_text(s, &f),
                                                  tile_pairs_text(s, k, &f), count(s, k->ran.result.nnz),
                                                  plural(k->ran.result.nnz, "nonzero", "nonzeros"));
    fprintf(s->out, "  kernel %s, %s%s%s%s%s\n", compile_result_name(s->ctx, k), where, tiles ? "; " : "",
            tiles ? tiles : "", ran ? "; " : "", ran ? ran : "");
}

/* Prints facts about a kernel for every user. */
static void print_notices(const summary *s, const compile_kernel *k) {
    const host_outcome *host = &k->ran.host;
    if (k->prebuilt)
        print_line(s, "prebuilt",
                   arena_printf(s->ctx->mem, "the bitstream of %s%s",
                                names_text(s->ctx->names, k->prebuilt->name),
                                k->prebuilt->emit ? ", made for this shape and kept for the next call"
                                                  : ", as it is: nothing was placed or routed"));
    if (k->choices.instead)
        print_line(s, "fallback",
                   arena_printf(s->ctx->mem, "another mapping; of the first: %s", k->choices.instead));
    if (!k->on_host)
        compile_regions_summary(s->ctx, k, s->out);
    if (host->batches > 1)
        print_line(s, "board",
                   arena_printf(s->ctx->mem,
                                "%u batches with %s: %.1f s to load, %.1f s waited, %.1f s to collect",
                                host->batches,
                                host->buffers > 1 ? "two buffers" : "one buffer (--buffers 2 makes two)",
                                host->seconds.load, host->seconds.wait, host->seconds.collect));
    if (host->found == HOST_FOUND_READY)
        print_line(s, "board", "the board was found ready: not loaded, and not configured again");
}

/* Prints six lines: tiles and clock; time; bound; processor; type; energy. */
static void print_outcome(const summary *s, const compile_figures *all) {
    compile_activity activity = {0};
    const compile_kernel *k = s->last;
    const bool several = k->producers.len || k->on_host;
    const char *bound = s->ran ? bound_text(s, all) : NULL,
               *processor = compile_processor_range(all->config + all->firmware, all->lag, s->ctx->mem);
    if (!several && all->pe + all->mem + all->io)
        print_line(s, "tiles", tiles_text(s, all));
    if (s->ran)
        print_line(
            s, "time",
            arena_printf(s->ctx->mem, "%s%s", time_text(s, all), several ? "" : tile_pairs_text(s, k, all)));
    if (bound)
        print_line(s, "bound", bound);
    if (s->ran && processor)
        print_line(s, "processor", processor);
    if (s->o->tensors.type_why)
        print_line(s, "type", s->o->tensors.type_why);
    if (s->ran && compile_activity_add(k, &activity))
        print_line(s, "energy", compile_energy_text(&activity, s->ctx->mem));
}

/* Prints the value at coordinates left out of the result's file. */
static void print_fill(const summary *s) {
    const compile_kernel *k = s->last;
    const char *name = compile_result_name(s->ctx, k);
    number_print(s->out, "  %s is %g where its file stores nothing (--fill %s:0 stores every value but 0)\n",
                 name, ldexp(tile_to_double(s->o->tensors.dtype, k->ran.result.fill), -k->ran.result.scale),
                 name);
}

/* Prints the folder, the command's time, and the option for more. */
static void print_files(const summary *s, const compile_times *t) {
    const compile_options *o = s->o;
    const bool asks = !o->written.explain && !s->last->on_host && s->last->lowered.statement.tensors.len;
    number_print(s->out, "  %s is in %s; %.3f s to the bitstream, %.3f s in all%s\n",
                 o->files.passing ? "the result" : "everything",
                 o->files.passing ? strchr(o->tensors.outputs.at[0], ':') + 1 : o->files.out,
                 t->frontend + t->lower + t->place + t->route + t->bitstream, t->total,
                 asks ? "; --explain adds sizes, dispatch and candidates" : "");
}

/* Prints the share of the runs that was made, and the command for the next ones. */
static void print_shard(const summary *s) {
    const compile_run_options *how = &s->o->running;
    const compile_kernel *made = compile_without_shards(s->o, s->ctx, s->last);
    if (made && made != s->last)
        fprintf(s->out,
                "  shard %u of %u of kernel %s: 'onyx merge --shard I/N' takes them all, and makes shards of "
                "the next kernel\n",
                how->shard, how->shards, compile_result_name(s->ctx, made));
    else
        fprintf(s->out, "  shard %u of %u: 'onyx merge' puts them together\n", how->shard, how->shards);
}

void compile_summary(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                     const char *check, FILE *out) {
    const summary s = {o, ctx, k, ran, check, out};
    const compile_figures all = compile_figures_of_all(k, ctx->mem);
    const bool several = k->producers.len || k->on_host;
    fprintf(out, "%s\n", o->written.expression);
    if (k->choices.staged)
        print_line(&s, "form", k->choices.staged);
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        if (several)
            print_kernel(&s, one);
        print_notices(&s, one);
    }
    print_outcome(&s, &all);
    if (o->running.shards)
        print_shard(&s);
    compile_cpu_print(&k->ran.cpu, compile_chip_of(&all), out);
    if (ran)
        compile_print_taken(k, "  ", out);
    if (ran && k->ran.result.fill)
        print_fill(&s);
    if (o->written.explain)
        explain_statement(&s);
    for (uint32_t n = 0; o->written.explain && n <= k->producers.len; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        if (several && !one->on_host)
            fprintf(out, "  of kernel %s:\n", compile_result_name(ctx, one));
        explain_kernel(&s, one);
    }
    print_files(&s, &all.times);
    if (ran && !o->running.shards)
        print_line(&s, "accuracy", accuracy_text(&s));
}
