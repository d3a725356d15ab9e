/* The streams of a dense program. */
#include "dense/program.h"

#include "dense/load.h"
#include "dense/units.h"
#include "firmware/registers.h"

enum { TILE_BYTES = 0x40000, OUTPUT_BANK = 0x20000, TILE_REGISTERS = GLB_TILE_STRIDE / 4 };

/* ---- streams ----------------------------------------------------------------------------------- */

/* Reads a loop nest of the buffer: dim at `at`, start, cycle, and for each loop range, stride, cycle
 * stride. */
static void read_nest(const uint32_t *reg, uint32_t at, uint32_t loops, dense_generator *g) {
    const uint32_t *r = reg + at / 4;
    g->enable = true;
    g->nest.dim = r[0] < loops ? r[0] : loops;
    g->address[0].start = r[1];
    g->at.start = r[2];
    for (uint32_t i = 0; i < loops; i++) {
        g->nest.range[i] = r[3 + 3 * i];
        g->address[0].increment[i] = r[4 + 3 * i];
        g->at.increment[i] = r[5 + 3 * i];
    }
}

static bool refuse_stream(const dense_program *p, uint32_t tile, const char *what, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0981-dense-stream", "%s: GLB tile %u: its %s", p->path, tile, what);
    return diag_hint(d, "streams of the dense fabric run once a start, words by schedule or by valid bits");
}

/* Where the registers of the two DMA engines of a tile stand. */
typedef struct {
    const char *what;
    bool store;
    uint32_t control, nest, loops, column_lsb, valid_lsb, ready_valid;
} engine;

static const engine engines[] = {
    {"load", false, GLB_LD_CTRL, GLB_LD_DIM, GLB_LD_RANGE_COUNT, GLB_LD_CTRL_DATA_MUX_LSB,
     GLB_LD_CTRL_VALID_MODE_LSB, LD_READY_VALID},
    {"store", true, GLB_ST_CTRL, GLB_ST_DIM, GLB_ST_RANGE_COUNT, GLB_ST_CTRL_DATA_MUX_LSB,
     GLB_ST_CTRL_VALID_MODE_LSB, ST_READY_VALID},
};

static bool add_stream(const dense_program *p, const uint32_t *reg, uint32_t tile, const engine *e,
                       diagnostics *d, dense_streams *out) {
    const uint32_t control = reg[e->control / 4], mode = control & 3, valid = control >> e->valid_lsb & 3;
    const bool odd = (control >> e->column_lsb & 3) == GLB_COLUMN_ODD;
    dense_stream s = {.mode = DENSE_STREAM_STATIC, .store = e->store, .column = 2 * tile + odd};
    if (mode == DMA_OFF)
        return true;
    const char *other = mode != DMA_ONCE          ? "repeats"
                        : valid == e->ready_valid ? "is of ready and valid"
                        : !e->store && valid      ? "has a valid bit with each word"
                        : !e->store && control >> GLB_LD_CTRL_FLUSH_MODE_LSB & 1 ? "flushes nothing"
                        : reg[GLB_DATA_NET_CTRL / 4] || reg[GLB_DATA_NET_LATENCY / 4]
                            ? "is chained to another tile, or delayed"
                            : NULL;
    if (other)
        return refuse_stream(p, tile, arena_printf(d->mem, "%s %s", e->what, other), d);
    if (e->store && valid != ST_STATIC)
        s.mode = DENSE_STREAM_VALID;
    read_nest(reg, e->nest, e->loops, &s.g);
    vec_push(d->mem, out, s);
    return true;
}

/* Returns the registers of all tiles of the buffer after the writes. */
static const uint32_t *registers_of(const dense_program *p, arena *mem) {
    uint32_t *reg = arena_new_n(mem, uint32_t, DENSE_GLB_TILES * TILE_REGISTERS);
    for (uint32_t i = 0; i < p->writes.len; i++) {
        if (p->writes.at[i].offset / 4 < DENSE_GLB_TILES * TILE_REGISTERS)
            reg[p->writes.at[i].offset / 4] = p->writes.at[i].value;
    }
    return reg;
}

bool dense_streams_of(const dense_program *p, arena *mem, diagnostics *d, dense_streams *out) {
    const uint32_t *reg = registers_of(p, mem);
    bool ok = true;
    *out = (dense_streams){0};
    for (uint32_t i = 0; i < 2 * DENSE_GLB_TILES; i++) {
        const uint32_t t = i % DENSE_GLB_TILES;
        ok = add_stream(p, reg + t * TILE_REGISTERS, t, &engines[i / DENSE_GLB_TILES], d, out) && ok;
    }
    return ok;
}

