#include "tests/firmware/fw_device_cases.h"
#include <math.h>

static uint16_t glb_word(const device *d, uint32_t at) {
    uint16_t word;
    memcpy(&word, d->glb + at, 2);
    return word;
}

/* Copies memory along two dimensions: matrices by rows, by columns, in parts; repeated vectors. */
static void a_list_copies_along_two_ways(void **state) {
    (void)state;
    enum { FROM = 0x100, TO = 0x8000, BYTES = 0x4000 };
    static uint8_t want[BYTES];
    prng p = prng_seed(29);
    quota q = {0};
    for (int i = 0; i < 100; i++) {
        const uint32_t words = 1 + prng_below(&p, 3) * prng_below(&p, 5), n = prng_below(&p, 9),
                       rows = prng_below(&p, 7), step = 2 * prng_below(&p, 20),
                       step_rows = 2 * prng_below(&p, 200), to = 2 * words * (1 + prng_below(&p, 2)),
                       to_rows = to * (n ? n : 1) + 2 * prng_below(&p, 5),
                       from = FROM + 2 * prng_below(&p, 3), put = TO + 2 * prng_below(&p, 3);
        test_kernel t;
        device *d = device_with_lists(&t, 1, 31);
        for (uint32_t w = 0; w < BYTES; w++)
            d->glb[FROM + w] = (uint8_t)prng_below(&p, 256);
        memcpy(want, d->glb + TO, BYTES);
        for (uint32_t row = 0; row < (rows ? rows : 1); row++) {
            for (uint32_t k = 0; k < (n ? n : 1); k++)
                memcpy(want + (put - TO) + row * to_rows + k * to, d->glb + from + row * step_rows + k * step,
                       2 * (size_t)words);
        }
        const uint32_t items[][ITEM_WORDS] = {
            {FW_COPY, from, 2 * words, put, rows << 16 | n, step_rows << 16 | step, to_rows << 16 | to}};
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        assert_memory_equal(d->glb + TO, want, BYTES);
        assert_true(!d->violation);
        device_free(d);
        quota_add(&q, true, n < 2 && rows < 2);
    }
    assert_false(quota_failed(&q));
}

/* The last word of the buffer is a place; two bytes behind it there is none. */
static void a_list_reaches_the_last_word(void **state) {
    (void)state;
    enum { FROM = 0x100, BYTES = 4, ROOM = ONYX_GLB_TILES * ONYX_GLB_BANKS * ONYX_GLB_BANK_BYTES };
    for (uint32_t past = 0; past < 2; past++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 31);
        memcpy(d->glb + FROM, "last", BYTES);
        const uint32_t items[][ITEM_WORDS] = {{FW_COPY, FROM, BYTES, ROOM - BYTES + 2 * past}};
        const bool good = serve_list(d, &t, items, 1, 0, 1);
        assert_int_equal(good, !past);
        if (good)
            assert_memory_equal(d->glb + ROOM - BYTES, "last", BYTES);
        else
            assert_int_equal(mailbox.error, FW_ERROR_BAD_BATCH);
        assert_true(!d->violation);
        device_free(d);
    }
}

/* Rows of values, of two operands or of an operand and a number; and reductions into a single place. */
static void a_list_computes_rows(void **state) {
    (void)state;
    enum { A = 0x100, B = 0x2000, TO = 0x8000, WORDS = 200 };
    prng p = prng_seed(30);
    quota q = {0};
    for (int i = 0; i < 200; i++) {
        const uint32_t n = 1 + prng_below(&p, 9), rows = 1 + prng_below(&p, 7),
                       how = prng_below(&p, FW_OPS - 1), step_a = 2 * prng_below(&p, 12),
                       step_b = 2 * prng_below(&p, 12);
        const bool number = prng_below(&p, 3) == 0, reduces = prng_below(&p, 2);
        const uint32_t step = reduces ? 0 : 2 * n, to = TO + 2 * prng_below(&p, 2);
        test_kernel t;
        device *d = device_with_lists(&t, 1, 32);
        uint16_t want[WORDS];
        for (uint32_t w = 0; w < 2 * WORDS; w++) {
            d->glb[A + w] = (uint8_t)prng_below(&p, 256);
            d->glb[B + w] = (uint8_t)(prng_below(&p, 3) ? prng_below(&p, 256) : 0);
        }
        for (uint32_t w = 0; w < WORDS; w++)
            want[w] = glb_word(d, to + 2 * w);
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t k = 0; k < n; k++) {
                const uint32_t at = r * step / 2 + k;
                const uint16_t a = reduces ? want[at] : glb_word(d, A + r * step_a + 2 * k),
                               b = number ? 77 : glb_word(d, B + r * step_b + 2 * k);
                want[at] = (uint16_t)lists_combine(how, a, b);
            }
        }
        const uint32_t items[][ITEM_WORDS] = {{FW_CALC | how | (number ? FW_CALC_NUMBER : 0), to,
                                               reduces ? to : A, number ? 77 : B, rows << 16 | n,
                                               (reduces ? 0 : step_a) << 16 | step, step_b}};
        const bool unchanged = memcmp(d->glb + to, want, 2 * WORDS) == 0;
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        assert_memory_equal(d->glb + to, want, 2 * WORDS);
        assert_true(!d->violation);
        device_free(d);
        quota_add(&q, true, unchanged);
    }
    assert_false(quota_failed(&q));
}

