/* Waveforms of the cycle model, with the FST writer that comes with Verilator. */
#include "rtl_models/wave.h"

#include "fstapi.h"

typedef struct {
    fstHandle token, is;
    cycle_activity last;
    uint32_t last_token;
} signals;

struct wave {
    void *fst;
    const char *folder;
    const cycle_design *design;
    arena *mem;
    signals **of; /* by net and sink */
    uint64_t now;
};

static const char *const activity_name[CYCLE_ACTIVITIES] = {"moves", "stalled", "held", "starved", "idle"};

static bool has_token(cycle_activity a) {
    return a == CYCLE_MOVES || a == CYCLE_STALLED || a == CYCLE_HELD;
}

static void emit_text(wave *w, fstHandle handle, const char *text) {
    fstWriterEmitVariableLengthValueChange(w->fst, handle, text, (uint32_t)strlen(text));
}

static void watch(void *context, uint64_t cycle, uint32_t net, uint32_t sink, cycle_activity activity,
                  uint32_t token) {
    wave *w = context;
    signals *s = &w->of[net][sink];
    bool had = has_token(s->last), has = has_token(activity);
    if (activity == s->last && (!has || token == s->last_token))
        return;
    if (cycle != w->now)
        fstWriterEmitTimeChange(w->fst, cycle);
    w->now = cycle;
    if (activity != s->last)
        emit_text(w, s->is, activity_name[activity]);
    if (had != has || (has && token != s->last_token)) {
        arena scratch = {0};
        emit_text(w, s->token, has ? cycle_token_text(token, &scratch) : "");
        arena_free(&scratch);
    }
    s->last = activity;
    s->last_token = token;
}

/* A tile's name without blanks. */
static const char *scope_of(const wave *w, uint32_t cell) {
    char *scope = arena_printf(w->mem, "%s", w->design->cells.at[cell].name);
    for (char *p = scope; *p; p++)
        *p = *p == ' ' ? '_' : *p;
    return scope;
}

static const char *port_of(const wave *w, uint32_t net, uint32_t sink) {
    const cycle_sink *to = &w->design->nets.at[net].sinks.at[sink];
    const char *name = w->design->cells.at[to->cell].port_in[to->port];
    return name ? name : arena_printf(w->mem, "in%u", to->port);
}

static fstHandle add_text(wave *w, const char *name) {
    return fstWriterCreateVar(w->fst, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name, 0);
}

/* The channels that end at a tile: net, sink, net, sink ... */
static u32_vec channels_at(const wave *w, uint32_t cell) {
    u32_vec found = {0};
    for (uint32_t n = 0; n < w->design->nets.len; n++) {
        const cycle_net *net = &w->design->nets.at[n];
        for (uint32_t s = 0; s < net->sinks.len; s++) {
            if (net->sinks.at[s].cell != cell)
                continue;
            vec_push(w->mem, &found, n);
            vec_push(w->mem, &found, s);
        }
    }
    return found;
}

static void declare(wave *w, uint32_t cell) {
    const u32_vec at = channels_at(w, cell);
    if (!at.len)
        return;
    fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, scope_of(w, cell), NULL);
    for (uint32_t i = 0; i < at.len; i += 2) {
        const char *port = port_of(w, at.at[i], at.at[i + 1]);
        w->of[at.at[i]][at.at[i + 1]] = (signals){.token = add_text(w, port),
                                                  .is = add_text(w, arena_printf(w->mem, "%s_is", port)),
                                                  .last = CYCLE_ACTIVITIES};
    }
    fstWriterSetUpscope(w->fst);
}

wave *wave_begin(const char *folder, const cycle_design *design, cycle_model *m, arena *mem, diagnostics *d) {
    wave *w = arena_new(mem, wave);
    const char *path = arena_printf(mem, "%s/waves.fst", folder);
    *w = (wave){.folder = folder, .design = design, .mem = mem, .now = UINT64_MAX};
    w->fst = fstWriterCreate(path, 1);
    if (!w->fst) {
        diag_error(d, (src_loc){0}, "E0001-file", "cannot write '%s'", path);
        return NULL;
    }
    fstWriterSetTimescaleFromString(w->fst, "1ns");
    fstWriterSetVersion(w->fst, "onyx");
    fstWriterSetDate(w->fst, "-"); /* the same bytes every time */
    w->of = arena_new_n(mem, signals *, design->nets.len);
    for (uint32_t n = 0; n < design->nets.len; n++)
        w->of[n] = arena_new_n(mem, signals, design->nets.at[n].sinks.len);
    for (uint32_t cell = 0; cell < design->cells.len; cell++)
        declare(w, cell);
    cycle_watch(m, watch, w);
    return w;
}

/* A tile's lines of a save file: its name, then its channels as text. */
static void show(const wave *w, uint32_t cell, FILE *out) {
    const u32_vec at = channels_at(w, cell);
    const char *scope = scope_of(w, cell);
    if (at.len)
        fprintf(out, "@200\n-%s\n@820\n", w->design->cells.at[cell].name);
    for (uint32_t i = 0; i < at.len; i += 2) {
        const char *port = port_of(w, at.at[i], at.at[i + 1]);
        fprintf(out, "%s.%s\n%s.%s_is\n", scope, port, scope, port);
    }
}

bool wave_end(wave *w, cycle_model *m, diagnostics *d) {
    file_out save;
    cycle_watch(m, NULL, NULL);
    bool whole = !fstWriterGetFseekFailed(w->fst);
    fstWriterClose(w->fst);
    if (!whole) {
        diag_error(d, (src_loc){0}, "E0001-file", "cannot write '%s/waves.fst'", w->folder);
        return false;
    }
    if (!file_create(&save, arena_printf(w->mem, "%s/waves.gtkw", w->folder), w->mem, d))
        return false;
    fputs("[dumpfile] \"waves.fst\"\n[timestart] 0\n", save.stream);
    for (uint32_t cell = 0; cell < w->design->cells.len; cell++)
        show(w, cell, save.stream);
    return file_commit(&save, d);
}
