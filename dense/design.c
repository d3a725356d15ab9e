/* Words to settings of tiles, and back. Settings are fields named by the register map, without
 * interpretation. */
#include "dense/design.h"

#include <stdlib.h>

enum { FEATURE_CORE = 0, FEATURE_POND_MEMORY = 2 };

bool dense_is_contents(net_tile tile, uint32_t feature) {
    return bits_is_sram(tile, feature) || (tile == NET_TILE_PE && feature == FEATURE_POND_MEMORY);
}

/* ---- tiles and their settings ------------------------------------------------------------------ */

int dense_by_place(const void *left, const void *right) {
    const dense_tile *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : a->y > b->y;
}

const dense_tile *dense_tile_at(const dense_design *design, uint32_t x, uint32_t y) {
    const dense_tile key = {.x = x, .y = y};
    return design->tiles.len ? bsearch(&key, design->tiles.at, design->tiles.len, sizeof key, dense_by_place)
                             : NULL;
}

static uint32_t setting_of(const dense_tile *t, const bits_field *field) {
    for (uint32_t i = 0; field && i < t->settings.len; i++) {
        if (t->settings.at[i].field == field)
            return i;
    }
    return t->settings.len;
}

uint32_t dense_value(const dense_design *design, const dense_tile *t, uint32_t feature, const char *name) {
    uint32_t i = setting_of(t, bits_find(design->map, t->kind, feature, name));
    return i < t->settings.len ? t->settings.at[i].value : 0;
}

void dense_set(dense_tile *t, const bits_field *field, uint32_t value, arena *mem) {
    uint32_t i = setting_of(t, field);
    if (i == t->settings.len && value)
        vec_push(mem, &t->settings, (dense_setting){field, value});
    else if (value)
        t->settings.at[i].value = value;
    else if (i < t->settings.len)
        t->settings.at[i] = t->settings.at[--t->settings.len];
}

/* ---- decoding ---------------------------------------------------------------------------------- */

typedef struct {
    const bits_map *map;
    const bits_stream *sorted;
    dense_tile *tile;
    arena *mem;
} word_fields;

/* A field across two words is visited twice. */
static void take_field(void *context, const bits_field *f) {
    const word_fields *c = context;
    dense_set(c->tile, f, bits_value(c->map, c->sorted, f, c->tile->x, c->tile->y), c->mem);
}

static void take_word(word_fields *c, const bits_word *w, diagnostics *d) {
    dense_tile *t = c->tile;
    uint32_t feature = bits_feature(w->address);
    if (dense_is_contents(t->kind, feature)) {
        vec_push(c->mem, &t->contents.words, *w);
        return;
    }
    if (!w->data)
        vec_push(c->mem, &t->zeros, w->address);
    uint32_t known = bits_each_field(c->map, bits_register_at(t->kind, t->mode, w->address), take_field, c);
    if (!(w->data & ~known))
        return;
    diag_error(d, w->loc, "E0620-unknown-bit",
               "tile x%uy%u (%s), feature %u, register %u: no field explains bits %08X", t->x, t->y,
               bits_kind_name[t->kind], feature, bits_reg(w->address), w->data & ~known);
}

static void check_written_once(const bits_word *w, net_tile kind, diagnostics *d) {
    if (w->address != w[-1].address || dense_is_contents(kind, bits_feature(w->address)))
        return;
    diag_error(d, w->loc, "E0621-repeated-address", "address %08X is written twice", w->address);
    diag_hint(d, "the chip keeps the last word only; merge the words of one address");
    diag_note(d, w[-1].loc, "written here first");
}

static void take_tile(const bits_stream *sorted, uint32_t first, uint32_t end, dense_design *out,
                      diagnostics *d) {
    const bits_word *w = &sorted->words.at[first];
    dense_tile t = {.x = bits_x(w->address), .y = bits_y(w->address), .loc = w->loc};
    t.kind = bits_tile(out->map, w->address);
    t.mode = t.kind == NET_TILE_NONE ? 0 : bits_mode(out->map, sorted, t.x, t.y);
    word_fields c = {.map = out->map, .sorted = sorted, .tile = &t, .mem = d->mem};
    for (uint32_t i = first; i < end; i++) {
        if (i > first)
            check_written_once(&sorted->words.at[i], t.kind, d);
        take_word(&c, &sorted->words.at[i], d);
    }
    vec_push(d->mem, &out->tiles, t);
}