/* Words of bf16 where rounding, subnormal numbers, infinities and NaN meet, and random ones. */
static uint16_t some_bf16(prng *p) {
    static const uint16_t edges[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x81,   0x7f7f, 0x7f80,
                                     0xff80, 0x7fc0, 0xffff, 0x7f81, 0x3f80, 0xbf80, 0x3f81, 0x0100, 0x8080};
    const uint32_t kind = prng_below(p, 4);
    if (kind == 0)
        return edges[prng_below(p, sizeof edges / sizeof *edges)];
    if (kind == 1) /* of about the same size */
        return (uint16_t)(0x3f00 + prng_below(p, 0x100) + (prng_below(p, 2) << 15));
    return (uint16_t)prng_below(p, 1 << 16);
}

/* Values made of two bf16 or two int16 equal those of the SAM simulator, which computes in single
 * precision. */
static void values_of_lists_are_those_of_the_simulator(void **state) {
    (void)state;
    static const sam_operation by[] = {
        [FW_OP_ADD] = SAM_OPERATION_add,    [FW_OP_MIN] = SAM_OPERATION_min,
        [FW_OP_MAX] = SAM_OPERATION_max,    [FW_OP_OR] = SAM_OPERATION_or,
        [FW_OP_AND] = SAM_OPERATION_and,    [FW_OP_SUB] = SAM_OPERATION_sub,
        [FW_OP_MUL] = SAM_OPERATION_mul,    [FW_OP_DIV] = SAM_OPERATION_div,
        [FW_OP_LESS] = SAM_OPERATION_lt,    [FW_OP_EQUAL] = SAM_OPERATION_eq,
        [FW_OP_UNEQUAL] = SAM_OPERATION_ne, [FW_OP_LESS_EQUAL] = SAM_OPERATION_le};
    prng p = prng_seed(41);
    quota q = {0};
    for (uint32_t i = 0; i < 1000000; i++) {
        const uint32_t how = FW_OP_ADD + i % (FW_OP_ROOT - FW_OP_ADD);
        const uint16_t word = (uint16_t)prng_below(&p, 1 << 16),
                       with = i % 3 ? (uint16_t)prng_below(&p, 1 << 16) : (uint16_t)(word + i % 2);
        const uint32_t root = lists_combine(FW_OP_ROOT, word, with);
        assert_true((int16_t)word <= 0 ? !root : root * root <= word && (root + 1) * (root + 1) > word);
        if (how != FW_OP_DIV)
            assert_int_equal((uint16_t)lists_combine(how, word, with),
                             sam_operator_of(by[how], false)->apply(word, with));
        const uint16_t a = some_bf16(&p), b = some_bf16(&p), got = (uint16_t)bf16_combine(how, a, b),
                       want = sam_operator_of(by[how], true)->apply(a, b);
        if (got != want)
            fail_msg("%04x %s %04x: %04x for %04x", a, sam_operation_name(by[how]), b, got, want);
        assert_int_equal(bf16_combine(FW_OP_ROOT, a, b),
                         sam_literal_word(sqrt(sam_word_number(a, true)), true));
        const bool less = sam_operator_of(SAM_OPERATION_lt, true)->apply(a, b),
                   equal = sam_operator_of(SAM_OPERATION_eq, true)->apply(a, b),
                   greater = sam_operator_of(SAM_OPERATION_gt, true)->apply(a, b);
        assert_int_equal((int16_t)bf16_combine(FW_OP_COMPARE, a, b), less ? -1 : equal ? 0 : greater ? 1 : 2);
        assert_int_equal(bf16_combine(FW_OP_SET, a, b), b);
        quota_add(&q, true, want == 0);
    }
    assert_false(quota_failed(&q));
}

/* Quotients of all pairs of significands, at exponents where they are normal numbers, become subnormal or
 * overflow. */
static void quotients_of_lists_are_those_of_the_simulator(void **state) {
    (void)state;
    static const uint16_t exponents[][2] = {{127, 127}, {3, 128}, {2, 129}, {254, 1},
                                            {254, 127}, {1, 254}, {130, 4}};
    for (uint32_t n = 0; n < 128 * 128 * (sizeof exponents / sizeof *exponents); n++) {
        const uint16_t *e = exponents[n >> 14];
        const uint16_t a = (uint16_t)((uint32_t)e[0] << 7 | (n & 127)),
                       b = (uint16_t)((uint32_t)e[1] << 7 | (n >> 7 & 127) | (n & 1) << 15);
        assert_int_equal(bf16_combine(FW_OP_DIV, a, b),
                         sam_operator_of(SAM_OPERATION_div, true)->apply(a, b));
    }
}

