/* frontend/: lowered graphs compute what the statement says, under the chip's writers and droppers, on random
 * data with empty rows; and they have the shape that the published graphs of the same kernels have. */
#include "tests/frontend/dense.h"
#include "tests/frontend/fe_case.h"
#include "tests/frontend/streams.h"

/* ---- values
 * -------------------------------------------------------------------------------------------------- */

/* Walks the written levels; every stored coordinate must have something below it. */
typedef struct {
    const sam_statement *s;
    const written *w;
    const sam_tensor_data *t;
    const dense_tensor *shape;
    uint16_t *cells;
    uint32_t visited; /* values read */
} reader;

static void read_level(reader *r, uint32_t level, uint32_t fiber, uint32_t *coordinate) {
    if (level == r->t->order) {
        uint32_t at[SAM_MAX_ORDER] = {0}, cell = 0;
        for (uint32_t l = 0; l < level; l++)
            at[r->t->mode[l]] = coordinate[l];
        for (uint32_t m = 0; m < level; m++)
            cell = cell * r->shape->dim[m] + at[m];
        assert_true(fiber < r->w->vals.len);
        r->cells[cell] = (uint16_t)r->w->vals.at[fiber];
        r->visited++;
        return;
    }
    if (r->t->level[level] == SAM_LEVEL_DENSE) {
        uint32_t dim = r->shape->dim[r->t->mode[level]];
        for (coordinate[level] = 0; coordinate[level] < dim; coordinate[level]++)
            read_level(r, level + 1, fiber * dim + coordinate[level], coordinate);
        return;
    }
    const u32_vec *seg = &r->w->seg[level], *crd = &r->w->crd[level];
    assert_true(fiber + 1 < seg->len);
    if (level > 0)
        assert_true(seg->at[fiber] < seg->at[fiber + 1]);
    for (uint32_t k = seg->at[fiber]; k < seg->at[fiber + 1]; k++) {
        if (k > seg->at[fiber])
            assert_true(crd->at[k - 1] < crd->at[k]);
        coordinate[level] = crd->at[k];
        assert_true(coordinate[level] < r->shape->dim[r->t->mode[level]]);
        read_level(r, level + 1, k, coordinate);
    }
}

static void compare(const sam_statement *s, const dense_data *data, const written *w) {
    reader r = {.s = s, .w = w, .t = sam_tensor_at(s, s->result), .shape = &data->tensor[0]};
    r.cells = calloc(r.shape->cells, sizeof *r.cells);
    uint32_t coordinate[SAM_MAX_ORDER];
    read_level(&r, 0, 0, coordinate);
    /* A result without any coordinate may have one value: the sum over nothing. */
    if (r.visited != w->vals.len && !(r.visited == 0 && w->vals.len == 1))
        fail_msg("%u values for %u places", w->vals.len, r.visited);
    for (uint32_t c = 0; c < r.shape->cells; c++) {
        if (r.cells[c] != r.shape->at[c])
            fail_msg("cell %u: %u, expected %u", c, r.cells[c], r.shape->at[c]);
    }
    free(r.cells);
}

static void lower(fixture *f, const fe_case *c, bool drop, sam_statement *s, sam_graph *g) {
    fe_lower_options options = {.drop = drop};
    if (!fe_case_parse(f, c, s) || !fe_lower(s, &options, &f->mem, &f->diag, g) || !sam_check(g, &f->diag))
        fail_msg("%s\n%s", c->expression, fixture_printed(f));
}

enum { RUNS = 30 };

static void check_values(fixture *f, const fe_case *c, bool drop, drop_semantics semantics) {
    sam_statement s;
    sam_graph g;
    lower(f, c, drop, &s, &g);
    dense_data *data = calloc(1, sizeof *data);
    prng random = prng_seed(hash_bytes(c->expression, strlen(c->expression)));
    for (uint32_t run = 0; run < RUNS; run++) {
        arena mem = {0};
        dense_random(&s, &random, 1 + run % 6, (uint32_t[]){5, 20, 50, 90}[run % 4], data);
        dense_evaluate(&s, data);
        sam_tensor_levels operands[DENSE_MAX_TENSORS];
        for (uint32_t t = 1; t < s.tensors.len; t++)
            operands[t - 1] = dense_to_levels(&s, data, (sam_tensor){t + 1}, &mem);
        written w;
        run_streams(&g, operands, s.tensors.len - 1, semantics, &mem, &w);
        compare(&s, data, &w);
        arena_free(&mem);
    }
    free(data);
}

