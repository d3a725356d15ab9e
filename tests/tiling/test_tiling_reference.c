/* tiling/: the reference on results worked out by hand, and packed statements against it: whatever fe_pack
 * does to a statement and tile_pack to the data, the result the user gets stays the same. */
#include <math.h>

#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/quota.h"
#include "tests/support/bf16_products.h"
#include "tests/test.h"
#include "tiling/compare.h"
#include "tiling/each.h"
#include "tiling/plain.h"
#include "tiling/ranges.h"
#include "tiling/tiling_int.h"

static void parse(fixture *f, const char *expression, sam_statement *s) {
    const fe_in in = {.expression = expression};
    if (!fe_parse(&in, &f->names, &f->mem, &f->diag, s))
        fail_msg("%s\n%s", expression, fixture_printed(f));
}

/* bfloat16 of a number that bfloat16 represents exactly. */
static uint16_t bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static float from_bf16(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A tensor with the given cells, row by row; zeros are not stored. */
static tile_tensor dense(fixture *f, const char *name, uint32_t rows, uint32_t cols, const float *cells,
                         tile_dtype dtype) {
    tile_tensor t = {.name = names_intern(&f->names, name), .order = cols ? 2 : 1, .dim = {rows, cols}};
    uint32_t n = rows * (cols ? cols : 1);
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, 2 * n);
    uint16_t *val = arena_new_n(&f->mem, uint16_t, n);
    for (uint32_t c = 0; c < n; c++) {
        if (cells[c] == 0)
            continue;
        crd[t.nnz * t.order] = cols ? c / cols : c;
        if (cols)
            crd[t.nnz * t.order + 1] = c % cols;
        val[t.nnz++] = dtype == TILE_DTYPE_BF16 ? bf16(cells[c]) : (uint16_t)(int16_t)cells[c];
    }
    t.crd = crd;
    t.val = val;
    return t;
}

static const float vector_b[4] = {7, -7, 5, 0}, vector_c[4] = {2, 2, 0, 0};
static const float matrix_D[16] = {1, 2, 0, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, -7};

/* x(i) of an expression over b, c and D. */
static tile_tensor evaluate(fixture *f, const char *expression, tile_dtype dtype) {
    sam_statement s;
    tile_tensor out, data[4];
    parse(f, expression, &s);
    for (uint32_t t = 1; t < s.tensors.len; t++) {
        const char *name = names_text(&f->names, s.tensors.at[t].name);
        if (s.tensors.at[t].order == 2)
            data[t] = dense(f, name, 4, 4, matrix_D, dtype);
        else
            data[t] = dense(f, name, 4, 0, *name == 'b' ? vector_b : vector_c, dtype);
    }
    const tile_operands in = {data, s.tensors.len, dtype};
    assert_true(tile_reference(&s, &in, &f->mem, &f->diag, &out));
    tile_tensor by_loops;
    assert_true(tile_plain(&s, &in, &f->mem, &f->diag, &by_loops));
    if (!tile_equal(&by_loops, &out, dtype, &f->names, &f->diag))
        fail_msg("%s by loops\n%s", expression, fixture_printed(f));
    return out;
}

static void expect(fixture *f, const char *expression, int x0, int x1, int x2, int x3) {
    const int want[4] = {x0, x1, x2, x3};
    tile_tensor x = evaluate(f, expression, TILE_DTYPE_INT16);
    int got[4] = {0};
    for (uint64_t e = 0; e < x.nnz; e++)
        got[x.crd[e]] = (int16_t)x.val[e];
    for (uint32_t i = 0; i < 4; i++) {
        if (got[i] != want[i])
            fail_msg("%s: x(%u) is %d, should be %d", expression, i, got[i], want[i]);
    }
}

