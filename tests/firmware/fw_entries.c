#include "tests/firmware/fw_device_cases.h"

/* ---- lists of entries ------------------------------------------------------------------------ */

enum { EXTENT = 20, STREAM_ROOM = 0x1000, PIECES = 3, GUARD = 0x5555 };

/* A matrix as the lists store entries: by outer and inner coordinate. */
typedef struct {
    bool has[EXTENT][EXTENT];
    uint16_t value[EXTENT][EXTENT];
} small_matrix;

typedef struct {
    device *d;
    test_kernel t;
    prng random;
    uint32_t how, fill, turned, dense[2];
    small_matrix want;
    uint32_t stored, most; /* entries of all pieces; of a fiber */
} entries_case;

enum { ENTRY_CELLS = 0x20004000 + 0x400, ENTRY_ROWS = 0x20004000 + 0x800 };

static void put_block(device *d, uint32_t *at, const uint16_t *words, uint32_t n) {
    const uint16_t length = (uint16_t)n;
    memcpy(d->glb + *at, &length, 2);
    memcpy(d->glb + *at + 2, words, 2 * (size_t)n);
    *at += 2 * n + 2;
}

static uint16_t two_combined(uint32_t how, uint16_t a, uint16_t b) {
    const int16_t x = (int16_t)a, y = (int16_t)b;
    return how == FW_OP_ADD   ? (uint16_t)(a + b)
           : how == FW_OP_MIN ? (uint16_t)(x < y ? x : y)
           : how == FW_OP_MAX ? (uint16_t)(x > y ? x : y)
           : how == FW_OP_OR  ? a | b
                              : a & b;
}

/* Adds a value of a piece to the expected matrix. */
static void want_value(entries_case *c, uint32_t row, uint32_t column, uint16_t value) {
    const uint32_t a = c->turned ? column : row, b = c->turned ? row : column;
    uint16_t *at = &c->want.value[a][b];
    *at = c->want.has[a][b] ? two_combined(c->how, *at, value) : value;
    c->want.has[a][b] = true;
}

/* Draws a run's result of rows [corner, corner + size), writes its streams, and makes its item. */
static void draw_piece(entries_case *c, uint32_t piece, uint32_t corner, uint32_t size, uint32_t *item) {
    uint16_t rows[EXTENT], columns[EXTENT * EXTENT], segments[EXTENT + 1] = {0}, values[EXTENT * EXTENT];
    const uint16_t outer[] = {0, 0};
    uint32_t n_rows = 0, n = 0, cell[3], edge = EXTENT - corner;
    const uint32_t density = prng_below(&c->random, 5);
    for (uint32_t r = 0; r < edge; r++) {
        const uint32_t begin = n;
        for (uint32_t k = 0; k < EXTENT; k++) {
            if (!c->dense[1] && (r >= size || prng_below(&c->random, 4) >= density))
                continue;
            columns[n] = (uint16_t)k;
            values[n] =
                prng_below(&c->random, 3) ? (uint16_t)prng_below(&c->random, 0x10000) : (uint16_t)c->fill;
            if (r < size)
                want_value(c, corner + r, k, values[n]);
            n++;
        }
        if (n == begin && !c->dense[0] && prng_below(&c->random, 2)) /* or a row without entries */
            continue;
        rows[n_rows++] = (uint16_t)r;
        segments[n_rows] = (uint16_t)n;
        c->most = n - begin > c->most ? n - begin : c->most;
    }
    c->stored += n;
    uint32_t at = 0x20000 + piece * 3 * STREAM_ROOM, begin = at;
    for (uint32_t k = 0; k < 3; k++) {
        begin = at = 0x20000 + (3 * piece + k) * STREAM_ROOM + 2 * prng_below(&c->random, 2);
        if (k == 0) {
            put_block(c->d, &at, (uint16_t[]){outer[0], (uint16_t)n_rows}, 2);
            put_block(c->d, &at, rows, n_rows);
        } else if (k == 1) {
            put_block(c->d, &at, segments, n_rows + 1);
            put_block(c->d, &at, columns, n);
        } else {
            put_block(c->d, &at, values, n);
        }
        cell[k] = ENTRY_CELLS + 8 * (3 * piece + k);
        c->d->sram[(cell[k] - 0x20000000) / 4 + FW_WORD_cell_first] = begin;
        c->d->sram[(cell[k] - 0x20000000) / 4 + FW_WORD_cell_words] = (at - begin) / 2;
    }
    const uint32_t words[ITEM_WORDS] = {FW_ENTRIES | FW_ENTRIES_TAKE | (c->turned ? FW_ENTRIES_TURNED : 0),
                                        c->dense[0] ? 0 : cell[0],
                                        c->dense[1] ? 0 : cell[1],
                                        cell[2],
                                        corner << 16,
                                        size << 16 | EXTENT,
                                        edge << 16 | EXTENT};
    memcpy(item, words, sizeof words);
}

