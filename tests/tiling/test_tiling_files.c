/* tiling/: Matrix Market and .tns in and out, located errors, the random generator. */
#include "tests/test.h"

#include "tiling/tiling.h"

static bool read_text_as(fixture *f, tile_dtype dtype, const char *end, const char *text, uint32_t order,
                         tile_tensor *t) {
    const char *folder = test_folder(f), *path = arena_printf(&f->mem, "%s/tensor%s", folder, end);
    FILE *out = fopen(path, "wb");
    fputs(text, out);
    fclose(out);
    bool good =
        tile_read(path, names_intern(&f->names, "B"), order, dtype, TILE_VALUES_FILE, &f->mem, &f->diag, t);
    remove_folder(folder);
    return good;
}

static bool read_text(fixture *f, const char *end, const char *text, uint32_t order, tile_tensor *t) {
    return read_text_as(f, TILE_DTYPE_INT16, end, text, order, t);
}

/* Entries as "row,col=value ..." to compare with. */
static const char *entries(fixture *f, const tile_tensor *t) {
    const char *text = "";
    for (uint64_t e = 0; e < t->nnz; e++) {
        for (uint32_t m = 0; m < t->order; m++)
            text = arena_printf(&f->mem, "%s%s%u", text, m ? "," : (e ? " " : ""), t->crd[e * t->order + m]);
        text = arena_printf(&f->mem, "%s=%d", text, (int)(int16_t)t->val[e]);
    }
    return text;
}

static tile_tensor expect_entries(fixture *f, const char *end, const char *text, uint32_t order,
                                  const char *expected) {
    tile_tensor t;
    assert_true(read_text(f, end, text, order, &t));
    assert_string_equal(entries(f, &t), expected);
    return t;
}

static void reads_coordinates_of_every_symmetry(void **state) {
    fixture *f = *state;
    const tile_tensor t = expect_entries(
        f, ".mtx", "%%MatrixMarket matrix coordinate integer general\n% c\n\n3 4 3\n3 4 -7\n1 2 5\n2 1 0\n",
        2, "0,1=5 1,0=0 2,3=-7");
    assert_int_equal(t.dim[0], 3);
    assert_int_equal(t.dim[1], 4);
    expect_entries(f, ".mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\r\n2 2 2\r\n1 1 1\r\n2 1 2\r\n", 2,
                   "0,0=1 0,1=2 1,0=2");
    expect_entries(f, ".mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 2\n", 2,
                   "0,1=-2 1,0=2");
    expect_entries(f, ".mtx", "%%MatrixMarket MATRIX Coordinate Pattern General\n2 2 2\n1 1\n2 2\n", 2,
                   "0,0=1 1,1=1");
    expect_entries(f, ".mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n", 2,
                   "0,0=1 0,1=3 1,1=4");
    expect_entries(f, ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 1 2\n2 2 4\n",
                   2, "0,0=3 1,1=4");
    expect_entries(f, ".mtx", "%%MatrixMarket matrix coordinate real general\n3 1 2\n1 1 1\n3 1 2\n", 1,
                   "0=1 2=2");
    expect_entries(f, ".mtx", "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 1\n1 3 2\n", 1,
                   "0=1 2=2");
    expect_entries(f, ".tns", "# order 3\n1 2 3 4.0\n2 1 1 -1\n", 3, "0,1,2=4 1,0,0=-1");
    assert_false(diag_failed(&f->diag));
}

/* A scalar has a value and no coordinate; a file without lines has no entry, for any requested order; the
 * content decides the format of a name without extension (a pipe). */