/* Adds to the last write of a register, or adds a first write. */
static void add_to_register(dense_program *p, uint32_t offset, uint32_t by, arena *mem) {
    for (uint32_t i = p->writes.len; i-- > 0;) {
        if (p->writes.at[i].offset != offset)
            continue;
        p->writes.at[i].value += by;
        return;
    }
    vec_push(mem, &p->writes, ((dense_write){offset, by}));
}

void dense_move_writes(dense_program *p, int32_t *const delay[2], arena *mem) {
    const uint32_t *reg = registers_of(p, mem);
    for (uint32_t i = 0; i < 2 * DENSE_GLB_TILES; i++) {
        const engine *e = &engines[i / DENSE_GLB_TILES];
        const uint32_t tile = i % DENSE_GLB_TILES, control = reg[tile * TILE_REGISTERS + e->control / 4];
        const bool odd = (control >> e->column_lsb & 3) == GLB_COLUMN_ODD;
        const bool scheduled = !e->store || (control >> e->valid_lsb & 3) == ST_STATIC;
        const int32_t by = delay[e->store][2 * tile + odd];
        if ((control & 3) != DMA_OFF && scheduled && by)
            add_to_register(p, tile * GLB_TILE_STRIDE + e->nest + 8, (uint32_t)by, mem);
    }
}

static dense_stream linear(uint32_t column, uint32_t byte, uint32_t words) {
    dense_stream s = {.mode = DENSE_STREAM_STATIC, .column = column};
    s.g.enable = true;
    s.g.nest.dim = words > 1;
    s.g.nest.range[0] = words - 2;
    s.g.address[0] = (dense_affine){byte, {2}};
    s.g.at.increment[0] = 1;
    return s;
}

/* Returns the words of each of the tiles, over which `lanes` streams would be dealt an array without tiles.
 */
static uint32_t words_of_tile(const dense_words_vec *arrays, uint32_t lanes) {
    const dense_words *w = arrays->len ? &arrays->at[0] : NULL;
    const uint32_t tiles = w && w->anywhere && arrays->len == 1 ? lanes : w ? w->tiles.len : 0;
    return tiles ? w->words.len / tiles : 0;
}

/* Lists the GLB tiles of the streams of a direction, in the order of their columns. *most: words between the
 * first and the last byte of a stream. */
static u32_vec tiles_of(const dense_streams *streams, bool store, arena *mem, uint32_t *most) {
    u32_vec tiles = {0};
    uint32_t first, last;
    *most = 0;
    for (uint32_t column = 0; column < 2 * DENSE_GLB_TILES; column++) {
        for (uint32_t i = 0; i < streams->len; i++) {
            if (streams->at[i].store != store || streams->at[i].column != column)
                continue;
            dense_reach_of(&streams->at[i], &first, &last);
            *most = (last - first + 1) / 2 > *most ? (last - first + 1) / 2 : *most;
            vec_push(mem, &tiles, column / 2);
        }
    }
    return tiles;
}

static bool deal(const dense_streams *streams, bool store, dense_program *p, diagnostics *d) {
    dense_words_vec *arrays = store ? &p->outputs : &p->inputs;
    uint32_t most = 0;
    const u32_vec tiles = tiles_of(streams, store, d->mem, &most);
    if (!arrays->len || !arrays->at[0].anywhere)
        return true;
    if (arrays->len == 1) {
        if (tiles.len && arrays->at[0].words.len > most) /* else one stream takes all */
            arrays->at[0].tiles = tiles;
        return true;
    }
    if (arrays->len != tiles.len) {
        diag_error(d, (src_loc){0}, "E0981-dense-stream",
                   "%s: %u arrays and %u %s, and no table names their tiles", p->path, arrays->len, tiles.len,
                   store ? plural(tiles.len, "store", "stores") : plural(tiles.len, "load", "loads"));
        return diag_hint(d, "%s has the GLB tiles of each array",
                         store ? "glb_tile_of_output" : "glb_tile_of_input");
    }
    for (uint32_t i = 0; i < tiles.len; i++)
        arrays->at[i].tiles.at[0] = tiles.at[i];
    return true;
}

bool dense_deal_arrays(const dense_streams *streams, dense_program *p, diagnostics *d) {
    return deal(streams, false, p, d) && deal(streams, true, p, d);
}