static const fe_case kernels[] = {
    {"x(i) = b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {0}, NULL},
    {"x(i) = b(i) + c(i)", {0}, NULL},
    {"x(i) = b(i) - c(i)", {0}, NULL},
    {"x(i) = b(i) * c(i) * d(i)", {0}, NULL},
    {"x(i) = b(i) + c(i) + d(i)", {0}, NULL},
    {"x(i) = b(i) - c(i) - d(i) + e(i)", {0}, NULL},
    {"x(i) = b(i) - (c(i) - d(i))", {0}, NULL},
    {"x(i) = -b(i) + c(i)", {0}, NULL},
    {"x(i) = -b(i) - c(i)", {0}, NULL},
    {"x(i) = 3 * b(i) - c(i) * 2 * -1", {0}, NULL},
    {"x(i) = 4 - b(i)", {"b:d"}, NULL},
    {"x(i) = (b(i) + c(i)) * d(i)", {0}, NULL},
    {"x(i) = (b(i) * c(i) + d(i)) * (e(i) - b(i))", {0}, NULL},
    {"x(i) = a * b(i)", {0}, NULL},
    {"x(i) = b(i) * c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d"}, NULL},
    {"x(i) = b(i) + c(i)", {"c:d", "x:d"}, NULL},
    {"x(i) = b(i)", {"b:d", "x:d"}, NULL},
    {"x = b(i)", {0}, NULL},
    {"x = b(i) * c(i)", {0}, NULL},
    {"x = a * b(i) * c(i)", {0}, NULL},
    {"x = a + b(i) * c(i)", {0}, NULL},
    {"x = a * sum(i, b(i)) - 7", {0}, NULL},
    {"x = a * b", {0}, NULL},
    {"X(i,j) = B(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:sd", "X:sd"}, NULL},
    {"X(i,j) = B(i,j)", {"B:dd", "X:dd"}, NULL},
    {"X(i,j) = B(j,i)", {"B:ss:1,0"}, NULL},
    {"X(i,j) = B(j,i)", {"X:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"C:dd"}, NULL},
    {"X(i,j) = B(i,j) * C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:ds"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j)", {"B:dd", "C:sd", "X:dd"}, NULL},
    {"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) * D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j) * C(i,j) + D(i,j) * E(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * D(i,j)", {0}, NULL},
    {"X(i,j) = (B(i,j) + C(i,j)) * (D(i,j) - B(i,j))", {0}, NULL},
    {"X(i,j) = b(i) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(i)", {0}, NULL},
    {"X(i,j) = B(i,j) * c(j)", {0}, NULL},
    {"X(i,j) = B(i,j) + c(i)", {"B:dd"}, NULL},
    {"X(i,j) = B(i,j) + D(i,j) * c(i)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL},
    {"X(i,j,k) = D(i,j,k) + B(i,k) * c(j)", {0}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j)", {"B:sds"}, NULL},
    {"X(i,j,k) = B(i,j,k) * C(i,j,k) - D(i,j,k)", {"B:dss", "C:sds"}, NULL},
    {"x(i) = B(i,j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {0}, NULL},
    {"x(i) = B(i,j) * c(j)", {"B:ds", "x:d"}, NULL},
    {"x(i) = B(i,j) * c(j)", {"c:d"}, NULL},
    {"x(j) = B(i,j) * c(i)", {"B:ss:1,0"}, NULL},
    {"x(j) = B(i,j) * c(i)", {0}, "reorder(i,j)"},
    {"x(i) = B(i,j) * C(i,j)", {0}, NULL},
    {"x(i) = b(i) + B(i,j) * c(j)", {0}, NULL},
    {"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL},
    {"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL},
    {"x(i) = B(i,j) * c(j) - D(i,k) * e(k)", {0}, NULL},
    {"x(i) = B(i,j) * c(j) + D(i,j) * e(j)", {0}, NULL},
    {"x(i) = B(i,j) * C(j,k) * d(k)", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * (c(j) + d(j)))", {0}, NULL},
    {"x(i) = sum(j, B(i,j) * 2 - C(i,j))", {0}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:ds", "C:ss:1,0", "X:ds"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0", "X:dd"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,k) * C(k,j)", {"X:ss:1,0", "C:ss:1,0"}, "reorder(j,i,k)"},
    {"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,k) * B(k,j)", {0}, "reorder(i,k,j)"},
    {"X(i,j) = B(i,j) * B(i,j)", {0}, NULL},
    {"X(i,j) = -B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = D(i,j) + B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL},
    {"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {"C:dd", "D:dd"}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * C(i,j)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {0}, NULL},
    {"X(i,j) = B(i,j,k) * c(k)", {"B:sds"}, NULL},
    {"X(i,k) = B(i,j,k) * c(j)", {0}, "reorder(i,j,k)"},
    {"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL},
    {"x = B(i,j,k) * C(i,j,k)", {0}, NULL},
    {"x(i) = c(i) * sum(j, B(i,j))", {0}, NULL},
    {"x(i) = -c(i) * sum(j, B(i,j) * d(j)) * sum(k, e(k))", {0}, NULL},
    {"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
    {"X(i,j) = 5 * B(i,j) * -sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL},
};

static void graphs_compute_what_the_statement_says(void **state) {
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        check_values(*state, &kernels[k], false, DROP_AS_CHIP);
        check_values(*state, &kernels[k], false, DROP_EXACT);
        check_values(*state, &kernels[k], true, DROP_AS_CHIP);
        check_values(*state, &kernels[k], true, DROP_EXACT);
    }
}

/* Two sums inside a result that may lose coordinates: the inner reducer's stops matter to the outer one, so
 * this needs droppers that keep levels. */
static void nested_sums_need_droppers_that_keep_levels(void **state) {
    const fe_case mttkrp = {"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL};
    check_values(*state, &mttkrp, false, DROP_EXACT);
    check_values(*state, &mttkrp, true, DROP_EXACT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(graphs_compute_what_the_statement_says),
        TEST(nested_sums_need_droppers_that_keep_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