/* The streams of a sub-tile by definition: walks over all of its coordinates. */
typedef struct {
    uint16_t rows[EXTENT], segments[EXTENT + 1], columns[EXTENT * EXTENT], values[EXTENT * EXTENT];
    uint32_t n_rows, n_columns, n_values;
} want_streams;

typedef struct {
    uint32_t low[2], size[2], dense[2], padded[2];
} drawn_box;

static void want_box(const entries_case *c, const drawn_box *b, want_streams *w) {
    const small_matrix *m = &c->want;
    bool none = true, any[EXTENT] = {false};
    *w = (want_streams){.n_rows = 0};
    for (uint32_t r = 0; r < b->size[0]; r++) {
        for (uint32_t k = 0; k < b->size[1]; k++)
            any[r] = any[r] || m->has[b->low[0] + r][b->low[1] + k];
        none = none && !any[r];
    }
    for (uint32_t r = 0; r < EXTENT; r++) {
        const bool corner = r == 0 && (none || (b->padded[0] && !b->dense[0]));
        if (!b->dense[0] && !any[r] && !corner)
            continue;
        w->rows[w->n_rows++] = (uint16_t)r;
        for (uint32_t k = 0; k < EXTENT; k++) {
            const bool within = r < b->size[0] && k < b->size[1] && m->has[b->low[0] + r][b->low[1] + k];
            const bool pads = k == 0 && (b->padded[1] ? any[r] || b->dense[0] || corner : corner && !any[r]);
            if (!b->dense[1] && !within && !pads)
                continue;
            w->columns[w->n_columns++] = (uint16_t)k;
            w->values[w->n_values++] =
                within ? m->value[b->low[0] + r][b->low[1] + k] ^ (uint16_t)c->fill : 0;
        }
        w->segments[w->n_rows] = (uint16_t)w->n_columns;
    }
}

static void expect_words(const device *d, uint32_t *at, const uint16_t *words, uint32_t n) {
    const uint16_t length = (uint16_t)n;
    assert_memory_equal(d->glb + *at, &length, 2);
    assert_memory_equal(d->glb + *at + 2, words, 2 * (size_t)n);
    *at += 2 * n + 2;
}

/* Makes the streams of a sub-tile, and checks each word, and the words after them. */
static void make_box(entries_case *c) {
    enum { TO = 0x40000, ROW = 32 };
    const uint16_t guard = GUARD;
    drawn_box b;
    want_streams w;
    for (uint32_t l = 0; l < 2; l++) {
        b.low[l] = prng_below(&c->random, EXTENT);
        b.size[l] = prng_below(&c->random, 4) ? 1 + prng_below(&c->random, EXTENT - b.low[l]) : 0;
        b.dense[l] = prng_below(&c->random, 3) == 0;
        b.padded[l] = prng_below(&c->random, 2);
    }
    want_box(c, &b, &w);
    uint32_t levels = 0, inputs = 0, place[3];
    memset(c->d->glb + TO, GUARD & 0xff, 3 * STREAM_ROOM);
    for (uint32_t l = 0; l < 2; l++)
        levels |= (b.dense[l] ? (uint32_t)FW_ENTRIES_DENSE << l : 0) |
                  (b.padded[l] ? (uint32_t)FW_ENTRIES_PADDED << l : 0);
    uint32_t *rows = c->d->sram + (ENTRY_ROWS - 0x20000000) / 4;
    for (uint32_t k = 0; k < 3; k++) {
        const bool has = k == 2 || (!b.dense[k] && prng_below(&c->random, 8));
        place[k] = TO + k * STREAM_ROOM + 2 * prng_below(&c->random, 3);
        inputs |= (has ? 2 - k : FW_ENTRIES_NONE) << 8 * k;
        for (uint32_t r = 0; r < 2; r++) {
            rows[r * ROW / 4 + 2 * (2 - k) + FW_WORD_cell_first] = place[k] + r * 0x10000;
            rows[r * ROW / 4 + 2 * (2 - k) + FW_WORD_cell_words] = 0;
        }
    }
    const uint32_t items[][ITEM_WORDS] = {
        {FW_ENTRIES | FW_ENTRIES_SHAPE | levels, ENTRY_ROWS, 2 << 16 | ROW, inputs, EXTENT << 16 | EXTENT},
        {FW_ENTRIES | FW_ENTRIES_LEVELS, b.low[0] << 16 | b.size[0], b.low[1] << 16 | b.size[1], place[0],
         place[1], place[2]}};
    assert_true(serve_list(c->d, &c->t, items, 2, 0, 2));
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t at = place[k];
        const bool has = (inputs >> 8 * k & FW_ENTRIES_NONE) != FW_ENTRIES_NONE;
        if (has && k == 0) {
            expect_words(c->d, &at, (uint16_t[]){0, (uint16_t)w.n_rows}, 2);
            expect_words(c->d, &at, w.rows, w.n_rows);
        } else if (has && k == 1) {
            expect_words(c->d, &at, w.segments, w.n_rows + 1);
            expect_words(c->d, &at, w.columns, w.n_columns);
        } else if (has) {
            expect_words(c->d, &at, w.values, w.n_values);
        }
        assert_int_equal(rows[2 * (2 - k) + FW_WORD_cell_words], has ? (at - place[k]) / 2 : 0);
        assert_int_equal(rows[ROW / 4 + 2 * (2 - k) + FW_WORD_cell_words], 0);
        assert_memory_equal(c->d->glb + at, &guard, 2);
    }
    assert_null(c->d->violation);
}

