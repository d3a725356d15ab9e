/* lines.h - text that is read from the front, so that a file need not be in memory as a whole. */
#ifndef ONYX_TILING_LINES_H
#define ONYX_TILING_LINES_H

#include "support/support.h"

/* A file of text, plain or packed by gzip, of which a piece is in memory. */
typedef struct tile_lines tile_lines;

/* Opens a file; NULL where it is none that can be read so: a pipe, UTF-16, a short one. It lives in `mem`. */
tile_lines *tile_lines_begin(const char *path, bool packed, arena *mem);
/* Moves what is left of the piece, from *at to *end, to its front, and reads on behind it; a zero follows
 * *end. False where nothing came: the file ends, cannot be read, or has a line longer than a piece. */
bool tile_lines_more(tile_lines *l, const char **at, const char **end);
/* Closes the file. Returns whether all of it was read. */
bool tile_lines_end(tile_lines *l);
/* Returns how many bytes the file has on disk. */
uint64_t tile_lines_bytes(const tile_lines *l);

#endif