static void integers_are_evaluated_by_definition(void **state) {
    fixture *f = *state;
    expect(f, "x(i) = b(i) / c(i)", 3, -3, 0, 0);
    expect(f, "x(i) = c(i) / b(i)", 0, 0, 0, 0);
    expect(f, "x(i) = b(i) / 2 + 1", 4, -2, 3, 1);
    expect(f, "x(i) = 30000 * b(i)", 30000 * 7 - 3 * 65536, 3 * 65536 - 30000 * 7, 18928, 0);
    expect(f, "x(i) = -(b(i) - c(i))", -5, 9, -5, 0);
    expect(f, "x(i) = D(i,i)", 1, 3, 0, -7);
    expect(f, "x(i) = D(i,j)", 3, 3, 9, -1);
    expect(f, "x(i) = D(j,i)", 5, 5, 6, -2);
    expect(f, "x(i) = D(i,j) * D(j,i)", 1, 9, 30, 30 + 49);
    expect(f, "x(i) = c(i) * (b(i) + D(i,j))", 2 * 10, 2 * -4, 0, 0);
    expect(f, "x(i) = sum(j, b(i) + D(i,j))", 31, -25, 29, -1);
    expect(f, "x(i) = b(i) + D(j,j)", 7 - 3, -7 - 3, 5 - 3, -3);
    expect(f, "x(i) += b(i) * 0", 0, 0, 0, 0);
    expect(f, "x(i) = b(i) + 32768", 7 - 32768, 32767 - 6, 5 - 32768, -32768); /* only a sign is not zero */
}

static void what_one_side_decides_is_not_looked_at(void **state) {
    fixture *f = *state;
    expect(f, "x(i) = sum(j, D(i,j) * (b(i) + c(j)))", 27, -15, 53, 0);
    expect(f, "x(i) = sum(j, (b(i) + c(j)) * D(i,j))", 27, -15, 53, 0);
    expect(f, "x(i) = sum(j, mask(D(i,j), b(i) - c(j)))", 10, -9, 8, 0);
    expect(f, "x(i) = sum(j, mask(D(i,j), b(i) > c(j)))", 2, 0, 2, 0);
    expect(f, "x(i) = sum(j, unless(b(i), D(i,j)))", 0, 0, 0, -1);
    expect(f, "x(i) = max(j, mask(D(j,i), c(j) - 5))", 0, 0, 0, 0);
    expect(f, "x(i) = sum(j, D(i,j) * (b(i) + max(k, D(k,i))))", 33, -12, 99, -5);
}

enum { FAR = 1 << 16 };

/* A sum with one more index than either side has FAR * FAR values; the matrix needs FAR values. */
static void a_sum_is_evaluated_where_a_matrix_has_entries(void **state) {
    static const char *const expression[] = {
        "x(i) = sum(j, D(i,j) * (b(i) + c(j)))", "x(i) = sum(j, mask(D(i,j), b(i) + c(j)))",
        "x(i) = sum(j, (b(i) + c(j)) * D(i,j))", "x(i) = max(j, mask(D(i,j), c(j)))",
        "x(i) = sum(j, when(c(j), D(i,j)))"};
    static const int scale[] = {1, 1, 1, 0, -1};
    fixture *f = *state;
    uint32_t *line = arena_new_n(&f->mem, uint32_t, FAR), *pairs = arena_new_n(&f->mem, uint32_t, 2 * FAR);
    uint16_t *ones = arena_new_n(&f->mem, uint16_t, FAR), *places = arena_new_n(&f->mem, uint16_t, FAR);
    for (uint32_t i = 0; i < FAR; i++) {
        line[i] = pairs[2 * i] = i;
        pairs[2 * i + 1] = FAR - 1 - i;
        ones[i] = 1;
        places[i] = (uint16_t)(1 + i % 99);
    }
    for (uint32_t n = 0; n < sizeof expression / sizeof *expression; n++) {
        sam_statement s;
        tile_tensor out, data[4];
        parse(f, expression[n], &s);
        for (uint32_t t = 1; t < s.tensors.len; t++) {
            const bool matrix = s.tensors.at[t].order == 2;
            data[t] = (tile_tensor){
                .name = s.tensors.at[t].name, .order = matrix ? 2 : 1, .dim = {FAR, FAR}, .nnz = FAR};
            data[t].crd = matrix ? pairs : line;
            data[t].val = matrix ? ones : places;
        }
        const tile_operands in = {data, s.tensors.len, TILE_DTYPE_INT16};
        assert_true(tile_reference(&s, &in, &f->mem, &f->diag, &out));
        assert_int_equal(out.nnz, FAR);
        for (uint32_t i = 0; i < FAR; i++) {
            const int c = places[FAR - 1 - i];
            assert_int_equal((int16_t)out.val[i], scale[n] < 0 ? 1 : scale[n] * places[i] + c);
        }
    }
}

