/* The verdict: whether a result is the reference's. */
#include "tiling/tiling_int.h"

#include <math.h>

static const char *entry_text(const tile_tensor *t, uint64_t p, const name_table *names, arena *mem) {
    const char *text = names_text(names, t->name);
    for (uint32_t m = 0; m < t->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "(", t->crd[p * t->order + m] + 1);
    return t->order ? arena_printf(mem, "%s)", text) : text;
}

static double as_double(tile_dtype dtype, uint16_t bits) {
    return dtype == TILE_DTYPE_BF16 ? (double)bf16_to_float(bits) : (double)(int16_t)bits;
}

/* With a division in bfloat16, NaN compares equal to anything, for the notation does not say what is a point:
 * - 0 / 0 where nothing meets a zero that was computed or stored (an empty operand stores one, tile_levels);
 * - an infinity times nothing: NaN by definition, but a graph iterates products where all factors are stored,
 *   so b(i) / c(i) * d(i) has no point where d is absent. What such a point adds to, or divides, differs too.
 * Guarded quotients (fe_fill) settle only what is absent on both sides. Other statements divide nothing, and
 * there NaN equals NaN only. */
static bool same_value(tile_dtype dtype, uint16_t a, uint16_t b, float tolerance, bool divides) {
    double x = as_double(dtype, a), y = as_double(dtype, b);
    if (isnan(x) || isnan(y))
        return divides || (isnan(x) && isnan(y));
    return x == y || fabs(x - y) <= (double)tolerance || isinf(tolerance);
}

bool tile_equal(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, const name_table *names,
                diagnostics *d) {
    uint64_t i = 0, j = 0, wrong = 0;
    BUG_IF(got->order != want->order, "orders %u and %u", got->order, want->order);
    for (uint32_t m = 0; m < got->order; m++) {
        if (got->dim[m] != want->dim[m]) {
            diag_mismatch(d, (src_loc){0}, "E0340-mismatch",
                          "the result's dimension %u is %u, the reference's %u", m + 1, got->dim[m],
                          want->dim[m]);
            return false;
        }
    }
    while (i < got->nnz || j < want->nnz) {
        int order = 0;
        if (i == got->nnz || j == want->nnz)
            order = i == got->nnz ? 1 : -1;
        for (uint32_t m = 0; !order && m < got->order; m++) {
            uint32_t a = got->crd[i * got->order + m], b = want->crd[j * want->order + m];
            order = a < b ? -1 : a > b;
        }
        uint16_t a = order <= 0 ? got->val[i] : got->fill, b = order >= 0 ? want->val[j] : want->fill;
        float tolerance = order >= 0 && want->tolerance ? want->tolerance[j] : 0;
        if (!same_value(dtype, a, b, tolerance, want->divides) && wrong++ < 5)
            diag_mismatch(d, (src_loc){0}, "E0340-mismatch", "%s is %.9g, the reference says %.9g",
                          entry_text(order <= 0 ? got : want, order <= 0 ? i : j, names, d->mem),
                          as_double(dtype, a), as_double(dtype, b));
        i += order <= 0;
        j += order >= 0;
    }
    if (wrong > 5)
        diag_note(d, (src_loc){0}, "%llu entries differ in all", (unsigned long long)wrong);
    return wrong == 0;
}