/* Transposes the expected matrix. */
static void turn_matrix(small_matrix *m) {
    const small_matrix was = *m;
    for (uint32_t a = 0; a < EXTENT; a++) {
        for (uint32_t b = 0; b < EXTENT; b++) {
            m->has[a][b] = was.has[b][a];
            m->value[a][b] = was.value[b][a];
        }
    }
}

/* Parts of a matrix, beside each other or to be combined, become the streams of any sub-tile. */
static void a_list_makes_matrices(void **state) {
    (void)state;
    quota q = {0};
    for (uint32_t i = 0; i < 400; i++) {
        entries_case c = {.random = prng_seed(100 + i)};
        c.d = device_with_lists(&c.t, 1, 31);
        const uint32_t pieces = prng_below(&c.random, 9) ? 1 + prng_below(&c.random, PIECES) : 0;
        c.fill = prng_below(&c.random, 2) ? 0 : prng_below(&c.random, 0x10000);
        c.how = prng_below(&c.random, 2) ? FW_OP_SET : FW_OP_ADD + prng_below(&c.random, FW_SPREADS - 1);
        c.turned = prng_below(&c.random, 2);
        c.dense[0] = prng_below(&c.random, 3) == 0;
        c.dense[1] = prng_below(&c.random, 3) == 0;
        uint32_t take[PIECES][ITEM_WORDS], distinct = 0;
        for (uint32_t p = 0; p < pieces; p++) /* rows of their own, or all have all */
            draw_piece(&c, p, c.how ? 0 : p * 4, c.how ? EXTENT : 4, take[p]);
        for (uint32_t a = 0; a < EXTENT * EXTENT; a++)
            distinct += c.want.has[a / EXTENT][a % EXTENT];
        const uint32_t room = c.how && prng_below(&c.random, 2) ? distinct + 1 : c.stored + 1,
                       place = FW_SCRATCH | 4 * prng_below(&c.random, 9),
                       outer = EXTENT + prng_below(&c.random, 3), inner = EXTENT + prng_below(&c.random, 30),
                       ordering = prng_below(&c.random, 2) ? MLIST_SORTS : outer << 16 | inner;
        const uint32_t begin[] = {
            FW_ENTRIES | FW_ENTRIES_BEGIN, place, room, ordering, c.fill, c.how, 0xffff};
        assert_true(serve_list(c.d, &c.t, &begin, 1, 0, 1));
        for (uint32_t p = 0; p < pieces; p++)
            assert_true(serve_list(c.d, &c.t, (const uint32_t(*)[ITEM_WORDS])take + p, 1, 0, 1));
        for (uint32_t a = 0; a < EXTENT * EXTENT; a++) {
            if (c.want.value[a / EXTENT][a % EXTENT] == c.fill)
                c.want.has[a / EXTENT][a % EXTENT] = false;
        }
        for (uint32_t k = 0; k < 4; k++)
            make_box(&c);
        for (uint32_t turns = 0; turns < 2; turns++) {
            const uint32_t again[] = {FW_ENTRIES | FW_ENTRIES_AGAIN | (turns ? FW_ENTRIES_TURNED : 0),
                                      place,
                                      room,
                                      ordering,
                                      0,
                                      0,
                                      0};
            assert_true(serve_list(c.d, &c.t, &again, 1, 0, 1));
            if (turns)
                turn_matrix(&c.want);
            make_box(&c);
        }
        device_free(c.d);
        quota_add(&q, true, distinct == 0);
    }
    assert_false(quota_failed(&q));
}