static void bfloat16_follows_ieee(void **state) {
    fixture *f = *state;
    tile_tensor x = evaluate(f, "x(i) = b(i) / c(i)", TILE_DTYPE_BF16);
    assert_int_equal(x.nnz, 3); /* nothing where both are absent */
    assert_true(from_bf16(x.val[0]) == 3.5f && from_bf16(x.val[1]) == -3.5f);
    assert_true(isinf(from_bf16(x.val[2])));
    x = evaluate(f, "x(i) = b(i) / 3", TILE_DTYPE_BF16);
    assert_true(from_bf16(x.val[0]) == 2.328125f); /* 7/3 to 8 bits */
    assert_true(x.bound[0].radius == 0);
}

/* All pairs of significands: the reference multiplies as the array does, and allows no tolerance. */
static void products_in_bfloat16_are_those_of_the_array(void **state) {
    fixture *f = *state;
    sam_statement s;
    tile_tensor x, data[3];
    uint32_t *crd = arena_new_n(&f->mem, uint32_t, BF16_PRODUCTS);
    uint16_t *b = arena_new_n(&f->mem, uint16_t, BF16_PRODUCTS),
             *c = arena_new_n(&f->mem, uint16_t, BF16_PRODUCTS);
    parse(f, "x(i) = b(i) * c(i)", &s);
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        crd[n] = n;
        b[n] = bf16_case_at(n).a;
        c[n] = bf16_case_at(n).b;
    }
    for (uint32_t t = 1; t < s.tensors.len; t++)
        data[t] = (tile_tensor){.name = s.tensors.at[t].name,
                                .order = 1,
                                .dim = {BF16_PRODUCTS},
                                .crd = crd,
                                .val = t == 1 ? b : c,
                                .nnz = BF16_PRODUCTS};
    const tile_operands in = {data, s.tensors.len, TILE_DTYPE_BF16};
    assert_true(tile_reference(&s, &in, &f->mem, &f->diag, &x));
    assert_int_equal(x.nnz, BF16_PRODUCTS);
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        assert_int_equal(x.val[n], bf16_case_at(n).chip);
        assert_true(x.bound[n].radius == 0);
    }
}

static void a_sum_in_bfloat16_has_a_tolerance_for_its_order(void **state) {
    fixture *f = *state;
    tile_tensor x = evaluate(f, "x(i) = D(i,j) * c(j)", TILE_DTYPE_BF16);
    assert_true(x.bound[1].radius == 0 &&
                x.bound[0].radius > 0); /* rows of a single product and of two products */
    tile_tensor near = x, far = x;
    uint16_t *close = arena_new_n(&f->mem, uint16_t, x.nnz), *off = arena_new_n(&f->mem, uint16_t, x.nnz);
    memcpy(close, x.val, sizeof *close * x.nnz);
    memcpy(off, x.val, sizeof *off * x.nnz);
    close[0] += 1; /* error of a unit in the last place */
    off[1] += 1;
    near.val = close;
    far.val = off;
    assert_true(tile_equal(&near, &x, TILE_DTYPE_BF16, &f->names, &f->diag));
    assert_false(tile_equal(&far, &x, TILE_DTYPE_BF16, &f->names, &f->diag));
    /* Just within the tolerance, and just outside; results of other dimensions. */
    const double most = x.bound[0].center + x.bound[0].radius;
    for (close[0] = x.val[0]; (double)from_bf16(close[0]) <= most; close[0]++)
        assert_true(tile_equal(&near, &x, TILE_DTYPE_BF16, &f->names, &f->diag));
    assert_false(tile_equal(&near, &x, TILE_DTYPE_BF16, &f->names, &f->diag));
    tile_tensor other = x;
    for (other.dim[0] = x.dim[0] - 1; other.dim[0] <= x.dim[0] + 1; other.dim[0] += 2)
        assert_false(tile_equal(&other, &x, TILE_DTYPE_BF16, &f->names, &f->diag));
}

