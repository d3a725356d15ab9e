/* dense_side.c - see dense_side.h. */
#include "rtl_models/soc/dense_side.h"

#include "rtl_models/soc/dense_fabric.h"

#include <stdlib.h>

enum { FLUSH_STAGES = DENSE_FLUSH_CYCLE + 1, DONE_CYCLES = 5, LOAD_DONE = 2, STORE_DONE = 5 };
enum { GROUPS = 8, BANK_BYTES = 0x20000, TILE_BYTES = 0x40000, BUFFER_BYTES = 0x400000, COLUMNS = 32 };

typedef struct {
    dense_stream of;
    dense_stream_state state;
    uint64_t started;
    uint32_t node; /* of the array */
} running;

struct dense_side {
    const dense_fabric *fabric;
    dense_side_line *line;
    void *of;
    arena mem, own; /* of the words; of the array and its streams */
    diagnostics d;
    bits_stream words;
    bool changed; /* words came since the array was made */
    uint32_t stalled;
    dense_array array;
    dense_model *model;
    VEC(running) streams;
    uint32_t flush[FLUSH_STAGES]; /* groups of columns, by cycles from now */
    u32_vec outputs;              /* nodes of the array */
    uint32_t stores, early;       /* columns whose store has started; with a valid bit before */
    uint64_t cycle, progress;
    const char *error;
};

static void fail(dense_side *s, const char *why) {
    s->error = *s->error ? s->error : why;
}

dense_side *dense_side_create(const dense_fabric *fabric, dense_side_line *line, void *of) {
    dense_side *s = calloc(1, sizeof *s);
    if (!s)
        out_of_memory(sizeof *s);
    s->fabric = fabric;
    s->line = line;
    s->of = of;
    dense_side_reset(s);
    return s;
}

static void forget_array(dense_side *s) {
    arena_free(&s->own);
    s->own = (arena){0};
    s->array = (dense_array){.values = 0};
    s->model = NULL;
    s->streams.len = s->streams.cap = 0;
    s->streams.at = NULL;
    memset(s->flush, 0, sizeof s->flush);
    s->outputs = (u32_vec){0};
    s->stores = s->early = 0;
}

void dense_side_destroy(dense_side *s) {
    forget_array(s);
    arena_free(&s->mem);
    free(s);
}

void dense_side_reset(dense_side *s) {
    forget_array(s);
    arena_free(&s->mem);
    s->mem = (arena){0};
    s->words = (bits_stream){0};
    s->changed = false;
    s->stalled = 0;
    s->error = "";
}

/* ---- configuration ----------------------------------------------------------------------------- */

static bool any_open(const dense_side *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->streams.len; i++)
        any = any || !s->streams.at[i].state.now.finished;
    return any;
}

static uint32_t all_columns(const dense_side *s) {
    const uint32_t width = s->fabric->board->width;
    return width >= COLUMNS ? UINT32_MAX : (1u << width) - 1;
}

void dense_side_configure(dense_side *s, uint32_t address, uint32_t data) {
    const uint32_t x = bits_x(address), y = bits_y(address);
    if (x < COLUMNS && !(s->stalled >> x & 1))
        fail(s, arena_printf(&s->mem, "a word configures tile x%uy%u while its column runs (rule 23)", x, y));
    vec_push(&s->mem, &s->words.words, (bits_word){address, data, {0}});
    s->changed = true;
}

/* Makes the array of the words. */
static void make_array(dense_side *s) {
    uint32_t ring = 0;
    forget_array(s);
    diag_init(&s->d, &s->own);
    s->changed = false;
    const char *why = s->fabric->array_of(&s->words, s->fabric->board, &s->d, &s->array);
    if (why) {
        fail(s, why);
        return;
    }
    for (uint32_t i = 0; i < s->array.nodes.len; i++) {
        if (s->array.nodes.at[i].kind == DENSE_NODE_OUTPUT)
            vec_push(&s->own, &s->outputs, i);
    }
    s->model = dense_build(&s->array, &s->own, &ring);
    if (!s->model)
        fail(s, arena_printf(&s->mem, "tile x%uy%u feeds itself without a register",
                             s->array.nodes.at[ring].x, s->array.nodes.at[ring].y));
}

void dense_side_stall(dense_side *s, uint32_t columns) {
    const uint32_t all = all_columns(s), now = columns & all;
    if (now && any_open(s))
        fail(s, "columns are stalled while a stream runs, which loses words (rule 23)");
    if (now && now != all)
        fail(s, "some columns are stalled and some run: no model of the dense fabric does so");
    if (!now && s->changed)
        make_array(s);
    s->stalled = now;
}

/* ---- streams ----------------------------------------------------------------------------------- */

static running *find_stream(dense_side *s, bool store, uint32_t tile) {
    for (uint32_t i = 0; i < s->streams.len; i++) {
        const dense_stream *of = &s->streams.at[i].of;
        if (of->store == store && of->column / 2 == tile)
            return &s->streams.at[i];
    }
    return NULL;
}

/* A start begins at the start address; the loop counters go on unless their nest has ended, which no model
 * here follows. */
static void start_stream(dense_side *s, const dense_stream *of) {
    running r = {.of = *of, .started = s->cycle}, *was = find_stream(s, of->store, of->column / 2);
    r.node = dense_io_node(&s->array, of->store ? DENSE_NODE_OUTPUT : DENSE_NODE_INPUT, of->column);
    if (r.node == UINT32_MAX)
        fail(s, arena_printf(&s->mem, "IO column %u has a stream, and its tile is off", of->column));
    if (was && !was->state.now.finished)
        fail(s, arena_printf(&s->mem, "the %s of IO column %u starts again before its end",
                             of->store ? "store" : "load", of->column));
    if (of->mode == DENSE_STREAM_VALID && s->early >> of->column & 1)
        fail(s, arena_printf(&s->mem, "valid bits came to the store of IO column %u before its start",
                             of->column));
    dense_stream_start(&r.of, &r.state);
    s->stores |= of->store ? 1u << of->column : 0;
    if (was)
        *was = r;
    else
        vec_push(&s->own, &s->streams, r);
}

