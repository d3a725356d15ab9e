/* level_files.h - tensors as the published simulator of SAM has them: a text file for each array of each
 * level. */
#ifndef ONYX_TILING_LEVEL_FILES_H
#define ONYX_TILING_LEVEL_FILES_H

#include "tiling/files.h"

/* Returns whether there are files STEM_mode_vals and so on. */
bool tile_is_level_files(const char *stem, arena *mem);
/* What is to be read, and how. */
typedef struct {
    const char *stem;
    name_id name; /* of the tensor */
    tile_dtype dtype;
    tile_values values; /* as of tile_read */
} tile_level_files;
/* Reads them. Explicit zeros are kept, and so is what dense levels hold. E0317-level-files, located; E0303,
 * E0305. */
bool tile_read_level_files(const tile_level_files *files, arena *mem, diagnostics *d, tile_tensor *out);

#endif
