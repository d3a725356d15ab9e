/* level_files.h - tensors in the published SAM simulator's form: a text file for each array of each level. */
#ifndef ONYX_TILING_LEVEL_FILES_H
#define ONYX_TILING_LEVEL_FILES_H

#include "tiling/files.h"

/* Returns whether the files STEM_mode_vals and so on are present. */
bool tile_is_level_files(const char *stem, arena *mem);
/* A request to read level files. */
typedef struct {
    const char *stem;
    name_id name; /* of the tensor */
    tile_dtype dtype;
    tile_values values; /* as of tile_read */
} tile_level_files;
/* Reads the files. Explicit zeros are kept, as are all values of dense levels. E0317-level-files, located;
 * E0303, E0305. */
bool tile_read_level_files(const tile_level_files *files, arena *mem, diagnostics *d, tile_tensor *out);

#endif
