/* The records of single runs on one axis of cycles. Bins of all records double in width whenever they exceed
 * their room, like the bins of one record (rtl_models/cycle/timeline.c). Single changes are recorded for the
 * first runs, each with at most half of the remaining room. */
#include "programs/timeline.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    CHANGES_MOST = 1 << 20, /* characters of single changes */
    BINS_MOST = 1 << 19,    /* characters of bins */
    STATES = 4,             /* digits of a bin */
    DIGIT_MOST = 35,
};
static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* The channel activity of one kernel from `begin` on; `changes` end at `exact_until`. */
typedef struct {
    uint32_t kernel, lanes;
    uint64_t begin, cycles, bin, exact_until;
    char **bins, **changes; /* by lane */
} record;

typedef struct {
    const char *name;
    cJSON *channels; /* owned until the line is written */
} recorded;

struct compile_timeline {
    arena *mem;
    VEC(compile_timeline_run) runs;
    VEC(recorded) kernels;
    VEC(record) records;
    uint64_t changes, bins; /* characters taken */
    uint32_t most;          /* bins of a record */
};

compile_timeline *compile_timeline_begin(arena *mem) {
    compile_timeline *l = arena_new(mem, compile_timeline);
    *l = (compile_timeline){.mem = mem, .most = 1024};
    return l;
}

void compile_timeline_add(compile_timeline *l, const compile_timeline_run *run) {
    vec_push(l->mem, &l->runs, *run);
}

const compile_timeline_run *compile_timeline_runs(const compile_timeline *l, uint32_t *n) {
    *n = l->runs.len;
    return l->runs.at;
}

/* ---- bins -------------------------------------------------------------------------------------- */

static uint32_t value_of(char digit) {
    const char *at = strchr(digits, digit);
    return at && digit ? (uint32_t)(at - digits) : 0;
}

static uint64_t bins_of(const record *r) {
    return (r->cycles + r->bin - 1) / r->bin;
}

static uint64_t width_of(const record *r, uint64_t bin) {
    return (bin + 1) * r->bin < r->cycles ? r->bin : r->cycles - bin * r->bin;
}

/* Merges pairs of bins; shares are weighted by width. */
static void widen(record *r) {
    const uint64_t n = bins_of(r);
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        char *text = r->bins[lane];
        for (uint64_t b = 0; 2 * b < n; b++) {
            const bool two = 2 * b + 1 < n;
            const uint64_t first = width_of(r, 2 * b), second = two ? width_of(r, 2 * b + 1) : 0;
            for (uint32_t s = 0; s < STATES; s++) {
                const char *at = text + STATES * 2 * b + s;
                const uint64_t sum = value_of(at[0]) * first + (two ? value_of(at[STATES]) * second : 0);
                text[STATES * b + s] = digits[(sum + (first + second) / 2) / (first + second)];
            }
        }
        text[STATES * ((n + 1) / 2)] = '\0';
    }
    r->bin *= 2;
}

/* Makes the bins of all records fit. */
static void fit(compile_timeline *l) {
    for (bool fits = false; !fits; l->most /= fits ? 1 : 2) {
        l->bins = 0;
        for (uint32_t i = 0; i < l->records.len; i++) {
            record *r = &l->records.at[i];
            while (bins_of(r) > l->most)
                widen(r);
            l->bins += bins_of(r) * r->lanes * STATES;
        }
        fits = l->bins <= BINS_MOST || l->most == 1;
    }
}

/* ---- changes ------------------------------------------------------------------------------------ */

/* Cuts the text off before its first change at `until` or later; returns the remaining length. */
static uint64_t cut(char *text, uint64_t until) {
    uint64_t cycle = 0;
    char *at = text;
    while (*at) {
        char *end = at + 1;
        uint64_t after = 0;
        for (; *end && strchr(digits, *end); end++)
            after = after * (DIGIT_MOST + 1) + value_of(*end);
        cycle += after;
        if (at != text && cycle >= until)
            *at = '\0';
        else
            at = end;
    }
    return (uint64_t)(at - text);
}

/* Keeps as many changes as half of the room takes; none where `exact_until` becomes 0. */
static void keep_changes(compile_timeline *l, record *r) {
    const uint64_t room = (CHANGES_MOST - l->changes) / 2;
    uint64_t taken = UINT64_MAX;
    for (; taken > room && r->exact_until; r->exact_until /= taken > room ? 2 : 1) {
        taken = 0;
        for (uint32_t lane = 0; lane < r->lanes; lane++)
            taken += cut(r->changes[lane], r->exact_until);
    }
    l->changes += r->exact_until ? taken : 0;
}

/* ---- one record --------------------------------------------------------------------------------- */

static char *text_of(const cJSON *object, const char *name) {
    char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    static char nothing[] = "";
    return text ? text : nothing;
}

static uint64_t number_of(const cJSON *object, const char *name) {
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(one) ? (uint64_t)one->valuedouble : 0;
}

