/* formats_int.h - shared by the files of tiling/ that know formats: the table of level kinds, and index maps.
 */
#ifndef ONYX_TILING_FORMATS_INT_H
#define ONYX_TILING_FORMATS_INT_H

#include "tiling/formats.h"

typedef struct {
    const char *name;
    char letter;        /* 0: it has none */
    const char *arrays; /* "pos crd ofs" or a part of that */
    bool leaves;        /* as the last level it holds only what is stored */
} tile_kind_row;
extern const tile_kind_row tile_kind_rows[TILE_KINDS];

/* Returns whether level l is the difference of two indices. */
bool tile_difference(const tile_format *f, uint32_t l, uint32_t *plus, uint32_t *minus);

/* The stored coordinates of levels as they may be: from low[l], size[l] of them. False where they are more
 * than 2^31. */
bool tile_map_extents(const tile_format *f, const uint32_t *dim, int64_t *low, uint64_t *size);
int64_t tile_map_coordinate(const tile_map_sum *sum, const uint32_t *crd);
/* Finds the indices of a leaf from the coordinates of its levels; offsets and indirect levels say nothing.
 * Returns false where they are not whole numbers from 0, or levels contradict each other. */
bool tile_map_invert(const tile_format *f, const int64_t *at, uint32_t *crd);
/* Returns the name of an index that the levels do not determine, or NULL. An answer is known where its keys
 * are. */
const char *tile_index_lost(const tile_format *f);
/* Which bank each coordinate of an index is dealt to: the fullest first, to the one with fewest entries. */
const uint32_t *tile_deal_banks(const tile_tensor *t, uint32_t index, uint32_t banks, arena *mem);
/* Returns whether what is stored does not say where its entries were: a level, or a part, is indirect. */
bool tile_is_indirect(const tile_format *f);

#endif