/* ---- packing --------------------------------------------------------------------------------- */

typedef struct {
    prng random;
    arena *mem;
} writer;

/* Tensors s, c, B, D of order 0 to 3, any of i, j, k in any place. */
static const char *random_access(writer *w) {
    uint32_t order = prng_below(&w->random, 4);
    const char *text = order ? "(" : "";
    for (uint32_t m = 0; m < order; m++)
        text = arena_printf(w->mem, "%s%s%c", text, m ? "," : "", 'i' + (char)prng_below(&w->random, 3));
    return arena_printf(w->mem, "%c%s%s", "scBD"[order], text, order ? ")" : "");
}

static const char *random_expr(writer *w, uint32_t depth) {
    static const char *const operators[] = {"*", "*", "+", "-"};
    if (!depth || prng_below(&w->random, 5) == 0)
        return prng_below(&w->random, 8) ? random_access(w) : "3";
    const char *a = random_expr(w, depth - 1), *b = random_expr(w, depth - 1);
    return arena_printf(w->mem, "(%s %s %s)", a, operators[prng_below(&w->random, 4)], b);
}

static const char *random_loops(writer *w, const sam_statement *s) {
    uint32_t order[8], n = s->loops.len;
    const char *list = "";
    for (uint32_t l = 0; l < n; l++) {
        uint32_t at = prng_below(&w->random, l + 1);
        order[l] = order[at];
        order[at] = l;
    }
    for (uint32_t l = 0; l < n; l++)
        list = arena_printf(w->mem, "%s%s%s", list, l ? "," : "",
                            names_text(s->names, s->vars.at[s->loops.at[order[l]].v - 1].name));
    return n ? arena_printf(w->mem, "reorder(%s)", list) : NULL;
}

/* "i:4" for every variable: some occur in the result only. */
static void all_sizes(writer *w, const sam_statement *s, fe_in *in) {
    const char **sizes = arena_new_n(w->mem, const char *, s->vars.len);
    for (uint32_t v = 0; v < s->vars.len; v++)
        sizes[v] = arena_printf(w->mem, "%s:4", names_text(s->names, s->vars.at[v].name));
    in->dimensions = sizes;
    in->n_dimensions = s->vars.len;
}

static tile_tensor *random_operands(fixture *f, const sam_statement *s, uint64_t seed) {
    static const char *const spec[] = {"", "4:0.6", "4x4:0.4", "4x4x4:0.3"};
    tile_tensor *data = arena_new_n(&f->mem, tile_tensor, s->tensors.len);
    for (uint32_t t = 1; t < s->tensors.len; t++)
        assert_true(tile_generate(spec[s->tensors.at[t].order], s->tensors.at[t].name, t, seed,
                                  TILE_DTYPE_INT16, &f->mem, &f->diag, &data[t]));
    return data;
}

/* The result of the packed statement on packed data, unpacked. */
static tile_tensor through_packing(fixture *f, const sam_statement *packed, const tile_operands *in,
                                   const uint32_t *dim) {
    tile_operands stored = {0};
    tile_tensor got, out;
    assert_true(fe_check_packed(packed, &f->diag));
    assert_true(tile_pack(packed, in, &f->mem, &f->diag, &stored));
    assert_true(tile_reference(packed, &stored, &f->mem, &f->diag, &got));
    tile_unpack(sam_tensor_at(packed, packed->result), &got, dim, in->dtype, &f->mem, &out);
    return out;
}

/* The host's evaluation coordinate by coordinate equals the statement: dense operands and operands with gaps,
 * a row and an operand without entries, and a sum that maps values to larger or smaller results than the
 * fill. */