/* Returns the kernel's index; its channels are the channels of its first record. */
static uint32_t kernel_of(compile_timeline *l, const char *name, const cJSON *channels) {
    uint32_t k = 0;
    const cJSON *one;
    while (k < l->kernels.len && strcmp(l->kernels.at[k].name, name) != 0)
        k++;
    if (k < l->kernels.len)
        return k;
    cJSON *list = cJSON_CreateArray();
    cJSON_ArrayForEach(one, channels) {
        cJSON *channel = json_add_item(list);
        static const char *const members[] = {"from", "to", "kind"};
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            const cJSON *member = cJSON_GetObjectItemCaseSensitive(one, members[i]);
            if (member)
                cJSON_AddItemToObject(channel, members[i], cJSON_Duplicate(member, true));
        }
    }
    vec_push(l->mem, &l->kernels, (recorded){arena_strdup(l->mem, name), list});
    return k;
}

/* Makes the record's texts its own. */
static void own(compile_timeline *l, record *r) {
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        r->bins[lane] = arena_strdup(l->mem, r->bins[lane]);
        r->changes[lane] = r->exact_until ? arena_strdup(l->mem, r->changes[lane]) : NULL;
    }
}

bool compile_timeline_record(compile_timeline *l, const char *kernel, const char *folder, uint64_t begin,
                             diagnostics *d, uint64_t *cycles) {
    const char *path = arena_printf(d->mem, "%s/timeline.json", folder);
    *cycles = 0;
    if (access(path, R_OK) != 0)
        return true;
    cJSON *json = json_read(path, d);
    if (!json)
        return false;
    const cJSON *channels = cJSON_GetObjectItemCaseSensitive(json, "channels"), *one;
    record r = {.kernel = kernel_of(l, kernel, channels),
                .begin = begin,
                .cycles = number_of(json, "cycles"),
                .bin = number_of(json, "bin"),
                .exact_until = number_of(json, "exact_until")};
    const uint32_t n = (uint32_t)cJSON_GetArraySize(channels);
    r.bins = arena_new_n(l->mem, char *, n + 1);
    r.changes = arena_new_n(l->mem, char *, n + 1);
    cJSON_ArrayForEach(one, channels) {
        r.bins[r.lanes] = text_of(one, "bins");
        r.changes[r.lanes++] = text_of(one, "changes");
    }
    *cycles = r.cycles;
    keep_changes(l, &r);
    while (bins_of(&r) > l->most)
        widen(&r);
    if (l->most > 1 || l->bins < BINS_MOST) {
        own(l, &r);
        vec_push(l->mem, &l->records, r);
        fit(l);
    }
    cJSON_Delete(json);
    return true;
}

/* ---- the file ----------------------------------------------------------------------------------- */

static void add_number(cJSON *json, const char *name, uint64_t value) {
    cJSON_AddNumberToObject(json, name, (double)value);
}

static void add_run(cJSON *json, const compile_timeline_run *run) {
    add_number(json, "statement", run->statement);
    cJSON_AddStringToObject(json, "pass", run->pass);
    add_number(json, "begin", run->begin);
    add_number(json, "cycles", run->cycles);
    add_number(json, "config", run->config);
    add_number(json, "kernel", run->kernel);
    add_number(json, "firmware", run->firmware);
    add_number(json, "loaded", run->loaded);
    add_number(json, "kept", run->kept);
    add_number(json, "collected", run->collected);
}

static void add_record(cJSON *json, const record *r) {
    add_number(json, "kernel", r->kernel);
    add_number(json, "begin", r->begin);
    add_number(json, "cycles", r->cycles);
    add_number(json, "bin", r->bin);
    add_number(json, "exact_until", r->exact_until);
    cJSON_AddItemToObject(json, "bins", cJSON_CreateStringArray((const char *const *)r->bins, (int)r->lanes));
    if (r->exact_until)
        cJSON_AddItemToObject(json, "changes",
                              cJSON_CreateStringArray((const char *const *)r->changes, (int)r->lanes));
}

bool compile_timeline_write(const compile_timeline *l, const char *folder, diagnostics *d) {
    cJSON *json = cJSON_CreateObject();
    uint64_t cycles = 0;
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON *runs = cJSON_AddArrayToObject(json, "runs"), *kernels = cJSON_AddArrayToObject(json, "kernels"),
          *records = cJSON_AddArrayToObject(json, "records");
    for (uint32_t i = 0; i < l->runs.len; i++) {
        add_run(json_add_item(runs), &l->runs.at[i]);
        cycles = l->runs.at[i].begin + l->runs.at[i].cycles;
    }
    for (uint32_t i = 0; i < l->kernels.len; i++) {
        cJSON *kernel = json_add_item(kernels);
        cJSON_AddStringToObject(kernel, "name", l->kernels.at[i].name);
        cJSON_AddItemToObject(kernel, "channels", l->kernels.at[i].channels);
    }
    for (uint32_t i = 0; i < l->records.len; i++) {
        const record *r = &l->records.at[i];
        add_record(json_add_item(records), r);
        cycles = cycles < r->begin + r->cycles ? r->begin + r->cycles : cycles;
    }
    add_number(json, "cycles", cycles);
    bool ok = json_write(json, arena_printf(d->mem, "%s/program_timeline.json", folder), d);
    cJSON_Delete(json);
    return ok;
}
