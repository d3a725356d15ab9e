/* Engine cycle: the decoded bitstream in the C cycle model, run on the plan's blocks; and what it says about
 * who waited for whom and about what the chip would get wrong. */
#include "rtl_models/cycle_load.h"

#include "cli/cli.h"

#include <stdlib.h>

enum { SHOWN = 3 }; /* bottlenecks and channels of the summary */

typedef struct {
    VEC(cycle_stream) streams; /* inputs in the order of their columns, then outputs */
    VEC(uint32_t) columns;
    uint32_t inputs;
} edge;

static void add_streams(cli_session *s, const pnr_design *d, bool output, edge *e) {
    for (uint32_t x = 0; x < d->board->width; x++) {
        for (uint32_t c = 0; c < d->net->cells.len; c++) {
            const net_cell_data *cell = &d->net->cells.at[c];
            if (net_mode_table[cell->mode].tile != NET_TILE_IO || cell->output != output ||
                d->site.at[c].x != x)
                continue;
            vec_push(&s->mem, &e->streams, (cycle_stream){.cell = c});
            vec_push(&s->mem, &e->columns, x);
        }
    }
}

static void set_run(edge *e, const tile_plan *plan, uint32_t run) {
    const uint32_t *blocks = &plan->run_block.at[plan->runs.at[run].block_first];
    for (uint32_t i = 0; i < e->streams.len; i++) {
        cycle_stream *s = &e->streams.at[i];
        *s = (cycle_stream){.cell = s->cell};
        if (i < e->inputs) {
            const tile_block *block = &plan->inputs.at[i].blocks.at[blocks[i]];
            s->words = plan->words.at + block->first;
            s->length = block->length;
        } else {
            s->blocks = plan->outputs.at[i - e->inputs].num_blocks;
        }
    }
}

static void write_trace(FILE *out, const edge *e, uint32_t run) {
    for (uint32_t i = 0; i < e->streams.len && out; i++) {
        const u32_vec *stamp = &e->streams.at[i].stamp;
        fprintf(out, "run %u %s %u:", run, i < e->inputs ? "in" : "out", e->columns.at[i]);
        for (uint32_t k = 0; k < stamp->len; k++)
            fprintf(out, " %u", stamp->at[k]);
        fputc('\n', out);
    }
}

static void explain_stuck(cli_session *s, const edge *e, const cycle_model *m, uint32_t run,
                          uint64_t cycles) {
    const char *ends = "";
    for (uint32_t i = 0; i < e->streams.len; i++) {
        const cycle_stream *t = &e->streams.at[i];
        if (i < e->inputs)
            ends = arena_printf(&s->mem, "%s  input column %u: %u of %u words taken\n", ends,
                                e->columns.at[i], t->taken, t->length);
        else
            ends = arena_printf(&s->mem, "%s  output column %u: %u of %u blocks, %u words\n", ends,
                                e->columns.at[i], t->taken, t->blocks, t->got.len);
    }
    diag_error(&s->diag, (src_loc){0}, "E0802-cycle-stuck",
               "run %u: nothing moves any more after %llu cycles", run, (unsigned long long)cycles);
    diag_hint(&s->diag, "tokens at the heads, and who waits for whom:\n%s%s", ends,
              cycle_wait_graph(m, &s->mem));
}

/* "5", "S1", "N", "D" */
static const char *token_text(cli_session *s, uint32_t token) {
    static const char *const control[] = {"S", "D", "N", "R"};
    if (!(token >> 16))
        return arena_printf(&s->mem, "%u", token);
    const char *name = control[token >> 8 & 3];
    return *name == 'S' ? arena_printf(&s->mem, "S%u", token & 0xff) : name;
}

