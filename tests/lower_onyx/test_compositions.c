/* The rows of compositions.def and monoids.def against sam/operations.def: every pair of edge values, and
 * 200,000 random pairs each. The steps are read here once more; test_cycle_alu runs their PEs. */
#include "sam/coordinates.h"
#include "tests/lower_onyx/lower_test.h"
#include "tests/quota.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANDOM_PAIRS = 200000 };

static uint16_t apply(const char *name, bool fp, uint16_t a, uint16_t b) {
    sam_operation operation;
    assert_true(sam_find_operation(name, &operation));
    return sam_operator_of(operation, fp)->apply(a, b);
}

typedef struct {
    const sam_operator *by;
    int left, right; /* a -1, b -2, constant -3 - value, step from 0 */
} step;

static int read_term(const char *word) {
    return *word == 'a' ? -1 : *word == 'b' ? -2 : *word == '#' ? -3 - atoi(word + 1) : atoi(word) - 1;
}

static uint32_t read_steps(const char *text, step *out) {
    uint32_t n = 0;
    for (; text; text = strchr(text, '|') ? strchr(text, '|') + 1 : NULL) {
        char name[16], left[16], right[16] = "#0";
        sam_operation operation;
        assert_true(sscanf(text, "%15[^ |] %15[^ |] %15[^ |]", name, left, right) >= 2);
        assert_true(sam_find_operation(name, &operation));
        out[n++] = (step){sam_operator_of(operation, false), read_term(left), read_term(right)};
    }
    return n;
}

static uint16_t term(int t, uint16_t a, uint16_t b, const uint16_t *done) {
    return t >= 0 ? done[t] : t == -1 ? a : t == -2 ? b : (uint16_t)(-3 - t);
}

static uint16_t evaluate(const step *steps, uint32_t n, uint16_t a, uint16_t b) {
    uint16_t done[32];
    for (uint32_t i = 0; i < n; i++)
        done[i] = steps[i].by->apply(term(steps[i].left, a, b, done), term(steps[i].right, a, b, done));
    return done[n - 1];
}

static bool is_nan(uint16_t x) {
    return (x & 0x7fff) > 0x7f80;
}

static const uint16_t edges[] = {0,      1,      2,      0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe,
                                 0xffff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x0080, 0x8080, 0x00ff};
enum { EDGES = sizeof edges / sizeof *edges };

/* The k-th pair: all pairs of edges, followed by random pairs. */
static void pair_at(uint32_t k, prng *random, uint16_t *a, uint16_t *b) {
    uint64_t bits = prng_next(random);
    *a = k < EDGES * EDGES ? edges[k / EDGES] : (uint16_t)bits;
    *b = k < EDGES * EDGES ? edges[k % EDGES] : k % 8 ? (uint16_t)(bits >> 16) : *a;
}

static void compositions_are_what_they_are_called(void **state) {
    (void)state;
    static const struct {
        bool fp;
        const char *name, *steps;
    } rows[] = {
#define COMPOSED(called, of_bf16, text) {of_bf16, called, text},
#include "lower_onyx/compositions.def"
#undef COMPOSED
    };
    prng random = prng_seed(1);
    quota shown = {0}; /* accepted: no NaN; trivial: equal operands, or one of no magnitude */
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        step steps[32];
        uint32_t n = read_steps(rows[r].steps, steps);
        for (uint32_t k = 0; k < RANDOM_PAIRS; k++) {
            uint16_t a, b;
            pair_at(k, &random, &a, &b);
            if (strcmp(rows[r].name, "addhigh") == 0) {
                a &= 0x7fff;
                b &= 0x7fff;
            }
            const bool accepted = !rows[r].fp || (!is_nan(a) && !is_nan(b));
            quota_add(&shown, accepted, a == b || !(a & 0x7fff) || !(b & 0x7fff));
            if (!accepted)
                continue;
            uint16_t got = evaluate(steps, n, a, b), want = apply(rows[r].name, rows[r].fp, a, b);
            bool zeros = rows[r].fp && !((got | want) & 0x7fff);
            if (got != want && !zeros)
                fail_msg("%s%s of %04x and %04x: %04x, expected %04x", rows[r].fp ? "fp_" : "", rows[r].name,
                         a, b, got, want);
        }
    }
    assert_false(quota_failed(&shown));
}

static void accumulators_keep_forms_whose_identity_is_0(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool fp, truth;
        uint16_t mask;
        const char *combine;
    } rows[] = {
#define MONOID(name, bf16, truth, mask, combine) {#name, bf16, truth, mask, #combine},
#include "lower_onyx/monoids.def"
#undef MONOID
    };
    prng random = prng_seed(2);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        sam_operation operation;
        assert_true(sam_find_operation(rows[r].name, &operation));
        assert_true(sam_operator_of(operation, rows[r].fp)->monoid.given);
        quota shown = {0}; /* accepted: no NaN; trivial: equal operands that are not 0 */
        for (uint32_t k = 0; k < (rows[r].truth ? 4 : RANDOM_PAIRS); k++) { /* truths have four pairs */
            uint16_t a, b, mask = rows[r].mask;
            pair_at(k, &random, &a, &b);
            a = (uint16_t)(rows[r].truth ? k & 1 : a);
            b = (uint16_t)(rows[r].truth ? k >> 1 : b);
            const bool accepted = !rows[r].fp || (!is_nan(a) && !is_nan(b));
            quota_add(&shown, accepted, a == b && a);
            if (!accepted)
                continue;
            uint16_t form = apply(rows[r].combine, rows[r].fp, a ^ mask, b ^ mask);
            assert_int_equal(form ^ mask, apply(rows[r].name, rows[r].fp, a, b));
            uint16_t alone = apply(rows[r].combine, rows[r].fp, 0, a ^ mask);
            assert_true(alone == (a ^ mask) || (rows[r].fp && !((alone | a) & 0x7fff)));
        }
        assert_false(quota_failed(&shown));
    }
}

RUN_TESTS(TEST(compositions_are_what_they_are_called), TEST(accumulators_keep_forms_whose_identity_is_0))
