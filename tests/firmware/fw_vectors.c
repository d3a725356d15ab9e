#include "tests/firmware/fw_device_cases.h"
#include <math.h>

/* Entries stored by coordinates become a dense block, of any fill; pieces are combined. */
static void a_list_makes_dense_vectors(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = CRD + 8, N = 7 };
    static const int32_t now[N] = {5, 5, 5, 5, 5, 5, 5};
    static const struct {
        uint32_t how, crd, to, fill;
        int32_t first, count, want[N]; /* a block of 5 is combined with */
    } cases[] = {{FW_OP_SET, CRD, 0x1000, 0, 0, N, {5, -2, 5, 0, 9, 5, 5}},
                 {FW_OP_SET, CRD, 0x1002, 0x7fff, 2, N, {5, 5, 5, -2, 5, 0, 9}},
                 {FW_OP_SET, CRD, 0x1000, 3, -2, N, {5, 0, 9, 5, 5, 5, 5}},
                 {FW_OP_SET, CRD, 0x1000, 3, 0, 4, {5, -2, 5, 0, 5, 5, 5}},
                 {FW_OP_ADD, CRD, 0x1000, 0x7fff, 0, N, {5, 3, 5, 5, 14, 5, 5}},
                 {FW_OP_MIN, CRD, 0x1000, 0x7fff, 0, N, {5, -2, 5, 0, 5, 5, 5}},
                 {FW_OP_MAX, CRD, 0x1000, 0x8000, 0, N, {5, 5, 5, 5, 9, 5, 5}},
                 {FW_OP_OR, CRD, 0x1000, 0, 0, N, {5, -1, 5, 5, 13, 5, 5}},
                 {FW_OP_AND, CRD, 0x1000, 0xffff, 0, N, {5, 4, 5, 0, 1, 5, 5}},
                 {FW_OP_SET, 0, 0x1000, 0, 1, N, {5, -2, 0, 9, 77, 5, 5}},
                 {FW_OP_SET, 0, 0x1002, 0x7fff, 2, 5, {5, 5, -2, 0, 9, 5, 5}},
                 {FW_OP_SET, 0, 0x1000, 0x7fff, -1, N, {0, 9, 77, 5, 5, 5, 5}},
                 {FW_OP_SET, 0, 0x1000, 0, -4, N, {5, 5, 5, 5, 5, 5, 5}},
                 {FW_OP_SET, 0, 0x1000, 0, 7, N, {5, 5, 5, 5, 5, 5, 5}},
                 {FW_OP_ADD, 0, 0x1000, 0, 3, N, {5, 5, 5, 3, 5, 14, 82}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 26);
        const uint32_t to = cases[i].to, fill = cases[i].fill;
        const uint32_t items[][ITEM_WORDS] = {{FW_SPREAD | cases[i].how, cases[i].crd, VAL, to + 2,
                                               (uint32_t)cases[i].first, (uint32_t)cases[i].count, fill}};
        put_vector(d);
        for (uint32_t k = 0; k < N; k++) {
            const uint16_t word = (uint16_t)((uint32_t)now[k] ^ fill);
            memcpy(d->glb + to + 2 + 2 * k, &word, 2);
        }
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        for (uint32_t k = 0; k < N; k++) {
            uint16_t word;
            memcpy(&word, d->glb + to + 2 + 2 * k, 2);
            if ((int16_t)(word ^ fill) != cases[i].want[k])
                fail_msg("case %zu, word %u: %d", i, k, (int16_t)(word ^ fill));
        }
        assert_true(!d->violation);
        device_free(d);
    }
}

static int32_t together(uint32_t how, int32_t now, int32_t more) {
    const int32_t all[] = {more,       now + more, more < now ? more : now, more > now ? more : now,
                           now | more, now & more};
    return all[how];
}

/* Parts with consecutive, scattered or no coordinates, at any address, and beyond either end of the vector;
 * memory around the vector stays unchanged. */
