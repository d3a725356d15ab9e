/* rounding.h - original values, and their words. */
#ifndef ONYX_TILING_ROUNDING_H
#define ONYX_TILING_ROUNDING_H

#include "tiling/tiling_int.h"
#include "tiling/words.h"

/* Entries of a file or a caller: in any order, possibly several at one place, values not yet words. */
typedef struct {
    u32_vec crd; /* of entry e at crd.at[e * order] */
    f64_vec val;
} tile_raw;

/* Returns whether the data type has a word for the value, or for its wrapped value. E0305-value. */
bool tile_has_word(double x, tile_dtype dtype, src_loc loc, diagnostics *d);
/* Makes the word of a value of `t` accepted by tile_has_word: the nearest word, the even one of two; counts
 * the change in `t`. */
uint16_t tile_word_of(double x, tile_dtype dtype, tile_tensor *t);
/* Sorts entries, adds entries of one place in double precision, and then rounds each sum once: fills in
 * t->nnz, crd, val, given and the counts. E0305-value for a sum beyond the range. O(n * order). */
bool tile_round(tile_tensor *t, const tile_raw *raw, tile_dtype dtype, arena *mem, diagnostics *d);
/* Rounds to the nearest bfloat16, of two to the even one. */
uint16_t bf16_from_double(double x);

#endif
