/* stored_int.h - what storing tensors and restoring them share. */
#ifndef ONYX_TILING_STORED_INT_H
#define ONYX_TILING_STORED_INT_H

#include "tiling/formats_int.h"

#define TILE_POSITIONS_MOST (UINT32_C(1) << 26)
enum { TILE_BITS = 16 };
/* Returns the coordinates of a range level below coordinate `at` of the outer difference. */
void tile_range_of(const tile_format *f, uint32_t l, int64_t at, const uint32_t *dim, int64_t *low,
                   int64_t *high);
uint32_t tile_bit_words(uint32_t size);
bool tile_has_array(tile_kind kind, const char *name);
/* Returns a singleton level's number where a parent has no entry: below the lowest coordinate, which a level
 * with answers of a query takes from the data. */
int32_t tile_no_coordinate(const tile_format *f, uint32_t l, int64_t low);

#endif
