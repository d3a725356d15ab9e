/* Waveforms by the FST writer of Verilator. */
#include "rtl_models/cycle/wave.h"
#include "rtl_models/cycle/timeline.h"

#include "fstapi.h"

typedef struct {
    fstHandle token, is;
    cycle_activity last;
    uint32_t last_token;
} signals;

struct wave {
    void *fst;
    const char *folder;
    arena *mem;
    wave_channels channels;
    signals *of;        /* by channel */
    uint32_t **at_sink; /* of a model: channels by net and sink */
    timeline *times;
    uint64_t now;
};

static const char *const activity_name[CYCLE_ACTIVITIES] = {"moves", "stalled", "held", "starved", "idle"};

static bool has_token(cycle_activity a) {
    return a == CYCLE_MOVES || a == CYCLE_STALLED || a == CYCLE_HELD;
}

static void emit_text(wave *w, fstHandle handle, const char *text) {
    fstWriterEmitVariableLengthValueChange(w->fst, handle, text, (uint32_t)strlen(text));
}

void wave_put(wave *w, uint32_t channel, uint64_t cycle, cycle_activity activity, uint32_t token) {
    signals *s = &w->of[channel];
    bool had = has_token(s->last), has = has_token(activity);
    timeline_put(w->times, channel, cycle, activity);
    if (activity == s->last && (!has || token == s->last_token))
        return;
    if (cycle != w->now)
        fstWriterEmitTimeChange(w->fst, cycle);
    w->now = cycle;
    if (activity != s->last)
        emit_text(w, s->is, activity_name[activity]);
    if (s->last == CYCLE_ACTIVITIES || had != has || (has && token != s->last_token)) {
        arena scratch = {0};
        emit_text(w, s->token, has ? cycle_token_text(token, &scratch) : "");
        arena_free(&scratch);
    }
    s->last = activity;
    s->last_token = token;
}

/* A tile's name without blanks. */
static const char *scope_of(const wave *w, uint32_t channel) {
    char *scope = arena_strdup(w->mem, w->channels.at[channel].tile);
    for (char *p = scope; *p; p++)
        *p = *p == ' ' ? '_' : *p;
    return scope;
}

/* Whether a channel is the first of its tile. */
static bool opens_tile(const wave *w, uint32_t channel) {
    return !channel || strcmp(w->channels.at[channel].tile, w->channels.at[channel - 1].tile) != 0;
}

static fstHandle add_text(wave *w, const char *name) {
    return fstWriterCreateVar(w->fst, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name, 0);
}

wave *wave_begin(const char *folder, const wave_channels *channels, arena *mem, diagnostics *d) {
    wave *w = arena_new(mem, wave);
    const char *path = arena_printf(mem, "%s/waves.fst", folder);
    *w = (wave){.folder = folder, .mem = mem, .channels = *channels, .now = UINT64_MAX};
    w->fst = fstWriterCreate(path, 1);
    if (!w->fst) {
        diag_error(d, (src_loc){0}, "E0001-file", "cannot write '%s'", path);
        return NULL;
    }
    fstWriterSetTimescaleFromString(w->fst, "1ns");
    fstWriterSetVersion(w->fst, "onyx");
    fstWriterSetDate(w->fst, "-"); /* keeps the file's bytes equal */
    w->of = arena_new_n(mem, signals, channels->len);
    timeline_lanes lanes = {0};
    for (uint32_t c = 0; c < channels->len; c++) {
        const char *port = channels->at[c].port;
        if (c && opens_tile(w, c))
            fstWriterSetUpscope(w->fst);
        if (opens_tile(w, c))
            fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, scope_of(w, c), NULL);
        w->of[c] = (signals){.token = add_text(w, port),
                             .is = add_text(w, arena_printf(mem, "%s_is", port)),
                             .last = CYCLE_ACTIVITIES};
        const wave_channel *one = &channels->at[c];
        const timeline_lane lane = {one->from, arena_printf(mem, "%s %s", one->tile, port), one->kind};
        vec_push(mem, &lanes, lane);
    }
    w->times = timeline_begin(&lanes, mem);
    if (channels->len)
        fstWriterSetUpscope(w->fst);
    return w;
}

/* GTKWave's save file: each tile's name as a comment, followed by its channels as text. */
static void write_save_file(const wave *w, FILE *out) {
    fputs("[dumpfile] \"waves.fst\"\n[timestart] 0\n", out);
    for (uint32_t c = 0; c < w->channels.len; c++) {
        const wave_channel *channel = &w->channels.at[c];
        const char *scope = scope_of(w, c);
        if (opens_tile(w, c))
            fprintf(out, "@200\n-%s\n@820\n", channel->tile);
        fprintf(out, "%s.%s\n%s.%s_is\n", scope, channel->port, scope, channel->port);
    }
}

bool wave_end(wave *w, diagnostics *d) {
    file_out save;
    const bool times = timeline_end(w->times, w->folder, d);
    bool whole = !fstWriterGetFseekFailed(w->fst);
    fstWriterClose(w->fst);
    if (!whole)
        return diag_error(d, (src_loc){0}, "E0001-file", "cannot write '%s/waves.fst'", w->folder);
    if (!times || !file_create(&save, arena_printf(w->mem, "%s/waves.gtkw", w->folder), w->mem, d))
        return false;
    write_save_file(w, save.stream);
    return file_commit(&save, d);
}

static void watch(void *context, uint64_t cycle, uint32_t net, uint32_t sink, cycle_activity activity,
                  uint32_t token) {
    wave *w = context;
    wave_put(w, w->at_sink[net][sink], cycle, activity, token);
}

static const char *port_text(const char *const *names, const char *prefix, uint32_t port, arena *mem) {
    return names[port] ? names[port] : arena_printf(mem, "%s%u", prefix, port);
}

wave *wave_of_model(const char *folder, const cycle_design *design, cycle_watcher **watcher, arena *mem,
                    diagnostics *d) {
    wave_channels channels = {0};
    uint32_t **at_sink = arena_new_n(mem, uint32_t *, design->nets.len);
    for (uint32_t n = 0; n < design->nets.len; n++)
        at_sink[n] = arena_new_n(mem, uint32_t, design->nets.at[n].sinks.len);
    for (uint32_t cell = 0; cell < design->cells.len; cell++) {
        const cycle_cell *c = &design->cells.at[cell];
        for (uint32_t n = 0; n < design->nets.len; n++) {
            for (uint32_t s = 0; s < design->nets.at[n].sinks.len; s++) {
                const cycle_sink *sink = &design->nets.at[n].sinks.at[s];
                if (sink->cell != cell)
                    continue;
                const cycle_net *net = &design->nets.at[n];
                const cycle_cell *driver = &design->cells.at[net->cell];
                const char *out = port_text(driver->port_out, "out", net->port, mem);
                const wave_channel channel = {.tile = c->name,
                                              .port = port_text(c->port_in, "in", sink->port, mem),
                                              .from = arena_printf(mem, "%s %s", driver->name, out)};
                at_sink[n][s] = channels.len;
                vec_push(mem, &channels, channel);
            }
        }
    }
    wave *w = wave_begin(folder, &channels, mem, d);
    if (!w)
        return NULL;
    w->at_sink = at_sink;
    *watcher = watch;
    return w;
}