static bool report_hazards(const cli_options *o, cli_session *s, const cycle_design *design,
                           cycle_model *model) {
    const cycle_hazards *all = cycle_hazards_of(model);
    bool safe = true;
    for (uint32_t i = 0; i < all->len; i++)
        safe &= !cycle_hazard_certain(all->at[i].kind);
    for (uint32_t i = 0; i < all->len && o->hazards != HAZARDS_OFF; i++) {
        const cycle_hazard *h = &all->at[i];
        const char *tokens = h->tokens ? " at" : "", *times = "";
        for (uint32_t t = 0; t < h->tokens; t++)
            tokens = arena_printf(&s->mem, "%s %s", tokens, token_text(s, h->token[t]));
        if (h->count > 1)
            times = arena_printf(&s->mem, " (%llu times)", (unsigned long long)h->count);
        const char *text =
            arena_printf(&s->mem, "the chip %s be wrong here: %s: %s; run %u, cycle %llu%s%s",
                         cycle_hazard_certain(h->kind) ? "would" : "may", design->cells.at[h->cell].name,
                         cycle_hazard_what[h->kind], h->run, (unsigned long long)h->cycle, tokens, times);
        if (o->hazards == HAZARDS_WARN || !cycle_hazard_certain(h->kind)) {
            diag_warning(&s->diag, (src_loc){0}, "E0803-hazard", "%s", text);
            continue;
        }
        diag_unmappable(&s->diag, (src_loc){0}, "E0803-hazard", "%s", text);
        diag_hint(&s->diag, "hazard '%s' of docs/cycle.md; --hazards warn goes on, our RTL does it right",
                  cycle_hazard_name[h->kind]);
    }
    return safe || o->hazards != HAZARDS_ERROR;
}

bool cli_run_cycle(const cli_options *o, cli_session *s, cli_kernel *k, const tile_plan *plan,
                   tile_collector *c, cli_outcome *out) {
    cycle_design *design = arena_new(&s->mem, cycle_design);
    edge e = {{0}, {0}, 0};
    file_out trace = {0};
    if (!cycle_load(&k->decoded, k->map, &s->mem, &s->diag, design))
        return false;
    cycle_model *m = cycle_build(design, &s->mem);
    add_streams(s, &k->decoded, false, &e);
    e.inputs = e.streams.len;
    add_streams(s, &k->decoded, true, &e);
    if (o->io_trace &&
        !(tile_job_write(plan, arena_printf(&s->mem, "%s/job.bin", o->out), &s->diag) &&
          file_create(&trace, arena_printf(&s->mem, "%s/io.trace", o->out), &s->mem, &s->diag)))
        return false;
    const uint16_t **words = arena_new_n(&s->mem, const uint16_t *, e.streams.len + 1);
    uint32_t *lengths = arena_new_n(&s->mem, uint32_t, e.streams.len + 1);
    bool ok = true;
    for (uint32_t run = 0; run < plan->runs.len && ok; run++) {
        arena scratch = {0};
        uint64_t cycles = 0;
        set_run(&e, plan, run);
        ok = cycle_run(m, e.streams.at, e.streams.len, o->io_trace, &scratch, &cycles) == CYCLE_DONE;
        if (!ok)
            explain_stuck(s, &e, m, run, cycles);
        write_trace(trace.stream, &e, run);
        for (uint32_t i = e.inputs; i < e.streams.len; i++) {
            words[i - e.inputs] = e.streams.at[i].got.at;
            lengths[i - e.inputs] = e.streams.at[i].got.len;
        }
        ok = ok && tile_collect_run(c, run, words, lengths, &s->diag);
        out->kernel_cycles += cycles;
        arena_free(&scratch);
    }
    if (o->io_trace)
        ok = file_commit(&trace, &s->diag) && ok;
    out->total_cycles = out->kernel_cycles;
    out->model = m;
    out->design = design;
    return report_hazards(o, s, design, m) && ok;
}

/* ---- stalls ---------------------------------------------------------------------------------- */

static int by_waiting(const void *a, const void *b) {
    const cycle_channel *x = a, *y = b;
    uint64_t wx = x->stalled + x->held, wy = y->stalled + y->held;
    if (wx != wy)
        return wx < wy ? 1 : -1;
    if (x->net != y->net)
        return x->net < y->net ? -1 : 1;
    return x->sink < y->sink ? -1 : x->sink > y->sink;
}

