/* design.h - a dense bitstream, tile by tile. */
#ifndef ONYX_DENSE_DESIGN_H
#define ONYX_DENSE_DESIGN_H

#include "bitstream/bits_fields.h"
#include "bitstream/bitstream.h"

/* A nonzero field of a tile. */
typedef struct {
    const bits_field *field;
    uint32_t value;
} dense_setting;
typedef VEC(dense_setting) dense_settings;

/* A tile configured by words. `contents` are the words of its SRAM or Pond in the order of their writes;
 * `zeros` the addresses of other words written as 0. */
typedef struct {
    uint32_t x, y, mode;
    net_tile kind;
    dense_settings settings;
    bits_stream contents;
    VEC(uint32_t) zeros;
    src_loc loc; /* its first word, or its line */
} dense_tile;

/* An input fed by an output, without a route: `registers` words or bits stand between them. `port` is a
 * dense_port (wires.h); DENSE_PORTS: an IO tile's word for the global buffer. */
typedef struct {
    uint32_t x, y, port, width;     /* the input */
    uint32_t from_x, from_y, place; /* the output, by its place among the tile's outputs of this width */
    uint32_t registers;
    src_loc loc;
} dense_link;
typedef VEC(dense_link) dense_links;

typedef struct {
    const pnr_board *board;
    const bits_map *map;
    VEC(dense_tile) tiles; /* by (x, y) */
    dense_links links;     /* in place of routes, made by dense_place */
    bool fixed_times;      /* schedules are unknown: units work when they did, links keep their registers */
} dense_design;

/* Returns whether the words configure dense tiles: a unified buffer, a RAM, a generator of valid bits, or a
 * PE or IO tile without handshakes. */
bool dense_is(const bits_stream *in, const bits_map *map);
/* Takes the words apart. Errors: E0620-unknown-bit, E0621-repeated-address. */
bool dense_decode(const bits_stream *in, const pnr_board *board, const bits_map *map, diagnostics *d,
                  dense_design *out);
/* Makes the words, in the canonical order. Words read by dense_decode come out unchanged. */
bits_stream dense_encode(const dense_design *design, arena *mem);

/* Returns the value of a field of a tile; 0 for a name unknown to the tile's kind. */
uint32_t dense_value(const dense_design *design, const dense_tile *t, uint32_t feature, const char *name);
/* Sets a field; value 0 takes the setting away. */
void dense_set(dense_tile *t, const bits_field *field, uint32_t value, arena *mem);
int dense_by_place(const void *left, const void *right); /* tiles, for qsort */
/* Returns the tile at (x, y), or NULL. */
const dense_tile *dense_tile_at(const dense_design *design, uint32_t x, uint32_t y);
/* Returns whether words of the feature are contents of a memory. */
bool dense_is_contents(net_tile tile, uint32_t feature);

#endif
