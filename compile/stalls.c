/* Who waited for whom in engine cycle, and the hazards met: for report.json and for the summary. */
#include "compile/report.h"

#include <stdlib.h>

enum { SHOWN = 3 }; /* bottlenecks and channels of the summary */

static int by_waiting(const void *a, const void *b) {
    const cycle_channel *x = a, *y = b;
    uint64_t wx = x->stalled + x->held, wy = y->stalled + y->held;
    if (wx != wy)
        return wx < wy ? 1 : -1;
    if (x->net != y->net)
        return x->net < y->net ? -1 : 1;
    return x->sink < y->sink ? -1 : x->sink > y->sink;
}

/* Lists the channels, those whose producer waited most first. */
static void sorted_channels(const compile_context *ctx, const compile_modelled *met,
                            cycle_channels *channels) {
    cycle_channels_of(met->model, ctx->mem, channels);
    if (channels->len)
        qsort(channels->at, channels->len, sizeof *channels->at, by_waiting);
}

static const char *end_text(const compile_context *ctx, const cycle_design *d, uint32_t cell,
                            const char *const *ports, uint32_t port) {
    return arena_printf(ctx->mem, "%s %s", d->cells.at[cell].name, ports[port] ? ports[port] : "?");
}

static const char *from_text(const compile_context *ctx, const cycle_design *d, const cycle_channel *c) {
    const cycle_net *net = &d->nets.at[c->net];
    return end_text(ctx, d, net->cell, d->cells.at[net->cell].port_out, net->port);
}

static const char *to_text(const compile_context *ctx, const cycle_design *d, const cycle_channel *c) {
    const cycle_sink *sink = &d->nets.at[c->net].sinks.at[c->sink];
    return end_text(ctx, d, sink->cell, d->cells.at[sink->cell].port_in, sink->port);
}

void compile_stalls_json(const compile_context *ctx, const compile_modelled *met, cJSON *json) {
    cycle_channels channels;
    cycle_bottlenecks bottlenecks;
    cJSON *list = cJSON_AddArrayToObject(json, "stalls");
    sorted_channels(ctx, met, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "from", from_text(ctx, met->design, c));
        cJSON_AddStringToObject(one, "to", to_text(ctx, met->design, c));
        cJSON_AddNumberToObject(one, "moved", (double)c->moved);
        cJSON_AddNumberToObject(one, "stalled", (double)c->stalled);
        cJSON_AddNumberToObject(one, "held", (double)c->held);
        cJSON_AddNumberToObject(one, "starved", (double)c->starved);
        cJSON_AddNumberToObject(one, "idle", (double)c->idle);
    }
    list = cJSON_AddArrayToObject(json, "bottlenecks");
    cycle_bottlenecks_of(met->model, ctx->mem, &bottlenecks);
    for (uint32_t i = 0; i < bottlenecks.len; i++) {
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "tile", met->design->cells.at[bottlenecks.at[i].cell].name);
        cJSON_AddNumberToObject(one, "cycles", (double)bottlenecks.at[i].cycles);
    }
}

void compile_hazards_json(const compile_modelled *met, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "hazards");
    const cycle_hazards *hazards = cycle_hazards_of(met->model);
    for (uint32_t i = 0; i < hazards->len; i++) {
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "hazard", cycle_hazard_name[hazards->at[i].kind]);
        cJSON_AddStringToObject(one, "tile", met->design->cells.at[hazards->at[i].cell].name);
        cJSON_AddNumberToObject(one, "run", hazards->at[i].run);
        cJSON_AddNumberToObject(one, "cycle", (double)hazards->at[i].cycle);
        cJSON_AddNumberToObject(one, "count", (double)hazards->at[i].count);
    }
}

void compile_stalls_print(const compile_context *ctx, FILE *out, const compile_modelled *met) {
    cycle_channels channels;
    cycle_bottlenecks bottlenecks;
    double total = met->cycles ? (double)met->cycles : 1;
    cycle_bottlenecks_of(met->model, ctx->mem, &bottlenecks);
    const char *most = "";
    for (uint32_t i = 0; i < bottlenecks.len && i < SHOWN; i++)
        most = arena_printf(ctx->mem, "%s%s%s (%.0f %% of the cycles)", most, i ? ", " : "",
                            met->design->cells.at[bottlenecks.at[i].cell].name,
                            (double)bottlenecks.at[i].cycles * 100 / total);
    if (*most)
        fprintf(out, "  others waited most for %s\n", most);
    sorted_channels(ctx, met, &channels);
    for (uint32_t i = 0; i < channels.len && i < SHOWN; i++) {
        const cycle_channel *c = &channels.at[i];
        if (c->stalled + c->held == 0)
            return;
        fprintf(out, "    %s waited %.0f %% for %s\n", from_text(ctx, met->design, c),
                (double)(c->stalled + c->held) * 100 / total, to_text(ctx, met->design, c));
    }
}
