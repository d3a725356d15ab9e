/* rounding.c - conversion of values to words: a single rounding, and counts of its changes. */
#include "tiling/rounding.h"

#include <math.h>

/* Rounds to odd first: an inexact float has its last bit set, which avoids ties of the second rounding. */
uint16_t bf16_from_double(double x) {
    float f = (float)x;
    uint32_t bits;
    if (isnan(x) || (double)f == x)
        return bf16_from_float(f);
    if (fabs((double)f) > fabs(x))
        f = nextafterf(f, 0);
    memcpy(&bits, &f, sizeof bits);
    bits |= 1;
    memcpy(&f, &bits, sizeof f);
    return bf16_from_float(f);
}

bool tile_has_word(double x, tile_dtype dtype, src_loc loc, diagnostics *d) {
    if (dtype != TILE_DTYPE_INT16 || (isfinite(x) && fabs(x) <= 9e15))
        return true;
    diag_error(d, loc, "E0305-value", "this value has no 16-bit integer form");
    return diag_hint(d, "use --dtype bf16, or --values ones for a structure-only run");
}

static uint16_t bf16_word_of(double x, tile_tensor *t) {
    const uint16_t word = bf16_from_double(x);
    const double made = (double)bf16_to_float(word);
    t->rounded += isfinite(x) && made != x;
    t->overflowed += isfinite(x) && isinf(made);
    t->flushed += x != 0 && made == 0;
    return word;
}

uint16_t tile_word_of(double x, tile_dtype dtype, tile_tensor *t) {
    if (dtype == TILE_DTYPE_ORIGINAL)
        return 0;
    if (dtype == TILE_DTYPE_BF16)
        return bf16_word_of(x, t);
    const double whole = nearbyint(x);
    t->rounded += whole != x;
    t->wrapped += whole < INT16_MIN || whole > INT16_MAX;
    return (uint16_t)(uint64_t)(int64_t)whole;
}

/* A tensor without a value other than 0 makes every product with the tensor 0. */
static void warn_rounded(const tile_tensor *t, const char *from, diagnostics *d) {
    bool none = t->rounded == t->nnz;
    for (uint64_t e = 0; e < t->nnz && none; e++)
        none = !t->val[e];
    diag_warning(d, (src_loc){0}, "E0350-rounded", "%llu of %llu %s of '%s' %s rounded to whole numbers%s",
                 (unsigned long long)t->rounded, (unsigned long long)t->nnz,
                 plural(t->nnz, "value", "values"), from, plural(t->rounded, "was", "were"),
                 none ? ": nothing but 0 is left" : "");
    if (none)
        diag_hint(d, "--dtype bf16 keeps fractions; whole numbers keep them as larger units");
}

static void warn_wrapped(const tile_tensor *t, const char *from, diagnostics *d) {
    diag_warning(d, (src_loc){0}, "E0351-wrapped",
                 "%llu of %llu %s of '%s' %s outside of -32768..32767 and wrapped around",
                 (unsigned long long)t->wrapped, (unsigned long long)t->nnz,
                 plural(t->nnz, "value", "values"), from, plural(t->wrapped, "is", "are"));
    diag_hint(d, "scale them, or compute in floating point with --dtype bf16");
}

static void warn_range(const tile_tensor *t, const char *from, diagnostics *d) {
    diag_warning(d, (src_loc){0}, "E0355-bf16-range",
                 "of %llu %s of '%s' %llu %s too large for bf16 and became infinite, %llu %s too small and "
                 "became 0",
                 (unsigned long long)t->nnz, plural(t->nnz, "value", "values"), from,
                 (unsigned long long)t->overflowed, plural(t->overflowed, "is", "are"),
                 (unsigned long long)t->flushed, plural(t->flushed, "is", "are"));
    diag_hint(d, "scale them: bf16 has numbers from 9.2e-41 to 3.4e38");
}

void tile_warn_changed(const tile_tensor *t, tile_dtype dtype, const char *from, diagnostics *d) {
    if (dtype == TILE_DTYPE_ORIGINAL)
        return;
    if (t->rounded && dtype == TILE_DTYPE_INT16)
        warn_rounded(t, from, d);
    if (t->wrapped)
        warn_wrapped(t, from, d);
    if (t->overflowed || t->flushed)
        warn_range(t, from, d);
}

