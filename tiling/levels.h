/* levels.h - level storage. */
#ifndef ONYX_TILING_LEVELS_H
#define ONYX_TILING_LEVELS_H

#include "tiling/files.h"

/* Makes the level storage of a whole tensor in its declared format, for the SAM simulator. A tensor without
 * entries is given one explicit zero at its origin: graphs expect operands with at least one coordinate, and
 * the chip's repeaters must not meet an empty outermost fiber. No extent may be 0. */
bool tile_levels(const tile_tensor *t, const sam_tensor_data *format, arena *mem, diagnostics *d,
                 sam_tensor_levels *out);

/* Makes a result tensor of level storage, the other way round. Leaves beyond `extent` (by logical mode) and
 * zeros are dropped; more or fewer values than leaves is E0341-result-stream. */
bool tile_from_levels(const sam_tensor_levels *levels, const sam_tensor_data *format, const uint32_t *extent,
                      tile_dtype dtype, arena *mem, diagnostics *d, tile_tensor *out);

#endif
