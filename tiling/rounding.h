/* rounding.h - values as they are given, and the words that stand for them. */
#ifndef ONYX_TILING_ROUNDING_H
#define ONYX_TILING_ROUNDING_H

#include "tiling/tiling_int.h"

/* Entries as a file or a caller gives them: in any order, several at one place, values not yet words. */
typedef struct {
    u32_vec crd; /* of entry e at crd.at[e * order] */
    f64_vec val;
} tile_raw;

/* Returns whether the data type has a word for the value, or for one that it wraps to. E0305-value. */
bool tile_has_word(double x, tile_dtype dtype, src_loc loc, diagnostics *d);
/* Makes the word of a value of `t` that tile_has_word takes: the nearest one, of two the even one; counts in
 * `t` what that changed. */
uint16_t tile_word_of(double x, tile_dtype dtype, tile_tensor *t);
/* Sorts entries, adds those of one place in double precision, and then rounds each sum once: fills in t->nnz,
 * crd, val, given and the counts. E0305-value where a sum is too large. O(n * order). */
bool tile_round(tile_tensor *t, const tile_raw *raw, tile_dtype dtype, arena *mem, diagnostics *d);
/* Warns of E0350-rounded, E0351-wrapped and E0355-bf16-range, once for all values of `from`. */
void tile_warn_changed(const tile_tensor *t, tile_dtype dtype, const char *from, diagnostics *d);
/* Rounds to the nearest bfloat16, of two to the even one. */
uint16_t bf16_from_double(double x);

#endif
