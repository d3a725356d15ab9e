/* The shapes that people type most (sparse linear algebra, tensor contractions, factorisation kernels, sums
 * of several operands, scalings, broadcasts), each in many formats, mode orders and loop orders, through the
 * whole chain. Each run is right or refused for the row's reason. */
#include "tests/notation/chain.h"
#include "tests/quota.h"
#include "tests/test.h"

enum { RUNS = 72, MAX_EXTENT = 4 };

/* `refused`: the code of refusals for some formats or loop orders; NULL: none. */
typedef struct {
    const char *expression, *refused;
} shape;

static const shape shapes[] = {
    {"y(i) = A(i,j) * x(j)", NULL},
    {"y(j) = A(i,j) * x(i)", NULL},
    {"y(i) = A(i,j) * x(j) + z(i)", NULL},
    {"y(i) = b(i) - A(i,j) * x(j)", NULL},
    {"y(i) = a * A(i,j) * x(j) + b * z(i)", NULL},
    {"y(i) = a * A(j,i) * x(j) + b * z(i)", NULL},
    {"y(i) = A(i,j) * x(j) + B(i,j) * z(j)", NULL},
    {"y(i) = A(i,j) * B(j,k) * x(k)", NULL},
    {"y(i) = sum(j, A(i,j) * x(j))", NULL},
    {"y(i) = A(i,j) * x(j) * z(i)", NULL},
    {"y(i) = A(i,j) * (x(j) + z(j))", NULL},
    {"y(i) = 2 * b(i) + 3 * A(i,j) * x(j)", NULL},
    {"x(i) = b(i)", NULL},
    {"x(i) = -b(i)", NULL},
    {"x(i) = 2 * b(i)", NULL},
    {"x(i) = b(i) + 1", NULL},
    {"x(i) = b(i) + c(i)", NULL},
    {"x(i) = b(i) - c(i)", NULL},
    {"x(i) = b(i) * c(i)", NULL},
    {"x(i) = b(i) / c(i)", NULL},
    {"x(i) = a * b(i)", NULL},
    {"x(i) = a * b(i) + c(i)", NULL},
    {"x(i) = b(i) + c(i) + d(i)", NULL},
    {"x(i) = b(i) * c(i) * d(i)", NULL},
    {"x(i) = (b(i) + c(i)) * d(i)", NULL},
    {"x(i) = b(i) * (c(i) - 3)", NULL},
    {"x(i) = b(i) * c(i) + d(i) * e(i)", NULL},
    {"x(i) = a", NULL},
    {"a = b(i)", NULL},
    {"a = b * c", NULL},
    {"a = b(i) * c(i)", NULL},
    {"a = A(i,j)", NULL},
    {"a = A(i,j) * B(i,j)", NULL},
    {"a = x(i) * A(i,j) * x(j)", NULL},
    {"a = A(i,i)", NULL},
    {"y(i) = A(i,j)", NULL},
    {"y(j) = A(i,j)", NULL},
    {"y(i) = A(i,i)", NULL},
    {"X(i,j) = B(i,k) * C(k,j)", NULL},
    {"X(i,j) = B(k,i) * C(k,j)", NULL},
    {"X(i,j) = B(i,k) * B(k,j)", NULL},
    {"X(i,j) = B(i,k) * B(j,k)", NULL},
    {"X(i,j) = B(i,k) * C(k,j) + D(i,j)", NULL},
    {"X(i,j) = B(i,k) * C(k,l) * D(l,j)", NULL},
    {"X(i,j) = (B(i,k) + C(i,k)) * D(k,j)", NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(k,j)", NULL},
    {"X(i,j) = B(i,j)", NULL},
    {"X(i,j) = B(j,i)", NULL},
    {"X(i,j) = B(i,j) + C(i,j)", NULL},
    {"X(i,j) = B(i,j) + B(j,i)", NULL},
    {"X(i,j) = B(i,j) - C(i,j)", NULL},
    {"X(i,j) = B(i,j) * C(i,j)", NULL},
    {"X(i,j) = B(i,j) + C(i,j) + D(i,j)", NULL},
    {"X(i,j) = B(i,j) * (C(i,j) + D(i,j))", NULL},
    {"X(i,j) = a * B(i,j)", NULL},
    {"X(i,j) = a * B(i,j) + b * C(i,j)", NULL},
    {"X(i,j) = B(i,j) * c(j)", NULL},
    {"X(i,j) = c(i) * B(i,j) * d(j)", NULL},
    {"X(i,j) = B(i,j) + c(i)", NULL},
    {"X(i,j) = B(i,j) + 1", NULL},
    {"X(i,j) = B(i,j) / c(i)", NULL},
    {"X(i,j) = b(i) * c(j)", NULL},
    {"X(i,j) = b(i) + c(j)", NULL},
    {"X(i,j) = B(i,j) * x(j) + c(i)", NULL},
    {"X(i,j) = B(i,j,k) * c(k)", NULL},
    {"X(j,k) = B(i,j,k) * c(i)", NULL},
    {"X(i,j) = B(i,j,k)", NULL},
    {"X(i,j) = B(i,k,l) * C(k,j) * D(l,j)", NULL},
    {"X(i,l) = B(i,j,k) * C(j,k,l)", NULL},
    {"X(i,j) = B(i,k,l,m) * C(k,j) * D(l,j) * E(m,j)", NULL},
    {"X(i,j,k) = B(i,j,l) * C(k,l)", NULL},
    {"X(i,j,k) = B(i,j,l) * C(l,k)", NULL},
    {"X(i,j,k) = B(i,j,k)", NULL},
    {"X(i,j,k) = B(k,i,j)", NULL},
    {"X(i,j,k) = B(i,j,k) + C(i,j,k)", NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k)", NULL},
    {"X(i,j,k) = B(i,j,k) + c(k)", NULL},
    {"X(i,j,k) = b(i) * c(j) * d(k)", NULL},
    {"X(i,j,k,l) = B(i,j) * C(k,l)", NULL},
    {"x(i) = B(i,j,k) * c(j) * d(k)", NULL},
    {"a = B(i,j,k) * C(i,j,k)", NULL},
    {"a = B(i) * C(j) * D(i,j,k) * E(j,l) * F(l,m,n)", NULL},
};

static void shuffle(uint8_t *at, uint8_t n, prng *random) {
    for (uint8_t i = n; i > 1; i--) {
        uint32_t k = prng_below(random, i);
        uint8_t swap = at[i - 1];
        at[i - 1] = at[k];
        at[k] = swap;
    }
}

/* Formats: all compressed, all dense, or any; every other run uses another mode order. */
static void set_formats(note *n, uint32_t run, prng *random) {
    for (uint8_t t = 0; t < n->n_tensors; t++) {
        note_tensor *tensor = &n->tensor[t];
        for (uint8_t l = 0; l < tensor->order; l++) {
            uint32_t dense = run == 0 ? 0 : run == 1 ? 100 : 40;
            tensor->level[l] = prng_below(random, 100) < dense ? 'd' : 's';
            tensor->mode[l] = l;
        }
        if (run % 2)
            shuffle(tensor->mode, tensor->order, random);
    }
}

/* Each loop order about equally often: runs step through the permutations (Lehmer codes) of the variables. */
static void set_loops(note *n, uint32_t run) {
    uint8_t left[NOTE_VARS], n_left = n->n_vars;
    size_t at = 0;
    for (uint8_t v = 0; v < n->n_vars; v++)
        left[v] = v;
    n->schedule[0] = '\0';
    for (uint32_t code = run / 2; n_left; n_left--) {
        uint32_t k = code % n_left;
        code /= n_left;
        at += (size_t)snprintf(n->schedule + at, sizeof n->schedule - at, "%s%s", at ? "," : "reorder(",
                               n->var[left[k]]);
        memmove(left + k, left + k + 1, n_left - k - 1u);
    }
    if (at)
        snprintf(n->schedule + at, sizeof n->schedule - at, ")");
}

static void set_data(note *n, uint32_t run, prng *random) {
    for (uint8_t v = 0; v < n->n_vars; v++)
        n->extent[v] = run % 8 ? 2 + prng_below(random, n->n_vars > 4 ? 2 : MAX_EXTENT - 1) : 1;
    assert_true(note_set_dimensions(n));
    for (uint8_t t = 1; t < n->n_tensors; t++)
        note_random_data(&n->tensor[t], random,
                         run % 12 == 5 ? 10 * run / 12 : (uint32_t[]){60, 80, 100, 50, 90}[(run + t) % 5], -9,
                         9);
}

static bool is_trivial(const note *n) {
    const note_tensor *x = &n->tensor[0];
    return quota_constant(x->value, x->cells, sizeof *x->value);
}

static void every_shape_is_right(void **state) {
    note *n = calloc(1, sizeof *n);
    uint32_t right = 0, refused = 0, unexpected = 0;
    quota shown = {0}; /* trivial: a result of one value */
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        prng random = prng_seed(k);
        assert_true(note_parse(shapes[k].expression, n));
        for (uint32_t run = 0; run < RUNS; run++) {
            arena mem = {0};
            set_formats(n, run, &random);
            set_loops(n, run);
            set_data(n, run, &random);
            chain_outcome out = chain_run(n, &mem);
            bool expected =
                out.verdict == CHAIN_RIGHT || (out.verdict == CHAIN_REFUSED && shapes[k].refused &&
                                               strcmp(out.code, shapes[k].refused) == 0);
            unexpected += !expected;
            quota_add(&shown, out.verdict == CHAIN_RIGHT, is_trivial(n));
            if (!expected) {
                for (uint8_t t = 0; t < n->n_tensors; t++)
                    print_error("-f %s ", note_format(&n->tensor[t], &mem));
                print_error("%s -s \"%s\" (run %u): %s", shapes[k].expression, n->schedule, run, out.reason);
            }
            right += out.verdict == CHAIN_RIGHT;
            refused += out.verdict == CHAIN_REFUSED;
            arena_free(&mem);
        }
    }
    print_message("%zu shapes: %u runs right, %u refused\n", sizeof shapes / sizeof *shapes, right, refused);
    assert_false(quota_failed(&shown));
    assert_int_equal(unexpected, 0);
    free(n);
}