static void a_list_puts_random_parts(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = CRD + 8, AT_CRD = 0x100, AT_VAL = 0x200, TO = 0x1000 };
    enum { ROOM = 40, MOST = 12 };
    prng p = prng_seed(34);
    quota q = {0};
    for (uint32_t round = 0; round < 600; round++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 26);
        const uint32_t how = prng_below(&p, FW_SPREADS), kind = prng_below(&p, 3),
                       n = prng_below(&p, 25) ? 1 + prng_below(&p, MOST) : 0,
                       crd = AT_CRD + 2 * prng_below(&p, 2), val = AT_VAL + 2 * prng_below(&p, 2),
                       to = TO + 2 * prng_below(&p, 2),
                       count = prng_below(&p, 25) ? 1 + prng_below(&p, ROOM / 2) : 0,
                       fill = prng_below(&p, 2) ? 0 : prng_below(&p, 1 << 16);
        const int32_t first = (int32_t)prng_below(&p, 8) - 4;
        uint16_t words[MOST + 4] = {2, 0, (uint16_t)n, (uint16_t)n}, values[MOST + 1] = {(uint16_t)n};
        int32_t want[ROOM];
        bool combines = false;
        uint32_t c = prng_below(&p, 3);
        for (uint32_t i = 0; i < ROOM; i++) {
            const uint16_t word = (uint16_t)prng_below(&p, 1 << 16);
            want[i] = (int16_t)(word ^ fill);
            memcpy(d->glb + to - 8 + 2 * i, &word, 2);
        }
        for (uint32_t i = 0; i < n; i++, c += kind == 1 ? 1 : 1 + prng_below(&p, 2)) {
            const int32_t at = first + (int32_t)(kind ? c : i);
            words[4 + i] = (uint16_t)c;
            values[1 + i] = (uint16_t)prng_below(&p, 1 << 16);
            if (at < 0 || at >= (int32_t)count)
                continue;
            combines = true;
            want[4 + at] = (int16_t)together(how, want[4 + at], (int16_t)values[1 + i]);
        }
        memcpy(d->glb + crd, words, 2 * (n + 4));
        memcpy(d->glb + val, values, 2 * (n + 1));
        const uint32_t row[] = {[FW_WORD_cell_first] = crd,
                                [FW_WORD_cell_words] = n + 4,
                                [2 + FW_WORD_cell_first] = val,
                                [2 + FW_WORD_cell_words] = n + 1},
                       items[][ITEM_WORDS] = {
                           {FW_SPREAD | how, kind ? CRD : 0, VAL, to, (uint32_t)first, count, fill}};
        memcpy(d->sram + FW_TABLE_OFFSET / 4, row, sizeof row);
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        for (uint32_t i = 0; i < ROOM; i++) {
            uint16_t word;
            memcpy(&word, d->glb + to - 8 + 2 * i, 2);
            if ((int16_t)(word ^ fill) != want[i])
                fail_msg("round %u, word %u: %d for %d", round, i, (int16_t)(word ^ fill), want[i]);
        }
        assert_true(!d->violation);
        device_free(d);
        quota_add(&q, true, !combines);
    }
    assert_false(quota_failed(&q));
}

/* Any number of words, from and to any address; memory around the words stays unchanged. */
static void a_list_copies_words(void **state) {
    (void)state;
    enum { FROM = 0x1000, TO = 0x2000, N = 24 };
    for (uint32_t k = 0; k < 4 * 8; k++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 28);
        const uint32_t from = FROM + 2 * (k & 1), to = TO + (k & 2), words = k / 4;
        const uint32_t items[][ITEM_WORDS] = {{FW_COPY, from, 2 * words, to}};
        for (uint32_t i = 0; i < 2 * N; i++) {
            d->glb[FROM - 8 + i] = (uint8_t)(i + 1);
            d->glb[TO - 8 + i] = 0x55;
        }
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        for (uint32_t at = TO - 8; at < TO - 8 + 2 * N; at++) {
            const bool copied = at >= to && at < to + 2 * words;
            assert_int_equal(d->glb[at], copied ? d->glb[from + (at - to)] : 0x55);
        }
        for (uint32_t i = 0; i < 2 * N; i++)
            assert_int_equal(d->glb[FROM - 8 + i], i + 1);
        assert_true(!d->violation);
        device_free(d);
    }
}

/* A block has its length, and zeros from the given place on; memory around the block stays unchanged. */
static void a_block_of_a_list_is_cleared(void **state) {
    (void)state;
    for (uint32_t to = 0x1000; to < 0x1004; to += 2) {
        for (uint32_t words = 0; words < 6; words++) {
            for (uint32_t from = 0; from <= words; from++) {
                test_kernel t;
                device *d = device_with_lists(&t, 1, 27);
                const uint32_t items[][ITEM_WORDS] = {{FW_BLOCK, to, words, from}};
                memset(d->glb + 0xffc, 0x55, 32);
                assert_true(serve_list(d, &t, items, 1, 0, 1));
                for (uint32_t at = 0xffc; at < 0x1018; at += 2) {
                    uint16_t word;
                    memcpy(&word, d->glb + at, 2);
                    const uint32_t k = (at - to) / 2 - 1;
                    assert_int_equal(word, at == to ? words : at > to && k < words && k >= from ? 0 : 0x5555);
                }
                assert_true(!d->violation);
                device_free(d);
            }
        }
    }
}

