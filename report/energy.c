/* Counts by the cycle model (engine cycle; ahead of other engines), pJ by energy.def. */
#include "report/energy.h"
#include "kernel/array.h"
#include "rtl_models/cycle/work.h"
#include "support/number.h"

#include <math.h>

static const struct {
    const char *name;
    double low, high;
    int node;
} table[] = {
#define ENERGY(KEY, name, low, high, node, each, source) [ENERGY_##KEY] = {name, low, high, node},
#include "report/energy.def"
};
static const struct {
    double low, high;
} scaling =
#define ENERGY_SCALING(low, high) {low, high};
#include "report/energy.def"

    /* Counts words on the routes: each leaves as many switch boxes as its route has hops. */
    static void add_channels(const compile_kernel *k, arena *mem, compile_activity *to) {
    const cycle_design *d = k->ran.modelled.design;
    cycle_channels channels;
    cycle_channels_of(k->ran.modelled.model, mem, &channels);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        const cycle_net *net = &d->nets.at[c->net];
        const cycle_kind source = d->cells.at[net->cell].kind,
                         sink = d->cells.at[net->sinks.at[c->sink].cell].kind;
        const double words = (double)c->moved;
        to->count[ENERGY_TOKEN] += sink == CYCLE_PE || sink == CYCLE_MEM ? words : 0;
        to->count[ENERGY_BUFFER] += sink == CYCLE_IO_OUT ? words : 0;
        if (c->sink)
            continue; /* a word goes to all sinks of its net at once */
        to->count[ENERGY_BUFFER] += source == CYCLE_IO_IN ? words : 0;
        to->count[ENERGY_HOP] += words * k->bits.decoded.route.at[c->net].hops.len;
    }
}

void compile_activity_add_time(const compile_kernel *k, compile_activity *to) {
    const pnr_board *b = &k->board;
    const double cycles = (double)k->ran.cycles.total;
    to->count[ENERGY_CLOCK] += cycles * b->width * (b->height - 1);
    if (k->ran.cycles.firmware && b->cgra_mhz)
        to->count[ENERGY_PROCESSOR] += cycles * b->cpu_mhz / b->cgra_mhz;
    to->time_us += compile_mhz(&k->array) > 0 ? cycles / compile_mhz(&k->array) : 0;
}

static bool add_kernel(const compile_kernel *k, compile_activity *to) {
    cycle_work work;
    if (k->on_host)
        return true;
    if (!k->ran.modelled.model)
        return false;
    arena scratch = {0};
    add_channels(k, &scratch, to);
    arena_free(&scratch);
    cycle_work_of(k->ran.modelled.model, &work);
    to->count[ENERGY_OPERATION] += (double)work.operations;
    to->count[ENERGY_MEMORY] += (double)work.accesses;
    compile_activity_add_time(k, to);
    return true;
}

bool compile_activity_add(const compile_kernel *k, compile_activity *to) {
    bool counted = add_kernel(k, to);
    for (uint32_t n = 0; n < k->producers.len; n++)
        counted = add_kernel(&k->producers.at[n], to) && counted;
    return counted && to->time_us > 0;
}

static compile_energy energy_of(const compile_activity *a) {
    compile_energy e = {0, 0, 0};
    for (int i = 0; i < ENERGIES; i++) {
        const bool old = table[i].node == 45;
        const double low = table[i].low * (old ? scaling.low : 1),
                     high = table[i].high * (old ? scaling.high : 1);
        e.low += a->count[i] * low / 1000;
        e.typical += a->count[i] * sqrt(low * high) / 1000;
        e.high += a->count[i] * high / 1000;
    }
    return e;
}

/* Rounds to n digits. */
static double rounded(double value, int n) {
    const double unit = value > 0 ? pow(10, floor(log10(value)) - (n - 1)) : 1;
    return unit < 1 ? round(value / unit) / round(1 / unit) : round(value / unit) * unit;
}

static void add_range(cJSON *json, const char *name, const compile_energy *e, double by) {
    cJSON *range = cJSON_AddObjectToObject(json, name);
    cJSON_AddNumberToObject(range, "low", rounded(e->low / by, 3));
    cJSON_AddNumberToObject(range, "typical", rounded(e->typical / by, 3));
    cJSON_AddNumberToObject(range, "high", rounded(e->high / by, 3));
}

void compile_energy_json(const compile_activity *a, cJSON *json) {
    const compile_energy e = energy_of(a);
    cJSON *energy = cJSON_AddObjectToObject(json, "energy"),
          *counts = cJSON_AddObjectToObject(energy, "counts");
    for (int i = 0; i < ENERGIES; i++)
        cJSON_AddNumberToObject(counts, table[i].name, floor(a->count[i]));
    add_range(energy, "nj", &e, 1);
    if (a->time_us > 0)
        add_range(energy, "mw", &e, a->time_us); /* nJ in a microsecond are mW */
}

const char *compile_energy_text(const compile_activity *a, arena *mem) {
    static const char *const units[] = {"nJ", "µJ", "mJ", "J"};
    const compile_energy e = energy_of(a);
    double by = 1;
    int unit = 0;
    for (; unit < 3 && rounded(e.typical / by, 2) >= 1000; unit++)
        by *= 1000;
    return arena_printf(mem, "%.6g %s (%.6g to %.6g), estimated", rounded(e.typical / by, 2), units[unit],
                        rounded(e.low / by, 2), rounded(e.high / by, 2));
}

const char *compile_time_text(double us, arena *mem) {
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    double value = us * 1000;
    int unit = 0;
    for (; unit < 3 && rounded(value, 3) >= 1000; unit++)
        value /= 1000;
    return arena_printf(mem, "%.6g %s", rounded(value, 3), units[unit]);
}

const char *compile_other_cycles(uint64_t host, uint64_t verify, arena *mem) {
    const char *of_host = host ? arena_printf(mem, ", and %s of the host", text_thousands(host, mem)) : "";
    return verify ? arena_printf(mem, "%s, and %s to check what was loaded", of_host,
                                 text_thousands(verify, mem))
                  : of_host;
}
