/* Explains a stream for people: every word with its fields, and counts. */
#include "bitstream/bits_int.h"

#include <stdlib.h>

typedef struct {
    const bits_map *map;
    const bits_stream *sorted;
    const bits_word *word;
    FILE *out;
} explain_context;

static void print_field(void *context, const bits_field *f) {
    const explain_context *c = context;
    uint32_t value = bits_value(c->map, c->sorted, f, bits_x(c->word->address), bits_y(c->word->address));
    if (value)
        fprintf(c->out, " %s=%u", f->name, value);
}

static void explain_word(explain_context *c) {
    uint32_t a = c->word->address, x = bits_x(a), y = bits_y(a);
    net_tile tile = bits_tile(c->map, a);
    fprintf(c->out, "%08X %08X  #", a, c->word->data);
    if (tile == NET_TILE_NONE) {
        fprintf(c->out, " x%uy%u is outside the array\n", x, y);
        return;
    }
    fprintf(c->out, " x%uy%u %s feature %u register %u:", x, y, bits_kind_name[tile], bits_feature(a),
            bits_reg(a));
    if (bits_is_sram(tile, bits_feature(a))) {
        fprintf(c->out, " SRAM word %u\n", (bits_feature(a) - 1) * 256 + bits_reg(a));
        return;
    }
    uint32_t mode = bits_mode(c->map, c->sorted, x, y);
    uint32_t known = bits_each_field(c->map, bits_register_at(tile, mode, a), print_field, c);
    if (c->word->data & ~known)
        fprintf(c->out, " UNKNOWN=%08X", c->word->data & ~known);
    putc('\n', c->out);
}

void bits_explain(const bits_stream *bits, const bits_map *map, FILE *out) {
    arena scratch = {0};
    bits_stream sorted = bits_sorted(bits, &scratch);
    explain_context c = {map, &sorted, NULL, out};
    for (uint32_t i = 0; i < bits->words.len; i++) {
        c.word = &bits->words.at[i];
        explain_word(&c);
    }
    arena_free(&scratch);
}

typedef struct {
    uint32_t tiles[BITS_KINDS][8]; /* enabled tiles by kind and mode */
    uint32_t sb, registers, cb, unknown;
} stat_counts;

static void no_visit(void *context, const bits_field *f) {
    (void)context;
    (void)f;
}

static void count_routing(const bits_map *map, const bits_stream *sorted, net_tile tile, uint32_t x,
                          uint32_t y, stat_counts *n) {
    for (uint32_t i = 0; i < 4 * map->board->tracks; i++) {
        const bits_sb *sb = &map->sb[tile][i % 4][i / 4];
        n->sb += bits_value(map, sorted, bits_field_at(map, sb->enable), x, y);
        n->registers += bits_value(map, sorted, bits_field_at(map, sb->rmux), x, y);
    }
    for (uint32_t port = 0; port < 4; port++)
        n->cb += bits_value(map, sorted, bits_field_at(map, map->cb[tile][port].enable), x, y);
}

static void count_tile(const bits_map *map, const bits_stream *sorted, uint32_t address, stat_counts *n) {
    uint32_t x = bits_x(address), y = bits_y(address);
    net_tile tile = bits_tile(map, address);
    if (tile == NET_TILE_NONE)
        return;
    if (bits_value(map, sorted, bits_field_at(map, map->tile_en[tile]), x, y))
        n->tiles[tile][bits_mode(map, sorted, x, y) & 7]++;
    if (tile != NET_TILE_IO)
        count_routing(map, sorted, tile, x, y, n);
}

static uint32_t unknown_bits(const bits_map *map, const bits_stream *sorted, const bits_word *w) {
    net_tile tile = bits_tile(map, w->address);
    if (bits_is_sram(tile, bits_feature(w->address)))
        return 0;
    uint32_t mode = bits_mode(map, sorted, bits_x(w->address), bits_y(w->address));
    const bits_register at = bits_register_at(tile, mode, w->address);
    return bits_count(w->data & ~bits_each_field(map, at, no_visit, NULL));
}

static const char *mode_name(net_tile tile, uint32_t chip_mode) {
    for (uint32_t m = NET_MODE_NONE + 1; m < NET_MODES; m++) {
        if (net_mode_table[m].tile == tile && net_mode_table[m].chip_mode == chip_mode)
            return tile == NET_TILE_IO ? "io" : net_mode_table[m].name;
    }
    return "unsupported mode";
}

void bits_stat(const bits_stream *bits, const bits_map *map, FILE *out) {
    arena scratch = {0};
    bits_stream sorted = bits_sorted(bits, &scratch);
    stat_counts n = {0};
    for (uint32_t i = 0; i < sorted.words.len; i++) {
        const bits_word *w = &sorted.words.at[i];
        if (!i || (w[-1].address & 0xffff) != (w->address & 0xffff))
            count_tile(map, &sorted, w->address, &n);
        n.unknown += unknown_bits(map, &sorted, w);
    }
    fprintf(out, "words %u\n", bits->words.len);
    for (net_tile tile = NET_TILE_PE; tile <= NET_TILE_IO; tile++) {
        for (uint32_t mode = 0; mode < 8; mode++) {
            if (n.tiles[tile][mode])
                fprintf(out, "%s %s %u\n", bits_kind_name[tile], mode_name(tile, mode), n.tiles[tile][mode]);
        }
    }
    fprintf(out, "switch-box outputs %u\nregisters %u\nconnection boxes %u\nunknown bits %u\n", n.sb,
            n.registers, n.cb, n.unknown);
    arena_free(&scratch);
}
