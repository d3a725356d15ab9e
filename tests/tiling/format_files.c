#include "tests/tiling/format_cases.h"

/* "0:2 1:2 3:3" */
static const char *answers_of(fixture *f, const tile_tensor *t, const char *text) {
    tile_query q;
    tile_answers all;
    const char *out = "";
    if (!tile_query_read("test", text, t->order, &f->diag, &q))
        fail_msg("%s: %s", text, fixture_printed(f));
    tile_ask(t, &q, &f->mem, &all);
    for (uint32_t a = 0; a < all.n; a++) {
        out = arena_printf(&f->mem, "%s%s", out, a ? " " : "");
        for (uint32_t k = 0; k < q.keys; k++)
            out = arena_printf(&f->mem, "%s%lld:", out, (long long)all.key[a * q.keys + k]);
        out = arena_printf(&f->mem, "%s%lld", out, (long long)all.value[a]);
    }
    return out;
}

/* The four aggregates, on the matrix of the published figures. */
static void answers_queries(void **state) {
    fixture *f = *state;
    static const uint32_t crd[] = {0, 0, 0, 1, 1, 0, 1, 1, 3, 0, 3, 3, 3, 4}, dim[] = {4, 6};
    static const double val[] = {5, 1, 7, 3, 8, 4, 4};
    const tile_tensor m = tensor_of(f, 2, dim, 7, crd, val), none = tensor_of(f, 2, dim, 0, crd, val);
    static const char *const known[][2] = {
        {"(i,j) -> count by (i)", "0:2 1:2 3:3"},
        {"(i,j) -> count by (j - i)", "-3:1 -1:1 0:3 1:2"},
        {"(i,j) -> min(j) by (i)", "0:0 1:0 3:0"},
        {"(i,j) -> max(j) by (i)", "0:1 1:1 3:4"},
        {"(i,j) -> max(j - i + 7) by ()", "8"},
        {"(i,j) -> count_distinct(j div 3) by (i div 2)", "0:1 1:2"},
        {"(i,j) -> count_distinct by ()", "6"},
        {"(i,j) -> count by (i mod 2, j mod 2)", "0:0:1 0:1:1 1:0:3 1:1:2"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(answers_of(f, &m, known[i][0]), known[i][1]);
    assert_string_equal(answers_of(f, &none, "(i,j) -> min(j) by (i)"), "");
    /* Coordinates computed from data: rows from their first entry on, and by their number of entries. */
    const tile_format skyline =
        parse(f, "format S = (i,j) -> (i, j - min(j) by (i) + 1) levels(dense, ragged)");
    assert_string_equal(tile_format_text(&skyline, &f->mem),
                        "format S = (i,j) -> (i, j + 1 - min(j) by (i)) levels(dense, ragged)");
    tile_stored s;
    assert_true(tile_store(&m, &skyline, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_string_equal(text_of(f, &s), "4; 5; pos 0 2 4 4 9; ofs 1 1 0 1; vals 5 1 7 3 8 0 0 4 4");
    const tile_format sorted = parse(f, "format S = (i,j) -> (-2 * count by (i), i, j) trim(0,2) merge(0,1)");
    assert_true(tile_store(&m, &sorted, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_string_equal(text_of(f, &s), "3; pos 0 2; crd -6 -4; 4; pos 0 1 3; crd 3 0 1; 6; pos 0 3 5 7; "
                                        "crd 0 3 4 0 1 0 1; vals 8 4 4 5 1 7 3");
    assert_true(tile_store(&none, &sorted, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
}

/* The parts of a matrix hold each entry once; nearly full blocks go to a part of their own. */
static void takes_tensors_apart(void **state) {
    fixture *f = *state;
    static const uint32_t crd[] = {0, 0, 0, 1, 1, 0, 1, 1, 3, 0, 3, 3, 3, 4}, dim[] = {4, 6};
    static const double val[] = {5, 1, 7, 3, 8, 4, 9};
    const tile_tensor m = tensor_of(f, 2, dim, 7, crd, val);
    static const char text[] =
        "format B = (i,j) -> (i div 2, j div 2, i mod 2, j mod 2) merge(0,1) trim(1,1)\n"
        "format D = (i,j) -> (j - i, i) merge(0) trim(0,0)\n"
        "format R = (i,j) -> (i, j) merge(0) trim(1,1)\n"
        "format All = (i,j) -> decompose(B where count by (i div 2, j div 2) > 2, "
        "D where max(i) by (j - i) <= 3, D where min(j) by () < 1, R)";
    const tile_format all = parse(f, text);
    tile_stored s;
    tile_tensor again;
    assert_true(tile_store(&m, &all, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_int_equal(s.format.parts, 4);
    assert_string_equal(text_of(f, &s.part[0]), "2; 3; pos 0 1 1; crd 0; 2; 2; vals 5 1 7 3");
    assert_string_equal(text_of(f, &s.part[1]), "9; pos 0 3; crd -3 0 1; 4; vals 0 0 0 8 0 0 0 4 0 0 0 9");
    assert_string_equal(text_of(f, &s.part[3]), "4; 6; pos 0 0 0 0 0; vals");
    assert_true(tile_restore(&s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again));
    assert_int_equal(again.nnz, 7);
    assert_memory_equal(again.crd, crd, sizeof crd);
    uint64_t metadata, bytes = tile_stored_bytes(&s, &metadata);
    assert_int_equal(bytes - metadata, 2 * (4 + 12));
    const tile_format ell =
        parse(f, "format E = (i,j) -> (enumerate(i), i, j) levels(dense, dense, singleton)\n"
                 "format H = (i,j) -> decompose(E)");
    assert_true(tile_store(&m, &ell, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_restored(f, &s, &m);
    static const char *const answered[] = {
        "j - min(j) by (i)) levels(dense, ragged)", "j - min(j) by (i)) levels(dense, band)",
        "j - max(j) by (i)) levels(dense, dense)", "j - max(j) by (i)) levels(dense, ragged)",
        "3 * j + 5 - 2 * count by (i)) levels(dense, compressed)"};
    for (uint32_t n = 0; n < sizeof answered / sizeof *answered; n++) {
        const tile_format skyline =
            parse(f, arena_printf(&f->mem, "format S = (i,j) -> (i, %s", answered[n]));
        assert_true(tile_store(&m, &skyline, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
        assert_restored(f, &s, &m);
    }
    const tile_format bits = parse(f, "format S = (i,j) -> (i, j - min(j) by (i)) levels(dense, bitmap)\n"
                                      "format T = (i,j) -> decompose(S)");
    assert_true(tile_store(&m, &bits, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_false(tile_restore(&s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again));
    assert_non_null(
        strstr(fixture_printed(f), "'test' is in format T, whose map leaves an index to a query"));
    assert_non_null(strstr(fixture_printed(f), "E0366-indirect-source"));
}

static void names_the_place_of_every_mistake(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *where, *code;
    } bad[] = {
        {"CSR = (i,j)", "test:1:1: error: 'format'", "E0360-format-syntax"},
        {"format csr = (i) -> (i)", ":1:8: error: a new name that begins with a capital",
         "E0360-format-syntax"},
        {"format A = (i) -> (i)\nformat A = (i) -> (i)", ":2:8: error: a new name", "E0360-format-syntax"},
        {"format A = (i,i) -> (i)", ":1:15: error: an index that is not yet there", "E0360-format-syntax"},
        {"format A = (i) -> (i", ": error: ')' should stand here", "E0360-format-syntax"},
        {"format A = (i) -> (i) sort(0)", ":1:23: error: the line should end here", "E0360-format-syntax"},
        {"format A = (i) -> (i div 0)", ":1:26: error: a whole number from 1", "E0360-format-syntax"},
        {"format A = (i) -> (i div 9999999999)", ":1:26: error: numbers are at most 2^30",
         "E0360-format-syntax"},
        {"format A = (i) -> (j)", ":1:20: error: this is none of the indices", "E0361-format-map"},
        {"format A = (i,j) -> (i div 4, j)", "error: nothing says what index i was", "E0361-format-map"},
        {"format A = (i,j) -> (i - j, i div 2)", "error: nothing says what index i was", "E0361-format-map"},
        {"format A = (i) -> (i mod 6 div 4, i)", "a div behind a mod must divide it", "E0361-format-map"},
        {"format A = (i) -> (i + i + i + i + i, i)", "the sum of at most four terms", "E0361-format-map"},
        {"format A = (i) -> (i) trim(0,1)", ":1:30: error: there is no such level", "E0362-format-levels"},
        {"format A = (i,j) -> (i, j) trim(1,0)", ":1:35: error: trim names the outer level first",
         "E0362-format-levels"},
        {"format A = (i) -> (i) levels(thick)", ":1:30: error: there is no such kind of level",
         "E0362-format-levels"},
        {"format A = (i,j) -> (i, j) levels(runs, dense)", "runs of values are the last level",
         "E0362-format-levels"},
        {"format A = (i,j) -> (i, j) levels(dense, range)", "two indices whose difference",
         "E0362-format-levels"},
        {"format A = (i,j) -> (i, j) levels(dense, chained)", "below a level that repeats",
         "E0362-format-levels"},
        {"format A = (i,j) -> (i, j - min by (i))", ":1:33: error: the least or greatest of what",
         "E0360-format-syntax"},
        {"format A = (i,j) -> (i, j - count(i) by (i))", ":1:38: error: count is of entries",
         "E0360-format-syntax"},
        {"format A = (i,j) -> (i, j - count (i))", "count is of entries", "E0360-format-syntax"},
        {"format B = (i) -> (i)\nformat A = (i) -> decompose(B, B)", "takes all that is left",
         "E0360-format-syntax"},
        {"format A = (i,j) -> (i, j - min(count by (i)) by (i))", ":1:33: error: a query is of indices",
         "E0361-format-map"},
        {"format A = (i,j) -> (i, j, count by (i) + count by (j))",
         ":1:43: error: a coordinate has one query", "E0361-format-map"},
        {"format A = (i,j) -> (i, j - min(j) by (j))", "nothing says what index j was", "E0361-format-map"},
        {"format A = (i) -> decompose(B)", ":1:29: error: the name of a format that is defined above",
         "E0363-format-unknown"},
        {"format B = (i) -> (i)\nformat A = (i,j) -> decompose(B)",
         ":2:31: error: this format is of another order", "E0361-format-map"},
        {"format B = (i) -> (i)\nformat A = (i) -> decompose(B)\nformat C = (i) -> decompose(A)",
         ":3:29: error: a part of a tensor is not taken apart again", "E0361-format-map"},
        {"format B = (i) -> (i)\nformat A = (i) -> decompose(B where count by (i) > 1)",
         "a part without 'where' should stand here", "E0360-format-syntax"},
        {"format B = (i) -> (i)\nformat A = (i) -> decompose(B where count by (i) 1, B)",
         ":2:50: error: >=, >, <= or < should stand here", "E0360-format-syntax"},
        {"format B = (i) -> (i)\nformat A = (i) -> decompose(B where many, B)",
         "count, count_distinct, min or max should stand here", "E0360-format-syntax"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tile_formats all = {0};
        clear_diagnostics(f);
        assert_false(tile_formats_read("test", bad[i].text, &f->mem, &f->diag, &all));
        char *text = fixture_printed(f);
        if (!strstr(text, bad[i].where) || !strstr(text, bad[i].code))
            fail_msg("%s: expected %s %s in: %s", bad[i].text, bad[i].where, bad[i].code, text);
    }
    static const uint32_t crd[] = {0, 1, 1, 0}, dim[] = {2, 2};
    static const double val[] = {3, 4};
    const tile_tensor t = tensor_of(f, 2, dim, 2, crd, val);
    static const char *const halves[][2] = {{"triangular", "there are entries above the diagonal"},
                                            {"symmetric", "the other triangle does not mirror it"},
                                            {"skew", "the other triangle does not mirror it"}};
    for (size_t i = 0; i < 3; i++) {
        tile_stored s;
        const tile_format half =
            parse(f, arena_printf(&f->mem, "format A = (i,j) -> (i, j) levels(dense, %s)", halves[i][0]));
        clear_diagnostics(f);
        assert_false(tile_store(&t, &half, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
        assert_non_null(strstr(fixture_printed(f), halves[i][1]));
        assert_non_null(strstr(fixture_printed(f), "E0364-not-stored"));
    }
}

/* A written file reads back; a changed file is refused at the change. */
static void keeps_files(void **state) {
    fixture *f = *state;
    const tile_formats all = shipped(f);
    tile_tensor t, again;
    assert_true(tile_generate("13x29:0.2", (name_id){0}, 0, 1, TILE_DTYPE_BF16, &f->mem, &f->diag, &t));
    const char *folder = test_folder(f), *path = arena_printf(&f->mem, "%s/tensor.stored", folder);
    for (uint32_t i = 0; i < all.len; i++) {
        tile_stored s, read;
        tile_bytes file = {.from = "kept"};
        if (all.at[i].order != 2 ||
            (all.at[i].levels && all.at[i].level[all.at[i].levels - 1].kind >= TILE_KIND_TRIANGULAR))
            continue;
        assert_true(tile_store(&t, &all.at[i], TILE_DTYPE_BF16, &f->mem, &f->diag, &s));
        assert_true(tile_stored_write(&s, TILE_DTYPE_BF16, path, &f->diag));
        file.at = (const uint8_t *)file_read(path, &f->mem, &file.length, &f->diag);
        if (!tile_stored_read(file, TILE_DTYPE_BF16, &f->mem, &f->diag, &read))
            fail_msg("%s: %s", all.at[i].name, fixture_printed(f));
        assert_true(same_stored(&s, &read));
        if (!is_direct(&all.at[i]))
            continue;
        assert_true(
            tile_read(path, (name_id){0}, 2, TILE_DTYPE_BF16, TILE_VALUES_FILE, &f->mem, &f->diag, &again));
        assert_int_equal(again.nnz, t.nnz);
        assert_memory_equal(again.crd, t.crd, sizeof *t.crd * t.nnz * 2);
        assert_memory_equal(again.val, t.val, sizeof *t.val * t.nnz);
    }
    remove_folder(folder);
    static const struct {
        const char *from, *to;
        const char *message;
    } bad[] = {
        {"stored 1\n", "stored 2\nparts 0 of A\n",
         ":2:7: error: a whole number from 1 to 2147483647 should stand"},
        {"stored 1\n", "stored 2\nparts 2 of A\n",
         ":10:1: error: a definition of its format should stand here"},
        {"stored 1\n",
         "stored 2\nparts 2 of A\nformat B = (i,j) -> (i, j)\nextents 1 1\nlevel dense 1\nlevel dense "
         "1\nvals 1: 1\n",
         ":8:1: error: a part of the same extents as the first one should stand here"},
        {"stored 1", "stored 3", "test:1:15: error: a whole number from 1 to 2 should stand here"},
        {"format", "fromat", "'format' should stand here"},
        {"extents 2 3", "extents 2", ":4:1: error: a whole number from 0 to 2147483647 should stand here"},
        {"level dense 2", "level dense 3", ":4:13: error: a whole number from 2 to 2 should stand here"},
        {"crd 2: 0 2", "crd 2: 0 3", "level 1: a value stands outside of the tensor"},
        {"crd 2: 0 2", "crd 3: 0 2 1", "level 1: there are not as many segments"},
        {"pos 3: 0 1 2", "pos 3: 0 2 2", "the end"},
        {"pos 3: 0 1 2", "pos 3: 0 3 2", "level 1: a segment ends before it begins"},
        {"vals 2: 5 7", "vals 1: 5", "level 1: there are not as many values as places"},
        {"vals 2: 5 7", "vals 2: 5 x", ":8:11: error: a number should stand here"},
        {"vals 2: 5 7", "vals 200: 5", ":8:6: error: a whole number from 0 to"},
        {"vals 2: 5 7", "vals 2: 5 7 8", ":8:13: error: the end should stand here"},
        {"\nextents 2 3\nlevel dense 2\nlevel compressed 3\npos 3: 0 1 2\ncrd 2: 0 2\nvals 2: 5 7\n", "",
         ":2:1: error: a definition of its format should stand here"},
    };
    static const char good[] =
        "%%onyx stored 1\nformat CSR = (i,j) -> (i, j) merge(0) trim(1,1)\nextents 2 3\n"
        "level dense 2\nlevel compressed 3\npos 3: 0 1 2\ncrd 2: 0 2\nvals 2: 5 7\n";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = strstr(good, bad[i].from);
        const char *text =
            arena_printf(&f->mem, "%.*s%s%s", (int)(at - good), good, bad[i].to, at + strlen(bad[i].from));
        tile_bytes file = {"test", (const uint8_t *)text, strlen(text)};
        tile_stored s;
        clear_diagnostics(f);
        bool ok = tile_stored_read(file, TILE_DTYPE_INT16, &f->mem, &f->diag, &s) &&
                  tile_restore(&s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again);
        if (i == 9) { /* another matrix, but one */
            assert_true(ok);
            continue;
        }
        assert_false(ok);
        char *printed = fixture_printed(f);
        if (!strstr(printed, bad[i].message) || (i != 4 && !strstr(printed, "E0365-stored-file")))
            fail_msg("%s: expected %s in: %s", bad[i].to, bad[i].message, printed);
    }
}

/* ---- numbers behind words --------------------------------------------------------------------- */

enum { WIDE = 13 };

static bool in_half(tile_kind kind, uint32_t row, uint32_t column) {
    return (kind != TILE_KIND_TRIANGULAR && kind != TILE_KIND_SYMMETRIC && kind != TILE_KIND_SKEW) ||
           column < row + (kind != TILE_KIND_SKEW);
}

/* Numbers that are all different, many of whose words are equal, or 0. */
static double number_in(tile_dtype dtype, uint32_t row, uint32_t column) {
    static const int32_t word[] = {0, 5, 4464};
    const uint32_t at = row * WIDE + column;
    return dtype == TILE_DTYPE_BF16 ? 1 + (at + 1) * 0x1p-16 : word[at % 3] + (at + 1.0) * 0x10000;
}

/* Fills the numbers of a matrix that the half of `kind` has, or of a third of its places. */
static tile_tensor wide_matrix(fixture *f, tile_kind kind, tile_dtype dtype) {
    static const uint32_t dim[] = {WIDE, WIDE};
    uint32_t crd[2 * WIDE * WIDE], n = 0;
    double *number = arena_new_n(&f->mem, double, WIDE *WIDE);
    tile_tensor t;
    for (uint32_t c = 0; c < WIDE * WIDE; c++) {
        const uint32_t row = c / WIDE, column = c % WIDE, low = row > column ? column : row;
        const bool mirrors = kind == TILE_KIND_SYMMETRIC || kind == TILE_KIND_SKEW,
                   own = in_half(kind, row, column);
        if ((!own && !mirrors) || (kind == TILE_KIND_SKEW && row == column) || (row + column) % 3 == 1)
            continue;
        crd[2 * n] = row;
        crd[2 * n + 1] = column;
        number[n++] = mirrors ? (own || kind == TILE_KIND_SYMMETRIC ? 1 : -1) *
                                    number_in(dtype, row + column - low, low)
                              : number_in(dtype, row, column);
    }
    assert_true(
        tile_from_entries((name_id){0}, 2, dim, n, crd, number, dtype, "test", &f->mem, &f->diag, &t));
    assert_int_equal(t.nnz, n);
    t.wide = number;
    t.wide_as = t.val;
    return t;
}

/* The file has each number once, and whole. */
static void assert_numbers_in(const char *text, const tile_tensor *t, tile_kind kind) {
    uint32_t found = 0, want = 0;
    for (const char *line = text; (line = strstr(line, "\nvals")) != NULL; line++) {
        const char *at = strchr(line, ':') + 1;
        for (char *end; *at != '\n' && *at; at = end) {
            const double x = strtod(at, &end);
            bool is = x == 0;
            for (uint64_t e = 0; e < t->nnz && !is; e++)
                is = t->wide[e] == x && in_half(kind, t->crd[2 * e], t->crd[2 * e + 1]);
            assert_true(is);
            found += x != 0;
        }
    }
    for (uint64_t e = 0; e < t->nnz; e++)
        want += in_half(kind, t->crd[2 * e], t->crd[2 * e + 1]);
    assert_int_equal(found, want);
}

/* Every format keeps numbers of more bits than their words, parts and halves of matrices included. */
static void keeps_numbers_behind_words(void **state) {
    fixture *f = *state;
    const tile_formats all = shipped(f);
    const char *folder = test_folder(f), *path = arena_printf(&f->mem, "%s/wide.stored", folder);
    for (uint32_t i = 0; i < 2 * all.len; i++) {
        const tile_format *format = &all.at[i / 2];
        const tile_dtype dtype = i % 2 ? TILE_DTYPE_BF16 : TILE_DTYPE_INT16;
        if (format->order != 2)
            continue;
        const tile_kind kind = format->levels ? format->level[format->levels - 1].kind : TILE_KIND_NONE;
        const tile_tensor t = wide_matrix(f, kind, dtype);
        tile_stored s;
        size_t length;
        if (!tile_store(&t, format, dtype, &f->mem, &f->diag, &s))
            fail_msg("%s: %s", format->name, fixture_printed(f));
        assert_true(tile_stored_write(&s, dtype, path, &f->diag));
        assert_numbers_in(file_read(path, &f->mem, &length, &f->diag), &t, kind);
    }
    /* Equal words are no equal numbers. */
    static const uint32_t crd[] = {0, 1, 1, 0}, dim[] = {2, 2};
    static const double number[] = {4464, 70000};
    const tile_format halves = parse(f, "format S = (i,j) -> (i, j) levels(dense, symmetric)");
    tile_tensor t = tensor_of(f, 2, dim, 2, crd, number);
    tile_stored s;
    assert_int_equal(t.val[0], t.val[1]);
    t.wide = number;
    t.wide_as = t.val;
    assert_false(tile_store(&t, &halves, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    remove_folder(folder);
}

TEST_PART(format_files, TEST(answers_queries), TEST(takes_tensors_apart),
          TEST(names_the_place_of_every_mistake), TEST(keeps_files), TEST(keeps_numbers_behind_words))
