/* The definition itself, on values worked out by hand. */
#include "tests/notation/notation.h"
#include "tests/quota.h"
#include "tests/test.h"

typedef struct {
    const char *expression;
    int at[4]; /* the result over i, j in 0..1, row-major: what b = (1, 2), c = (3, -4), B = ((5, 6), (7, 0))
                  give */
} known;

static const known table[] = {
    {"X(i,j) = B(i,j)", {5, 6, 7, 0}},
    {"X(j,i) = B(i,j)", {5, 7, 6, 0}},
    {"X(i) = b(i) + c(i)", {4, -2}},
    {"X(i) = b(i) - c(i) - c(i)", {-5, 10}},
    {"X(i) = -b(i) * c(i)", {-3, 8}},
    {"X(i) = 7 / c(i)", {2, -1}},
    {"X(i) = b(i) / (c(i) - 3)", {0, 0}},
    {"X(i) = B(i,j) * c(j)", {-9, 21}},
    {"X(i) = b(i) + B(i,j) * c(j)", {-8, 23}},
    {"X(i) = b(i) * sum(j, B(i,j))", {11, 14}},
    {"X = b(i) * c(i)", {-5}},
    {"X = b(i) + c(j)", {2}},
    {"X = sum(i, b(i)) * sum(j, c(j))", {-3}},
    {"X(i,j) = b(i) * c(j)", {3, -4, 6, -8}},
    {"X(i,j) = B(i,k) * B(k,j)", {67, 30, 35, 42}},
    {"X(i) = B(i,i) + 1", {6, 1}},
    {"X(i) = relu(c(i))", {3, 0}},
    {"X(i) = 30000 * b(i)", {30000, -5536}},
    {"X(i,j) = B(i,j) + c(j)", {8, 2, 10, -4}},
};

static void fill(note *n) {
    static const struct {
        const char *name;
        int16_t value[4];
    } data[] = {{"b", {1, 2}}, {"c", {3, -4}}, {"B", {5, 6, 7, 0}}};
    for (uint8_t v = 0; v < n->n_vars; v++)
        n->extent[v] = 2;
    assert_true(note_set_dimensions(n));
    for (uint8_t t = 1; t < n->n_tensors; t++)
        for (size_t d = 0; d < sizeof data / sizeof *data; d++)
            if (strcmp(n->tensor[t].name, data[d].name) == 0)
                memcpy(n->tensor[t].value, data[d].value, sizeof data[d].value);
}

static void values_are_as_defined(void **state) {
    fixture *f = *state;
    note *n = calloc(1, sizeof *n);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        assert_true(note_parse(table[k].expression, n));
        assert_string_equal(note_text(n, &f->mem), table[k].expression);
        fill(n);
        note_evaluate(n);
        for (uint32_t c = 0; c < n->tensor[0].cells; c++)
            if (n->tensor[0].value[c] != table[k].at[c])
                fail_msg("%s: cell %u is %d, expected %d", table[k].expression, c, n->tensor[0].value[c],
                         table[k].at[c]);
    }
    free(n);
}

static void what_is_no_expression_is_refused(void **state) {
    static const char *const texts[] = {
        "", "X", "X(i) =", "X(i) = b(i) +", "X(i = b", "X(i) = b(i)) ", "X = b(i) * b(i,j)", "X(1) = b(i)"};
    (void)state;
    note *n = calloc(1, sizeof *n);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (note_parse(texts[k], n))
            fail_msg("'%s' was read", texts[k]);
    free(n);
}

/* Random entries of order 3 in every format and two mode orders: packing and unpacking keeps the entries,
 * apart from the zeros that dense levels add. */
static void levels_hold_what_was_packed(void **state) {
    fixture *f = *state;
    note *n = calloc(1, sizeof *n);
    prng random = prng_seed(3);
    quota shown = {0}; /* trivial: all cells are one value */
    assert_true(note_parse("X = B(i,j,k)", n));
    for (uint8_t v = 0; v < 3; v++)
        n->extent[v] = 2 + v;
    assert_true(note_set_dimensions(n));
    for (uint32_t run = 0; run < 64; run++) {
        static const uint8_t modes[2][3] = {{0, 1, 2}, {2, 0, 1}};
        const uint8_t *mode = modes[run / 8 % 2];
        const note_tensor *t = &n->tensor[1];
        sam_level_format level[3];
        uint32_t dim[3];
        int found[2 * 3 * 4] = {0};
        for (uint32_t l = 0; l < 3; l++) {
            level[l] = run >> l & 1 ? SAM_LEVEL_DENSE : SAM_LEVEL_COMPRESSED;
            dim[l] = t->dim[mode[l]];
        }
        note_random_data(&n->tensor[1], &random, 10 * (run % 11), -5, 5);
        note_entries entries = note_stored(t, &f->mem), back = {0};
        sam_tensor_levels levels = note_pack(&entries, 3, level, mode, t->dim, &f->mem);
        const char *fault = note_unpack(&levels, mode, dim, &f->mem, &back);
        if (fault)
            fail_msg("%s", fault);
        for (uint32_t i = 0; i < back.len; i++)
            found[(back.at[i].crd[0] * 3 + back.at[i].crd[1]) * 4 + back.at[i].crd[2]] =
                (int16_t)back.at[i].value;
        for (uint32_t c = 0; c < t->cells; c++)
            assert_int_equal(found[c], t->value[c]);
        if (run % 8 == 0)
            assert_int_equal(back.len, entries.len);
        quota_add(&shown, true, quota_constant(t->value, t->cells, sizeof *t->value));
    }
    assert_false(quota_failed(&shown));
    free(n);
}

RUN_TESTS(TEST(values_are_as_defined), TEST(what_is_no_expression_is_refused),
          TEST(levels_hold_what_was_packed))