static void computed_one_by_one_it_is_the_same(void **state) {
    static const char *const expressions[] = {
        "x(i) = max(j, B(i,j))",        "x(i) = min(j, B(i,j))",
        "x(j) = max(i, B(i,j))",        "x(i) = and(j, B(i,j))",
        "x(i) = or(j, B(i,j))",         "x(i) = prod(j, B(i,j))",
        "x(i) = max(j, c(i) * B(i,j))", "x(i) = min(j, B(i,j) + D(i,j))",
        "x(i) = B(i,j) * c(j)",         "x = max(i, c(i))",
        "x(i) = max(c(i), b(i))",       "X(i,j) = B(i,j) / c(i)",
        "X(j,i) = B(i,j) + D(j,i)",     "x(i) = max(j, e(j) * B(i,j))"};
    static const float rows[16] = {-3, -1, -2, -9, 0, -4, -5, 0, 0, 0, 0, 0, 2, 0, 7, -1}, none[4] = {0};
    fixture *f = *state;
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        sam_statement s;
        tile_tensor want, got, data[4];
        tile_each_work work;
        const uint32_t extent[2] = {4, 4};
        const fe_in statement = {.expression = expressions[k], .integers = true};
        if (!fe_parse(&statement, &f->names, &f->mem, &f->diag, &s))
            fail_msg("%s\n%s", expressions[k], fixture_printed(f));
        for (uint32_t t = 1; t < s.tensors.len; t++) {
            const char *name = names_text(&f->names, s.tensors.at[t].name);
            const float *cells = *name == 'B'   ? rows
                                 : *name == 'D' ? matrix_D
                                 : *name == 'b' ? vector_b
                                 : *name == 'c' ? vector_c
                                                : none;
            data[t] = dense(f, name, 4, s.tensors.at[t].order == 2 ? 4 : 0, cells, TILE_DTYPE_INT16);
        }
        const tile_operands in = {data, s.tensors.len, TILE_DTYPE_INT16},
                            named = {data + 1, s.tensors.len - 1, TILE_DTYPE_INT16};
        assert_true(tile_reference(&s, &in, &f->mem, &f->diag, &want));
        assert_true(tile_each(&s, &named, extent, &f->mem, &f->diag, &got, &work));
        if (!tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
            fail_msg("%s\n%s", expressions[k], fixture_printed(f));
    }
}

/* Range after range of an index the reference makes the same values; returns whether there are several. */
static bool is_the_same_by_ranges(fixture *f, const sam_statement *s, const tile_operands *in,
                                  const tile_tensor *want, const char *text) {
    tile_tensor got;
    assert_true(tile_reference_by(s, in, 2, &f->mem, &f->diag, &got));
    if (!tile_equal(&got, want, in->dtype, &f->names, &f->diag) || got.fill != want->fill ||
        got.wrapped != want->wrapped)
        fail_msg("%s by ranges\n%s", text, fixture_printed(f));
    return reference_ranges_of(s, in, 2).n > 1;
}