static void start_flush(dense_side *s, uint32_t tile, uint32_t crossbar) {
    for (uint32_t g = 0; g < GROUPS; g++) {
        if ((crossbar >> 4 * g & 15) == tile)
            s->flush[(s->cycle + DENSE_FLUSH_CYCLE) % FLUSH_STAGES] |= 1u << g;
    }
}

void dense_side_start(dense_side *s, uint32_t streams, uint32_t crossbar, const uint32_t *registers) {
    dense_streams all = {0};
    if (!s->model)
        fail(s, "streams start before the columns are released");
    else if (!s->fabric->streams_of(registers, &s->d, &all))
        fail(s, "a stream is set up that the dense fabric cannot have (E0981)");
    for (uint32_t i = 0; i < all.len; i++) {
        const dense_stream *of = &all.at[i];
        const uint32_t tile = of->column / 2;
        if (!(streams >> (of->store ? DENSE_SIDE_STORES + tile : tile) & 1))
            continue;
        start_stream(s, of);
        if (!of->store)
            start_flush(s, tile, crossbar);
    }
}

/* ---- a cycle ----------------------------------------------------------------------------------- */

/* A DMA stays inside the banks of its own tile. */
static uint32_t own_address(const dense_stream *of, uint32_t address) {
    return of->column / 2 * TILE_BYTES + address % TILE_BYTES;
}

static uint16_t load_word(const dense_side *s, uint32_t address) {
    return (uint16_t)(*s->line(s->of, address) >> 8 * (address & 6));
}

static void store_word(const dense_side *s, uint32_t address, uint16_t word) {
    uint64_t *line = s->line(s->of, address);
    const uint32_t shift = 8 * (address & 6);
    *line = (*line & ~((uint64_t)0xffff << shift)) | (uint64_t)word << shift;
}

static void store_words(dense_side *s) {
    for (uint32_t i = 0; i < s->streams.len; i++) {
        running *r = &s->streams.at[i];
        uint32_t at = 0;
        if (!r->of.store)
            continue;
        const uint32_t taken = dense_taken(s->model, r->node), c = (uint32_t)(s->cycle - r->started);
        if (dense_stream_store(&r->of, &r->state, c, taken >> 16, &at)) {
            store_word(s, own_address(&r->of, at), (uint16_t)taken);
            s->progress++;
        }
    }
}

static void drive_inputs(dense_side *s) {
    for (uint32_t i = 0; i < s->streams.len; i++) {
        running *r = &s->streams.at[i];
        uint32_t at = 0;
        if (r->of.store)
            continue;
        const bool word = dense_stream_load(&r->of, &r->state, (uint32_t)(s->cycle - r->started), &at);
        dense_drive(s->model, r->node, word ? load_word(s, own_address(&r->of, at)) : 0, false);
        s->progress += word;
    }
}

/* Notes columns whose valid bits come before a store has started. */
static void note_early(dense_side *s) {
    for (uint32_t i = 0; i < s->outputs.len; i++) {
        const uint32_t bit = dense_taken(s->model, s->outputs.at[i]) >> 16;
        s->early |= bit << s->array.nodes.at[s->outputs.at[i]].x & ~s->stores;
    }
}

void dense_side_step(dense_side *s) {
    uint32_t *flush = &s->flush[s->cycle % FLUSH_STAGES];
    if (s->model && !s->stalled) {
        note_early(s);
        store_words(s);
        drive_inputs(s);
        dense_cycle(s->model, *flush);
    }
    *flush = 0;
    s->cycle++;
}

/* ---- looking ----------------------------------------------------------------------------------- */

uint32_t dense_side_done(const dense_side *s) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < s->streams.len; i++) {
        const running *r = &s->streams.at[i];
        const uint64_t rise = r->started + r->state.last + (r->of.store ? STORE_DONE : LOAD_DONE);
        if (r->state.now.finished && s->cycle >= rise && s->cycle < rise + DONE_CYCLES)
            done |= 1u << (r->of.column / 2 + (r->of.store ? DENSE_SIDE_STORES : 0));
    }
    return done;
}

uint32_t dense_side_in_use(const dense_side *s, uint32_t tile) {
    uint32_t banks = 0;
    for (uint32_t i = 0; i < s->streams.len; i++) {
        const running *r = &s->streams.at[i];
        const uint32_t bank = r->state.now.address[0] / BANK_BYTES % 2;
        if (r->of.column / 2 == tile && !r->state.now.finished)
            banks |= 1u << (bank + (r->of.store ? 0 : 4));
    }
    return banks;
}

uint64_t dense_side_progress(const dense_side *s) {
    return s->progress;
}

const char *dense_side_error(const dense_side *s) {
    return s->error;
}

bool dense_side_stream_at(const dense_side *s, uint32_t i, dense_side_stream *out) {
    if (i >= s->streams.len)
        return false;
    const running *r = &s->streams.at[i];
    *out = (dense_side_stream){.store = r->of.store,
                               .done = r->state.now.finished,
                               .column = r->of.column,
                               .words = r->state.words,
                               .first = r->state.first - DENSE_FIRST_CYCLE,
                               .last = r->state.last - DENSE_FIRST_CYCLE};
    return true;
}
