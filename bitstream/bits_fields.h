/* bits_fields.h - single fields of the register map, for readers of words without a netlist. */
#ifndef ONYX_BITSTREAM_BITS_FIELDS_H
#define ONYX_BITSTREAM_BITS_FIELDS_H

#include "bitstream/bits_map.h"

#define BITS_ANY_MODE 0xff
#define BITS_ANY_FEATURE 0xff
#define BITS_KINDS (NET_TILE_IO + 1)

/* A run of bits of one tile kind: of one register, or of the CONFIG_SPACE words laid end to end. */
typedef struct {
    const char *name;
    uint8_t tile; /* net_tile */
    uint8_t feature;
    bool space;   /* lo and hi count through the CONFIG_SPACE */
    uint8_t reg;  /* registers only */
    uint8_t mode; /* CONFIG_SPACE only: tile mode of the meaning, or BITS_ANY_MODE */
    uint16_t lo, hi;
    uint32_t row;               /* order in the tables: breaks ties */
    src_loc loc;                /* its row in the table */
    const char *profile, *what; /* of a profile's table: the profile, and the field's meaning; else NULL */
} bits_field;

/* A field is a piece of a register, or two pieces across CONFIG_SPACE words: bits [from, from + width) of the
 * value are at [shift, shift + width) of the register. */
typedef struct {
    uint8_t reg, shift, width, from;
} bits_piece;
uint32_t bits_pieces(const bits_map *map, const bits_field *f, bits_piece piece[2]);
static inline uint32_t bits_mask(uint32_t width) {
    return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

static inline uint32_t bits_count(uint32_t v) {
    uint32_t n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

/* Finds the field `name` of a tile kind, or NULL; `feature` BITS_ANY_FEATURE searches all features. */
const bits_field *bits_find(const bits_map *map, net_tile tile, uint32_t feature, const char *name);

/* A register of a kind of tile in a mode. */
typedef struct {
    net_tile tile;
    uint32_t mode, feature, reg;
} bits_register;
static inline bits_register bits_register_at(net_tile tile, uint32_t mode, uint32_t address) {
    return (bits_register){tile, mode, address >> 16 & 0xff, address >> 24};
}

/* Calls `visit` for each field with bits in the register, lowest bit first; CONFIG_SPACE words are shown as
 * the fields of their mode. Returns the mask of the explained bits. */
typedef void bits_visit(void *context, const bits_field *f);
uint32_t bits_each_field(const bits_map *map, bits_register at, bits_visit *visit, void *context);

static inline uint32_t bits_address(uint32_t reg, uint32_t feature, uint32_t x, uint32_t y) {
    return reg << 24 | feature << 16 | x << 8 | y;
}
static inline uint32_t bits_reg(uint32_t address) {
    return address >> 24;
}
static inline uint32_t bits_feature(uint32_t address) {
    return address >> 16 & 0xff;
}
static inline uint32_t bits_x(uint32_t address) {
    return address >> 8 & 0xff;
}
static inline uint32_t bits_y(uint32_t address) {
    return address & 0xff;
}
/* Returns the key of the canonical order: x, y, feature, register. */
static inline uint32_t bits_key(uint32_t address) {
    return address << 16 | bits_feature(address) << 8 | bits_reg(address);
}
/* Returns the tile kind at the word's address; NET_TILE_NONE outside of the board. */
net_tile bits_tile(const bits_map *map, uint32_t address);
/* Returns whether the feature is the SRAM of a MEM tile: words there are contents, not fields. */
static inline bool bits_is_sram(net_tile tile, uint32_t feature) {
    return tile == NET_TILE_MEM && (feature == 1 || feature == 2);
}

/* Returns the words of a stream sorted canonically, ties in stream order. Addresses may repeat. */
bits_stream bits_sorted(const bits_stream *in, arena *mem);
/* Returns the data at an address of a sorted stream; 0 without the address. */
uint32_t bits_data(const bits_stream *sorted, uint32_t address);
/* Returns the value of a field of the tile at (x, y) in a sorted stream. */
uint32_t bits_value(const bits_map *map, const bits_stream *sorted, const bits_field *f, uint32_t x,
                    uint32_t y);
/* Returns the value of the tile's `mode` field; 0 where the kind has none. */
uint32_t bits_mode(const bits_map *map, const bits_stream *sorted, uint32_t x, uint32_t y);

extern const char *const bits_side_name[4];          /* "EAST" .. */
extern const char *const bits_kind_name[BITS_KINDS]; /* "PE" .. */

/* Returns the connection-box select of arriving wire (side, track); bits_cb_wire is its inverse, false for a
 * track the board lacks. */
uint32_t bits_cb_select(uint32_t side, uint32_t track);
bool bits_cb_wire(const pnr_board *b, uint32_t select, pnr_side *side, uint32_t *track);

#endif
