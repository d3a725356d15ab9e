/* The finite memory of engine sam: its file, and the clock of its transfers. */
#include "engines/memory.h"
#include "support/toml.h"

#include <math.h>
#include <stddef.h>

/* ---- the file ------------------------------------------------------------------------------------ */

typedef struct {
    const char *table, *key;
    size_t at;
    double least, most;
    bool whole;
} member;

#define MEMBER(table, key, ...)                                                                              \
    { #table, #key, offsetof(compile_memory, table##_##key), __VA_ARGS__ }
static const member members[] = {
    MEMBER(dram, rate, 1e-6, 1e9, false),   MEMBER(dram, latency, 0, 1e9, true),
    MEMBER(buffer, rate, 1e-6, 1e9, false), MEMBER(buffer, latency, 0, 1e9, true),
    MEMBER(buffer, bytes, 0, 1e15, true),   MEMBER(element, bytes, 64, 1e15, true),
    MEMBER(element, sets, 1, 64, true),     MEMBER(element, word, 1, 8, true),
};
#undef MEMBER
enum { MEMBERS = sizeof members / sizeof *members };

static bool refuse(const toml_file *file, const cJSON *item, diagnostics *d, const char *what,
                   const char *want) {
    diag_error(d, toml_at(file, item), "E0947-memory", "'%s' must be %s", what, want);
    return diag_hint(d, "docs/simulator.md has an example of all tables and keys");
}

static bool take(const toml_file *file, const member *m, arena *mem, diagnostics *d, compile_memory *out) {
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(file->root, m->table),
                *item = cJSON_GetObjectItemCaseSensitive(table, m->key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= m->least && item->valuedouble <= m->most) ||
        (m->whole && item->valuedouble != floor(item->valuedouble)))
        return refuse(file,
                      item    ? item
                      : table ? table
                              : file->root,
                      d, arena_printf(mem, "%s.%s", m->table, m->key),
                      arena_printf(mem, "%s from %.15g to %.15g", m->whole ? "a whole number" : "a number",
                                   m->least, m->most));
    *(double *)((char *)out + m->at) = item->valuedouble;
    return true;
}

/* Returns whether the item is a table, or a key in a table, of the machine. */
static bool is_known(const char *table, const char *key) {
    for (const member *m = members; m < members + MEMBERS; m++) {
        if (strcmp(m->table, table) == 0 && (!key || strcmp(m->key, key) == 0))
            return true;
    }
    return false;
}

static bool all_known(const toml_file *file, diagnostics *d) {
    for (const cJSON *table = file->root->child; table; table = table->next) {
        if (!cJSON_IsObject(table) || !is_known(table->string, NULL))
            return refuse(file, table, d, table->string, "[dram], [buffer] or [element]");
        for (const cJSON *item = table->child; item; item = item->next) {
            if (!is_known(table->string, item->string))
                return refuse(file, item, d, item->string, "a key of its table");
        }
    }
    return true;
}

bool compile_memory_read(const char *path, arena *mem, diagnostics *d, compile_memory *out) {
    toml_file file = toml_read(path, d);
    bool ok = file.root && all_known(&file, d);
    for (const member *m = members; ok && m < members + MEMBERS; m++)
        ok = take(&file, m, mem, d, out);
    cJSON_Delete(file.root);
    return ok;
}

uint32_t compile_memory_array(const compile_memory *m, const sam_statement *s) {
    uint32_t arrays = 0;
    for (uint32_t t = 0; t < s->tensors.len; t++)
        arrays += sam_blocks_before(SAM_IN_TURN, s->tensors.at[t].level, s->tensors.at[t].order, SAM_ARRAYS);
    const double words = m->element_bytes / m->element_word / m->element_sets / arrays;
    return words < 1 ? 1 : words > UINT16_MAX ? UINT16_MAX : (uint32_t)words;
}

/* ---- the buffer -------------------------------------------------------------------------------- */

static const uint32_t NONE = UINT32_MAX;
enum { MOST_SETS = 64 };

/* A sub-tile that was read, in a list of those in the buffer: the one read last is first. */
typedef struct {
    uint32_t newer, older;
    uint64_t words; /* 0: not in the buffer */
} kept;

/* A result in the buffer. */
typedef struct {
    double ready;
    uint64_t words;
} result;

/* The sub-tiles of an operand. */
typedef struct {
    u32_vec node;  /* of each sub-tile by its number, in the clock's list; NONE: not read yet */
    uint32_t last; /* read by the run before */
} operand_tiles;

struct compile_memory_clock {
    compile_memory machine;
    arena *mem;
    operand_tiles *operand;
    VEC(kept) all;
    uint32_t newest, oldest;
    uint64_t in_buffer;      /* words */
    uint64_t fetched, moved; /* words that the next run has to wait for: from DRAM, from the buffer */
    struct {
        double dram, in, out; /* when a path's wires are free */
    } path;
    double ended[MOST_SETS], stored[MOST_SETS]; /* by run modulo sets: cycle of the graph's end, and of the
                                                 * result in the buffer */
    VEC(result) results;
    uint32_t due; /* the first result that was not sent to DRAM */
    compile_memory_counts counts;
};