/* Processor, array and simulator give equal products: the place of a product does not change its value. */
static void products_of_lists_are_those_of_the_array(void **state) {
    (void)state;
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        const bf16_case c = bf16_case_at(n);
        assert_int_equal(bf16_combine(FW_OP_MUL, c.a, c.b), c.chip);
        assert_int_equal(sam_operator_of(SAM_OPERATION_mul, true)->apply(c.a, c.b), c.chip);
    }
}

/* A bf16 program adds parts in bf16, for consecutive and for scattered coordinates, also by the table's last
 * cell. */
static void a_list_of_bf16_combines_parts(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = 0x20000000 + FW_TABLE_END - 8, TO = 0x1000 };
    static const uint16_t crd[] = {2, 0, 3, 3, 1, 3, 4}, val[] = {3, 0x3f80, 0xc000, 0x7f80};
    for (uint32_t dense = 0; dense < 2; dense++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 26);
        t.k.combine = bf16_combine;
        const uint16_t now[] = {0x3f80, 0x3f80, 0x3f80, 0x3f80, 0xff80};
        const uint16_t want[2][5] = {{0x3f80, 0x4000, 0x3f80, 0xbf80, 0x7fc0},
                                     {0x4000, 0xbf80, 0x7f80, 0x3f80, 0xff80}};
        const uint32_t row[] = {[FW_WORD_cell_first] = 0x100,
                                [FW_WORD_cell_words] = 7,
                                [2 + FW_WORD_cell_first] = 0x206,
                                [2 + FW_WORD_cell_words] = 4},
                       items[][ITEM_WORDS] = {{FW_SPREAD | FW_OP_ADD, dense ? 0 : CRD, VAL, TO, 0, 5, 0}};
        memcpy(d->glb + 0x100, crd, sizeof crd);
        memcpy(d->glb + 0x206, val, sizeof val);
        memcpy(d->glb + TO, now, sizeof now);
        memcpy(d->sram + FW_TABLE_OFFSET / 4, row, 8);
        memcpy(d->sram + (VAL - 0x20000000) / 4, row + 2, 8);
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        assert_memory_equal(d->glb + TO, want[dense], sizeof want[dense]);
        device_end(d);
    }
}

/* Stored words that form no vector, or a vector beyond the buffer, are refused. */
static void a_vector_that_is_none_is_refused(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = CRD + 8, ALL = DEVICE_TILES * 2 * DEVICE_BANK };
    enum {
        CRD_FIRST = FW_WORD_cell_first,
        CRD_WORDS = FW_WORD_cell_words,
        VAL_FIRST = 2 + FW_WORD_cell_first,
        VAL_WORDS = 2 + FW_WORD_cell_words
    };
    static const struct {
        uint32_t cell, value; /* a word of the row */
        uint32_t glb;         /* or of the buffer */
        uint32_t to, count;
    } cases[] = {{CRD_FIRST, ALL, 0, 0, 7},
                 {CRD_WORDS, 6, 0, 0, 7},
                 {CRD_WORDS, 2, 0, 0, 7},
                 {CRD_WORDS, 0, 0, 0, 7},
                 {VAL_FIRST, ALL - 2, 0, 0, 7},
                 {VAL_WORDS, 4, 0, 0, 7},
                 {VAL_WORDS, DEVICE_BANK, 0, 0, 7},
                 {VAL_FIRST, 0x207, 0, 0, 7},
                 {4, 60, 0x100, 0, 7},
                 {4, 5, 0x106, 0, 7},
                 {4, 2, 0x206, 0, 7},
                 {CRD_FIRST, 0x100, 0, ALL, 7},
                 {CRD_FIRST, 0x100, 0, 1, 7},
                 {CRD_FIRST, 0x100, 0, 0, DEVICE_BANK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 28);
        const uint32_t items[][ITEM_WORDS] = {{FW_SPREAD, CRD, VAL, cases[i].to, 0, cases[i].count, 0}};
        put_vector(d);
        if (cases[i].cell < 4)
            d->sram[FW_TABLE_OFFSET / 4 + cases[i].cell] = cases[i].value;
        else
            memcpy(d->glb + cases[i].glb, &(uint16_t){(uint16_t)cases[i].value}, 2);
        if (serve_list(d, &t, items, 1, 0, 1) || mailbox.error != FW_ERROR_BAD_BATCH)
            fail_msg("case %zu: error %u", i, mailbox.error);
        device_free(d);
    }
}

TEST_PART(fw_values, TEST(a_list_copies_along_two_ways), TEST(a_list_reaches_the_last_word),
          TEST(a_list_computes_rows), TEST(values_of_lists_are_those_of_the_simulator),
          TEST(products_of_lists_are_those_of_the_array), TEST(a_list_of_bf16_combines_parts),
          TEST(quotients_of_lists_are_those_of_the_simulator), TEST(a_vector_that_is_none_is_refused))
