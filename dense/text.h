/* text.h - the text form of dense tiles (docs/dense.md). */
#ifndef ONYX_DENSE_TEXT_H
#define ONYX_DENSE_TEXT_H

#include "dense/design.h"

/* Writes the tiles: units with their nests, extents and strides, inputs and wires with their sources,
 * contents of memories. Settings without a form of their own are written as `set FEATURE FIELD VALUE`. */
void dense_dump(const dense_design *design, FILE *out);
/* Reads the output of dense_dump: `text`, which lives as long as the diagnostics, or with NULL the file
 * `path`. Errors, located: E0982-dense-text. */
bool dense_parse(const char *path, const char *text, const pnr_board *board, const bits_map *map,
                 diagnostics *d, dense_design *out);

#endif
