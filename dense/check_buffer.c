/* Rules 8 to 13: the events of a unified buffer, replayed on marks in place of words.
 *
 * It shares no code with the cycle model but the shape of a generator. A mark says whether a place holds a
 * word that somebody still has to take. O(cycles of the schedule) for each buffer.
 */
#include "dense/check_int.h"

enum { LINES = 512, LANES = 4, LONGEST = 1 << 22 /* cycles that are replayed */ };
enum { RULE_PORT = 8, RULE_TRANSPOSE, RULE_SRAM, RULE_LOST, RULE_HALF, RULE_UPDATE };

typedef struct {
    dense_events all;
    uint32_t next;
} event_list;

typedef struct {
    uint64_t at;
    uint32_t port, address;
} line_write;

typedef struct {
    dense_ub u;
    const dense_tile *tile;
    diagnostics *d;
    arena *mem;
    event_list write[2], read[2], out[2];
    event_list sums[2], lines[2]; /* delayed: of an updating port */
    VEC(line_write) due;          /* SRAM writes of the next cycles */
    bool waiting[2][2][LANES];    /* aggregator: a word not yet taken by an SRAM write */
    bool line[LINES], row[2][2];  /* SRAM, transpose buffer: written */
    uint32_t linear[2];
    uint64_t padding_at[2];
    bool told[16];
} replay;

static void tell(replay *r, uint32_t rule, const char *what, uint64_t cycle) {
    if (!r->told[rule])
        dense_broken(r->d, r->tile, rule,
                     arena_printf(r->d->mem, "%s in cycle %llu", what, (unsigned long long)cycle));
    r->told[rule] = true;
}

/* Returns the event of a list in this cycle, or NULL. */
static const dense_event *now(event_list *l, uint64_t cycle) {
    while (l->next < l->all.len && l->all.at[l->next].at < cycle)
        l->next++;
    return l->next < l->all.len && l->all.at[l->next].at == cycle ? &l->all.at[l->next] : NULL;
}

static bool updates(const replay *r, uint32_t p) {
    return r->u.mode[p] & 2;
}

/* ---- aggregator -------------------------------------------------------------------------------- */

static void fill(replay *r, uint32_t p, uint32_t address, uint64_t cycle) {
    bool *place = &r->waiting[p][address >> 2 & 1][address & 3];
    if (*place)
        tell(r, RULE_LOST,
             arena_printf(r->d->mem,
                          "port %u: word %u of the aggregator is overwritten before the SRAM has it", p,
                          address & 7),
             cycle);
    *place = true;
}

static void push_write(replay *r, uint32_t p, uint64_t at) {
    vec_push(r->mem, &r->due, (line_write){at, p, (r->linear[p]++ + r->u.start[p]) % LINES});
}

/* A full half is written a cycle later; with padding, the last half of a row some cycles later. */
static void aggregate(replay *r, uint32_t p, uint64_t cycle) {
    const dense_event *e = updates(r, p) ? now(&r->sums[r->u.mode[p] & 1], cycle) : now(&r->write[p], cycle);
    if (!e)
        return;
    fill(r, p, e->address[0], cycle);
    if (updates(r, p))
        return;
    if ((e->address[0] & 3) == 3)
        push_write(r, p, cycle + 1);
    if (e->loop != 0 && r->u.padding[p] && r->padding_at[p] <= cycle) {
        r->padding_at[p] = cycle + r->u.padding[p] + (r->padding_at[p] == cycle && cycle > 0);
        push_write(r, p, r->padding_at[p]);
    }
}

/* ---- SRAM -------------------------------------------------------------------------------------- */

static void store_line(replay *r, const line_write *w) {
    const uint32_t half = w->address & 1;
    bool any = false;
    for (uint32_t k = 0; k < LANES; k++) {
        any = any || r->waiting[w->port][half][k];
        r->waiting[w->port][half][k] = false;
    }
    if (!any)
        tell(r, RULE_HALF,
             arena_printf(r->d->mem,
                          "port %u: line %u takes half %u of the aggregator, which has no new word", w->port,
                          w->address, half),
             w->at);
    r->line[w->address] = true;
}

/* Does the writes of the cycle; returns their number. */
static uint32_t store_lines(replay *r, uint64_t cycle) {
    uint32_t writes = 0, kept = 0;
    for (uint32_t p = 0; p < 2; p++) {
        const dense_event *e = updates(r, p) ? now(&r->lines[r->u.mode[p] & 1], cycle) : NULL;
        const line_write w = {cycle, p, e ? e->address[0] % LINES : 0};
        if (e)
            store_line(r, &w);
        writes += e != NULL;
    }
    for (uint32_t i = 0; i < r->due.len; i++) {
        if (r->due.at[i].at == cycle) {
            store_line(r, &r->due.at[i]);
            writes++;
        } else {
            r->due.at[kept++] = r->due.at[i];
        }
    }
    r->due.len = kept;
    return writes;
}

