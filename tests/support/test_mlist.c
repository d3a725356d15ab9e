/* support/mlist.h: random lists against sums and orders found by looking at all pairs. */
#include "support/mlist.h"
#include "tests/quota.h"
#include "tests/test.h"

enum { MOST = 60, CASES = 3000 };

static quota shown; /* of both tests; trivial: no two entries, or one place for all */

static uint32_t in_turn(uint32_t how, uint32_t earlier, uint32_t later) {
    return how * earlier + later;
}

/* Returns the number of entries before entry i: of smaller keys, or earlier entries of the same key. */
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
        quota_add(&shown, true, n < 2);
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

/* Ordered entries need no memory for sorting; other entries cannot be sorted without memory. */
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

static uint32_t added(uint32_t how, uint32_t earlier, uint32_t later) {
    (void)how;
    return earlier + later;
}

/* Puts entries into their places, some repeatedly; and exchanges their coordinates. */
static void a_dense_workspace_has_what_a_list_has(void **state) {
    (void)state;
    prng p = prng_seed(12);
    for (uint32_t c = 0; c < CASES; c++) {
        const uint32_t rows = 1 + prng_below(&p, 40), columns = 1 + prng_below(&p, 40),
                       ordering = rows << 16 | columns, n = prng_below(&p, MOST), fill = prng_below(&p, 4),
                       how = prng_below(&p, 2);
        uint32_t *const memory = test_malloc(mlist_bytes(n, ordering) + 4), *const other = test_malloc(
                                                                                mlist_bytes(n, MLIST_SORTS) +
                                                                                4);
        mlist dense, list;
        quota_add(&shown, true, n < 2 || rows * columns == 1);
        assert_true(mlist_is_ordering(ordering, rows * columns) &&
                    !mlist_is_ordering(ordering, rows * columns - 1));
        mlist_begin(&dense, memory, n, ordering);
        mlist_begin(&list, other, n, MLIST_SORTS);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t row = prng_below(&p, rows), column = prng_below(&p, columns),
                           value = prng_below(&p, 5);
            mlist_put(&dense, row * columns + column, value, 3, how ? in_turn : NULL);
            assert_true(mlist_insert(&list, row << 16 | column, value));
        }
        for (uint32_t turn = 0; turn < 3; turn++) {
            assert_true(mlist_sort(&list) >= 0);
            mlist_merge(&list, 3, how ? in_turn : added, 0x7fff, fill);
            assert_true(mlist_walk(&dense, 0x7fff, fill));
            assert_int_equal(dense.n, list.n);
            assert_memory_equal(dense.key, list.key, sizeof *list.key * list.n);
            assert_memory_equal(dense.val, list.val, sizeof *list.val * list.n);
            mlist_turn(&list);
            mlist_turn(&dense);
        }
        test_free(memory);
        test_free(other);
    }
    assert_false(quota_failed(&shown));
}

/* More entries than the list has room for are refused; places without extents are no dense workspace. */
static void a_dense_workspace_keeps_to_its_room(void **state) {
    (void)state;
    uint32_t memory[8];
    mlist l;
    assert_in_range(mlist_bytes(1, 2 << 16 | 3), 8 + 4 + 12, sizeof memory);
    mlist_begin(&l, memory, 1, 2 << 16 | 3);
    mlist_put(&l, 5, 7, 0, NULL);
    mlist_put(&l, 0, 0, 0, NULL);
    assert_true(mlist_walk(&l, 0xffff, 0)); /* one of the two is a fill */
    assert_int_equal(l.n, 1);
    assert_int_equal(l.key[0], 1 << 16 | 2);
    assert_int_equal(l.val[0], 7);
    mlist_begin(&l, memory, 1, 2 << 16 | 3);
    mlist_put(&l, 5, 7, 0, NULL);
    mlist_put(&l, 0, 1, 0, NULL);
    assert_false(mlist_walk(&l, 0xffff, 0));
    assert_false(mlist_is_ordering(5, 100));
    assert_false(mlist_is_ordering(5 << 16, 100));
    assert_true(mlist_is_ordering(MLIST_SORTS, 0));
}

RUN_TESTS(TEST(entries_are_sorted_and_merged), TEST(a_dense_workspace_has_what_a_list_has),
          TEST(a_dense_workspace_keeps_to_its_room), TEST(lists_in_order_are_not_sorted))
