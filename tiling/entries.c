/* Entry lists: sorting, adding duplicates, arithmetic of the two data types. */
#include "sam/coordinates.h"
#include "support/clist.h"
#include "tiling/tiling_int.h"

#include <math.h>

float bf16_to_float(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint16_t bf16_from_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x))
        return (uint16_t)((bits >> 16) | 0x40u);
    /* Adding half an ulp, less one when the kept part is even, rounds to nearest even. */
    bits += 0x7fffu + ((bits >> 16) & 1u);
    return (uint16_t)(bits >> 16);
}

double tile_to_double(tile_dtype dtype, uint16_t word) {
    return dtype == TILE_DTYPE_BF16 ? (double)bf16_to_float(word) : (double)(int16_t)word;
}

bool tile_from_double(double x, tile_dtype dtype, src_loc loc, diagnostics *d, tile_tensor *t,
                      uint16_t *out) {
    if (dtype == TILE_DTYPE_BF16) {
        *out = bf16_from_float((float)x);
        return true;
    }
    if (!isfinite(x) || fabs(x) > 9e15) {
        diag_error(d, loc, "E0305-value", "this value has no 16-bit integer form");
        diag_hint(d, "use --dtype bf16, or --values ones for a structure-only run");
        return false;
    }
    double whole = round(x);
    t->rounded += whole != x;
    t->wrapped += whole < INT16_MIN || whole > INT16_MAX;
    *out = (uint16_t)(uint64_t)(int64_t)whole;
    return true;
}

void tile_warn_changed(const tile_tensor *t, const char *from, diagnostics *d) {
    if (t->rounded)
        diag_warning(d, (src_loc){0}, "E0350-rounded", "%llu of %llu %s of '%s' %s rounded to whole numbers",
                     (unsigned long long)t->rounded, (unsigned long long)t->nnz,
                     plural(t->nnz, "value", "values"), from, plural(t->rounded, "was", "were"));
    if (!t->wrapped)
        return;
    diag_warning(d, (src_loc){0}, "E0351-wrapped",
                 "%llu of %llu %s of '%s' %s outside of -32768..32767 and wrapped around",
                 (unsigned long long)t->wrapped, (unsigned long long)t->nnz,
                 plural(t->nnz, "value", "values"), from, plural(t->wrapped, "is", "are"));
    diag_hint(d, "scale them, or compute in floating point with --dtype bf16");
}

const uint8_t tile_logical[SAM_MAX_ORDER] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* A list that is read only. */
static clist list_of(const uint32_t *crd, uint32_t width, const uint16_t *val, uint32_t n) {
    return (clist){width, n, n, (uint32_t *)(uintptr_t)crd, (uint16_t *)(uintptr_t)val};
}

void tile_sort(const uint32_t *crd, uint32_t width, uint32_t n, const uint8_t *key, uint32_t keys,
               uint32_t *order, arena *scratch) {
    uint32_t start[CLIST_DIGITS + 1];
    const clist list = list_of(crd, width, NULL, n);
    clist_sort(&list, (clist_by){key, keys}, order, arena_new_n(scratch, uint32_t, n + 1), start);
}

void tile_normalise(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem) {
    const uint32_t n = entries->val.len, width = t->order;
    const sam_operator *merge = sam_operator_of((sam_operation)entries->merge, dtype == TILE_DTYPE_BF16);
    const clist list = list_of(entries->crd.at, width, entries->val.at, n), none = {.width = width};
    clist out = {.width = width,
                 .room = n,
                 .crd = arena_new_n(mem, uint32_t, (size_t)n * width + 1),
                 .val = arena_new_n(mem, uint16_t, n + 1)};
    arena scratch = {0};
    uint32_t *order = arena_new_n(&scratch, uint32_t, n + 1);
    tile_sort(list.crd, width, n, tile_logical, width, order, &scratch);
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

bool tile_from_entries(name_id name, uint32_t order, const uint32_t *dim, uint64_t nnz, const uint32_t *crd,
                       const double *val, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                       tile_tensor *out) {
    arena scratch = {0};
    tile_entries e = {0};
    bool good = true;
    BUG_IF(order > SAM_MAX_ORDER || nnz > UINT32_MAX, "a tensor of order %u with %llu entries", order,
           (unsigned long long)nnz);
    *out = (tile_tensor){.name = name, .order = order};
    for (uint32_t m = 0; m < order; m++)
        out->dim[m] = dim[m];
    for (uint64_t i = 0; good && i < nnz; i++) {
        uint16_t word = 0;
        for (uint32_t m = 0; m < order && good; m++) {
            uint32_t at = crd[i * order + m];
            good = at < dim[m];
            if (!good)
                diag_error(d, (src_loc){0}, "E0303-range",
                           "%s: coordinate %u of entry %llu is outside 0..%lld", from, at,
                           (unsigned long long)i, (long long)dim[m] - 1);
            vec_push(&scratch, &e.crd, at);
        }
        good = good && tile_from_double(val[i], dtype, (src_loc){0}, d, out, &word);
        vec_push(&scratch, &e.val, word);
    }
    if (good) {
        tile_normalise(out, &e, dtype, mem);
        tile_warn_changed(out, from, d);
    }
    arena_free(&scratch);
    return good;
}
