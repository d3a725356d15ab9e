/* Records the activity of each lane: every change up to a limit, and shares of bins from the first cycle to
 * the last. The width of a bin grows to keep a fixed number of bins, hence the file's size does not depend on
 * the length of the program: O(lanes) memory, O(1) for each change and bin. */
#include "rtl_models/cycle/timeline.h"

enum {
    BINS = 1024,           /* at most; two merge when all are used */
    CHANGES_MOST = 300000, /* of all lanes */
    STATES = CYCLE_ACTIVITIES,
};

/* A lane, accounted for until `since`; its activity is `now` from then on. */
typedef struct {
    timeline_lane is;
    uint64_t since;
    cycle_activity now;
    uint64_t written; /* the cycle of the last change in `changes` */
    uint32_t spent[BINS][STATES];
    text_out changes;
} lane;

struct timeline {
    arena *mem;
    lane *lanes;
    uint32_t n, changes;
    uint64_t bin, last, exact_until;
};

static const char letter[STATES] = {[CYCLE_MOVES] = 'm',
                                    [CYCLE_STALLED] = 's',
                                    [CYCLE_HELD] = 'h',
                                    [CYCLE_STARVED] = 'v',
                                    [CYCLE_IDLE] = 'i'};

/* Makes bins twice as wide. */
static void widen(timeline *t) {
    t->bin *= 2;
    for (uint32_t l = 0; l < t->n; l++) {
        for (uint32_t b = 0; b < BINS; b++) {
            for (int s = 0; s < STATES; s++) {
                uint32_t *spent = t->lanes[l].spent[b / 2] + s, was = t->lanes[l].spent[b][s];
                *spent = b % 2 ? *spent + was : was;
                if (b >= BINS / 2)
                    t->lanes[l].spent[b][s] = 0;
            }
        }
    }
}

/* Accounts for a lane up to a cycle. */
static void account(timeline *t, lane *l, uint64_t to) {
    while (to > BINS * t->bin)
        widen(t);
    while (l->since < to) {
        const uint64_t b = l->since / t->bin, end = (b + 1) * t->bin;
        const uint64_t until = end < to ? end : to;
        l->spent[b][l->now] += (uint32_t)(until - l->since);
        l->since = until;
    }
}

static void put_base36(FILE *out, uint64_t number) {
    char digits[16], *at = digits + sizeof digits;
    *--at = '\0';
    for (; number; number /= 36)
        *--at = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36];
    fputs(at, out);
}

void timeline_put(timeline *t, uint32_t n, uint64_t cycle, cycle_activity activity) {
    lane *l = &t->lanes[n];
    t->last = cycle > t->last ? cycle : t->last;
    if (activity == l->now)
        return;
    account(t, l, cycle);
    l->now = activity;
    if (t->changes >= CHANGES_MOST) {
        t->exact_until = t->exact_until < cycle ? t->exact_until : cycle;
        return;
    }
    t->changes++;
    fputc(letter[activity], l->changes.stream);
    put_base36(l->changes.stream, cycle - l->written);
    l->written = cycle;
}

timeline *timeline_begin(const timeline_lanes *lanes, arena *mem) {
    timeline *t = arena_new(mem, timeline);
    *t = (timeline){.mem = mem, .n = lanes->len, .bin = 1, .exact_until = UINT64_MAX};
    t->lanes = arena_new_n(mem, lane, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        lane *l = &t->lanes[i];
        l->is = lanes->at[i];
        l->now = CYCLE_IDLE;
        text_begin(&l->changes);
        fputc(letter[CYCLE_IDLE], l->changes.stream);
    }
    return t;
}

/* Four digits a bin: the shares of its states but idle, in 35ths. */
static const char *bins_text(const timeline *t, const lane *l, uint64_t cycles) {
    text_out text;
    text_begin(&text);
    for (uint64_t b = 0; b * t->bin < cycles; b++) {
        const uint64_t width = (b + 1) * t->bin < cycles ? t->bin : cycles - b * t->bin;
        for (int s = 0; s < STATES; s++) {
            if (s != CYCLE_IDLE)
                fputc("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(l->spent[b][s] * 35ull + width / 2) / width],
                      text.stream);
        }
    }
    return text_end(&text, t->mem);
}

bool timeline_end(timeline *t, const char *folder, diagnostics *d) {
    const uint64_t cycles = t->last + 1;
    cJSON *json = cJSON_CreateObject();
    for (uint32_t i = 0; i < t->n; i++)
        account(t, &t->lanes[i], cycles);
    cJSON_AddNumberToObject(json, "format_version", 1);
    cJSON_AddNumberToObject(json, "cycles", (double)cycles);
    cJSON_AddNumberToObject(json, "bin", (double)t->bin);
    cJSON_AddNumberToObject(json, "exact_until", (double)(t->exact_until < cycles ? t->exact_until : cycles));
    cJSON *list = cJSON_AddArrayToObject(json, "channels");
    for (uint32_t i = 0; i < t->n; i++) {
        lane *l = &t->lanes[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "from", l->is.from);
        cJSON_AddStringToObject(one, "to", l->is.to);
        if (l->is.kind)
            cJSON_AddStringToObject(one, "kind", l->is.kind);
        cJSON_AddStringToObject(one, "bins", bins_text(t, l, cycles));
        cJSON_AddStringToObject(one, "changes", text_end(&l->changes, t->mem));
    }
    bool ok = json_write(json, arena_printf(t->mem, "%s/timeline.json", folder), d);
    cJSON_Delete(json);
    return ok;
}
