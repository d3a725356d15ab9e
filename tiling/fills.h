/* fills.h - the value of what a tensor does not store, in its file: a comment that tile_write makes. */
#ifndef ONYX_TILING_FILLS_H
#define ONYX_TILING_FILLS_H

#include "tiling/tiling.h"

/* Writes comments with the fill and the scale into a file whose comments begin with `comment`; nothing where
 * they are 0. */
void tile_write_comments(const tile_tensor *t, tile_dtype dtype, char comment, FILE *out);
/* Returns the scale that the comment of a .mtx or .tns file states, packed by gzip or not, as text; NULL
 * where there is none. */
const char *tile_stated_scale(const char *path, arena *mem);
/* Returns the fill that the comment of such a file states. */
const char *tile_stated_fill(const char *path, arena *mem);
/* Stores every value of a tensor that has a fill and at most 2^26 coordinates, so that its file needs none.
 */
void tile_store_fill(tile_tensor *t, arena *mem);

#endif
