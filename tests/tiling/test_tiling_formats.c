/* tiling/: the format language; tensors stored in formats and back. Arrays of the published figures are those
 * of taco's thesis (Figures 2-21 to 2-28). */
#include "tests/test.h"

#include "tiling/banks.h"
#include "tiling/formats.h"
#include "tiling/queries.h"

static tile_formats shipped(fixture *f) {
    tile_formats all = {0};
    size_t length = 0;
    char *text = file_read(ONYX_SOURCE_DIR "/formats/named.formats", &f->mem, &length, &f->diag);
    assert_non_null(text);
    assert_true(tile_formats_read("named.formats", text, &f->mem, &f->diag, &all));
    return all;
}

/* Reads definitions, and returns the last definition. */
static tile_format parse(fixture *f, const char *text) {
    tile_formats all = {0};
    if (!tile_formats_read("test", text, &f->mem, &f->diag, &all))
        fail_msg("%s: %s", text, fixture_printed(f));
    return all.at[all.len - 1];
}

static const char *array_text(fixture *f, const char *text, const char *name, const tile_numbers *n) {
    for (uint32_t i = 0; i < n->n; i++)
        text = arena_printf(&f->mem, "%s%s%d", text, i ? " " : name, n->at[i]);
    return n->n ? arena_printf(&f->mem, "%s; ", text) : text;
}

/* "dense 4; compressed 6 pos 0 2 crd 0 1; vals 5 1" */
static const char *text_of(fixture *f, const tile_stored *s) {
    const char *text = "";
    for (uint32_t l = 0; l < s->format.levels; l++) {
        text = arena_printf(&f->mem, "%s%u; ", text, s->level[l].size);
        text = array_text(f, text, "pos ", &s->level[l].pos);
        text = array_text(f, text, "crd ", &s->level[l].crd);
        text = array_text(f, text, "ofs ", &s->level[l].ofs);
    }
    text = arena_printf(&f->mem, "%svals", text);
    for (uint32_t i = 0; i < s->n_vals; i++)
        text = arena_printf(&f->mem, "%s %d", text, (int16_t)s->vals[i]);
    return text;
}

static tile_tensor tensor_of(fixture *f, uint32_t order, const uint32_t *dim, uint32_t nnz,
                             const uint32_t *crd, const double *val) {
    tile_tensor t;
    assert_true(tile_from_entries((name_id){0}, order, dim, nnz, crd, val, TILE_DTYPE_INT16, "test", &f->mem,
                                  &f->diag, &t));
    return t;
}

