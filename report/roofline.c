/* The roofline of a kernel: its least cycles by the busiest stream of each kind, and what the cycles are
 * spent on. */
#include "report/roofline.h"
#include "rtl_models/cycle/work.h"

typedef struct {
    uint64_t loads, stores, tokens;
    uint32_t at; /* cell with most tokens */
} bounds;

/* A stream passes a token a cycle at most. */
static bounds bounds_of(const compile_modelled *met, arena *mem) {
    const cycle_design *d = met->design;
    cycle_channels channels;
    bounds b = {0};
    cycle_channels_of(met->model, mem, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        const uint32_t to = d->nets.at[c->net].sinks.at[c->sink].cell;
        const bool loads = d->cells.at[d->nets.at[c->net].cell].kind == CYCLE_IO_IN;
        const bool stores = d->cells.at[to].kind == CYCLE_IO_OUT;
        uint64_t *most = loads ? &b.loads : stores ? &b.stores : &b.tokens;
        if (c->moved > *most && !loads && !stores)
            b.at = to;
        *most = c->moved > *most ? c->moved : *most;
    }
    return b;
}

static double share(double some, double all) {
    return all > 0 ? some / all : 0;
}

void compile_roofline_json(const compile_context *ctx, const compile_kernel *k, cJSON *json) {
    static const char *const occupation[CYCLE_OCCUPATIONS] = {"computing", "storing",  "loading",
                                                              "writing",   "scanning", "waiting"};
    const compile_modelled *met = &k->ran.modelled;
    const bounds b = bounds_of(met, ctx->mem);
    const uint64_t total = k->ran.cycles.total, array = k->ran.cycles.kernel;
    cJSON *roofline = cJSON_AddObjectToObject(json, "roofline"), *spent;
    cycle_work work;
    double runs = 0;
    cycle_work_of(met->model, &work);
    for (int o = 0; o < CYCLE_OCCUPATIONS; o++)
        runs += (double)work.cycles[o];
    cJSON_AddNumberToObject(roofline, "loads", (double)b.loads);
    cJSON_AddNumberToObject(roofline, "stores", (double)b.stores);
    cJSON_AddNumberToObject(roofline, "tokens", (double)b.tokens);
    cJSON_AddStringToObject(roofline, "tile", b.tokens ? met->design->cells.at[b.at].name : "");
    spent = cJSON_AddObjectToObject(roofline, "spent");
    cJSON_AddNumberToObject(spent, "configuration", share((double)k->ran.cycles.config, (double)total));
    cJSON_AddNumberToObject(spent, "processor", share((double)k->ran.cycles.firmware, (double)total));
    for (int o = 0; o < CYCLE_OCCUPATIONS; o++)
        cJSON_AddNumberToObject(spent, occupation[o],
                                share((double)work.cycles[o], runs) * share((double)array, (double)total));
}

text_vec compile_roofline_lines(const cJSON *section, uint64_t array, arena *mem) {
    const cJSON *roofline = cJSON_GetObjectItemCaseSensitive(section, "roofline");
    const cJSON *spent = cJSON_GetObjectItemCaseSensitive(roofline, "spent");
    const double loads = cJSON_GetNumberValue(cJSON_GetObjectItem(roofline, "loads")),
                 stores = cJSON_GetNumberValue(cJSON_GetObjectItem(roofline, "stores")),
                 tokens = cJSON_GetNumberValue(cJSON_GetObjectItem(roofline, "tokens"));
    const double in_out = loads > stores ? loads : stores, least = tokens > in_out ? tokens : in_out;
    const char *tile = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(roofline, "tile")), *shares = "";
    text_vec lines = {0};
    for (const cJSON *one = spent ? spent->child : NULL; one; one = one->next) {
        if (one->valuedouble > 0)
            shares = arena_printf(mem, "%s%s%s %.0f %%", shares, *shares ? ", " : "", one->string,
                                  one->valuedouble * 100);
    }
    vec_push(
        mem, &lines,
        arena_printf(mem,
                     "at least %.0f of %llu cycles (%.0f %%): the busiest load stream has %.0f words, store "
                     "stream %.0f, tile %s %.0f tokens",
                     least, (unsigned long long)array, share(least, (double)array) * 100, loads, stores,
                     tile && *tile ? tile : "-", tokens));
    vec_push(mem, &lines, shares);
    return lines;
}
