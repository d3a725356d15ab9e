/* tiling/: faults in a result. A bit of a value is flipped, 10,000 times for each data type; the check
 * notices every flip of int16, and every flip of bf16 that moves a value beyond the bound of its sum. */
#include "frontend/language/language.h"
#include "tests/quota.h"
#include "tests/test.h"
#include "tiling/tiling_int.h"

#include <math.h>

enum { ROWS = 40, COLUMNS = 12, FLIPS = 10000, BITS = 16 };

typedef struct {
    uint32_t of[BITS], noticed[BITS];
    quota shown; /* accepted: a product with values; trivial: of one value */
} tally;

static double normal(prng *p) {
    double sum = -6;
    for (uint32_t i = 0; i < 12; i++)
        sum += (double)(prng_next(p) >> 11) * 0x1p-53;
    return sum;
}

/* x(i) = B(i,j) * c(j), most of whose sums have five addends. */
static tile_tensor product(fixture *f, prng *p, tile_dtype dtype) {
    const fe_in in = {.expression = "x(i) = B(i,j) * c(j)", .integers = dtype == TILE_DTYPE_INT16};
    sam_statement s;
    tile_tensor out, data[3];
    uint32_t crd[2 * ROWS * COLUMNS], n = 0;
    double val[ROWS * COLUMNS];
    memset(data, 0, sizeof data);
    assert_true(fe_parse(&in, &f->names, &f->mem, &f->diag, &s));
    for (uint32_t t = 1; t < 3; t++) {
        const uint32_t dim[2] = {t == 1 ? ROWS : COLUMNS, COLUMNS}, order = 3 - t;
        n = 0;
        for (uint32_t c = 0; c < dim[0] * (order > 1 ? dim[1] : 1); c++) {
            if (order > 1 && prng_next(p) % 5 > 1)
                continue;
            crd[order * n] = order > 1 ? c / COLUMNS : c;
            crd[order * n + 1] = c % COLUMNS;
            val[n++] = dtype == TILE_DTYPE_INT16 ? rint(9 * normal(p)) : normal(p);
        }
        assert_true(tile_from_entries(s.tensors.at[t].name, order, dim, n, crd, val, dtype, "test", &f->mem,
                                      &f->diag, &data[t]));
    }
    const tile_operands of = {data, 3, dtype};
    assert_true(tile_reference(&s, &of, &f->mem, &f->diag, &out));
    return out;
}

static bool is_beyond(tile_dtype dtype, const tile_tensor *want, uint32_t e, uint16_t flipped) {
    const double x = tile_to_double(dtype, flipped);
    return isnan(x) || !want->bound || fabs(x - want->bound[e].center) > want->bound[e].radius;
}

static void flip(fixture *f, prng *p, tile_dtype dtype, tally *t) {
    arena scratch = {0};
    diagnostics quiet;
    diag_init(&quiet, &scratch);
    const tile_tensor want = product(f, p, dtype);
    quota_add(&t->shown, want.nnz, quota_constant(want.val, want.nnz, sizeof *want.val));
    tile_tensor got = want;
    uint16_t *val = arena_new_n(&scratch, uint16_t, want.nnz + 1);
    got.val = val;
    for (uint32_t i = 0; i < 100 && want.nnz; i++) {
        const uint32_t bit = (uint32_t)(prng_next(p) >> 40) % BITS,
                       e = (uint32_t)((prng_next(p) >> 33) % want.nnz);
        memcpy(val, want.val, want.nnz * sizeof *val);
        val[e] = (uint16_t)(val[e] ^ 1u << bit);
        const bool noticed = !tile_equal(&got, &want, dtype, &f->names, &quiet);
        assert_int_equal(noticed, is_beyond(dtype, &want, e, val[e]));
        t->of[bit]++;
        t->noticed[bit] += noticed;
    }
    arena_free(&scratch);
}

static void faults_are_noticed_beyond_the_bound(void **state) {
    fixture *f = *state;
    for (tile_dtype dtype = TILE_DTYPE_INT16; dtype <= TILE_DTYPE_BF16; dtype++) {
        prng p = prng_seed(7 + dtype);
        tally t = {0};
        for (uint32_t i = 0; i < FLIPS / 100; i++)
            flip(f, &p, dtype, &t);
        printf("%s, flips that are noticed, %% by bit from 0:", dtype == TILE_DTYPE_BF16 ? "bf16" : "int16");
        for (uint32_t b = 0; b < BITS; b++) {
            printf(" %.0f", 100.0 * t.noticed[b] / t.of[b]);
            assert_true(dtype == TILE_DTYPE_BF16 || t.noticed[b] == t.of[b]);
        }
        printf("\n");
        assert_true(t.noticed[14] == t.of[14]);
        assert_false(quota_failed(&t.shown));
    }
}

RUN_TESTS(TEST(faults_are_noticed_beyond_the_bound))
