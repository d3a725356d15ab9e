/* bits_map.h - configuration words, and the registers they fill. */
#ifndef ONYX_BITSTREAM_BITS_MAP_H
#define ONYX_BITSTREAM_BITS_MAP_H

#include "pnr/pnr.h"

typedef struct {
    uint32_t address, data;
    src_loc loc; /* the word's place in its file; nowhere for words of bits_encode */
} bits_word;
typedef struct {
    VEC(bits_word)
    words; /* sorted by (x, y, feature, register): the canonical order of ours; a file's order is kept */
} bits_stream;

/* ---- the register map ------------------------------------------------------------------------ */

/* Every field of every register of every tile kind: regmap.csv and config_space.csv of the board's folder,
 * and the table of the board's profile (docs/bitstream.md, docs/boards.md). Holds `b`. Errors, located in the
 * tables: E0601..E0604. */
typedef struct bits_map bits_map;
bool bits_map_read(const pnr_board *b, arena *mem, diagnostics *d, bits_map **out);
/* Lists the fields of the board's profiles besides the chip: a line each, with meaning and place. */
void bits_list_profiles(const bits_map *map, const char *indent, FILE *out);

#endif
