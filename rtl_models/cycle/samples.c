/* Samples the accounts of the cycle model: of each channel of the copy at work, what was added since the last
 * look is spread evenly over the cycles in between. A look comes at the end of each run, and within a run
 * once a bin. O(channels) for a look; memory O(channels x bins). */
#include "rtl_models/cycle/samples.h"
#include "rtl_models/cycle/cycle_int.h"

enum {
    BINS = 256,       /* at most; two become one when they are used up */
    BIN_LEAST = 16,   /* cycles */
    RUNS_MOST = 4096, /* noted; further ones are counted alone */
    SHARES = CYCLE_IDLE,
};

/* A channel between two tiles, or a copy that works or waits (`channel` is NULL). */
typedef struct {
    const pipe *channel;
    const char *from, *to;
    uint32_t copy;
    uint64_t before[SHARES];
    double spent[BINS][SHARES];
} lane;

typedef struct {
    uint32_t copy, modes, origin[CYCLE_MODES_MOST];
    uint64_t begin, cycles;
} noted;

struct cycle_samples {
    cycle_model *m;
    arena *mem;
    lane *lanes;
    uint32_t n, copies, copy, runs;
    uint64_t bin, last; /* the time line's end so far */
    uint64_t begin;     /* of the run at hand, on the time line */
    uint64_t began, at; /* of the run and of the last look, by the model's clock */
    VEC(noted) noted;
};

static void widen(cycle_samples *s) {
    s->bin *= 2;
    for (uint32_t l = 0; l < s->n; l++) {
        double(*spent)[SHARES] = s->lanes[l].spent;
        for (uint32_t b = 0; b < BINS; b++) {
            for (int a = 0; a < SHARES; a++) {
                const double both = 2 * b + 1 < BINS ? spent[2 * b][a] + spent[2 * b + 1][a] : 0;
                spent[b][a] = both;
            }
        }
    }
}

/* Adds cycles of each activity, spread over [from, to) of the time line. */
static void spread(cycle_samples *s, lane *l, const uint64_t *added, uint64_t from, uint64_t to) {
    for (uint64_t b = from / s->bin; b * s->bin < to; b++) {
        const uint64_t begin = b * s->bin > from ? b * s->bin : from;
        const uint64_t end = (b + 1) * s->bin < to ? (b + 1) * s->bin : to;
        for (int a = 0; a < SHARES; a++)
            l->spent[b][a] += (double)added[a] * (double)(end - begin) / (double)(to - from);
    }
}

void cycle_samples_look(cycle_samples *s) {
    const uint64_t from = s->begin + (s->at - s->began), to = s->begin + (s->m->now - s->began);
    if (to <= from)
        return;
    while (to > BINS * s->bin)
        widen(s);
    for (uint32_t i = 0; i < s->n; i++) {
        lane *l = &s->lanes[i];
        uint64_t added[SHARES] = {to - from};
        if (l->copy != s->copy)
            continue;
        for (int a = 0; a < SHARES && l->channel; a++) {
            added[a] = l->channel->cycles[a] - l->before[a];
            l->before[a] = l->channel->cycles[a];
        }
        spread(s, l, added, from, to);
    }
    s->at = s->m->now;
    s->last = to > s->last ? to : s->last;
    s->m->sampled.next = s->at + s->bin;
}

static const char *end_text(const cycle_cell *cell, const char *const *ports, uint32_t port, arena *mem) {
    return ports[port] ? arena_printf(mem, "%s %s", cell->name, ports[port])
                       : arena_printf(mem, "%s %u", cell->name, port);
}

static lane *add_lane(cycle_samples *s, uint32_t copy, const char *from, const char *to) {
    lane *l = &s->lanes[s->n++];
    l->copy = copy;
    l->from = from;
    l->to = to;
    return l;
}