/* Findings of random cases: expressions and schedules that once failed. */
static const struct {
    const char *expression, *schedule;
} found[] = {
    {"X(k) = -C(k,j)", "unroll(k,4)"},
    {"X = (5 + C(j)) * E(i,i)", "unroll(i,4)"},
    {"X(i,j) = 5 * B(j,i) * C(j,i)", "parallelize(j,Lanes(2),NoRaces), reorder(j,i)"},
    {"X(i) = 5 * C(i) + G(j)", "split(i,i0,i1,3), parallelize(i0,Lanes(4),Temporary)"},
    {"X(i) = 4 * B(i,j,k) * H(i,i)",
     "split(j,j0,j1,4), parallelize(j1,Lanes(2),IgnoreRaces), reorder(j1,k,i,j0)"},
};

static void what_was_wrong_is_right(void **state) {
    note *n = calloc(1, sizeof *n);
    (void)state;
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
        prng random = prng_seed(k);
        assert_true(note_parse(found[k].expression, n));
        quota shown = {0};
        snprintf(n->schedule, sizeof n->schedule, "%s", found[k].schedule);
        for (uint32_t run = 0; run < RUNS; run++) {
            arena mem = {0};
            set_formats(n, 0, &random);
            set_data(n, run, &random);
            chain_outcome out = chain_run(n, &mem);
            if (out.verdict != CHAIN_RIGHT)
                fail_msg("%s -s \"%s\": %s", found[k].expression, found[k].schedule, out.reason);
            quota_add(&shown, true, is_trivial(n));
            arena_free(&mem);
        }
        assert_false(quota_failed(&shown));
    }
    free(n);
}

RUN_TESTS(cmocka_unit_test(every_shape_is_right), cmocka_unit_test(what_was_wrong_is_right))
