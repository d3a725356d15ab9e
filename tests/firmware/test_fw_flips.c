/* Damaged images are refused before any configuration: all images with a single flipped bit, all with two
 * exchanged words, and a million with two flipped bits anywhere. The images are a small one, and one of a
 * kernel's size. */
#include "firmware/target/mailbox.h"
#include "tests/firmware/test_kernel.h"
#include "tests/quota.h"
#include "tests/test.h"

static void flip(device *d, uint32_t bit) {
    d->glb[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* Boots a damaged image, and returns the error code of the refusal. */
static uint32_t refusal(device *d, const test_kernel *t, const char *how, uint32_t first, uint32_t second) {
    if (boot(d, t))
        fail_msg("%s %u, %u: loaded", how, first, second);
    assert_int_equal(mailbox.state, FW_STATE_FAILED);
    assert_in_range(mailbox.error, 1, FW_ERROR_IMAGE_ORDER);
    return mailbox.error;
}

/* Nothing is configured yet, and the undamaged image loads. */
static void expect_good(device *d, const test_kernel *t, uint32_t words) {
    assert_int_equal(d->config_writes, 0);
    assert_null(d->violation);
    assert_true(boot(d, t));
    assert_int_equal(d->config_writes, words + 1); /* one to see the reset */
    device_free(d);
}

/* How many flips were refused with each code. */
static void flip_every_bit(uint32_t words, uint32_t refused[FW_ERROR_IMAGE_ORDER + 1]) {
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_new(&t.k, words);
    load_bitstream(d, &t, words);
    for (uint32_t bit = 0; bit < 8 * (WORDS_FROM + 8 * words); bit++) {
        flip(d, bit);
        refused[refusal(d, &t, "bit", bit, bit)]++;
        flip(d, bit);
    }
    expect_good(d, &t, words);
}

static void check(uint32_t words) {
    uint32_t refused[FW_ERROR_IMAGE_ORDER + 1] = {0};
    flip_every_bit(words, refused);
    print_message("%u words: magic %u, version %u, board %u, program %u, words %u: all %u refused\n", words,
                  refused[FW_ERROR_IMAGE_MAGIC], refused[FW_ERROR_IMAGE_VERSION],
                  refused[FW_ERROR_IMAGE_BOARD], refused[FW_ERROR_IMAGE_PROGRAM],
                  refused[FW_ERROR_IMAGE_SUMS], 8 * (WORDS_FROM + 8 * words));
    assert_int_equal(refused[FW_ERROR_IMAGE_MAGIC], 32);
    assert_int_equal(refused[FW_ERROR_IMAGE_VERSION], 32);
    assert_int_equal(refused[FW_ERROR_IMAGE_BOARD], 32);
    assert_int_equal(refused[FW_ERROR_IMAGE_PROGRAM], 8 * WORDS_FROM - 96);
    assert_int_equal(refused[FW_ERROR_IMAGE_SUMS], 64 * words);
}

static void every_bit_of_a_small_image_counts(void **state) {
    (void)state;
    check(16);
}

static void every_bit_of_a_large_image_counts(void **state) {
    (void)state;
    check(250); /* every address once */
}

static void swap(device *d, uint32_t a, uint32_t b) {
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint8_t *one = &d->glb[WORDS_FROM + 8 * a + byte], *other = &d->glb[WORDS_FROM + 8 * b + byte],
                was = *one;
        *one = *other;
        *other = was;
    }
}

/* Data words repeat, as in a bitstream; addresses are distinct. */
static void every_swap_of_two_words_counts(void **state) {
    (void)state;
    const uint32_t words = 128;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_new(&t.k, words);
    load_bitstream(d, &t, words);
    for (uint32_t i = 0; i < words; i++)
        put_word(d, WORDS_FROM + 8 * i, 1u << i % 7 * 4);
    sign(d, &t);
    for (uint32_t a = 0; a < words; a++) {
        for (uint32_t b = a + 1; b < words; b++) {
            swap(d, a, b);
            assert_int_equal(refusal(d, &t, "words", a, b), FW_ERROR_IMAGE_SUMS);
            swap(d, a, b);
        }
    }
    expect_good(d, &t, words);
}

/* Checks the sums alone, to allow many tries: the tests above show that the program computes them as sum_of
 * does. */
static void two_flips_count(void **state) {
    (void)state;
    enum { WORDS = 232, TRIES = 1000000, BOOTED = 2000 };
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_new(&t.k, WORDS);
    load_bitstream(d, &t, WORDS);
    prng p = prng_seed(18);
    quota shown = {0}; /* trivial: the same bit twice */
    for (uint32_t i = 0; i < TRIES; i++) {
        uint64_t changed[2] = {0};
        uint32_t bit[2] = {prng_below(&p, 64 * WORDS), prng_below(&p, 64 * WORDS)};
        quota_add(&shown, true, bit[0] == bit[1]);
        for (uint32_t k = 0; k < 2 && bit[0] != bit[1]; k++) {
            uint32_t at = WORDS_FROM + bit[k] / 32 * 4, before = word_at(d, at);
            flip(d, 8 * WORDS_FROM + bit[k]);
            changed[bit[k] / 32 % 2] += weight_of(0, bit[k] / 64) * ((uint64_t)word_at(d, at) - before);
        }
        if (bit[0] != bit[1] && !changed[0] && !changed[1])
            fail_msg("bits %u and %u: the sums stay", bit[0], bit[1]);
        if (i < BOOTED && bit[0] != bit[1])
            refusal(d, &t, "bits", bit[0], bit[1]);
        for (uint32_t k = 0; k < 2 && bit[0] != bit[1]; k++)
            flip(d, 8 * WORDS_FROM + bit[k]);
    }
    assert_false(quota_failed(&shown));
    expect_good(d, &t, WORDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_bit_of_a_small_image_counts),
                                       TEST(every_bit_of_a_large_image_counts),
                                       TEST(every_swap_of_two_words_counts), TEST(two_flips_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
