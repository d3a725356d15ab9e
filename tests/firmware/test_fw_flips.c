/* Every image with a single bit flipped is refused before anything is configured: all bits of a small one,
 * and of one as large as a kernel's. */
#include "tests/firmware/test_kernel.h"
#include "tests/test.h"

/* How many flips were refused with each code. */
static void flip_every_bit(uint32_t words, uint32_t refused[FW_ERROR_IMAGE_ORDER + 1]) {
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_new(&t.k, words);
    load_bitstream(d, &t, words);
    for (uint32_t bit = 0; bit < 8 * (WORDS_FROM + 8 * words); bit++) {
        d->glb[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (boot(d, &t))
            fail_msg("bit %u of byte %u: loaded", bit % 8, bit / 8);
        assert_int_equal(mailbox.state, FW_STATE_FAILED);
        assert_in_range(mailbox.error, 1, FW_ERROR_IMAGE_ORDER);
        refused[mailbox.error]++;
        d->glb[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(d->config_writes, 0);
    assert_null(d->violation);
    assert_true(boot(d, &t));                      /* and the image as it was is loaded */
    assert_int_equal(d->config_writes, words + 1); /* one to see the reset */
    device_free(d);
}

static void check(uint32_t words) {
    uint32_t refused[FW_ERROR_IMAGE_ORDER + 1] = {0};
    flip_every_bit(words, refused);
    print_message("%u words: magic %u, version %u, header %u, words %u: all %u refused\n", words,
                  refused[FW_ERROR_IMAGE_MAGIC], refused[FW_ERROR_IMAGE_VERSION],
                  refused[FW_ERROR_IMAGE_HEADER], refused[FW_ERROR_IMAGE_CRC], 8 * (WORDS_FROM + 8 * words));
    assert_int_equal(refused[FW_ERROR_IMAGE_MAGIC], 32);
    assert_int_equal(refused[FW_ERROR_IMAGE_VERSION], 32);
    assert_int_equal(refused[FW_ERROR_IMAGE_HEADER], 8 * WORDS_FROM - 64);
    assert_int_equal(refused[FW_ERROR_IMAGE_CRC], 64 * words);
}

static void every_bit_of_a_small_image_counts(void **state) {
    (void)state;
    check(16);
}

static void every_bit_of_a_large_image_counts(void **state) {
    (void)state;
    check(250); /* every address once */
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_bit_of_a_small_image_counts),
                                       TEST(every_bit_of_a_large_image_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