/* More entries than room, coordinates that no store wrote, and items without a list are refused.
 */
static void a_list_of_entries_that_is_none_is_refused(void **state) {
    (void)state;
    enum { CRD = 0x1000, VAL = 0x2000, CELLS = 0x20004400, ALL = DEVICE_TILES * 2 * DEVICE_BANK, MORE = 1 };
#define BEGIN(room)                                                                                          \
    { FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, room, 0, 0, 0, 0xffff }
#define DENSE(rows, columns)                                                                                 \
    { FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3, (rows) << 16 | (columns), 0, 0, 0xffff }
#define AGAIN(ordering)                                                                                      \
    { FW_ENTRIES | FW_ENTRIES_AGAIN, FW_SCRATCH, 3, ordering }
#define TAKE(size)                                                                                           \
    { FW_ENTRIES | FW_ENTRIES_TAKE, 0, CELLS, CELLS + 8, 0, 1 << 16 | (size), 1 << 16 }
#define SHAPE(inputs)                                                                                        \
    { FW_ENTRIES | FW_ENTRIES_SHAPE, 0x20004800, 1 << 16 | 32, inputs, 1 << 16 | 9 }
    static const struct {
        uint32_t items[3][ITEM_WORDS];
        bool good;
    } cases[] = {
        {{BEGIN(3), TAKE(9), SHAPE(0x020100)}, true},
        {{BEGIN(3), TAKE(9), SHAPE(0x020100)}, false}, /* of MORE the outer level has a segment too many */
        {{BEGIN(2), TAKE(9), SHAPE(0x020100)}, false}, /* there are three */
        {{BEGIN(2), TAKE(7), SHAPE(0x020100)}, true},  /* the last one is outside */
        {{BEGIN(3), TAKE(9), SHAPE(0x030100)}, true},
        {{BEGIN(3), TAKE(9), SHAPE(0x040100)}, false}, /* rows are shorter */
        {{BEGIN(3), SHAPE(0xffffff), TAKE(9)}, false}, /* they are merged */
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_LEVELS, 1, 9, 0x4000, 0x5000, 0x6000}},
         false}, /* no shape */
        {{BEGIN(3), SHAPE(0x020100), {FW_ENTRIES | FW_ENTRIES_LEVELS, 1, 9, 0x4000, 0x5000, 0x6000}}, true},
        {{BEGIN(3), SHAPE(0x020100), {FW_ENTRIES | FW_ENTRIES_LEVELS, 1, 9, 0x4000, 0x5001, 0x6000}}, false},
        {{BEGIN(3), SHAPE(0x020100), {FW_ENTRIES | FW_ENTRIES_LEVELS, 1, 9, 0x4000, 0x5000, ALL - 2}}, false},
        {{BEGIN(3), SHAPE(0x020100), {FW_ENTRIES | FW_ENTRIES_LEVELS, 1, 9, 0x4000, FW_SCRATCH, 0x6000}},
         false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_TAKE, CELLS, CELLS, CELLS + 8, 0, 1 << 16 | 9, 0}},
         false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_AGAIN, FW_SCRATCH, 4, 0}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_AGAIN, FW_SCRATCH, 3, 1}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_AGAIN, FW_SCRATCH, 3, 0}}, true},
        {{DENSE(1, 9), TAKE(9), SHAPE(0x020100)}, true},
        {{DENSE(1, 8), TAKE(9), SHAPE(0x020100)}, false}, /* the piece is beyond */
        {{DENSE(0, 9), SHAPE(0x020100)}, false},
        {{DENSE(1, 9), TAKE(9), AGAIN(1 << 16 | 9)}, false}, /* they are not listed */
        {{DENSE(1, 9), SHAPE(0x020100), AGAIN(1 << 16 | 9)}, true},
        {{DENSE(1, 9), SHAPE(0x020100), AGAIN(9 << 16 | 1)}, false},
        {{DENSE(1, 9), SHAPE(0x020100), TAKE(9)}, false},
        {{DENSE(150, 150), SHAPE(0x020100)}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | (FW_ENTRIES_AGAIN + 1)}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_KIND, 0x20004800, 1 << 16 | 32, 0x020100, 1 << 16 | 9}},
         false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | (FW_ENTRIES_BITS + 1)}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_BEGIN, 0, 3, 0, 0, 0, 0xffff}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH | 2, 3, 0, 0, 0, 0xffff}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 0x5000, 0, 0, 0, 0xffff}}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3390, 0, 0, 0, 0xffff}}, true},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3400, 0, 0, 0, 0xffff}}, false},
    };
