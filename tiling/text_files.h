/* text_files.h - tensors in text files. */
#ifndef ONYX_TILING_TEXT_FILES_H
#define ONYX_TILING_TEXT_FILES_H

#include "tiling/fills.h"
#include "tiling/lines.h"
#include "tiling/rounding.h"
#include "tiling/tiling_int.h"

/* A text read word by word. */
#define TILE_WHOLE UINT32_MAX
typedef struct {
    const char *text, *at, *end, *path;
    uint32_t source;
    diagnostics *diag;
    tile_dtype dtype;
    tile_values values;
    char comment;        /* what begins a comment */
    tile_lines *more;    /* NULL: text to end is the whole file */
    uint32_t part;       /* of a stored tensor, or TILE_WHOLE */
    tile_tensor *tensor; /* being read */
} tile_reader;
/* Loads the line that begins here into memory. Returns whether a line follows. */
bool tile_has_line(tile_reader *r);
/* Takes a value, or its replacement; `stored` counts values so far (for RAMP). */
bool tile_to_value(tile_reader *r, double x, src_loc loc, uint32_t stored, double *out);
bool tile_read_mtx(tile_reader *r, tile_tensor *t, tile_raw *e);
/* A file without entries gets the requested order. */
bool tile_read_tns(tile_reader *r, uint32_t order, tile_tensor *t, tile_raw *e);
/* Reads comma-separated values: rows of a matrix, or with a header coordinates from 0 and a value (csv.c).
 * E0302, E0303, E0310. */
bool tile_read_csv(tile_reader *r, uint32_t order, tile_tensor *t, tile_raw *e);

#endif