bool dense_decode(const bits_stream *in, const pnr_board *board, const bits_map *map, diagnostics *d,
                  dense_design *out) {
    uint32_t errors = d->errors;
    bits_stream sorted = bits_sorted(in, d->mem);
    *out = (dense_design){.board = board, .map = map};
    for (uint32_t first = 0, end; first < sorted.words.len; first = end) {
        const uint32_t site = sorted.words.at[first].address & 0xffff;
        for (end = first + 1; end < sorted.words.len && (sorted.words.at[end].address & 0xffff) == site;)
            end++;
        take_tile(&sorted, first, end, out, d);
    }
    return d->errors == errors;
}

/* ---- encoding ---------------------------------------------------------------------------------- */

static void put(const bits_map *map, const dense_tile *t, const dense_setting *s, bits_stream *out,
                arena *mem) {
    bits_piece piece[2];
    for (uint32_t n = bits_pieces(map, s->field, piece), i = 0; i < n; i++) {
        uint32_t data = (s->value >> piece[i].from & bits_mask(piece[i].width)) << piece[i].shift;
        if (data)
            vec_push(mem, &out->words,
                     (bits_word){bits_address(piece[i].reg, s->field->feature, t->x, t->y), data, {0}});
    }
}

/* Contents and words of 0 stand among the merged words by their address. */
bits_stream dense_encode(const dense_design *design, arena *mem) {
    bits_stream fields = {0}, all;
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        for (uint32_t k = 0; k < t->settings.len; k++)
            put(design->map, t, &t->settings.at[k], &fields, mem);
    }
    all = bits_canonical(&fields, mem);
    for (uint32_t i = 0; i < design->tiles.len; i++) {
        const dense_tile *t = &design->tiles.at[i];
        for (uint32_t k = 0; k < t->zeros.len; k++)
            vec_push(mem, &all.words, (bits_word){t->zeros.at[k], 0, {0}});
        for (uint32_t k = 0; k < t->contents.words.len; k++)
            vec_push(mem, &all.words, t->contents.words.at[k]);
    }
    return bits_sorted(&all, mem);
}

/* ---- recognising ------------------------------------------------------------------------------- */

static bool has(const bits_stream *sorted, const bits_map *map, const bits_word *w, const char *name) {
    const bits_field *f = bits_find(map, bits_tile(map, w->address), FEATURE_CORE, name);
    return f && bits_value(map, sorted, f, bits_x(w->address), bits_y(w->address));
}

static bool is_dense_core(const bits_stream *sorted, const bits_map *map, const bits_word *w) {
    net_tile kind = bits_tile(map, w->address);
    uint32_t mode = bits_mode(map, sorted, bits_x(w->address), bits_y(w->address));
    if (kind == NET_TILE_MEM)
        return has(sorted, map, w, "tile_en") && (mode == 1 || mode == 2 || has(sorted, map, w, "mode_excl"));
    if (kind == NET_TILE_PE)
        return has(sorted, map, w, "PE_input_width_17_num_0_dense") ||
               has(sorted, map, w, "PE_output_width_17_num_0_dense");
    return kind == NET_TILE_IO && has(sorted, map, w, "glb2io_17_valid_reg_sel");
}

bool dense_is(const bits_stream *in, const bits_map *map) {
    arena scratch = {0};
    bits_stream sorted = bits_sorted(in, &scratch);
    bool found = false;
    for (uint32_t i = 0; i < sorted.words.len && !found; i++) {
        const bits_word *w = &sorted.words.at[i];
        found = bits_feature(w->address) == FEATURE_CORE && bits_tile(map, w->address) != NET_TILE_NONE &&
                is_dense_core(&sorted, map, w);
    }
    arena_free(&scratch);
    return found;
}