static void reads_scalars_nothing_and_pipes(void **state) {
    fixture *f = *state;
    tile_tensor t;
    assert_true(read_text(f, ".tns", "-7\n", 0, &t));
    assert_int_equal(t.order, 0);
    assert_int_equal(t.nnz, 1);
    assert_int_equal((int16_t)t.val[0], -7);
    assert_true(read_text(f, ".tns", "# nothing\n", 3, &t));
    assert_int_equal(t.order, 3);
    assert_int_equal(t.nnz, 0);
    expect_entries(f, "", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n", 2, "1,0=3");
    expect_entries(f, "", "2 1 3\n", 2, "1,0=3");
    expect_entries(f, "", "1 12 3\n", 2, "0,11=3"); /* bytes 2 and 3 follow each other, as an archive's */
    assert_false(diag_failed(&f->diag));
    assert_false(read_text(f, ".tns", "1 1\n3\n", 1, &t));
    assert_non_null(strstr(fixture_printed(f), ":2:1: error: a line must hold"));
}

/* Files of SciPy, Fortran programs, published collections and other tools. */
static void reads_what_others_write(void **state) {
    static const char *const cases[][3] = {
        {".mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 1\n2 1 3\n", "1,0=3"},
        {".mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 2 5\n3 2 4\n",
         "0,1=5 1,0=5 1,2=4 2,1=4"},
        {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2.5D+01\n2 2 3d0\n",
         "0,0=25 1,1=3"},
        {".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1 % size\n2 1 3 % three\n", "1,0=3"},
        {".tns", "2 1 3 # three\n", "1,0=3"}};
    fixture *f = *state;
    tile_tensor t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_entries(f, cases[i][0], cases[i][1], 2, cases[i][2]);
    assert_true(read_text(f, ".tns", "# extended FROSTT\n3 2\n4 5 6\n1 2 3 7\n4 5 6 8\n", 3, &t));
    assert_int_equal(t.nnz, 2);
    assert_int_equal(t.dim[2], 6);
    assert_false(t.dim_inferred);
    assert_true(read_text(f, ".tns", "2 1\n4 5\n1 2 7\n", 2, &t));
    assert_int_equal(t.dim[1], 5);
    expect_entries(f, ".tns", "2 1\n4 5\n", 1, "1=1 3=5"); /* no line has a word more: two entries */
    assert_false(diag_failed(&f->diag));
    assert_false(read_text(f, ".tns", "2 2\n4 5\n1 2 7\n", 2, &t));
    assert_non_null(strstr(fixture_printed(f), "E0306-truncated"));
    assert_false(read_text(f, ".tns", "2 1\n4 5\n1 2 7\n1 3 7\n", 2, &t));
    assert_non_null(strstr(fixture_printed(f), "E0309-extra"));
}

static void rounds_and_wraps_with_a_warning_each(void **state) {
    fixture *f = *state;
    tile_tensor t;
    assert_true(
        read_text(f, ".mtx",
                  "%%MatrixMarket matrix coordinate real general\n1 5 5\n1 1 0.5\n1 2 -2.5\n1 3 1e-3\n1 4 "
                  "65537\n1 5 3\n",
                  2, &t));
    assert_string_equal(entries(f, &t), "0,0=0 0,1=-2 0,2=0 0,3=1 0,4=3");
    assert_int_equal(t.rounded, 3);
    assert_int_equal(t.wrapped, 1);
    assert_int_equal(f->diag.warnings, 2);
    assert_non_null(strstr(fixture_printed(f), "3 of 5 values"));
    assert_non_null(strstr(fixture_printed(f), "E0351-wrapped"));
    assert_true(read_text(f, ".tns", "1 -32768\n2 32767\n3 32768\n4 -32769\n", 1, &t));
    assert_int_equal(t.wrapped, 2);
}

/* Entries of the same place are added before rounding to a word; mirrored entries are negated first. */
static void adds_entries_before_it_rounds(void **state) {
    fixture *f = *state;
    tile_tensor t;
    assert_true(read_text(
        f, ".tns", "1 30000\n1 30000\n2 1.5\n2 2.5\n3 0.4\n3 .4\n3 .4\n4 40000\n4 -9\n4 -39990\n", 1, &t));
    assert_string_equal(entries(f, &t), "0=-5536 1=4 2=1 3=1");
    assert_int_equal(t.rounded, 1);
    assert_int_equal(t.wrapped, 1);
    assert_true(t.original && t.original[0] == 60000 && t.original[1] == 4);
    assert_true(read_text(
        f, ".mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -32768\n", 2, &t));
    assert_string_equal(entries(f, &t), "0,1=-32768 1,0=-32768");
    assert_int_equal(t.wrapped, 1);
    assert_false(read_text(f, ".tns", "1 9e15\n1 9e15\n", 1, &t));
    assert_non_null(strstr(fixture_printed(f), "E0305-value"));
}

/* A float's bits between two bfloat16 decide the rounding; overflow and underflow are counted. */
static void makes_bf16_words_once(void **state) {
    fixture *f = *state;
    tile_tensor t;
    /* 1 + 2^-8 lies midway; a value above the midpoint rounds up, though its float is the tie. */
    assert_true(read_text_as(f, TILE_DTYPE_BF16, ".tns",
                             "1 1.00390625\n2 1.0039062500000002\n3 1e39\n4 1e-45\n5 -3.4e38\n6 inf\n7 0\n"
                             "8 256\n8 1\n8 1\n",
                             1, &t));
    static const uint16_t want[] = {0x3f80, 0x3f81, 0x7f80, 0, 0xff80, 0x7f80, 0, 0x4381};
    assert_int_equal(t.nnz, 8);
    assert_memory_equal(t.val, want, sizeof want);
    assert_int_equal(t.overflowed, 2);
    assert_int_equal(t.flushed, 1);
    assert_int_equal(t.rounded, 5);
    assert_non_null(strstr(fixture_printed(f), "of 8 values"));
    assert_non_null(strstr(fixture_printed(f), "E0355-bf16-range"));
}

static void names_the_place_of_every_mistake(void **state) {
    fixture *f = *state;
    tile_tensor t;
    static const struct {
        const char *text, *where, *code;
    } bad[] = {
        {"%%MatrixMarket matrix coordinate complex general\n", ":1:34:", "E0301-banner"},
        {"hello\n", ":1:1:", "E0301-banner"},
        {"%%MatrixMarket vector coordinate real general\n2 2 1\n1 1 1\n", ":1:16:", "E0301-banner"},
        {"%%MatrixMarket matrix coordinate real general\n2 x 1\n", ":2:3:", "E0302-number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", ":3:3:", "E0303-range"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", ":3:1:", "E0303-range"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 -1 1\n", ":3:3: error: column -1 is",
         "E0303-range"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n99999999999999999999 1 1\n",
         ":3:1: error: row 99999999999999999999 is", "E0303-range"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1 9\n", ":3:7:", "E0304-trailing"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", ":3:5:", "E0305-value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", ":3:6:", "E0306-truncated"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 0x10\n", ":3:5:", "E0302-number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1D\n", ":3:5:", "E0302-number"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n",
         ": error: a symmetric file stores one triangle; (2, 1) and (1, 2)", "E0307-triangle"},
        {"", ":1:1: error: the file is empty", "E0306-truncated"},
        {"%%MatrixMarket matrix coordinate real general\n% 2 2 1\n",
         ":2:8: error: the file ends before its size", "E0306-truncated"},
        {"%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n",
         ": error: the file ends after 4 of 6 entries", "E0306-truncated"},
        {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n1 1 1\n",
         ":3:1:", "E0307-triangle"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 1 1\n", ":2:1:", "E0308-square"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", ":4:1:", "E0309-extra"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f->diag.list.len = f->diag.errors = 0;
        assert_false(read_text(f, ".mtx", bad[i].text, 2, &t));
        char *text = fixture_printed(f);
        if (!strstr(text, bad[i].where) || !strstr(text, bad[i].code))
            fail_msg("case %zu: expected %s %s in: %s", i, bad[i].where, bad[i].code, text);
    }
    f->diag.list.len = f->diag.errors = 0;
    assert_false(read_text(f, ".tns", "1 1 1\n1 1\n", 2, &t));
    assert_non_null(strstr(fixture_printed(f), ":2:1: error: a line must hold"));
    f->diag.list.len = f->diag.errors = 0;
    assert_false(
        tile_read("nowhere.mtx", (name_id){0}, 2, TILE_DTYPE_INT16, TILE_VALUES_FILE, &f->mem, &f->diag, &t));
    assert_false(
        read_text(f, ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n", 3, &t));
    assert_non_null(strstr(fixture_printed(f), "E0001-file"));
    assert_non_null(strstr(fixture_printed(f), "holds a tensor of order 2 where order 3 is used"));
}

/* Facts of the published generator: seed 1000, 32 x 32, density 0.1. */
static void generates_the_published_data(void **state) {
    fixture *f = *state;
    tile_tensor t;
    static const uint32_t crd1[] = {6, 25, 1, 5, 9, 29, 1, 2, 12, 15, 21, 1};
    static const uint16_t vals[] = {1, 5, 4, 5, 5, 4, 6, 8, 3, 6, 7, 8};
    assert_true(tile_generate("32x32:0.1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &t));
    assert_int_equal(t.nnz, 90);
    uint32_t sum = 0;
    for (uint32_t e = 0; e < 90; e++)
        sum += t.val[e];
    assert_int_equal(sum, 420);
    for (uint32_t e = 0; e < 12; e++) {
        assert_int_equal(t.crd[2 * e + 1], crd1[e]);
        assert_int_equal(t.val[e], vals[e]);
    }
    tile_tensor other;
    assert_true(
        tile_generate("32x32:0.1:2", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &other));
    assert_false(other.nnz == t.nnz && memcmp(other.val, t.val, sizeof *t.val * t.nnz) == 0);
    static const char *const bad[] = {"32y32:0.1", "32x0", "32:2", "32:0.5:x", "32x32:0.1:7:7", "32x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad - 1; i++)
        assert_false(tile_generate(bad[i], (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &other));
}

/* With many coordinates only entries are drawn: they are compared with an evaluation in long integers
 * (Python) and with the expected statistics of random entries. */
static void generates_large_tensors(void **state) {
    fixture *f = *state;
    tile_tensor t;
    static const struct {
        const char *spec;
        uint32_t operand, nnz, sum, first[4], last[4];
    } drawn[] = {
        {"1000000x1000000:3e-9", 0, 3035, 15150, {214, 422089, 221, 865025}, {999876, 829064}},
        {"2000x2000x2000x2000:2e-10:5", 2, 3108, 15467, {0, 1072, 950, 1532}, {1999, 1313, 329, 613}}};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        uint32_t sum = 0;
        assert_true(tile_generate(drawn[i].spec, (name_id){0}, drawn[i].operand, 1, TILE_DTYPE_INT16, &f->mem,
                                  &f->diag, &t));
        for (uint64_t e = 0; e < t.nnz; e++)
            sum += t.val[e];
        assert_int_equal(t.nnz, drawn[i].nnz);
        assert_int_equal(sum, drawn[i].sum);
        assert_memory_equal(t.crd, drawn[i].first, sizeof drawn[i].first);
        assert_memory_equal(t.crd + (t.nnz - 1) * t.order, drawn[i].last, sizeof *t.crd * t.order);
    }
    /* A million entries: five standard deviations, of all and of a tenth of the rows and columns. */
    assert_true(
        tile_generate("100000x100000:0.0001", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &t));
    uint32_t part[2][10] = {{0}};
    assert_in_range(t.nnz, 1000000 - 5000, 1000000 + 5000);
    for (uint64_t e = 0; e < t.nnz; e++)
        for (uint32_t m = 0; m < 2; m++)
            part[m][t.crd[2 * e + m] / 10000]++;
    for (uint32_t i = 0; i < 10; i++) {
        assert_in_range(part[0][i], 100000 - 1600, 100000 + 1600);
        assert_in_range(part[1][i], 100000 - 1600, 100000 + 1600);
    }
    assert_true(tile_generate("2147483647x2147483647:0", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem,
                              &f->diag, &t));
    assert_int_equal(t.nnz, 0);
    static const char *const bad[] = {"2147483647x2147483647x2:0", "100000x100000:1", "2000000000:0.4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tile_generate(bad[i], (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &t));
    assert_non_null(strstr(fixture_printed(f), "has more than 2^62 coordinates [E0313-generator]"));
    assert_non_null(strstr(fixture_printed(f), "more entries than there is room for [E0313-generator]"));
}

static void writes_what_it_reads(void **state) {
    fixture *f = *state;
    static const char *const spec[] = {"17x31:0.2", "40:0.3", "5x6x7:0.2", ""};
    for (uint32_t i = 0; i < 4; i++) {
        tile_tensor t, again;
        assert_true(tile_generate(spec[i], (name_id){0}, 0, 3 + i, TILE_DTYPE_INT16, &f->mem, &f->diag, &t));
        t.dim_inferred = t.order > 2;
        const char *folder = test_folder(f),
                   *path = arena_printf(&f->mem, "%s/tensor.%s", folder, t.order > 2 ? "tns" : "mtx");
        assert_true(tile_write(&t, TILE_DTYPE_INT16, path, &f->diag));
        assert_true(tile_read(path, (name_id){0}, t.order, TILE_DTYPE_INT16, TILE_VALUES_FILE, &f->mem,
                              &f->diag, &again));
        remove_folder(folder);
        assert_int_equal(again.nnz, t.nnz);
        assert_memory_equal(again.val, t.val, sizeof *t.val * t.nnz);
        assert_memory_equal(again.crd, t.crd, sizeof *t.crd * t.nnz * t.order);
    }
}

/* All tensors of orders 1 and 2 with up to two entries, coordinates below 3 and values 0 to 3: first lines
 * look like headers. */
static void writes_small_tensors_that_read_back(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f), *path = arena_printf(&f->mem, "%s/tensor.tns", folder);
    for (uint32_t order = 1; order <= 2; order++) {
        const uint32_t places = order == 1 ? 3 : 9;
        for (uint32_t number = 0; number < places * places * 16; number++) {
            const uint32_t at[2] = {number % places, number / places % places},
                           pair = number / (places * places);
            const uint16_t val[2] = {(uint16_t)(pair % 4), (uint16_t)(pair / 4)};
            uint32_t crd[4];
            if (at[0] > at[1])
                continue;
            for (uint32_t e = 0; e < 2; e++)
                for (uint32_t m = 0; m < order; m++)
                    crd[e * order + m] = m + 1 < order ? at[e] / 3 : at[e] % 3;
            tile_tensor t = {.order = order,
                             .dim = {3, 3},
                             .nnz = at[0] < at[1] ? 2 : 1,
                             .crd = crd,
                             .val = val},
                        again;
            assert_true(tile_write(&t, TILE_DTYPE_INT16, path, &f->diag));
            assert_true(tile_read(path, (name_id){0}, number % 2 ? order : SAM_MAX_ORDER + 1,
                                  TILE_DTYPE_INT16, TILE_VALUES_FILE, &f->mem, &f->diag, &again));
            assert_int_equal(again.order, order);
            assert_int_equal(again.nnz, t.nnz);
            assert_memory_equal(again.val, val, sizeof *val * t.nnz);
            assert_memory_equal(again.crd, crd, sizeof *crd * t.nnz * order);
        }
    }
    remove_folder(folder);
}

static void reads_real_matrices(void **state) {
    fixture *f = *state;
    char *path = arena_printf(&f->mem, "%s/data/matrices/west0067.mtx", ONYX_SHARED_DIR);
    if (access(path, R_OK) != 0)
        skip();
    tile_tensor t;
    assert_true(tile_read(path, (name_id){0}, 2, TILE_DTYPE_INT16, TILE_VALUES_ONES, &f->mem, &f->diag, &t));
    assert_int_equal(t.dim[0], 67);
    assert_int_equal(t.nnz, 294);
    for (uint64_t e = 0; e < t.nnz; e++)
        assert_int_equal(t.val[e], 1);
}

RUN_TESTS(TEST(reads_coordinates_of_every_symmetry), TEST(reads_scalars_nothing_and_pipes),
          TEST(reads_what_others_write), TEST(rounds_and_wraps_with_a_warning_each),
          TEST(adds_entries_before_it_rounds), TEST(makes_bf16_words_once),
          TEST(names_the_place_of_every_mistake), TEST(generates_the_published_data),
          TEST(generates_large_tensors), TEST(writes_what_it_reads),
          TEST(writes_small_tensors_that_read_back), TEST(reads_real_matrices))
