/* Entry lists: sorting, adding duplicates, arithmetic of the two data types. */
#include "sam/coordinates.h"
#include "support/clist.h"
#include "tiling/tiling_int.h"

#include <math.h>

uint16_t bf16_from_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x))
        return (uint16_t)((bits >> 16) | 0x40u);
    /* Adding half an ulp, less one if the kept word is even, rounds to nearest even. */
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (uint16_t)(bits >> 16);
}

double tile_to_double(tile_dtype dtype, uint16_t word) {
    return dtype == TILE_DTYPE_BF16 ? (double)bf16_to_float(word) : (double)(int16_t)word;
}

const uint8_t tile_logical[SAM_MAX_ORDER] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

void tile_sort(const uint32_t *crd, uint32_t width, uint32_t n, clist_by by, uint32_t *order,
               arena *scratch) {
    uint32_t start[CLIST_DIGITS + 1];
    const clist list = tile_list(crd, width, NULL, n);
    clist_sort(&list, by, order, arena_new_n(scratch, uint32_t, n + 1), start);
}

void tile_normalise(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem) {
    const uint32_t n = entries->val.len, width = t->order;
    const sam_operator *merge = sam_operator_of((sam_operation)entries->merge, dtype == TILE_DTYPE_BF16);
    const clist list = tile_list(entries->crd.at, width, entries->val.at, n), none = {.width = width};
    clist out = {.width = width,
                 .room = n,
                 .crd = arena_new_n(mem, uint32_t, (size_t)n * width + 1),
                 .val = arena_new_n(mem, uint16_t, n + 1)};
    arena scratch = {0};
    uint32_t *order = arena_new_n(&scratch, uint32_t, n + 1);
    tile_sort(list.crd, width, n, (clist_by){tile_logical, width}, order, &scratch);
    clist_merge(&none, &list, (clist_by){tile_logical, width}, order, merge->apply, &out);
    arena_free(&scratch);
    t->nnz = out.n;
    t->crd = out.crd;
    t->val = out.val;
}

/* bfloat16 has two zeros. */
static bool is_fill(tile_dtype dtype, uint16_t value, uint16_t fill) {
    return value == fill || (dtype == TILE_DTYPE_BF16 && !fill && !(value & 0x7fffu));
}

void tile_without_fill(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem) {
    arena scratch = {0};
    tile_tensor merged = {.order = t->order};
    tile_entries kept = {0};
    tile_normalise(&merged, entries, dtype, &scratch);
    for (uint64_t e = 0; e < merged.nnz; e++) {
        if (is_fill(dtype, merged.val[e], entries->fill))
            continue;
        for (uint32_t m = 0; m < t->order; m++)
            vec_push(&scratch, &kept.crd, merged.crd[e * t->order + m]);
        vec_push(&scratch, &kept.val, merged.val[e]);
    }
    tile_normalise(t, &kept, dtype, mem);
    t->fill = entries->fill;
    arena_free(&scratch);
}
