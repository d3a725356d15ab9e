/* bits_int.h - private to bitstream/: fields of the register map and the streams as bits_decode sees them. */
#ifndef ONYX_BITS_INT_H
#define ONYX_BITS_INT_H

#include "bitstream/bits_fields.h"
#include "bitstream/bitstream.h"

#define BITS_SPACE_WORDS 64 /* CONFIG_SPACE words a feature may have */
#define BITS_MAX_TRACKS 8
#define BITS_NO_FIELD UINT32_MAX

/* Field numbers of a 17-bit switch-box output and of a 17-bit connection box. */
typedef struct {
    uint32_t enable, sel, rmux, fifo, start, end;
} bits_sb;
typedef struct {
    uint32_t enable, sel;
} bits_cb;

typedef struct {
    uint8_t side, track;
} bits_wire;

struct bits_map {
    const pnr_board *board;
    VEC(bits_field) fields; /* sorted by (tile, name, feature) */
    VEC(bits_field) others; /* fields of the board's other profiles, in the order of their tables */
    u32_vec by_place;       /* field numbers sorted by (tile, feature, space, register, lo, row) */
    uint8_t space_reg[BITS_KINDS][16][BITS_SPACE_WORDS]; /* register of CONFIG_SPACE_k, plus 1; 0 = none */
    bits_sb sb[BITS_KINDS][4][BITS_MAX_TRACKS];          /* PE and MEM: by side and track */
    bits_cb cb[BITS_KINDS][4];                           /* PE and MEM: by 17-bit input port */
    u32_vec core[BITS_KINDS]; /* fields of feature 0 but the CONFIG_SPACE words, sorted by name */
    bits_wire switch_input[4][BITS_MAX_TRACKS][3];  /* the arriving wire each input of an output is */
    uint32_t mode[BITS_KINDS], tile_en[BITS_KINDS]; /* IO has no mode: BITS_NO_FIELD */
};

/* Returns whether a field with the name belongs to a profile other than the map's. */
bool bits_is_elsewhere(const bits_map *map, net_tile tile, const char *name);
static inline const bits_field *bits_field_at(const bits_map *map, uint32_t number) {
    return &map->fields.at[number];
}

#endif
