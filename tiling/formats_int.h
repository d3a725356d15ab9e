/* formats_int.h - shared by the files of tiling/ on formats: the table of level kinds, and index maps. */
#ifndef ONYX_TILING_FORMATS_INT_H
#define ONYX_TILING_FORMATS_INT_H

#include "tiling/formats.h"

typedef struct {
    const char *name;
    char letter;        /* 0: it has none */
    const char *arrays; /* "pos crd ofs" or some of this list */
    bool leaves;        /* as the last level, stores only actual entries */
} tile_kind_row;
extern const tile_kind_row tile_kind_rows[TILE_KINDS];

/* Returns whether level l is the difference of two indices. */
bool tile_difference(const tile_format *f, uint32_t l, uint32_t *plus, uint32_t *minus);

/* Returns the possible stored coordinates of levels: size[l] coordinates from low[l]. False above 2^31. */
bool tile_map_extents(const tile_format *f, const uint32_t *dim, int64_t *low, uint64_t *size);
int64_t tile_map_coordinate(const tile_map_sum *sum, const uint32_t *crd);
/* Returns whether a level keeps, in `ofs`, the answer of its query for each fiber: an index follows from
 * nothing else, and the outer levels have the query's keys. */
bool tile_has_answers(const tile_format *f, uint32_t l);
/* Finds the indices of a leaf from the coordinates of its levels; offsets and indirect levels say nothing,
 * but for those with answers, whose coordinate is that of the sum.
 * Returns false where they are not whole numbers from 0, or levels contradict each other. */
bool tile_map_invert(const tile_format *f, const int64_t *at, uint32_t *crd);
/* Returns the name of an index not determined by the levels, or NULL. An answer is known wherever its keys
 * are. */
const char *tile_index_lost(const tile_format *f);
/* Returns the bank of each coordinate of an index: in order of decreasing entries, each to the bank with the
 * fewest entries. */
const uint32_t *tile_deal_banks(const tile_tensor *t, uint32_t index, uint32_t banks, arena *mem);
/* Returns whether the storage does not determine the places of entries: an index of the format, or of a part,
 * follows from no direct levels, and from no stored answers. */
bool tile_is_indirect(const tile_format *f);
extern const char *const tile_aggregates[];
/* Returns whether the coordinate is an unchanged index. */
bool tile_is_plain(const tile_format_level *level);
/* Returns why level l cannot be of its kind, or NULL. */
const char *tile_unfit(const tile_format *f, uint32_t l);
extern const char *const tile_compares[];

#endif
