/* support/mlist.h: random lists against sums and orders found by looking at all pairs. */
#include "support/mlist.h"
#include "tests/test.h"

enum { MOST = 60, CASES = 3000 };

static uint32_t in_turn(uint32_t how, uint32_t earlier, uint32_t later) {
    return how * earlier + later;
}

/* Returns how many entries come before entry i: of smaller keys, or of the same that were there before. */
static uint32_t place_of(const uint32_t *key, uint32_t n, uint32_t i) {
    uint32_t before = 0;
    for (uint32_t k = 0; k < n; k++)
        before += key[k] < key[i] || (key[k] == key[i] && k < i);
    return before;
}

static uint32_t draw_key(prng *p, uint32_t kind) {
    static const uint32_t range[] = {3, 200, 300, 0xffff};
    return prng_below(p, range[kind & 3]) << 16 | prng_below(p, range[kind >> 2 & 3]);
}

static void entries_are_sorted_and_merged(void **state) {
    (void)state;
    prng p = prng_seed(11);
    for (uint32_t c = 0; c < CASES; c++) {
        uint32_t memory[6 * MOST], key[MOST], want[MOST], merged[MOST], n_merged = 0;
        uint16_t val[MOST], moved[MOST], value[MOST];
        const uint32_t n = prng_below(&p, MOST), kind = prng_below(&p, 16), fill = prng_below(&p, 4);
        mlist l;
        assert_in_range(mlist_bytes(MOST, true), 0, sizeof memory + 2 * MLIST_DIGITS);
        uint32_t *const room = test_malloc(mlist_bytes(n, true) + 4);
        mlist_begin(&l, room, n, true);
        for (uint32_t i = 0; i < n; i++) {
            key[i] = draw_key(&p, kind);
            val[i] = (uint16_t)prng_below(&p, 4);
            assert_true(mlist_insert(&l, key[i], val[i]));
        }
        assert_false(mlist_insert(&l, 0, 0));
        if (c % 3 == 0) {
            mlist_turn(&l);
            for (uint32_t i = 0; i < n; i++)
                key[i] = key[i] << 16 | key[i] >> 16;
        }
        assert_in_range(mlist_sort(&l), 0, 4);
        for (uint32_t i = 0; i < n; i++) {
            want[place_of(key, n, i)] = key[i];
            moved[place_of(key, n, i)] = val[i];
        }
        assert_memory_equal(l.key, want, sizeof *want * n);
        assert_memory_equal(l.val, moved, sizeof *moved * n);
        assert_int_equal(mlist_sort(&l), 0);
        for (uint32_t i = 0, k; i < n; i = k) {
            uint32_t sum = moved[i];
            for (k = i + 1; k < n && want[k] == want[i]; k++)
                sum = (3 * sum + moved[k]) & 0xffff;
            merged[n_merged] = want[i];
            value[n_merged] = (uint16_t)sum;
            n_merged += (sum & 0x7fff) != fill;
        }
        mlist_merge(&l, 3, in_turn, 0x7fff, fill);
        assert_int_equal(l.n, n_merged);
        assert_memory_equal(l.key, merged, sizeof *merged * n_merged);
        assert_memory_equal(l.val, value, sizeof *value * n_merged);
        for (uint32_t i = 0; i < n_merged; i++) {
            const uint32_t at = mlist_find(&l, merged[i] >> 16);
            assert_in_range(at, 0, i);
            assert_true((merged[at] >> 16) == merged[i] >> 16 &&
                        (!at || merged[at - 1] >> 16 < merged[i] >> 16));
        }
        test_free(room);
    }
}

/* What comes in order needs no memory to be sorted in; other entries cannot be sorted without. */
static void lists_in_order_are_not_sorted(void **state) {
    (void)state;
    uint32_t memory[8];
    mlist l;
    mlist_begin(&l, memory, 4, false);
    assert_in_range(mlist_bytes(4, false), 24, sizeof memory);
    assert_true(mlist_insert(&l, 5, 1) && mlist_insert(&l, 5, 2) && mlist_insert(&l, 0x10000, 3));
    assert_int_equal(mlist_sort(&l), 0);
    assert_true(mlist_insert(&l, 4, 4));
    assert_int_equal(mlist_sort(&l), -1);
    assert_int_equal(mlist_find(&l, 9), 4);
}

RUN_TESTS(TEST(entries_are_sorted_and_merged), TEST(lists_in_order_are_not_sorted))