/* Returns whether two entries have the same place. Most differ, and soon. */
static bool at_one_place(const tile_raw *raw, uint32_t width, uint32_t a, uint32_t b) {
    const uint32_t *l = raw->crd.at + (size_t)a * width, *r = raw->crd.at + (size_t)b * width;
    for (uint32_t m = 0; m < width; m++) {
        if (l[m] != r[m])
            return false;
    }
    return true;
}

/* Adds the entries of one place: order[*at] and following. */
static double sum_of_place(const tile_raw *raw, uint32_t width, const uint32_t *order, uint32_t *at) {
    const uint32_t first = order[*at];
    double sum = 0;
    do
        sum += raw->val.at[order[(*at)++]];
    while (*at < raw->val.len && (!width || at_one_place(raw, width, first, order[*at])));
    return sum;
}

/* Finds the sums of the places, where the words are not the numbers. */
static void sum_places(double *sums, const tile_tensor *t, const tile_raw *raw, const uint32_t *order) {
    for (uint32_t i = 0, place = 0; place < t->nnz; place++)
        sums[place] = sum_of_place(raw, t->order, order, &i);
}

bool tile_round(tile_tensor *t, const tile_raw *raw, tile_dtype dtype, arena *mem, diagnostics *d) {
    const uint32_t n = raw->val.len, width = t->order;
    arena scratch = {0};
    uint32_t *order = arena_new_n(&scratch, uint32_t, n + 1);
    uint32_t *crd = arena_new_n(mem, uint32_t, (size_t)n * width + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, n + 1);
    double *kept = dtype == TILE_DTYPE_ORIGINAL ? arena_new_n(mem, double, n + 1) : NULL;
    bool good = true;
    tile_sort(raw->crd.at, width, n, (clist_by){tile_logical, width}, order, &scratch);
    t->nnz = 0;
    for (uint32_t i = 0; good && i < n; t->nnz++) {
        if (width)
            memcpy(crd + t->nnz * width, raw->crd.at + (size_t)order[i] * width, width * sizeof *crd);
        const double sum = sum_of_place(raw, width, order, &i);
        good = tile_has_word(sum, dtype, (src_loc){0}, d);
        val[t->nnz] = good ? tile_word_of(sum, dtype, t) : 0;
        if (kept)
            kept[t->nnz] = sum;
    }
    if (t->rounded || t->wrapped) {
        kept = arena_new_n(mem, double, t->nnz + 1);
        sum_places(kept, t, raw, order);
    }
    t->crd = crd;
    t->val = val;
    t->original = kept;
    t->original_as = kept ? val : NULL;
    t->original_only = dtype == TILE_DTYPE_ORIGINAL;
    arena_free(&scratch);
    return good;
}

bool tile_from_entries(name_id name, uint32_t order, const uint32_t *dim, uint64_t nnz, const uint32_t *crd,
                       const double *val, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                       tile_tensor *out) {
    arena scratch = {0};
    tile_raw e = {0};
    bool good = true;
    BUG_IF(order > SAM_MAX_ORDER || nnz > UINT32_MAX, "a tensor of order %u with %llu entries", order,
           (unsigned long long)nnz);
    *out = (tile_tensor){.name = name, .order = order};
    for (uint32_t m = 0; m < order; m++)
        out->dim[m] = dim[m];
    for (uint64_t i = 0; good && i < nnz; i++) {
        for (uint32_t m = 0; m < order && good; m++) {
            uint32_t at = crd[i * order + m];
            good = at < dim[m];
            if (!good)
                diag_error(d, (src_loc){0}, "E0303-range",
                           "%s: coordinate %u of entry %llu is outside 0..%lld", from, at,
                           (unsigned long long)i, (long long)dim[m] - 1);
            vec_push(&scratch, &e.crd, at);
        }
        good = good && tile_has_word(val[i], dtype, (src_loc){0}, d);
        vec_push(&scratch, &e.val, val[i]);
    }
    if (good && (good = tile_round(out, &e, dtype, mem, d)))
        tile_warn_changed(out, dtype, from, d);
    arena_free(&scratch);
    return good;
}