static void packing_does_not_change_the_result(void **state) {
    static const char *const results[] = {"x", "x(i)", "X(i,j)", "X(k,i)", "X(i,i)", "X(j,i,k)", "X(i,j,i)"};
    uint32_t accepted = 0, ranges = 0, statements = 3000;
    quota shown = {0}; /* trivial: no value but 0 */
    for (uint32_t n = 0; n < statements; n++) {
        fixture *f;
        fixture_set_up((void **)&f);
        writer w = {prng_seed(n), &f->mem};
        const char *text =
            arena_printf(&f->mem, "%s = %s", results[prng_below(&w.random, 7)], random_expr(&w, 3));
        fe_in in = {.expression = text};
        sam_statement user, packed;
        bool ran = false, trivial = true;
        bool ok = fe_parse(&in, &f->names, &f->mem, &f->diag, &user);
        const char *schedule = ok ? random_loops(&w, &user) : NULL;
        fe_cin cin;
        in.schedule = &schedule;
        in.n_schedule = schedule ? 1 : 0;
        if (ok)
            all_sizes(&w, &user, &in);
        if (ok && fe_parse(&in, &f->names, &f->mem, &f->diag, &user) &&
            fe_schedule(&in, &user, &f->mem, &f->diag, &cin)) {
            const sam_statement *s = &cin.kernels.at[0].s;
            const tile_operands operands = {random_operands(f, &user, n), user.tensors.len, TILE_DTYPE_INT16};
            tile_tensor want;
            assert_true(fe_check(s, &f->diag) && fe_pack(s, false, &f->mem, &f->diag, &packed));
            assert_true(tile_reference(&user, &operands, &f->mem, &f->diag, &want));
            ranges += is_the_same_by_ranges(f, &user, &operands, &want, text);
            tile_tensor got = through_packing(f, &packed, &operands, want.dim);
            if (!tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
                fail_msg("%s, %s\n%s", text, schedule, fixture_printed(f));
            assert_true(tile_plain(&user, &operands, &f->mem, &f->diag, &got));
            if (!tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
                fail_msg("%s by loops\n%s", text, fixture_printed(f));
            accepted++;
            ran = true;
            for (uint32_t e = 0; e < want.nnz; e++)
                trivial = trivial && !want.val[e];
        }
        quota_add(&shown, ran, trivial);
        fixture_tear_down((void **)&f);
    }
    print_message("%u of %u random statements, %u by ranges\n", accepted, statements, ranges);
    assert_true(ranges > accepted / 4);
    assert_false(quota_failed(&shown));
    assert_true(accepted > statements / 3);
    (void)state;
}

/* X(i,j) = B(i,j) + c(i) with i in blocks of 3 (of 7): a statement as a split makes it, with ones to fill. */
static void split_indices_and_ones_are_made_and_undone(void **state) {
    fixture *f = *state;
    sam_statement user, split;
    parse(f, "X(i,j) = B(i,j) + c(i)", &user);
    parse(f, "X(o,n,j) = B(o,n,j) + c(o,n) * u(j)", &split);
    for (uint32_t t = 0; t < 3; t++) {
        sam_tensor_data *data = &split.tensors.at[t];
        data->view = (sam_view){.source = data->name,
                                .source_order = user.tensors.at[t].order,
                                .from = {{0, 3, 0}, {0, 1, 3}, {1, 1, 0}},
                                .equal = {0, 1}};
    }
    split.tensors.at[3].ones = true;
    split.tensors.at[3].level[0] = SAM_LEVEL_DENSE;
    tile_tensor data[3], want;
    memset(data, 0, sizeof data);
    assert_true(tile_generate("7x5:0.4", user.tensors.at[1].name, 1, 1, TILE_DTYPE_INT16, &f->mem, &f->diag,
                              &data[1]));
    assert_true(
        tile_generate("7:0.5", user.tensors.at[2].name, 2, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &data[2]));
    const tile_operands operands = {data, 3, TILE_DTYPE_INT16};
    assert_true(tile_reference(&user, &operands, &f->mem, &f->diag, &want));
    tile_tensor got = through_packing(f, &split, &operands, want.dim);
    if (!tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
        fail_msg("%s", fixture_printed(f));
}

static void extents_come_from_the_statement_the_operands_and_splits(void **state) {
    fixture *f = *state;
    sam_statement s;
    uint32_t *extent;
    const char *const sizes[] = {"j:9"};
    const fe_in in = {
        .expression = "x(i,o) = B(i) * sum(j, d(j) + e(o))", .dimensions = sizes, .n_dimensions = 1};
    assert_true(fe_parse(&in, &f->names, &f->mem, &f->diag, &s));
    tile_tensor data[4];
    memset(data, 0, sizeof data);
    data[1] = (tile_tensor){.order = 1, .dim = {7}};
    data[2] = (tile_tensor){.order = 1, .dim = {5}, .dim_inferred = true};
    const tile_operands operands = {data, 4, TILE_DTYPE_INT16};
    s.vars.at[1].split_of = (sam_var){1}; /* o */
    s.vars.at[1].divide = 3;
    assert_true(tile_known_extents(&s, &operands, &f->mem, &f->diag, &extent));
    assert_int_equal(extent[0], 7);
    assert_int_equal(extent[1], 3);
    assert_int_equal(extent[2], 9);
    data[2].dim_inferred = false;
    assert_false(tile_known_extents(&s, &operands, &f->mem, &f->diag, &extent));
}

static bool comes_before(const uint32_t *a, const uint32_t *b, const uint8_t *key, uint32_t keys) {
    uint32_t k = 0;
    while (k < keys && a[key[k]] == b[key[k]])
        k++;
    return k < keys && a[key[k]] < b[key[k]];
}

/* Compared with insertion sort: tuples in disorder, in order by all keys, and by a single key. */
static void sorting_is_stable_whatever_is_in_order(void **state) {
    fixture *f = *state;
    enum { MOST = 60, WIDTH = 3 };
    prng random = prng_seed(9);
    quota shown = {0}; /* trivial: no two tuples */
    for (uint32_t round = 0; round < 600; round++) {
        const uint32_t n = prng_below(&random, MOST + 1), keys = prng_below(&random, WIDTH + 1);
        const uint32_t large = round % 2 ? 5 : 100000, rises = round % 4; /* which column does; 3: none */
        uint32_t crd[MOST * WIDTH], want[MOST], order[MOST];
        uint8_t key[WIDTH] = {0, 1, 2};
        for (uint32_t k = WIDTH; k-- > 1;) {
            const uint32_t other = prng_below(&random, k + 1);
            const uint8_t swap = key[k];
            key[k] = key[other];
            key[other] = swap;
        }
        for (uint32_t i = 0; i < n * WIDTH; i++)
            crd[i] = i % WIDTH == rises ? i / WIDTH * large / 7 : prng_below(&random, large);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = i;
            for (; at > 0 && comes_before(crd + i * WIDTH, crd + want[at - 1] * WIDTH, key, keys); at--)
                want[at] = want[at - 1];
            want[at] = i;
        }
        tile_sort(crd, WIDTH, n, (clist_by){key, keys}, order, &f->mem);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(order[i], want[i]);
        quota_add(&shown, true, n < 2);
    }
    assert_false(quota_failed(&shown));
}

/* A quotient has no sum without rounding as its center where words alone cancel: 512 + 2 is 512. */
static void a_quotient_of_a_sum_has_twice_its_tolerance(void **state) {
    fixture *f = *state;
    const tile_tensor x = evaluate(f, "x(i) = (256 * c(i) + c(i) - 256 * c(i)) / c(i)", TILE_DTYPE_BF16);
    assert_int_equal(x.val[0], 0);
    const double magnitude = (512 + 2 + 512) / 2.0, adds = 2 * 0x1p-8, muls = 0x1.4p-8;
    assert_true(x.bound[0].center == 0 && x.bound[0].radius >= 2 * (adds + muls) * magnitude);
}

/* The error of an entry without a partner refers to 0, and not to the next entry. */
static void errors_are_of_one_place(void **state) {
    fixture *f = *state;
    tile_tensor got = evaluate(f, "x(i) = b(i) * c(i)", TILE_DTYPE_INT16), want = got;
    const uint16_t val[] = {0, got.val[1]};
    tile_accuracy a;
    assert_int_equal(want.nnz, 2);
    got.val = val;
    want.nnz = 1;
    want.crd++;
    want.val++;
    want.original++;
    want.original_as = want.val;
    tile_measure(&got, &want, TILE_DTYPE_INT16, &a);
    assert_int_equal(a.values, 2);
    assert_true(a.differing == 0 && a.largest == 0);
}

RUN_TESTS(TEST(computed_one_by_one_it_is_the_same), TEST(sorting_is_stable_whatever_is_in_order),
          TEST(integers_are_evaluated_by_definition), TEST(what_one_side_decides_is_not_looked_at),
          TEST(a_sum_is_evaluated_where_a_matrix_has_entries), TEST(bfloat16_follows_ieee),
          TEST(products_in_bfloat16_are_those_of_the_array),
          TEST(a_sum_in_bfloat16_has_a_tolerance_for_its_order),
          TEST(a_quotient_of_a_sum_has_twice_its_tolerance), TEST(errors_are_of_one_place),
          TEST(packing_does_not_change_the_result), TEST(split_indices_and_ones_are_made_and_undone),
          TEST(extents_come_from_the_statement_the_operands_and_splits))