compile_memory_clock *compile_memory_begin(const compile_memory *m, uint32_t operands, arena *mem) {
    compile_memory_clock *c = arena_new(mem, compile_memory_clock);
    *c = (compile_memory_clock){.machine = *m, .mem = mem, .newest = NONE, .oldest = NONE};
    c->operand = arena_new_n(mem, operand_tiles, operands + 1);
    for (uint32_t i = 0; i < operands; i++)
        c->operand[i].last = NONE;
    return c;
}

static void take_out(compile_memory_clock *c, uint32_t n) {
    kept *k = &c->all.at[n];
    *(k->newer == NONE ? &c->newest : &c->all.at[k->newer].older) = k->older;
    *(k->older == NONE ? &c->oldest : &c->all.at[k->older].newer) = k->newer;
    c->in_buffer -= k->words;
    k->words = 0;
}

static uint64_t bytes_of(const compile_memory_clock *c, uint64_t words) {
    return words * (uint64_t)c->machine.element_word;
}

/* Puts the sub-tile in front, and takes out what was not read for longest. */
static void put_in(compile_memory_clock *c, uint32_t n, uint64_t words) {
    if ((double)bytes_of(c, words) > c->machine.buffer_bytes)
        return;
    while ((double)bytes_of(c, c->in_buffer + words) > c->machine.buffer_bytes)
        take_out(c, c->oldest);
    c->all.at[n] = (kept){NONE, c->newest, words};
    *(c->newest == NONE ? &c->oldest : &c->all.at[c->newest].newer) = n;
    c->newest = n;
    c->in_buffer += words;
}

static uint32_t node_of(compile_memory_clock *c, operand_tiles *o, uint32_t sub_tile) {
    while (o->node.len <= sub_tile)
        vec_push(c->mem, &o->node, NONE);
    if (o->node.at[sub_tile] == NONE) {
        o->node.at[sub_tile] = c->all.len;
        vec_push(c->mem, &c->all, ((kept){NONE, NONE, 0}));
    }
    return o->node.at[sub_tile];
}

void compile_memory_load(compile_memory_clock *c, uint32_t operand, uint32_t sub_tile, uint64_t words) {
    operand_tiles *o = &c->operand[operand];
    const bool there = o->last == sub_tile;
    o->last = sub_tile;
    if (there || !words)
        return;
    const uint32_t n = node_of(c, o, sub_tile);
    if (c->all.at[n].words)
        take_out(c, n);
    else
        c->fetched += words;
    put_in(c, n, words);
    c->moved += words;
}

/* ---- the clock ----------------------------------------------------------------------------------- */

static double latest(double a, double b) {
    return a > b ? a : b;
}

/* Moves words over a path from `ready` on; returns when the last one arrives. */
static double move(const compile_memory_clock *c, double *free, double ready, uint64_t words, double rate,
                   double latency) {
    if (!words)
        return ready;
    *free = latest(*free, ready) + ceil((double)bytes_of(c, words) / rate);
    return *free + latency;
}

/* Sends results to DRAM that were ready by `until`. */
static void send(compile_memory_clock *c, double until) {
    for (; c->due < c->results.len && c->results.at[c->due].ready <= until; c->due++) {
        const result *r = &c->results.at[c->due];
        const double done =
            move(c, &c->path.dram, r->ready, r->words, c->machine.dram_rate, c->machine.dram_latency);
        c->counts.cycles = latest(c->counts.cycles, done);
    }
}

void compile_memory_run(compile_memory_clock *c, uint64_t cycles, uint64_t stored_words) {
    const compile_memory *m = &c->machine;
    const uint32_t sets = (uint32_t)m->element_sets, at = (uint32_t)(c->counts.runs % sets),
                   before = (uint32_t)((c->counts.runs + sets - 1) % sets);
    const double asked = c->counts.runs >= sets ? c->ended[at] : 0;
    send(c, asked);
    const double fetched = move(c, &c->path.dram, asked, c->fetched, m->dram_rate, m->dram_latency),
                 loaded = move(c, &c->path.in, fetched, c->moved, m->buffer_rate, m->buffer_latency);
    double begins = latest(loaded, c->counts.runs ? c->ended[before] : 0);
    begins = latest(begins, c->counts.runs >= sets ? c->stored[at] : 0);
    c->ended[at] = begins + (double)cycles;
    c->stored[at] = move(c, &c->path.out, c->ended[at], stored_words, m->buffer_rate, m->buffer_latency);
    vec_push(c->mem, &c->results, ((result){c->stored[at], stored_words}));
    c->counts.cycles = latest(c->counts.cycles, c->stored[at]);
    c->counts.runs++;
    c->counts.kernel += cycles;
    c->counts.fetched += bytes_of(c, c->fetched);
    c->counts.moved += bytes_of(c, c->moved);
    c->counts.stored += bytes_of(c, stored_words);
    c->fetched = c->moved = 0;
}

compile_memory_counts compile_memory_end(compile_memory_clock *c) {
    send(c, INFINITY);
    return c->counts;
}
