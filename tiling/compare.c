/* The verdict: whether a result is the reference's. */
#include "tiling/compare.h"
#include "tiling/tiling_int.h"

#include <math.h>

static const char *entry_text(const tile_tensor *t, uint64_t p, const name_table *names, arena *mem) {
    const char *text = names_text(names, t->name);
    for (uint32_t m = 0; m < t->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "(", t->crd[p * t->order + m] + 1);
    return t->order ? arena_printf(mem, "%s)", text) : text;
}

/* Returns the number of an entry, or of the fill. */
static double number_of(const tile_tensor *t, tile_dtype dtype, bool is, uint64_t entry) {
    const double *wide = is ? tile_wide(t) : NULL;
    return wide ? wide[entry] : tile_to_double(dtype, is ? t->val[entry] : t->fill);
}

/* With a division in bfloat16, NaN compares equal to anything, for the notation does not say what is a point:
 * - 0 / 0 where nothing meets a zero that was computed or stored (an empty operand stores one, tile_levels);
 * - an infinity times nothing: NaN by definition, but a graph iterates products where all factors are stored,
 *   so b(i) / c(i) * d(i) has no point where d is absent. What such a point adds to, or divides, differs too.
 * Guarded quotients (fe_fill) settle only what is absent on both sides. Other statements divide nothing, and
 * there NaN equals NaN only. */
static bool same_value(double x, double y, bool divides) {
    return x == y || ((isnan(x) || isnan(y)) && (divides || (isnan(x) && isnan(y))));
}

/* Position in a result and its reference, entry by entry; either may lack an entry. */
typedef struct {
    const tile_tensor *got, *want;
    uint64_t i, j; /* the next entries */
    bool in_got, in_want;
    uint64_t at;      /* the entry of the present side, of the result if both are present */
    double a, b;      /* the numbers */
    uint64_t of_want; /* its entry there */
} pairing;

static bool next_pair(pairing *p, tile_dtype dtype) {
    const tile_tensor *got = p->got, *want = p->want;
    int order = 0;
    if (p->i == got->nnz && p->j == want->nnz)
        return false;
    if (p->i == got->nnz || p->j == want->nnz)
        order = p->i == got->nnz ? 1 : -1;
    for (uint32_t m = 0; !order && m < got->order; m++) {
        uint32_t a = got->crd[p->i * got->order + m], b = want->crd[p->j * want->order + m];
        order = a < b ? -1 : a > b;
    }
    p->in_got = order <= 0;
    p->in_want = order >= 0;
    p->at = p->in_got ? p->i : p->j;
    p->of_want = p->j;
    p->a = number_of(got, dtype, p->in_got, p->i);
    p->b = number_of(want, dtype, p->in_want, p->j);
    p->i += p->in_got;
    p->j += p->in_want;
    return true;
}

/* Returns whether the result's number is one that another order of computation may make. */
static bool is_within(const pairing *p) {
    const tile_bound *bound = p->in_want && p->want->bound ? &p->want->bound[p->of_want] : NULL;
    if (!bound || isnan(p->a) || isnan(p->b))
        return false;
    if (tile_wide(p->want)) /* the center is that of words */
        return fabs(p->a - p->b) <= 2 * bound->radius;
    return fabs(p->a - bound->center) <= bound->radius || isinf(bound->radius);
}

bool tile_equal(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, const name_table *names,
                diagnostics *d) {
    pairing p = {.got = got, .want = want};
    uint64_t wrong = 0;
    BUG_IF(got->order != want->order, "orders %u and %u", got->order, want->order);
    for (uint32_t m = 0; m < got->order; m++) {
        if (got->dim[m] != want->dim[m])
            return diag_mismatch(d, (src_loc){0}, "E0340-mismatch",
                                 "the result's dimension %u is %u, the reference's %u", m + 1, got->dim[m],
                                 want->dim[m]);
    }
    while (next_pair(&p, dtype)) {
        if (!same_value(p.a, p.b, want->divides) && !is_within(&p) && wrong++ < 5)
            diag_mismatch(d, (src_loc){0}, "E0340-mismatch", "%s is %.9g, the reference says %.9g",
                          entry_text(p.in_got ? got : want, p.at, names, d->mem), p.a, p.b);
    }
    if (wrong > 5)
        diag_note(d, (src_loc){0}, "%llu entries differ in all", (unsigned long long)wrong);
    return wrong == 0;
}

/* ---- accuracy ---------------------------------------------------------------------------------- */

static double largest_of(const tile_tensor *want, const double *exact, tile_dtype dtype) {
    double largest = 0;
    for (uint64_t e = 0; e < want->nnz; e++) {
        const double x = fabs(exact ? exact[e] : tile_to_double(dtype, want->val[e]));
        largest = isfinite(x) ? fmax(largest, x) : largest;
    }
    return largest;
}

static bool is_number_it_should_be(double value, double exact) {
    return value == exact || (isnan(value) && isnan(exact));
}

static void add_error(tile_accuracy *out, const uint32_t *at, double value, double exact, double scale) {
    const bool finite = isfinite(value) && isfinite(exact);
    const double off = finite ? fabs(value - exact) : (double)INFINITY;
    const double relative = finite ? off / (exact != 0 ? fabs(exact) : scale > 0 ? scale : 1) : off;
    out->differing++;
    out->mean += off;
    out->mean_relative += relative;
    out->lost += fmin(relative, 1);
    out->largest = fmax(out->largest, off);
    if (!(relative > out->largest_relative))
        return;
    out->largest_relative = relative;
    out->value = value;
    out->exact = exact;
    for (uint32_t m = 0; m < out->order; m++)
        out->at[m] = at[m];
}

void tile_measure(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, tile_accuracy *out) {
    const double *original = tile_original(want),
                 scale = ldexp(largest_of(want, original, dtype), -want->scale);
    pairing p = {.got = got, .want = want};
    *out = (tile_accuracy){.is = true,
                           .order = want->order,
                           .wrapped = want->wrapped,
                           .addends = want->addends < 4e9f ? (uint32_t)want->addends : UINT32_MAX};
    for (; next_pair(&p, dtype); out->values++) {
        const double value = ldexp(p.a, -want->scale);
        const double exact = ldexp(p.in_want && original ? original[p.of_want] : p.b, -want->scale);
        const tile_tensor *t = p.in_got ? got : want;
        out->unjudged += p.in_want && want->bound && isinf(want->bound[p.of_want].radius);
        if (!is_number_it_should_be(value, exact))
            add_error(out, t->crd + p.at * t->order, value, exact, scale);
    }
    if (out->values) {
        out->mean /= (double)out->values;
        out->mean_relative /= (double)out->values;
        out->lost /= (double)out->values;
    }
}