/* Expected words of a compressed vector's block, coordinates or values by `how`. */
static uint32_t packed_words(const uint16_t *words, uint32_t count, uint32_t how, uint16_t *crd,
                             uint16_t *val) {
    uint32_t n = 0;
    for (uint32_t c = 0; c < count; c++) {
        uint16_t value = words[c];
        if (how & FW_PACK_ABSENT)
            value = !value;
        if (how & FW_PACK_ONES)
            value = value > 0;
        if (value || (c == 0 && how & FW_PACK_PADDED)) {
            crd[n] = (uint16_t)c;
            val[n++] = value;
        }
    }
    if (!n) {
        crd[0] = how & FW_PACK_LACKED ? (uint16_t)count : 0;
        val[n++] = how & FW_PACK_LACKED ? 1 : 0;
    }
    return n;
}

/* Three rows that load blocks of a vector (the second row loads other blocks), and the blocks' places. */
enum {
    PACK_TABLE = 0x20000000 + FW_TABLE_OFFSET,
    PACK_ROW = 24,
    PACK_ROWS = 3,
    PACK_MOST = 40,
    PACK_CRD = 0x2000,
    PACK_VAL = 0x3000,
    PACK_OWN = PACK_TABLE + 0x100
};

static void put_pack_rows(device *d) {
    for (uint32_t r = 0; r < PACK_ROWS; r++) {
        const uint32_t row[PACK_ROW / 4] = {[FW_WORD_cell_first] = PACK_CRD + r % 2 * 0x200,
                                            [2 + FW_WORD_cell_first] = PACK_VAL + r % 2 * 0x200};
        memcpy(d->sram + (PACK_OWN - 0x20000000 + r * PACK_ROW) / 4, row, sizeof row);
    }
    memset(d->glb + PACK_CRD, 0x55, 0x2000);
}

/* The blocks have exactly these entries, and the rows have the blocks' lengths; bit 0 of streams:
 * coordinates. */
static void expect_packed(const device *d, uint32_t streams, uint32_t n, const uint16_t *crd,
                          const uint16_t *val) {
    const uint16_t head[] = {2, 0, (uint16_t)n, (uint16_t)n}, length = (uint16_t)n, none = 0x5555;
    for (uint32_t r = 0; r < PACK_ROWS; r++) {
        const uint32_t *row = d->sram + (PACK_OWN - 0x20000000 + r * PACK_ROW) / 4;
        assert_int_equal(row[FW_WORD_cell_words], r % 2 || !(streams & 1) ? 0 : n + 4);
        assert_int_equal(row[2 + FW_WORD_cell_words], r % 2 || !(streams & 2) ? 0 : n + 1);
    }
    if (streams & 1) {
        assert_memory_equal(d->glb + PACK_CRD, head, 8);
        assert_memory_equal(d->glb + PACK_CRD + 8, crd, 2 * n);
    }
    if (streams & 2) {
        assert_memory_equal(d->glb + PACK_VAL, &length, 2);
        assert_memory_equal(d->glb + PACK_VAL + 2, val, 2 * n);
    }
    assert_memory_equal(d->glb + PACK_CRD + (streams & 1 ? 8 + 2 * n : 0), &none, 2);
    assert_memory_equal(d->glb + PACK_VAL + (streams & 2 ? 2 + 2 * n : 0), &none, 2);
    assert_true(!d->violation);
}

/* A vector in the scratch area becomes compressed blocks, and the loading rows get the blocks' lengths.
 */
static void a_list_packs_vectors(void **state) {
    (void)state;
    prng random = prng_seed(31);
    quota q = {0};
    for (uint32_t i = 0; i < 400; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 29);
        const uint32_t how = prng_below(&random, FW_PACK_BITS + 1),
                       count = prng_below(&random, PACK_MOST + 1), first = prng_below(&random, 9),
                       zeros = prng_below(&random, 4), streams = 1 + prng_below(&random, 3);
        uint16_t words[PACK_MOST] = {0}, crd[PACK_MOST + 1], val[PACK_MOST + 1];
        uint8_t *scratch = (uint8_t *)(d->sram + FW_SCRATCH_OFFSET / 4);
        for (uint32_t c = 0; c < count; c++)
            words[c] = prng_below(&random, 4) < zeros ? 0 : (uint16_t)(1 + prng_below(&random, 0xffff));
        memset(scratch, 0x77, 2 * PACK_MOST + 64);
        memcpy(scratch + 2 * first, words, 2 * count);
        put_pack_rows(d);
        const uint32_t items[][ITEM_WORDS] = {{FW_PACK | how, first << 16 | count, PACK_CRD, PACK_VAL,
                                               streams & 1 ? PACK_OWN : 0, streams & 2 ? PACK_OWN + 8 : 0,
                                               PACK_ROWS << 16 | PACK_ROW}};
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        const uint32_t n = packed_words(words, count, how, crd, val);
        expect_packed(d, streams, n, crd, val);
        device_free(d);
        quota_add(&q, true, n == 0);
    }
    assert_false(quota_failed(&q));
}