#undef BEGIN
#undef DENSE
#undef AGAIN
#undef TAKE
#undef SHAPE
    static const uint16_t segments[] = {0, 3, 3}, columns[] = {1, 4, 7}, values[] = {5, 6, 7};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 32);
        const bool lacks = i % 2; /* a program without lists of entries */
        uint32_t at = CRD;
        t.k.entries = lacks ? NULL : t.k.entries;
        put_block(d, &at, segments, i / 2 == MORE ? 3 : 2);
        put_block(d, &at, columns, 3);
        const uint32_t cells[] = {[FW_WORD_cell_first] = CRD,
                                  [FW_WORD_cell_words] = (at - CRD) / 2,
                                  [2 + FW_WORD_cell_first] = VAL,
                                  [2 + FW_WORD_cell_words] = 4};
        at = VAL;
        put_block(d, &at, values, 3);
        memcpy(d->sram + (CELLS - 0x20000000) / 4, cells, sizeof cells);
        const bool good = serve_list(d, &t, cases[i / 2].items, 3, 0, 3);
        if (good != (cases[i / 2].good && !lacks) || (!good && mailbox.error != FW_ERROR_BAD_BATCH))
            fail_msg("case %zu: error %u", i, mailbox.error);
        assert_null(d->violation);
        device_free(d);
    }
}

/* Values of the scratch area and of the buffer; a test and a copy reach both. */
static void a_list_computes_values(void **state) {
    (void)state;
    static const struct {
        uint32_t how;
        int32_t a, b, want;
    } cases[] = {
        {FW_OP_SET, 5, -7, -7},       {FW_OP_ADD, 5, -7, -2},        {FW_OP_ADD, 32767, 1, -32768},
        {FW_OP_SUB, 5, 7, -2},        {FW_OP_SUB, -32768, 1, 32767}, {FW_OP_MUL, -3, 7, -21},
        {FW_OP_MUL, 300, 300, 24464}, {FW_OP_MIN, -3, 2, -3},        {FW_OP_MIN, 4, 2, 2},
        {FW_OP_MAX, -3, 2, 2},        {FW_OP_MAX, 4, -32768, 4},     {FW_OP_OR, 5, -8, -3},
        {FW_OP_AND, 13, -2, 12},      {FW_OP_DIV, -7, 2, -3},        {FW_OP_DIV, 7, -2, -3},
        {FW_OP_DIV, 9, 0, 0},         {FW_OP_DIV, 0, 0, 0},          {FW_OP_DIV, -32768, -1, -32768}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const uint32_t a = (uint32_t)cases[i / 2].a << 16 | 1, b = (uint32_t)cases[i / 2].b << 16 | 1,
                       number = i % 2 ? FW_CALC_NUMBER : 0;
        test_kernel t;
        device *d = device_with_lists(&t, 1, 30);
        memcpy(d->glb + 0x40, &a, 4);
        d->sram[FW_SCRATCH_OFFSET / 4 + 3] = b;
        const uint32_t items[][ITEM_WORDS] = {
            {FW_CALC | cases[i / 2].how | number, FW_SCRATCH | 8, 0x40,
             i % 2 ? (uint32_t)cases[i / 2].b : FW_SCRATCH | 12},
            {FW_COPY, FW_SCRATCH | 8, 4, 0x80},
            {FW_TEST | FW_TEST_WORD | FW_TEST_EQUAL, FW_SCRATCH | 8, 2, 0, (uint32_t)cases[i / 2].want}};
        assert_true(serve_list(d, &t, items, 3, 0, 9));
        uint32_t word;
        memcpy(&word, d->glb + 0x80, 4);
        assert_int_equal(mailbox.steps, 2);
        assert_int_equal((int16_t)(word >> 16), cases[i / 2].want);
        assert_int_equal(word & 0xffff, 1);
        assert_true(!d->violation);
        device_free(d);
    }
}

TEST_PART(fw_entries, TEST(a_list_makes_matrices), TEST(a_list_of_entries_that_is_none_is_refused),
          TEST(a_list_computes_values))
