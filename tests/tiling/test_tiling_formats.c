/* tiling/: the format language; tensors stored in formats and back. Arrays of the published figures are those
 * of taco's thesis (Figures 2-21 to 2-28). */
#include "tests/tiling/format_cases.h"

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
    quota q = {0}; /* trivial: at most one entry */
    uint32_t pairs = 0;
    arena kept = f->mem;
    for (uint32_t n = 0; n < 50; n++) {
        tile_kind half = n < 38 ? TILE_KIND_NONE : halves[1 + n % 3];
        arena scratch = {0};
        f->mem = scratch;
        const tile_tensor t = random_matrix(f, &p, n, half);
        quota_add(&q, true, t.nnz < 2);
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
    assert_false(quota_failed(&q));
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

TEST_PART(tiling_formats, TEST(stores_the_published_arrays), TEST(long_runs_come_back),
          TEST(converts_there_and_back), TEST(prints_what_it_reads), TEST(scans_or_repacks),
          TEST(stores_bands_without_waste), TEST(deals_rows_to_banks))

int main(void) {
    return tiling_formats() + format_files();
}
