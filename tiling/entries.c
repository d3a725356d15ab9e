/* Entry lists: sorting, adding duplicates, arithmetic of the two data types. */
#include "sam/coordinates.h"
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

/* Sorts by digit `shift` of column `column`, in one stable counting pass. */
static void sort_pass(const uint32_t *crd, uint32_t width, uint32_t n, uint32_t column, uint32_t shift,
                      const uint32_t *from, uint32_t *to) {
    uint32_t start[257] = {0};
    for (uint32_t i = 0; i < n; i++)
        start[((crd[(size_t)from[i] * width + column] >> shift) & 0xffu) + 1]++;
    for (uint32_t b = 0; b < 256; b++)
        start[b + 1] += start[b];
    for (uint32_t i = 0; i < n; i++)
        to[start[(crd[(size_t)from[i] * width + column] >> shift) & 0xffu]++] = from[i];
}

/* Returns whether the tuples come in the order of their keys. */
static bool is_sorted(const uint32_t *crd, uint32_t width, uint32_t n, const uint8_t *key, uint32_t keys) {
    bool sorted = true;
    for (uint32_t i = 1; i < n && sorted; i++) {
        const uint32_t *before = crd + (size_t)(i - 1) * width, *now = before + width;
        uint32_t k = 0;
        while (k < keys && before[key[k]] == now[key[k]])
            k++;
        sorted = k == keys || before[key[k]] < now[key[k]];
    }
    return sorted;
}

void tile_sort(const uint32_t *crd, uint32_t width, uint32_t n, const uint8_t *key, uint32_t keys,
               uint32_t *order, arena *scratch) {
    uint32_t *other = arena_new_n(scratch, uint32_t, n);
    uint32_t *from = order, *to = other;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!keys || is_sorted(crd, width, n, key, keys)) /* scalars have no coordinates */
        return;
    for (uint32_t k = keys; k-- > 0;) {
        uint32_t largest = 0, before = 0;
        bool sorted = true; /* by this key: its passes, which are stable, would change nothing */
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t now = crd[(size_t)from[i] * width + key[k]];
            largest |= now;
            sorted = sorted && before <= now;
            before = now;
        }
        for (uint32_t shift = 0; !sorted && shift < 32 && largest >> shift; shift += 8) {
            sort_pass(crd, width, n, key[k], shift, from, to);
            uint32_t *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != order)
        memcpy(order, from, sizeof *order * n);
}

void tile_normalise(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem) {
    static const uint8_t logical[SAM_MAX_ORDER] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    uint32_t n = entries->val.len, width = t->order;
    uint32_t *crd = arena_new_n(mem, uint32_t, (size_t)n * width + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, n + 1);
    arena scratch = {0};
    uint32_t *order = arena_new_n(&scratch, uint32_t, n);
    tile_sort(entries->crd.at, width, n, logical, width, order, &scratch);
    const sam_operator *merge = sam_operator_of((sam_operation)entries->merge, dtype == TILE_DTYPE_BF16);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *tuple = width ? entries->crd.at + (size_t)order[i] * width : NULL; /* of a scalar */
        uint16_t value = entries->val.at[order[i]];
        if (kept && (!width || memcmp(crd + (size_t)(kept - 1) * width, tuple, sizeof *crd * width) == 0)) {
            val[kept - 1] = merge->apply(val[kept - 1], value);
            continue;
        }
        if (width)
            memcpy(crd + (size_t)kept * width, tuple, sizeof *crd * width);
        val[kept++] = value;
    }
    arena_free(&scratch);
    t->nnz = kept;
    t->crd = crd;
    t->val = val;
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