static void port(replay *r, uint64_t cycle) {
    const dense_event *read[2] = {now(&r->read[0], cycle), now(&r->read[1], cycle)};
    bool known[2];
    for (uint32_t p = 0; p < 2; p++)
        known[p] = !read[p] || r->line[read[p]->address[0] % LINES];
    const uint32_t writes = store_lines(r, cycle);
    if (writes && (read[0] || read[1]))
        tell(r, RULE_PORT, "the SRAM is written and read, and the read is lost,", cycle);
    if (writes > 1 || (read[0] && read[1]))
        tell(r, RULE_PORT, writes > 1 ? "two ports write to the SRAM" : "two ports read the SRAM", cycle);
    if (!known[0] || !known[1])
        tell(r, RULE_SRAM, "a line of the SRAM is read that was never written", cycle);
}

/* ---- transpose buffer -------------------------------------------------------------------------- */

static uint32_t half_of(const replay *r, uint32_t p, uint32_t address, uint32_t bit) {
    return p == 0 && r->u.shared ? address >> bit & 1 : p;
}

/* A row is available two cycles after its read. */
static void transpose(replay *r, uint32_t p, uint64_t cycle) {
    const dense_event *e = now(&r->out[p], cycle);
    if (e && !r->row[half_of(r, p, e->address[0], 3)][e->address[0] >> 2 & 1])
        tell(r, RULE_TRANSPOSE,
             arena_printf(r->d->mem, "port %u gives a word that nobody has read from the SRAM", p), cycle);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The events of a scheduler, `delay` later: of an updating port. */
static event_list delayed(const event_list *of, uint32_t delay, arena *mem) {
    event_list l = {.next = 0};
    for (uint32_t i = 0; i < of->all.len; i++) {
        dense_event e = of->all.at[i];
        e.at += delay;
        vec_push(mem, &l.all, e);
    }
    return l;
}

/* Returns the largest number of events within `delay` cycles. */
static uint32_t pending(const event_list *l, uint32_t delay) {
    uint32_t most = 0, first = 0;
    for (uint32_t i = 0; i < l->all.len; i++) {
        while (l->all.at[first].at + delay < l->all.at[i].at)
            first++;
        most = i - first + 1 > most ? i - first + 1 : most;
    }
    return most;
}

static void check_update(replay *r, uint32_t p) {
    const uint32_t q = r->u.mode[p] & 1, sums = r->u.out[q].delay, lines = r->u.read[q].delay;
    if (!updates(r, p))
        return;
    if (pending(&r->out[q], sums) > 8 || pending(&r->read[q], lines) > 4)
        tell(r, RULE_UPDATE, "more than 8 sums or 4 lines are on their way", 0);
    if (lines < 2 || !sums)
        tell(r, RULE_UPDATE, "sums have no delay, or lines one below 2", 0);
}

static void finish(replay *r) {
    for (uint32_t p = 0; p < 2; p++) {
        for (uint32_t k = 0; k < 2 * LANES; k++) {
            if (r->waiting[p][k / LANES][k % LANES] && !updates(r, p))
                tell(r, RULE_HALF,
                     arena_printf(r->d->mem, "port %u: the last words never reach the SRAM, behind", p),
                     r->write[p].all.len ? r->write[p].all.at[r->write[p].all.len - 1].at : 0);
        }
    }
}

static event_list list(const dense_generator *g, arena *mem) {
    bool gap = false;
    return (event_list){.all = dense_events_of(g, mem, &gap)};
}

static uint64_t last_of(const event_list *l) {
    return l->all.len ? l->all.at[l->all.len - 1].at : 0;
}

static void rows(replay *r, uint64_t cycle, event_list read_again[2]) {
    for (uint32_t p = 0; p < 2; p++) {
        const dense_event *e = cycle >= 2 ? now(&read_again[p], cycle - 2) : NULL;
        if (e)
            r->row[half_of(r, p, e->address[1], 1)][e->address[1] & 1] = true;
    }
}

void dense_check_buffer(const dense_design *design, const dense_tile *t, diagnostics *d) {
    arena scratch = {0};
    replay *r = arena_new(&scratch, replay);
    event_list again[2];
    uint64_t last = 0;
    r->tile = t;
    r->d = d;
    r->mem = &scratch;
    dense_ub_of(design, t, &r->u);
    for (uint32_t p = 0; p < 2; p++) {
        r->write[p] = list(&r->u.write[p], &scratch);
        again[p] = r->read[p] = list(&r->u.read[p], &scratch);
        r->out[p] = list(&r->u.out[p], &scratch);
        r->sums[p] = delayed(&r->out[p], r->u.out[p].delay, &scratch);
        r->lines[p] = delayed(&r->read[p], r->u.read[p].delay, &scratch);
        const uint64_t ends[] = {last_of(&r->write[p]) + 64, last_of(&r->lines[p]), last_of(&r->sums[p])};
        for (uint32_t i = 0; i < 3; i++)
            last = ends[i] > last ? ends[i] : last;
    }
    for (uint32_t p = 0; p < 2; p++)
        check_update(r, p);
    for (uint64_t c = 0; c <= last + 300 && c < LONGEST; c++) {
        rows(r, c, again);
        transpose(r, 0, c);
        transpose(r, 1, c);
        port(r, c);
        aggregate(r, 0, c);
        aggregate(r, 1, c);
    }
    finish(r);
    arena_free(&scratch);
}