/* Channels, those whose producer waited most first. */
static void sorted_channels(cli_session *s, const cli_outcome *out, cycle_channels *channels) {
    cycle_channels_of(out->model, &s->mem, channels);
    if (channels->len)
        qsort(channels->at, channels->len, sizeof *channels->at, by_waiting);
}

static const char *end_text(cli_session *s, const cycle_design *d, uint32_t cell, const char *const *ports,
                            uint32_t port) {
    return arena_printf(&s->mem, "%s %s", d->cells.at[cell].name, ports[port] ? ports[port] : "?");
}

static const char *from_text(cli_session *s, const cycle_design *d, const cycle_channel *c) {
    const cycle_net *net = &d->nets.at[c->net];
    return end_text(s, d, net->cell, d->cells.at[net->cell].port_out, net->port);
}

static const char *to_text(cli_session *s, const cycle_design *d, const cycle_channel *c) {
    const cycle_sink *sink = &d->nets.at[c->net].sinks.at[c->sink];
    return end_text(s, d, sink->cell, d->cells.at[sink->cell].port_in, sink->port);
}

void cli_stalls_json(cli_session *s, const cli_outcome *out, cJSON *report) {
    cycle_channels channels;
    cycle_bottlenecks bottlenecks;
    cJSON *list = cJSON_AddArrayToObject(report, "stalls");
    sorted_channels(s, out, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "from", from_text(s, out->design, c));
        cJSON_AddStringToObject(one, "to", to_text(s, out->design, c));
        cJSON_AddNumberToObject(one, "moved", (double)c->moved);
        cJSON_AddNumberToObject(one, "stalled", (double)c->stalled);
        cJSON_AddNumberToObject(one, "held", (double)c->held);
        cJSON_AddNumberToObject(one, "starved", (double)c->starved);
        cJSON_AddNumberToObject(one, "idle", (double)c->idle);
        cJSON_AddItemToArray(list, one);
    }
    list = cJSON_AddArrayToObject(report, "bottlenecks");
    cycle_bottlenecks_of(out->model, &s->mem, &bottlenecks);
    for (uint32_t i = 0; i < bottlenecks.len; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "tile", out->design->cells.at[bottlenecks.at[i].cell].name);
        cJSON_AddNumberToObject(one, "cycles", (double)bottlenecks.at[i].cycles);
        cJSON_AddItemToArray(list, one);
    }
    list = cJSON_AddArrayToObject(report, "hazards");
    const cycle_hazards *hazards = cycle_hazards_of(out->model);
    for (uint32_t i = 0; i < hazards->len; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "hazard", cycle_hazard_name[hazards->at[i].kind]);
        cJSON_AddStringToObject(one, "tile", out->design->cells.at[hazards->at[i].cell].name);
        cJSON_AddNumberToObject(one, "run", hazards->at[i].run);
        cJSON_AddNumberToObject(one, "cycle", (double)hazards->at[i].cycle);
        cJSON_AddNumberToObject(one, "count", (double)hazards->at[i].count);
        cJSON_AddItemToArray(list, one);
    }
}

void cli_stalls_print(cli_session *s, const cli_outcome *out) {
    cycle_channels channels;
    cycle_bottlenecks bottlenecks;
    double total = out->kernel_cycles ? (double)out->kernel_cycles : 1;
    cycle_bottlenecks_of(out->model, &s->mem, &bottlenecks);
    const char *most = "";
    for (uint32_t i = 0; i < bottlenecks.len && i < SHOWN; i++)
        most = arena_printf(&s->mem, "%s%s%s (%.0f %% of the cycles)", most, i ? ", " : "",
                            out->design->cells.at[bottlenecks.at[i].cell].name,
                            (double)bottlenecks.at[i].cycles * 100 / total);
    if (*most)
        printf("  others waited most for %s\n", most);
    sorted_channels(s, out, &channels);
    for (uint32_t i = 0; i < channels.len && i < SHOWN; i++) {
        const cycle_channel *c = &channels.at[i];
        if (c->stalled + c->held == 0)
            return;
        printf("    %s waited %.0f %% for %s\n", from_text(s, out->design, c),
               (double)(c->stalled + c->held) * 100 / total, to_text(s, out->design, c));
    }
}
