/* lines.h - text read from the front, without the whole file in memory. */
#ifndef ONYX_TILING_LINES_H
#define ONYX_TILING_LINES_H

#include "support/support.h"

/* A text file, plain or packed by gzip, with a piece in memory. */
typedef struct tile_lines tile_lines;

/* Opens a file; NULL for unsuitable files: a pipe, UTF-16, a short file. The result lives in `mem`. */
tile_lines *tile_lines_begin(const char *path, bool packed, arena *mem);
/* Moves the rest of the piece, from *at to *end, to its front, and reads on; a zero follows *end. False
 * without new bytes: the file ends, cannot be read, or has a line longer than a piece. */
bool tile_lines_more(tile_lines *l, const char **at, const char **end);
/* Closes the file. Returns whether the whole file was read. */
bool tile_lines_end(tile_lines *l);
/* Returns how many bytes the file has on disk. */
uint64_t tile_lines_bytes(const tile_lines *l);

#endif
