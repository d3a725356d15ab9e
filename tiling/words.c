/* words.c - words of tensors that were read before the type of their values was known. */
#include "tiling/words.h"
#include "tiling/rounding.h"

#include <math.h>

bool tile_give_words(tile_tensor *t, tile_type type, const char *from, arena *mem, diagnostics *d) {
    const double *original = t->original;
    double *scaled = type.scale ? arena_new_n(mem, double, t->nnz + 1) : NULL;
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1);
    bool good = true;
    t->rounded = t->wrapped = t->overflowed = t->flushed = 0;
    for (uint64_t e = 0; e < t->nnz && scaled; e++)
        scaled[e] = ldexp(original[e], type.scale);
    original = scaled ? scaled : original;
    for (uint64_t e = 0; e < t->nnz && good; e++) {
        good = tile_has_word(original[e], type.dtype, (src_loc){0}, d);
        val[e] = good ? tile_word_of(original[e], type.dtype, t) : 0;
        t->flushed += type.scale && val[e] == 0 && original[e] != 0;
    }
    t->val = val;
    t->original_only = false;
    t->scale = type.scale;
    t->original = t->rounded || t->wrapped ? original : NULL;
    t->original_as = val;
    if (good && !type.scale)
        tile_warn_changed(t, type.dtype, from, d);
    return good;
}

void tile_take_words(tile_tensor *t, tile_dtype dtype, arena *mem) {
    double *original = arena_new_n(mem, double, t->nnz + 1);
    for (uint64_t e = 0; e < t->nnz; e++)
        original[e] = tile_to_double(dtype, t->val[e]);
    t->original = original;
    t->original_as = t->val;
    t->original_only = true;
}
