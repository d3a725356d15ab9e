/* words.h - words of tensors that were read before the type of their values was known. */
#ifndef ONYX_TILING_WORDS_H
#define ONYX_TILING_WORDS_H

#include "tiling/files.h"

/* What words of a tensor are: of a type, and of int16 scaled by 2^scale. */
typedef struct {
    tile_dtype dtype;
    int scale;
} tile_type;
/* Makes the words of a tensor that was read as TILE_DTYPE_ORIGINAL, and warns of what that changed, as
 * tile_read does. E0305-value. */
bool tile_give_words(tile_tensor *t, tile_type type, const char *from, arena *mem, diagnostics *d);
/* Warns of E0350-rounded, E0351-wrapped and E0355-bf16-range, once for all values of `from`. */
void tile_warn_changed(const tile_tensor *t, tile_dtype dtype, const char *from, diagnostics *d);
/* Makes a tensor of words one of TILE_DTYPE_ORIGINAL. */
void tile_take_words(tile_tensor *t, tile_dtype dtype, arena *mem);

#endif