/* A run's stored entries of a piece are packed, too; the block has some coordinates of the piece. Entries
 * equal to the fill are dropped. More entries behind them are refused where the piece cannot have as many. */
static void a_list_packs_what_was_stored(void **state) {
    (void)state;
    static const uint32_t ways[] = {0,
                                    FW_PACK_PADDED,
                                    FW_PACK_ONES,
                                    FW_PACK_LACKED,
                                    FW_PACK_PADDED | FW_PACK_ONES,
                                    FW_PACK_PADDED | FW_PACK_LACKED,
                                    FW_PACK_ONES | FW_PACK_LACKED};
    prng random = prng_seed(37);
    quota q = {0};
    for (uint32_t i = 0; i < 600; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 29);
        const uint32_t how = ways[prng_below(&random, sizeof ways / sizeof *ways)],
                       count = prng_below(&random, PACK_MOST + 1), streams = 1 + prng_below(&random, 3),
                       zeros = prng_below(&random, 5),
                       fill = prng_below(&random, 3) ? 0 : prng_below(&random, 0x10000);
        const int32_t first = (int32_t)prng_below(&random, 13) - 6;
        uint16_t stored[4 * PACK_MOST + 8], words[PACK_MOST] = {0}, crd[PACK_MOST + 1], val[PACK_MOST + 1];
        uint32_t n = 0, c = 0, within = 0;
        for (; c < PACK_MOST; c++) { /* coordinates of the piece */
            if (prng_below(&random, 4) < zeros)
                continue;
            const uint16_t value =
                (uint16_t)(prng_below(&random, 3) ? 1 + prng_below(&random, 0xffff) : fill);
            crd[n] = (uint16_t)c;
            val[n++] = value;
            if ((int32_t)c >= first && (int32_t)c - first < (int32_t)count) {
                words[(int32_t)c - first] = value ^ (uint16_t)fill;
                within++;
            }
        }
        uint16_t *at = stored;
        *at++ = 2;
        *at++ = 0;
        *at++ = (uint16_t)n;
        *at++ = (uint16_t)n;
        memcpy(at, crd, 2 * n);
        at[n] = (uint16_t)n;
        memcpy(at + n + 1, val, 2 * n);
        memcpy(d->glb + 0x4000, stored, sizeof stored);
        const uint32_t cells[] = {[FW_WORD_cell_first] = 0x4000,
                                  [FW_WORD_cell_words] = n + 4,
                                  [2 + FW_WORD_cell_first] = 0x4000 + 2 * (n + 4),
                                  [2 + FW_WORD_cell_words] = n + 1};
        memcpy(d->sram + (PACK_TABLE - 0x20000000) / 4, cells, sizeof cells);
        put_pack_rows(d);
        for (uint32_t more = 0; more < 2; more++) {
            const uint32_t items[][ITEM_WORDS] = {
                {FW_PACK | FW_PACK_STORED | how | (more ? FW_PACK_MORE : 0) | fill << FW_PACK_FILL_SHIFT,
                 (uint32_t)first << 16 | count, PACK_TABLE, PACK_TABLE + 8, streams & 1 ? PACK_OWN : 0,
                 streams & 2 ? PACK_OWN + 8 : 0, PACK_ROWS << 16 | PACK_ROW}};
            assert_int_equal(serve_list(d, &t, items, 1, 0, 1), !more || n + within <= count);
            if (more)
                continue;
            n = packed_words(words, count, how, crd, val);
            expect_packed(d, streams, n, crd, val);
        }
        device_free(d);
        quota_add(&q, true, n == 0);
    }
    assert_false(quota_failed(&q));
}

TEST_PART(fw_vectors, TEST(a_list_makes_dense_vectors), TEST(a_list_puts_random_parts),
          TEST(a_list_copies_words), TEST(a_block_of_a_list_is_cleared), TEST(a_list_packs_vectors),
          TEST(a_list_packs_what_was_stored))