/* Returns whether the IO tile stores: the array gives it words and valid bits. */
static bool is_store(const dense_wiring *w, const dense_tile *t) {
    const dense_origin below = {.x = t->x, .y = 1, .side = PNR_NORTH};
    return dense_wire_at(w, below, DENSE_WORD)->enable && dense_wire_at(w, below, DENSE_BIT)->enable;
}

/* Returns whether as many bits are valid in a run as words are expected: the array is that of one lane. */
static bool is_one_lane(const dense_design *design, const dense_program *p) {
    bool one = false;
    for (uint32_t i = 0; i < design->tiles.len && p->outputs.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        uint64_t events = 1;
        if (t->kind != NET_TILE_MEM || !(dense_units_of(design, t) & DENSE_HAS_VALID))
            continue;
        const dense_generator g = dense_generator_of(design, t, DENSE_GENERATOR_VALID);
        for (uint32_t k = 0; k < g.nest.dim && k < DENSE_MAP_LOOPS; k++)
            events *= g.nest.range[k] + 2;
        one = one || (g.enable && events == p->outputs.at[0].words.len);
    }
    return one;
}

static void count_lanes(const dense_wiring *w, uint32_t lanes[2]) {
    for (uint32_t i = 0; i < w->design->tiles.len; i++) {
        const dense_tile *t = &w->design->tiles.at[i];
        if (t->kind == NET_TILE_IO && dense_value(w->design, t, 0, "tile_en"))
            lanes[is_store(w, t)]++;
    }
}

void dense_linear_streams(const dense_design *design, const dense_program *p, arena *mem,
                          dense_streams *out) {
    dense_wiring w = dense_wire_up(design, mem);
    uint32_t lanes[2] = {0};
    count_lanes(&w, lanes);
    if (is_one_lane(design, p))
        lanes[0] = lanes[1] = 1;
    const uint32_t inputs = words_of_tile(&p->inputs, lanes[0]),
                   outputs = words_of_tile(&p->outputs, lanes[1]);
    *out = (dense_streams){0};
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        if (t->kind != NET_TILE_IO || !dense_value(design, t, 0, "tile_en"))
            continue;
        const bool store = is_store(&w, t);
        const uint32_t bank = t->x / 2 * TILE_BYTES;
        dense_stream s = store ? linear(t->x, bank + OUTPUT_BANK, outputs) : linear(t->x, bank, inputs);
        s.store = store;
        s.g.at.increment[0] = !store; /* a store goes by valid bits */
        s.mode = store ? DENSE_STREAM_VALID : DENSE_STREAM_STATIC;
        vec_push(mem, out, s);
    }
}

/* ---- streams as writes ------------------------------------------------------------------------- */

static void put(dense_program *p, uint32_t tile, uint32_t at, uint32_t value, arena *mem) {
    vec_push(mem, &p->writes, ((dense_write){tile * GLB_TILE_STRIDE + at, value}));
}

void dense_writes_of(const dense_streams *streams, arena *mem, dense_program *p) {
    for (uint32_t i = 0; i < streams->len; i++) {
        const dense_stream *s = &streams->at[i];
        const engine *e = &engines[s->store];
        const uint32_t tile = s->column / 2, column = s->column % 2 ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN,
                       valid = s->store && s->mode == DENSE_STREAM_STATIC ? ST_STATIC : 0;
        put(p, tile, e->control, DMA_ONCE | column << e->column_lsb | valid << e->valid_lsb, mem);
        put(p, tile, e->nest, s->g.nest.dim, mem);
        put(p, tile, e->nest + 4, s->g.address[0].start, mem);
        put(p, tile, e->nest + 8, s->g.at.start, mem);
        for (uint32_t k = 0; k < s->g.nest.dim; k++) {
            put(p, tile, e->nest + 12 * (k + 1), s->g.nest.range[k], mem);
            put(p, tile, e->nest + 12 * (k + 1) + 4, s->g.address[0].increment[k], mem);
            put(p, tile, e->nest + 12 * (k + 1) + 8, s->g.at.increment[k], mem);
        }
    }
}

void dense_reach_of(const dense_stream *s, uint32_t *first, uint32_t *last) {
    dense_generator_state now;
    *first = UINT32_MAX;
    *last = 0;
    for (dense_restart(&s->g, &now); !now.finished; dense_step(&s->g, &now)) {
        *first = now.address[0] < *first ? now.address[0] : *first;
        *last = now.address[0] + 1 > *last ? now.address[0] + 1 : *last;
    }
}