cycle_samples *cycle_samples_begin(cycle_model *m, const cycle_copies *copies, arena *mem) {
    cycle_samples *s = arena_new(mem, cycle_samples);
    const cycle_design *d = m->design;
    *s = (cycle_samples){.m = m, .mem = mem, .bin = BIN_LEAST, .copies = copies->n};
    s->lanes = arena_new_n(mem, lane, copies->n + m->n_channels + 1);
    for (uint32_t c = 0; c < copies->n && copies->n > 1; c++) {
        const char *name = arena_printf(mem, "copy %u", c);
        add_lane(s, c, name, name);
    }
    for (uint32_t i = 0; i < m->n_channels; i++) {
        const pipe *p = &m->pipes[i];
        const cycle_net *net = &d->nets.at[p->net];
        const cycle_cell *driver = &d->cells.at[p->from], *at = &d->cells.at[p->to];
        lane *one = add_lane(s, copies->of_cell[p->to], end_text(driver, driver->port_out, net->port, mem),
                             end_text(at, at->port_in, net->sinks.at[p->sink].port, mem));
        one->channel = p;
        memcpy(one->before, p->cycles, sizeof one->before);
    }
    return s;
}

void cycle_sample(cycle_model *m, cycle_samples *s) {
    m->sampled.by = s;
}

void cycle_samples_run(cycle_samples *s, uint32_t copy, uint64_t begin) {
    s->copy = copy;
    s->begin = begin;
}

void cycle_samples_began(cycle_samples *s) {
    s->began = s->at = s->m->now;
    s->m->sampled.next = s->at + s->bin;
}

void cycle_samples_note(cycle_samples *s, uint64_t cycles, const uint32_t *origin, uint32_t modes) {
    const uint32_t shown = modes < CYCLE_MODES_MOST ? modes : CYCLE_MODES_MOST;
    noted one = {.copy = s->copy, .modes = shown, .begin = s->begin, .cycles = cycles};
    s->runs++;
    if (s->noted.len >= RUNS_MOST)
        return;
    for (uint32_t i = 0; i < shown; i++)
        one.origin[i] = origin[i];
    vec_push(s->mem, &s->noted, one);
}

static const char *bins_text(const cycle_samples *s, const lane *l) {
    text_out text;
    text_begin(&text);
    for (uint64_t b = 0; b * s->bin < s->last; b++) {
        const uint64_t width = (b + 1) * s->bin < s->last ? s->bin : s->last - b * s->bin;
        for (int a = 0; a < SHARES; a++) {
            const unsigned digit = (unsigned)(l->spent[b][a] * 35 / (double)width + 0.5);
            fputc("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit < 35 ? digit : 35], text.stream);
        }
    }
    return text_end(&text, s->mem);
}

static void add_runs(const cycle_samples *s, cJSON *json) {
    cJSON *list = cJSON_AddArrayToObject(json, "runs");
    for (uint32_t i = 0; i < s->noted.len; i++) {
        const noted *run = &s->noted.at[i];
        cJSON *one = json_add_item(list), *at = cJSON_AddArrayToObject(one, "at");
        cJSON_AddNumberToObject(one, "copy", run->copy);
        cJSON_AddNumberToObject(one, "begin", (double)run->begin);
        cJSON_AddNumberToObject(one, "cycles", (double)run->cycles);
        for (uint32_t k = 0; k < run->modes; k++)
            cJSON_AddItemToArray(at, cJSON_CreateNumber(run->origin[k]));
    }
    cJSON_AddNumberToObject(json, "runs_in_all", s->runs);
}

bool cycle_samples_end(cycle_samples *s, const char *folder, diagnostics *d) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddNumberToObject(json, "cycles", (double)s->last);
    cJSON_AddNumberToObject(json, "bin", (double)s->bin);
    cJSON_AddNumberToObject(json, "exact_until", 0);
    cJSON_AddBoolToObject(json, "sampled", true);
    add_runs(s, json);
    cJSON *list = cJSON_AddArrayToObject(json, "channels");
    for (uint32_t i = 0; i < s->n; i++) {
        const lane *l = &s->lanes[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "from", l->from);
        cJSON_AddStringToObject(one, "to", l->to);
        if (!l->channel)
            cJSON_AddStringToObject(one, "kind", "copy");
        cJSON_AddStringToObject(one, "bins", bins_text(s, l));
    }
    bool ok = json_write(json, arena_printf(s->mem, "%s/timeline.json", folder), d);
    cJSON_Delete(json);
    return ok;
}
