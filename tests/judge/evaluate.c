#include "tests/judge/judge.h"

enum { MOST_ROUNDS = 20000 };

typedef struct {
    u32_vec in[CYCLE_INS], out[CYCLE_OUTS];
    bool due;       /* an input has grown since the last evaluation */
    arena mem, old; /* memory of out[]; of its previous value, still in use elsewhere */
} tile;

/* The tokens of an input's words, or of an output's port. */
static void compute_io(tile *t, const judge_stream *s) {
    t->out[0] = (u32_vec){0};
    for (uint32_t w = 0; s && !s->output && w < s->length; w++)
        vec_push(&t->mem, &t->out[0], s->words[w]);
}

static void compute(const cycle_cell *cell, spec_meaning meaning, tile *t) {
    spec_streams s = {.mem = &t->mem, .meaning = meaning};
    memcpy(s.in, t->in, sizeof s.in);
    if (cell->tile_en && cell->kind == CYCLE_PE) {
        spec_pe_config config = {.mode = (rtl_pe_mode)cell->mode};
        memcpy(config.space, cell->space, sizeof config.space);
        spec_pe(&config, &s);
    } else if (cell->tile_en && cell->kind == CYCLE_MEM) {
        BUG_IF(cell->mode != RTL_MEM_FIBER_ACCESS, "a memory tile in mode %u", cell->mode);
        spec_mem_config config;
        memcpy(config.space, cell->space, sizeof config.space);
        spec_fiber_access(&config, &s);
    }
    memcpy(t->out, s.out, sizeof t->out);
}

static judge_stream *stream_at(judge_stream *streams, uint32_t n, uint32_t cell) {
    for (uint32_t i = 0; i < n; i++) {
        if (streams[i].cell == cell)
            return &streams[i];
    }
    return NULL;
}

/* Copies the tokens of all sources to their sinks; returns whether any sink has grown. */
static bool spread(const cycle_design *d, tile *tiles) {
    bool grown = false;
    for (uint32_t i = 0; i < d->nets.len; i++) {
        const cycle_net *net = &d->nets.at[i];
        const u32_vec *from = &tiles[net->cell].out[net->port];
        for (uint32_t k = 0; k < net->sinks.len; k++) {
            tile *t = &tiles[net->sinks.at[k].cell];
            u32_vec *to = &t->in[net->sinks.at[k].port];
            t->due |= from->len > to->len;
            grown |= from->len > to->len;
            *to = *from;
        }
    }
    return grown;
}

void judge_evaluate(const cycle_design *d, spec_meaning meaning, judge_stream *streams, uint32_t n,
                    arena *mem) {
    tile *tiles = arena_new_n(mem, tile, d->cells.len + 1);
    bool first = true, grown = true;
    for (uint32_t round = 0; grown && round < MOST_ROUNDS; round++) {
        for (uint32_t c = 0; c < d->cells.len; c++) {
            const cycle_cell *cell = &d->cells.at[c];
            if (!tiles[c].due && !first)
                continue;
            tiles[c].due = false;
            tiles[c].old = tiles[c].mem;
            tiles[c].mem = (arena){0};
            if (cell->kind == CYCLE_IO_IN)
                compute_io(&tiles[c], stream_at(streams, n, c));
            else if (cell->kind != CYCLE_IO_OUT)
                compute(cell, meaning, &tiles[c]);
        }
        first = false;
        grown = spread(d, tiles);
        for (uint32_t c = 0; c < d->cells.len; c++)
            arena_free(&tiles[c].old);
    }
    BUG_IF(grown, "streams that grow for ever");
    for (uint32_t i = 0; i < n; i++) {
        streams[i].got = (u16_vec){0};
        const u32_vec *in = &tiles[streams[i].cell].in[0];
        for (uint32_t w = 0; streams[i].output && w < in->len; w++)
            vec_push(mem, &streams[i].got, (uint16_t)in->at[w]);
    }
    for (uint32_t c = 0; c < d->cells.len; c++)
        arena_free(&tiles[c].mem);
}

/* Words of the blocks of an output; UINT32_MAX if incomplete. */
static uint32_t length_of(const judge_stream *s) {
    uint32_t at = 0;
    for (uint32_t b = 0; b < s->blocks; b++) {
        if (at >= s->got.len || s->got.at[at] >= s->got.len - at)
            return UINT32_MAX;
        at += 1u + s->got.at[at];
    }
    return at;
}

bool judge_complete(const judge_stream *streams, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (streams[i].output && length_of(&streams[i]) == UINT32_MAX)
            return false;
    }
    return true;
}

bool judge_equal(const judge_stream *meant, const judge_stream *chip, uint32_t n, uint32_t *surplus) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t length = length_of(&meant[i]);
        if (!meant[i].output)
            continue;
        if (meant[i].blocks == 1 && meant[i].got.at[0] == 0 && chip[i].got.at[0] == 1) {
            ++*surplus;
            continue;
        }
        if (length != length_of(&chip[i]) ||
            memcmp(meant[i].got.at, chip[i].got.at, length * sizeof *chip[i].got.at) != 0)
            return false;
    }
    return true;
}