/* The stored tensor is read back as it was. */
static void assert_restored(fixture *f, const tile_stored *s, const tile_tensor *t) {
    tile_tensor again;
    if (!tile_restore(s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(again.nnz, t->nnz);
    assert_memory_equal(again.crd, t->crd, t->nnz * t->order * sizeof *t->crd);
    assert_memory_equal(again.val, t->val, t->nnz * sizeof *t->val);
}

/* expected NULL: only the round trip is checked. */
static void expect_stored(fixture *f, const tile_tensor *t, const char *format, const char *expected) {
    tile_stored s;
    tile_tensor again;
    const tile_format parsed = parse(f, format);
    assert_true(tile_store(t, &parsed, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    const char *got = text_of(f, &s);
    if (expected && strcmp(got, expected) != 0)
        fail_msg("%s:\n%s in place of\n%s", format, got, expected);
    assert_true(tile_restore(&s, TILE_DTYPE_INT16, "test", &f->mem, &f->diag, &again));
    assert_int_equal(again.nnz, t->nnz);
    assert_memory_equal(again.crd, t->crd, sizeof *t->crd * t->nnz * t->order);
    assert_memory_equal(again.val, t->val, sizeof *t->val * t->nnz);
}

static void stores_the_published_arrays(void **state) {
    fixture *f = *state;
    static const uint32_t crd[] = {0, 0, 0, 1, 1, 0, 1, 1, 3, 0, 3, 3, 3, 4}, dim[] = {4, 6};
    static const double val[] = {5, 1, 7, 3, 8, 4, 9};
    const tile_tensor m = tensor_of(f, 2, dim, 7, crd, val);
    expect_stored(f, &m, "format COO = (i,j) -> (i, j) trim(0,1)",
                  "4; pos 0 7; crd 0 0 1 1 3 3 3; 6; crd 0 1 0 1 0 3 4; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format CSR = (i,j) -> (i, j) merge(0) trim(1,1)",
                  "4; 6; pos 0 2 4 4 7; crd 0 1 0 1 0 3 4; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format DCSR = (i,j) -> (i, j) fuse(0) trim(0,1)",
                  "4; pos 0 3; crd 0 1 3; 6; pos 0 2 4 7; crd 0 1 0 1 0 3 4; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format CSC = (i,j) -> (j, i) merge(0) trim(1,1)",
                  "6; 4; pos 0 3 5 5 6 7 7; crd 0 1 3 0 1 3 3; vals 5 7 8 1 3 4 9");
    expect_stored(f, &m, "format BCSR = (i,j) -> (i div 2, j div 3, i mod 2, j mod 3) merge(0,1) trim(1,1)",
                  "2; 2; pos 0 1 3; crd 0 0 1; 2; 3; vals 5 1 0 7 3 0 0 0 0 8 0 0 0 0 0 4 9 0");
    expect_stored(f, &m, "format CSB = (i,j) -> (i div 2, j div 3, i mod 2, j mod 3) merge(0,1) trim(2,3)",
                  "2; 2; 2; pos 0 4 4 5 7; crd 0 0 1 1 1 1 1; 3; crd 0 1 0 1 0 0 1; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format C2SR = (i,j) -> (i mod 2, i div 2, j) merge(0,1) trim(2,2)",
                  "2; 2; 6; pos 0 2 2 4 7; crd 0 1 0 1 0 3 4; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format DIA = (i,j) -> (j - i, i) merge(0) trim(0,0)",
                  "9; pos 0 4; crd -3 -1 0 1; 4; vals 0 0 0 8 0 7 0 0 5 3 0 4 1 0 0 9");
    /* Positions of a diagonal end with the matrix: row 3 alone, rows 1 to 3, 0 to 3, 0 to 3. */
    expect_stored(f, &m, "format Diagonals = (i,j) -> (j - i, i, j) levels(compressed, range, offset)",
                  "9; pos 0 4; crd -3 -1 0 1; 4; 6; vals 8 7 0 0 5 3 0 4 1 0 0 9");
    expect_stored(f, &m, "format Band = (i,j) -> (i, j) levels(dense, band)",
                  "4; 6; pos 0 2 4 4 9; crd 0 0 0 0; vals 5 1 7 3 8 0 0 4 9");
    expect_stored(f, &m, "format VBL = (i,j) -> (i, j) levels(dense, blocks)",
                  "4; 6; pos 0 1 2 2 4; crd 2 2 1 5; ofs 0 2 4 5 7; vals 5 1 7 3 8 4 9");
    expect_stored(f, &m, "format RLE = (i,j) -> (i, j) levels(dense, runs)",
                  "4; 6; pos 0 3 6 7 12; crd 1 2 6 1 2 6 6 1 3 4 5 6; vals 5 1 0 7 3 0 0 8 0 4 9 0");
    expect_stored(f, &m, "format PackBits = (i,j) -> (i, j) levels(dense, packbits)",
                  "4; 6; pos 0 2 4 5 6; crd 2 6 2 6 6 6; ofs 0 2 3 5 6 7 13; vals 5 1 0 7 3 0 0 8 0 0 4 9 0");
    expect_stored(f, &m, "format Bitmap = (i,j) -> (i, j) levels(dense, bitmap)",
                  "4; 6; crd 3 3 0 25; vals 5 1 7 3 8 4 9");
    expect_stored(
        f, &m,
        "format Counted = (i,j) -> (enumerate(i), -count by (i), i, j) levels(repeating, singleton, "
        "dense, dense)",
        NULL);
    expect_stored(f, &m, "format Ragged = (i,j) -> (i, j) levels(dense, ragged)",
                  "4; 6; pos 0 2 4 4 9; vals 5 1 7 3 8 0 0 4 9");
    static const uint32_t at[] = {0, 1, 4, 6}, length[] = {8};
    static const double vector[] = {5, 1, 2, 8};
    const tile_tensor v = tensor_of(f, 1, length, 4, at, vector);
    expect_stored(f, &v, "format Hash = (i) -> (i) levels(hashed)", "6; crd 0 1 6 -1 4 -1; vals 5 1 8 0 2 0");
    expect_stored(f, &v, "format Sparse = (i) -> (i) trim(0,0)", "8; pos 0 4; crd 0 1 4 6; vals 5 1 2 8");
    static const uint32_t x_at[] = {0, 0, 0, 0, 0, 1, 0, 2, 1, 2, 0, 1, 2, 2, 0, 2, 2, 1, 2, 3, 0, 2, 3, 1},
                          x_dim[] = {3, 4, 2};
    static const double x_val[] = {1, 7, 5, 2, 4, 8, 3, 9};
    const tile_tensor x = tensor_of(f, 3, x_dim, 8, x_at, x_val);
    expect_stored(
        f, &x, "format CSF = (i,j,k) -> (i, j, k) merge(0,1) trim(0,2)",
        "3; pos 0 2; crd 0 2; 4; pos 0 2 5; crd 0 2 0 2 3; 2; pos 0 2 3 4 6 8; crd 0 1 1 1 0 1 0 1; "
        "vals 1 7 5 2 4 8 3 9");
    expect_stored(f, &x, "format COO3 = (i,j,k) -> (i, j, k) trim(0,2)",
                  "3; pos 0 8; crd 0 0 0 2 2 2 2 2; 4; crd 0 0 2 0 2 2 3 3; 2; crd 0 1 1 1 0 1 0 1; "
                  "vals 1 7 5 2 4 8 3 9");
    expect_stored(f, &x, "format ModeGeneric = (i,j,k) -> (i, j, k) trim(0,1)",
                  "3; pos 0 5; crd 0 0 2 2 2; 4; crd 0 2 0 2 3; 2; vals 1 7 0 5 0 2 4 8 3 9");
}

/* Runs have far more places than numbers; the dense array after the runs has a place a number. */
static void long_runs_come_back(void **state) {
    enum { N = 40, SAME = 30 };
    uint32_t crd[2 * 2 * N], dim[] = {2, N};
    double val[2 * N];
    for (uint32_t e = 0; e < 2 * N; e++) {
        crd[2 * e] = e / N;
        crd[2 * e + 1] = e % N;
        val[e] = e % N < SAME ? 7 : e % N;
    }
    const tile_tensor t = tensor_of(*state, 2, dim, 2 * N, crd, val);
    expect_stored(
        *state, &t, "format PackBits = (i,j) -> (i, j) levels(dense, packbits)",
        "2; 40; pos 0 2 4; crd 30 40 30 40; ofs 0 1 11 12 22; vals 7 30 31 32 33 34 35 36 37 38 39 7 "
        "30 31 32 33 34 35 36 37 38 39");
    expect_stored(*state, &t, "format RLE = (i,j) -> (i, j) levels(dense, runs)", NULL);
    expect_stored(*state, &t, "format VBL = (i,j) -> (i, j) levels(dense, blocks)", NULL);
}

static bool same_numbers(const tile_numbers *a, const tile_numbers *b) {
    return a->n == b->n && (!a->n || memcmp(a->at, b->at, sizeof *a->at * a->n) == 0);
}

static bool same_stored(const tile_stored *a, const tile_stored *b) {
    bool same = a->n_vals == b->n_vals && a->format.parts == b->format.parts &&
                (!a->n_vals || memcmp(a->vals, b->vals, sizeof *a->vals * a->n_vals) == 0);
    for (uint32_t p = 0; same && p < a->format.parts; p++)
        same = same_stored(&a->part[p], &b->part[p]);
    for (uint32_t l = 0; l < a->format.levels; l++)
        same = same && a->level[l].size == b->level[l].size &&
               same_numbers(&a->level[l].pos, &b->level[l].pos) &&
               same_numbers(&a->level[l].crd, &b->level[l].crd) &&
               same_numbers(&a->level[l].ofs, &b->level[l].ofs);
    return same;
}

static bool is_direct(const tile_format *f) {
    bool direct = true;
    for (uint32_t l = 0; l < f->levels; l++)
        direct = direct && f->level[l].how == TILE_MAP_DIRECT;
    return direct;
}

/* `half`: the matrix is symmetric, skew or lower triangular, for formats of such matrices. */
static tile_tensor random_matrix(fixture *f, prng *p, uint32_t number, tile_kind half) {
    uint32_t rows = 1 + prng_below(p, 40), columns = half ? rows : 1 + prng_below(p, 70);
    u32_vec crd = {0};
    VEC(double) val = {0};
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            if (prng_below(p, 100) >= 1 + number % 40 || (half && j > i) ||
                (half == TILE_KIND_SKEW && j == i))
                continue;
            double x = (double)prng_below(p, 4) + 1;
            uint32_t at[] = {i, j, j, i};
            bool mirrored = half && half != TILE_KIND_TRIANGULAR && i != j;
            for (uint32_t k = 0; k < (mirrored ? 4 : 2); k++)
                vec_push(&f->mem, &crd, at[k]);
            vec_push(&f->mem, &val, x);
            if (mirrored)
                vec_push(&f->mem, &val, half == TILE_KIND_SKEW ? -x : x);
        }
    }
    return tensor_of(f, 2, (uint32_t[]){rows, columns}, val.len, crd.at, val.at);
}

static bool takes(const tile_format *f, tile_kind half) {
    tile_kind last = f->levels ? f->level[f->levels - 1].kind : TILE_KIND_NONE;
    return f->order == 2 && is_direct(f) && (last < TILE_KIND_TRIANGULAR || last == half);
}

/* A to B to A gives the same bytes, for all ordered pairs of direct formats of matrices. */
static void converts_there_and_back(void **state) {
    fixture *f = *state;
    const tile_formats all = shipped(f);
    static const tile_kind halves[] = {TILE_KIND_NONE, TILE_KIND_SYMMETRIC, TILE_KIND_SKEW,
                                       TILE_KIND_TRIANGULAR};
    prng p = prng_seed(19);
    uint32_t pairs = 0;
    arena kept = f->mem;
    for (uint32_t n = 0; n < 50; n++) {
        tile_kind half = n < 38 ? TILE_KIND_NONE : halves[1 + n % 3];
        arena scratch = {0};
        f->mem = scratch;
        const tile_tensor t = random_matrix(f, &p, n, half);
        tile_stored *first = arena_new_n(&f->mem, tile_stored, all.len), there, back;
        for (uint32_t a = 0; a < all.len; a++) {
            if (takes(&all.at[a], half))
                assert_true(tile_store(&t, &all.at[a], TILE_DTYPE_INT16, &f->mem, &f->diag, &first[a]));
        }
        for (uint32_t a = 0; a < all.len; a++) {
            for (uint32_t b = 0; b < all.len; b++) {
                tile_tensor once, twice;
                arena pair = {0};
                if (!takes(&all.at[a], half) || !takes(&all.at[b], half))
                    continue;
                assert_true(tile_restore(&first[a], TILE_DTYPE_INT16, "a", &pair, &f->diag, &once));
                assert_true(tile_store(&once, &all.at[b], TILE_DTYPE_INT16, &pair, &f->diag, &there));
                assert_true(same_stored(&there, &first[b]));
                if (!tile_restore(&there, TILE_DTYPE_INT16, "b", &pair, &f->diag, &twice))
                    fail_msg("%s: %s", all.at[b].name, fixture_printed(f));
                assert_true(tile_store(&twice, &all.at[a], TILE_DTYPE_INT16, &pair, &f->diag, &back));
                if (!same_stored(&back, &first[a]))
                    fail_msg("matrix %u: %s to %s and back", n, all.at[a].name, all.at[b].name);
                arena_free(&pair);
                pairs += n == 0;
            }
        }
        scratch = f->mem;
        f->mem = kept;
        arena_free(&scratch);
    }
    assert_int_equal(pairs, 24 * 24);
}

/* A printed format reads back unchanged. */
static void prints_what_it_reads(void **state) {
    fixture *f = *state;
    const tile_formats all = shipped(f);
    for (uint32_t i = 0; i < all.len; i++) {
        const char *text = tile_format_text(&all.at[i], &f->mem), *before = "";
        for (uint32_t p = 0; p < all.at[i].parts; p++)
            before =
                arena_printf(&f->mem, "%s%s\n", before, tile_format_text(all.at[i].part[p].format, &f->mem));
        const tile_format again = parse(f, arena_printf(&f->mem, "%s%s", before, text));
        assert_string_equal(tile_format_text(&again, &f->mem), text);
    }
    const tile_format f1 =
        parse(f, "format A = (i,j,k) -> (2*i - k + 3, i div 4 mod 2, i mod 4 div 2, i div 8, k mod 3, "
                 "k div 3, i mod 2, 7, j) trim(0,8) # a comment\n");
    assert_string_equal(
        tile_format_text(&f1, &f->mem),
        "format A = (i,j,k) -> (2 * i - k + 3, i div 4 mod 2, i div 2 mod 2, i div 8, k mod 3, k div 3, i "
        "mod 2, 7, j) levels(repeating, chained, chained, chained, chained, chained, chained, chained, "
        "singleton)");
    tile_tensor t;
    assert_true(tile_generate("17x5x11:0.1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, &t));
    expect_stored(f, &t, tile_format_text(&f1, &f->mem), NULL);
}

static void scans_or_repacks(void **state) {
    fixture *f = *state;
    static const struct {
        const char *name, *scanned;
        bool same;
    } known[] = {{"CSR", "ds:0,1", true},    {"CSC", "ds:1,0", true},           {"DCSC", "ss:1,0", true},
                 {"Dense", "dd:0,1", true},  {"COO", "ss:0,1", false},          {"BCSR", "ss:0,1", false},
                 {"DIA", "ss:1,0", false},   {"Bitmap", "ds:0,1", false},       {"BCSC", "ss:1,0", false},
                 {"CSF", "sss:0,1,2", true}, {"BlocksAndRows", "ss:0,1", false}};
    const tile_formats all = shipped(f);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool same;
        assert_string_equal(tile_format_scanned(tile_format_find(&all, known[i].name), &f->mem, &same),
                            known[i].scanned);
        assert_int_equal(same, known[i].same);
    }
    tile_format letters;
    bool same;
    assert_true(tile_format_of_letters("dh:1,0", &f->mem, &letters));
    assert_string_equal(tile_format_scanned(&letters, &f->mem, &same), "ds:1,0");
    assert_false(tile_format_of_letters("dx", &f->mem, &letters) ||
                 tile_format_of_letters("dh:1,1", &f->mem, &letters) ||
                 tile_format_of_letters("dh:1", &f->mem, &letters) ||
                 tile_format_of_letters("ro", &f->mem, &letters));
}

/* A tri-diagonal matrix of n rows has 3n - 2 values in a band, 3n as diagonals of n rows each. */
static void stores_bands_without_waste(void **state) {
    fixture *f = *state;
    enum { N = 100 };
    const tile_formats all = shipped(f);
    static const struct {
        const char *name;
        uint32_t values, metadata;
    } want[] = {{"Band", 3 * N - 2, 2 * (2 * N + 1)},
                {"Diagonals", 3 * N - 2, 2 * 5},
                {"DIA", 3 * N, 2 * 5},
                {"CSR", 3 * N - 2, 2 * (4 * N - 1)},
                {"Symmetric", N * (N + 1) / 2, 0}};
    u32_vec crd = {0};
    VEC(double) val = {0};
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = i ? i - 1 : 0; j < N && j <= i + 1; j++) {
            vec_push(&f->mem, &crd, i);
            vec_push(&f->mem, &crd, j);
            vec_push(&f->mem, &val, i == j ? 2 : -1);
        }
    }
    const tile_tensor t = tensor_of(f, 2, (uint32_t[]){N, N}, val.len, crd.at, val.at);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        tile_stored s;
        uint64_t metadata;
        assert_true(
            tile_store(&t, tile_format_find(&all, want[i].name), TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
        assert_int_equal(s.n_vals, want[i].values);
        assert_int_equal(tile_stored_bytes(&s, &metadata), 2 * want[i].values + want[i].metadata);
        assert_int_equal(metadata, want[i].metadata);
    }
}

/* Every entry lies in exactly one bank; with a schedule the fullest bank holds at most the mean plus the
 * heaviest row. */
static void deals_rows_to_banks(void **state) {
    fixture *f = *state;
    u32_vec crd = {0};
    VEC(double) val = {0};
    for (uint32_t i = 0; i < 64; i++) { /* row 16k is long: dealing in turn puts all long rows into bank 0 */
        for (uint32_t j = 0; j < (i % 16 ? 2 : 40); j++) {
            vec_push(&f->mem, &crd, i);
            vec_push(&f->mem, &crd, j);
            vec_push(&f->mem, &val, 1);
        }
    }
    const tile_tensor t = tensor_of(f, 2, (uint32_t[]){64, 64}, val.len, crd.at, val.at);
    const tile_format cisr =
        parse(f, "format CISR = (i,j) -> (schedule(i, 4), i, j) levels(dense, compressed, compressed)");
    tile_stored s;
    assert_true(tile_store(&t, &cisr, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_int_equal(s.level[1].crd.n, 64);
    for (uint32_t b = 0; b < 4; b++) {
        int32_t first = s.level[1].pos.at[b], end = s.level[1].pos.at[b + 1];
        int32_t load = s.level[2].pos.at[end] - s.level[2].pos.at[first];
        assert_in_range(load, 70, 70); /* 4 x 40 + 60 x 2 entries over four banks */
    }
    assert_int_equal(tile_banks(&cisr), 4);
    assert_int_equal(tile_bank_load(&t, &cisr, &f->mem), 70);
    const tile_format in_turn = parse(f, "format C2SR = (i,j) -> (i mod 4, i div 4, j) trim(2,2)");
    assert_int_equal(tile_bank_load(&t, &in_turn, &f->mem), 4 * 40 + 12 * 2);
    assert_int_equal(tile_banks(tile_format_find((tile_formats[]){shipped(f)}, "CSR")), 0);
    /* Pieces of five rows, dealt to three: each piece has rows of its own banks, and dealing back restores
     the matrix.
     */
    const uint32_t *bank = tile_bank_of(&t, 0, &cisr, 64, &f->mem);
    tile_dealt dealt;
    tile_tensor moved, back;
    assert_true(tile_deal(bank, 64, 3, 5, &f->mem, &dealt));
    for (uint32_t at = 0, seen = 0; at < dealt.extent; at++) {
        const uint32_t row = dealt.from[at];
        seen += row != TILE_NOWHERE;
        assert_true(row == TILE_NOWHERE || (bank[row] % 3 == at / 5 % 3 && dealt.to[row] == at));
        assert_true(at + 1 < dealt.extent || seen == 64);
    }
    tile_move(&t, 1, dealt.to, dealt.extent, TILE_DTYPE_INT16, &f->mem, &moved);
    assert_int_equal(moved.dim[0], dealt.extent);
    assert_int_equal(moved.nnz, t.nnz);
    tile_move(&moved, 1, dealt.from, 64, TILE_DTYPE_INT16, &f->mem, &back);
    assert_int_equal(back.nnz, t.nnz);
    assert_memory_equal(back.crd, t.crd, t.nnz * 2 * sizeof *t.crd);
    assert_memory_equal(back.val, t.val, t.nnz * sizeof *t.val);
    assert_restored(f, &s, &t);
    const tile_format ell =
        parse(f, "format ELL = (i,j) -> (enumerate(i), i, j) levels(dense, dense, singleton)");
    assert_true(tile_store(&t, &ell, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
    assert_int_equal(s.level[0].size, 40);
    assert_int_equal(s.n_vals, 40 * 64);
    assert_int_equal(s.level[2].crd.at[2 * 64 + 1], -1); /* row 1 has two entries */
    assert_restored(f, &s, &t);
    for (uint32_t n = 0; n < 2; n++) {
        const tile_format other = *tile_format_find((tile_formats[]){shipped(f)}, n ? "SELL" : "JDS");
        assert_true(tile_store(&t, &other, TILE_DTYPE_INT16, &f->mem, &f->diag, &s));
        assert_restored(f, &s, &t);
    }
}

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

RUN_TESTS(TEST(stores_the_published_arrays), TEST(long_runs_come_back), TEST(converts_there_and_back),
          TEST(prints_what_it_reads), TEST(scans_or_repacks), TEST(stores_bands_without_waste),
          TEST(deals_rows_to_banks), TEST(answers_queries), TEST(takes_tensors_apart),
          TEST(names_the_place_of_every_mistake), TEST(keeps_files), TEST(keeps_numbers_behind_words))
