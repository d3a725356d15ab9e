/* fills.h - the fill of a tensor in its file: a comment written by tile_write. */
#ifndef ONYX_TILING_FILLS_H
#define ONYX_TILING_FILLS_H

#include "tiling/tiling.h"

/* Writes comments with the fill and the scale into a file whose comments begin with `comment`; nothing for
 * values 0. */
void tile_write_comments(const tile_tensor *t, tile_dtype dtype, char comment, FILE *out);
/* Returns the scale stated by the comment of a .mtx or .tns file, packed by gzip or not, as text; NULL
 * without a comment. */
const char *tile_stated_scale(const char *path, arena *mem);
/* Returns the fill stated by the comment of a .mtx or .tns file, likewise. */
const char *tile_stated_fill(const char *path, arena *mem);
/* Stores every value of a tensor with a fill and at most 2^26 coordinates: its file then needs no fill. */
void tile_store_fill(tile_tensor *t, arena *mem);

#endif
