/* Who waited for whom in engine cycle, and the hazards met: for report.json and for the summary. */
#include "report/report.h"

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

static const char *end_text(const cycle_design *d, uint32_t cell, const char *const *ports, uint32_t port,
                            arena *mem) {
    return arena_printf(mem, "%s %s", d->cells.at[cell].name, ports[port] ? ports[port] : "?");
}

static const char *channel_from(const cycle_design *d, uint32_t n, arena *mem) {
    const cycle_net *net = &d->nets.at[n];
    return end_text(d, net->cell, d->cells.at[net->cell].port_out, net->port, mem);
}

static const char *channel_to(const cycle_design *d, uint32_t n, uint32_t s, arena *mem) {
    const cycle_sink *sink = &d->nets.at[n].sinks.at[s];
    return end_text(d, sink->cell, d->cells.at[sink->cell].port_in, sink->port, mem);
}

/* Returns the share of the kernel's cycles: the terminal, the page and report.json all have it from here. */
static double share_of(uint64_t cycles, uint64_t kernel) {
    return kernel ? (double)cycles / (double)kernel : 0;
}

void compile_stalls_json(const compile_context *ctx, const compile_modelled *met, uint64_t kernel,
                         cJSON *json) {
    cycle_channels channels;
    cycle_bottlenecks bottlenecks;
    cJSON *list = cJSON_AddArrayToObject(json, "stalls");
    sorted_channels(ctx, met, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "from", channel_from(met->design, c->net, ctx->mem));
        cJSON_AddStringToObject(one, "to", channel_to(met->design, c->net, c->sink, ctx->mem));
        cJSON_AddNumberToObject(one, "moved", (double)c->moved);
        cJSON_AddNumberToObject(one, "stalled", (double)c->stalled);
        cJSON_AddNumberToObject(one, "held", (double)c->held);
        cJSON_AddNumberToObject(one, "starved", (double)c->starved);
        cJSON_AddNumberToObject(one, "idle", (double)c->idle);
        cJSON_AddNumberToObject(one, "busy", share_of(c->moved, kernel));
        cJSON_AddNumberToObject(one, "waited", share_of(c->stalled + c->held, kernel));
    }
    list = cJSON_AddArrayToObject(json, "bottlenecks");
    cycle_bottlenecks_of(met->model, ctx->mem, &bottlenecks);
    for (uint32_t i = 0; i < bottlenecks.len; i++) {
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "tile", met->design->cells.at[bottlenecks.at[i].cell].name);
        cJSON_AddNumberToObject(one, "cycles", (double)bottlenecks.at[i].cycles);
        cJSON_AddNumberToObject(one, "share", share_of(bottlenecks.at[i].cycles, kernel));
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

static double number_of(const cJSON *object, const char *name) {
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(one) ? one->valuedouble : 0;
}

static const char *text_of(const cJSON *object, const char *name) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "?";
}

/* Returns "x22y2 intersect stalled its neighbours for 56 % of the cycles, x6y2 intersect for 44 %"; "": no
 * tile stalled another. */
static const char *bottleneck_text(const cJSON *list, arena *mem) {
    const char *text = "";
    const cJSON *one = list ? list->child : NULL;
    for (int i = 0; one && i < SHOWN; one = one->next, i++)
        text = arena_printf(mem, "%s%s%s%s for %.0f %%%s", text, i ? ", " : "", text_of(one, "tile"),
                            i ? "" : " stalled its neighbours", number_of(one, "share") * 100,
                            i ? "" : " of the cycles");
    return text;
}

text_vec compile_stalls_lines(const cJSON *section, arena *mem) {
    text_vec lines = {0};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(section, "bottlenecks");
    const char *most = bottleneck_text(list, mem);
    if (list)
        vec_push(mem, &lines, *most ? most : "no tile stalled its neighbours");
    list = cJSON_GetObjectItemCaseSensitive(section, "stalls");
    const cJSON *one = list ? list->child : NULL;
    for (int i = 0; one && i < SHOWN; one = one->next, i++) {
        const double waited = number_of(one, "waited");
        if (waited > 0)
            vec_push(mem, &lines,
                     arena_printf(mem, "%s waited %.0f %% for %s", text_of(one, "from"), waited * 100,
                                  text_of(one, "to")));
    }
    return lines;
}
