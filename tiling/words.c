/* words.c - words of tensors that were read before the type of their values was known. */
#include "tiling/words.h"
#include "tiling/rounding.h"

#include <math.h>

bool tile_give_words(tile_tensor *t, tile_type type, const char *from, arena *mem, diagnostics *d) {
    double *given = arena_new_n(mem, double, t->nnz + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, t->nnz + 1);
    bool good = true;
    t->rounded = t->wrapped = t->overflowed = t->flushed = 0;
    for (uint64_t e = 0; e < t->nnz && good; e++) {
        given[e] = ldexp(t->given[e], type.scale);
        good = tile_has_word(given[e], type.dtype, (src_loc){0}, d);
        val[e] = good ? tile_word_of(given[e], type.dtype, t) : 0;
        t->flushed += type.scale && val[e] == 0 && given[e] != 0;
    }
    t->val = val;
    t->given_only = false;
    t->scale = type.scale;
    t->given = t->rounded || t->wrapped ? given : NULL;
    t->given_as = val;
    if (good && !type.scale)
        tile_warn_changed(t, type.dtype, from, d);
    return good;
}

void tile_take_words(tile_tensor *t, tile_dtype dtype, arena *mem) {
    double *given = arena_new_n(mem, double, t->nnz + 1);
    for (uint64_t e = 0; e < t->nnz; e++)
        given[e] = tile_to_double(dtype, t->val[e]);
    t->given = given;
    t->given_as = t->val;
    t->given_only = true;
}
