/* support/clist.h: products of sparse matrices through lists of one to nine entries, also by other policies,
 * and the edges of lists. */
#include "tests/support/clist_cases.h"
#include "tests/test.h"

static void products_are_those_of_dense_arrays(void **state) {
    fixture *f = *state;
    clist_case *c = arena_new(&f->mem, clist_case);
    for (uint32_t p = 0; p < POLICIES; p++) {
        c->how = &policies[p];
        const uint32_t wrong = clist_wrong_case(c, 3000, CLIST_EXTENT);
        if (wrong)
            fail_msg("%s: case %u", c->how->name, wrong);
    }
}

/* Returns the steps of a product of matrices of 7 x 7 by a policy, `share` of 100 full; by rows for policies
 * of a row at a time. */
static uint32_t steps_of(clist_case *c, uint32_t p, uint32_t share) {
    c->random = 7;
    clist_draw(c, CLIST_EXTENT);
    c->how = &policies[p];
    c->by_rows = c->how->row;
    c->key[0] = 0;
    c->key[1] = 1;
    for (uint32_t v = 0; v < 3; v++)
        c->extent[v] = CLIST_EXTENT;
    for (uint32_t at = 0; at < CLIST_PLACES; at++) {
        c->in_b[at] = clist_random(c, 100) < share;
        c->in_c[at] = clist_random(c, 100) < share;
    }
    c->some.room = CLIST_PLACES;
    clist_begin(c);
    clist_multiply(c);
    assert_true(clist_is_right(c));
    return c->work.steps;
}

/* With many equal coordinates, an entry at a time takes more steps than buckets, and so does a whole list. */
static void steps_of_policies(void **state) {
    fixture *f = *state;
    clist_case *c = arena_new(&f->mem, clist_case);
    for (uint32_t p = 0; p < POLICIES; p++)
        print_message("%s: %u steps at 20 %%, %u at 50 %%, %u at 100 %%\n", policies[p].name,
                      steps_of(c, p, 20), steps_of(c, p, 50), steps_of(c, p, 100));
    for (uint32_t share = 50; share <= 100; share += 10) {
        const uint32_t bucket = steps_of(c, POLICY_BUCKET, share);
        assert_true(steps_of(c, POLICY_MAP, share) >= bucket && steps_of(c, POLICY_VECTOR, share) >= bucket);
    }
}

static void a_full_list_takes_nothing(void **state) {
    uint32_t crd[4] = {0}, at[2] = {3, 4};
    uint16_t val[2] = {0};
    clist l = {2, 1, 0, crd, val};
    (void)state;
    assert_true(clist_insert(&l, at, 7));
    at[0] = 5;
    assert_false(clist_insert(&l, at, 8));
    assert_int_equal(l.n, 1);
    assert_int_equal(crd[0], 3);
    assert_int_equal(crd[1], 4);
    assert_int_equal(crd[2], 0);
    assert_int_equal(val[0], 7);
    assert_int_equal(val[1], 0);
    l.room = 0;
    l.n = 0;
    assert_false(clist_insert(&l, at, 8));
}

/* Scalars: no columns, one place. */
static void entries_without_coordinates_are_one(void **state) {
    uint16_t some[3] = {5, 6, 7}, all[1] = {4}, out[1] = {0};
    const clist more = {0, 3, 3, NULL, some}, so_far = {0, 1, 1, NULL, all};
    clist merged = {0, 1, 0, NULL, out};
    uint32_t order[3], other[3], start[CLIST_DIGITS + 1];
    (void)state;
    clist_sort(&more, (clist_by){NULL, 0}, order, other, start);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(order[i], i);
    clist_merge(&so_far, &more, (clist_by){NULL, 0}, order, clist_in_turn, &merged);
    assert_int_equal(merged.n, 1);
    assert_int_equal(out[0], ((4 * 3 + 5) * 3 + 6) * 3 + 7);
}

/* Every byte of a coordinate counts. */
static void coordinates_of_32_bits_are_sorted(void **state) {
    uint32_t crd[] = {UINT32_MAX, 0x01000000, 0x00ffffff, 0, 0x80000000, 0x00010000, 0x0000ffff, 256, 255, 0};
    enum { N = sizeof crd / sizeof *crd };
    const uint32_t want[N] = {3, 9, 8, 7, 6, 5, 2, 1, 4, 0};
    static const uint8_t key[] = {0};
    const clist l = {1, N, N, crd, NULL};
    uint32_t order[N], other[N], start[CLIST_DIGITS + 1];
    (void)state;
    clist_sort(&l, (clist_by){key, 1}, order, other, start);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(order[i], want[i]);
}

RUN_TESTS(TEST(products_are_those_of_dense_arrays), TEST(steps_of_policies), TEST(a_full_list_takes_nothing),
          TEST(entries_without_coordinates_are_one), TEST(coordinates_of_32_bits_are_sorted))
