/* table.h - a function of one word as tables in memory tiles, addressed by a stream of values. */
#ifndef ONYX_LOWER_TABLE_H
#define ONYX_LOWER_TABLE_H

#include "lower_onyx/alu.h"

/* A tile has room for 1024 words; of several that share a function each has seven shapes and a zero. */
enum {
    TABLE_DOMAIN = 1 << 16,
    TABLE_ROOM = 1024,
    TABLE_ROW_BITS = 7,
    TABLE_ROW = 1 << TABLE_ROW_BITS,
    TABLE_ROWS = TABLE_DOMAIN / TABLE_ROW,
    TABLE_SHAPES = 7,
    TABLE_SHARE = TABLE_SHAPES * TABLE_ROW,
    TABLE_MOST_TILES = 8,
    TABLE_LIST_SHARE = TABLE_ROOM - 1, /* of a list of values in several tiles, which each have a zero, too */
    TABLE_LIST = TABLE_MOST_TILES * TABLE_LIST_SHARE
};

/* f(x), with all sums of 16 bits. Direct: tile 0 has f from word `start` on, and words beyond its last
 * address or before `start` read the last one; or several tiles have f from `start` on, less its last value,
 * `rest`. Else the upper nine bits of x choose one of 512 rows of 128 words; a row less its first word is a
 * shape, and rows may have the same: f(x) = shape[place[x >> 7] + (x & 127)] + first[x >> 7]. */
typedef struct {
    bool direct;
    uint16_t start, rest;
    uint32_t share;        /* of several tiles: the words in each before its zero */
    uint32_t tiles, words; /* with f or its shapes, and the words in each */
    uint16_t value[TABLE_MOST_TILES][TABLE_ROOM];
    uint16_t place[TABLE_ROWS], first[TABLE_ROWS];
} table_form;

/* Finds the form of the function with these TABLE_DOMAIN words. Returns false where its shapes ask for more
 * than TABLE_MOST_TILES tiles; *shapes is how many it has, as far as they were counted. O(rows x shapes). */
bool table_find_form(const uint16_t *f, table_form *out, uint32_t *shapes);
/* Makes the PEs and memory tiles, each with its load stream; `in` has one operand that is a stream. */
alu_made table_make(onyx_graph *g, const alu_wanted *in, const table_form *form);

#endif
