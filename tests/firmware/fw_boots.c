#include "tests/firmware/fw_device_cases.h"

/* A chip for a kernel of `loads` and `stores` streams. */
static device *device_for(test_kernel *t, uint32_t loads, uint32_t stores, uint64_t seed) {
    make_kernel(t, 0, loads, stores);
    return device_new(&t->k, seed);
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool check_segment(device *d, const test_kernel *t, uint32_t address, uint32_t bytes, uint64_t sum) {
    mailbox.table = address;
    mailbox.runs = bytes;
    mailbox.sum[0] = (uint32_t)sum;
    mailbox.sum[1] = (uint32_t)(sum >> 32);
    mailbox.callee = FW_CHECK;
    mailbox.command = FW_CHECK_NUMBER | (mailbox.done + 1);
    return serve(d, t);
}

/* The program computes the host's sums, of any length, in the buffer and in SRAM; one flipped bit is noticed,
 * and checking has a cycle count of its own. */
static void segments_are_checked(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 1, 1, 5);
    load_bitstream(d, &t, 20);
    assert_true(boot(d, &t));
    for (uint32_t i = 0; i < 64; i++)
        d->glb[DEVICE_BANK * 2 + i] = (uint8_t)(37 * i + 5);
    for (uint32_t i = 0; i < 16; i++)
        d->sram[0x4000 / 4 + i] = 0x9e3779b1u * i;
    const uint64_t total = mailbox.total_cycles[0];
    for (uint32_t bytes = 0; bytes <= 64; bytes += 2) {
        const uint32_t place = 4 * (bytes % 3), address = 0x20400000 + 2 * DEVICE_BANK + place;
        const uint32_t length = bytes > place ? bytes - place : 0;
        assert_true(
            check_segment(d, &t, address, length, fw_sum(address, &d->glb[2 * DEVICE_BANK + place], length)));
        assert_true(check_segment(d, &t, 0x20004000, bytes,
                                  fw_sum(0x20004000, (uint8_t *)&d->sram[0x4000 / 4], bytes)));
    }
    assert_int_equal(mailbox.total_cycles[0], total);
    assert_true(mailbox.checked[0] > 64);
    const uint64_t sum = fw_sum(0x20400000 + 2 * DEVICE_BANK, &d->glb[2 * DEVICE_BANK], 62);
    d->glb[2 * DEVICE_BANK + 61] ^= 0x80;
    assert_false(check_segment(d, &t, 0x20400000 + 2 * DEVICE_BANK, 62, sum));
    expect_failure(FW_ERROR_SEGMENT_SUMS, 0x20400000 + 2 * DEVICE_BANK, 62);
    device_end(d);
}

/* Both words of a sum count. */
static void each_word_of_a_sum_is_compared(void **state) {
    (void)state;
    for (uint32_t bit = 5; bit < 64; bit += 32) {
        test_kernel t;
        device *d = device_for(&t, 1, 1, 5);
        load_bitstream(d, &t, 20);
        assert_true(boot(d, &t));
        const uint64_t sum = fw_sum(0x20400000, d->glb, 62);
        assert_true(check_segment(d, &t, 0x20400000, 62, sum));
        assert_false(check_segment(d, &t, 0x20400000, 62, sum ^ UINT64_C(1) << bit));
        expect_failure(FW_ERROR_SEGMENT_SUMS, 0x20400000, 62);
        device_end(d);
    }
}

/* ---- boot ------------------------------------------------------------------------------------ */

static void boots_and_configures(bool register_path, bool poll) {
    test_kernel t;
    make_kernel(&t, 0, 2, 2);
    t.k.register_path = register_path;
    t.k.poll = poll;
    t.k.verify = register_path == poll;
    device *d = device_new(&t.k, 1);
    load_bitstream(d, &t, 200);
    assert_true(boot(d, &t));
    assert_null(d->violation);
    assert_int_equal(mailbox.state, FW_STATE_READY);
    assert_int_equal(mailbox.magic, FW_MAILBOX_MAGIC);
    assert_int_equal(mailbox.version, FW_PROTOCOL_VERSION);
    assert_int_equal(d->config_writes, 201); /* one to see the reset */
    assert_int_equal(mailbox.rewritten, 0);
    assert_int_equal(d->n_config, 200);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(d->config[i].data, 0x9e3779b9u * (i + 1));
    assert_int_equal(d->stalled_columns, 0);
    assert_in_range(mailbox.config_cycles[0], 201, 100000);
    assert_int_equal(mailbox.config_cycles[0], mailbox.total_cycles[0]);
    device_free(d);
}

static void both_paths_configure_the_array(void **state) {
    (void)state;
    boots_and_configures(false, false);
    boots_and_configures(false, true);
    boots_and_configures(true, false);
    boots_and_configures(true, true);
}

/* The model accepts whole words, like the chip's bus: an unaligned access is an error of the program. */
static void an_access_that_is_not_aligned_is_noticed(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    for (uint32_t access = 0; access < 4; access++) {
        device *d = device_new(&t.k, 1);
        if (access == 0)
            bus_read32(0x20000004);
        else if (access == 1)
            bus_read32(0x20000006);
        else if (access == 2)
            bus_write32(0x20000005, 1);
        else
            bus_read16(ONYX_CGRA_DATA + 1);
        assert_int_equal(d->violation != NULL, access != 0);
        device_free(d);
    }
}

static void a_damaged_image_is_not_configured(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 1, 1, 2);
    load_bitstream(d, &t, 50);
    d->glb[123] ^= 4;
    assert_false(boot(d, &t));
    uint32_t half = 0; /* the first that differs */
    while (sum_of(d, 0, 50, half) == t.image.config_sums[half])
        half++;
    expect_failure(FW_ERROR_IMAGE_SUMS, sum_of(d, 0, 50, half), t.image.config_sums[half]);
    assert_int_equal(d->config_writes, 0);
    device_free(d);
}

static void refuse(void (*damage)(device *d, test_kernel *t), uint32_t error, uint32_t detail0,
                   uint32_t detail1) {
    test_kernel t;
    device *d = device_for(&t, 1, 1, 2);
    t.k.verify =
        error == FW_ERROR_IMAGE_ADDRESS || error == FW_ERROR_IMAGE_ORDER; /* else the builder's to prove */
    load_bitstream(d, &t, 50);
    damage(d, &t);
    assert_false(boot(d, &t));
    expect_failure(error, detail0, detail1);
    assert_int_equal(d->config_writes, 0);
    assert_int_equal(d->stalled_columns, 0);
    device_end(d);
}

static void no_image(device *d, test_kernel *t) {
    (void)t;
    put_word(d, MAGIC_AT, 0);
}

static void other_version(device *d, test_kernel *t) {
    (void)t;
    put_word(d, VERSION_AT, 1);
}

static void damaged_header(device *d, test_kernel *t) {
    (void)t;
    put_word(d, SUMS_AT + 8, word_at(d, SUMS_AT + 8) ^ 0x10);
}

static void other_board(device *d, test_kernel *t) {
    (void)t;
    put_word(d, BOARD_AT, 0x12345678);
}

static void other_length(device *d, test_kernel *t) {
    (void)t;
    put_word(d, WORDS_AT, 49);
}

static void other_program(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM, 5);
    sign(d, t);
    t->image.config_sums[3] ^= 1;
}

static void cut_off(device *d, test_kernel *t) {
    (void)t;
    memset(d->glb + WORDS_FROM + 8 * 49, 0, 8);
}

static void no_such_column(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM + 8 * 7 + 4, 0x00012005);
    sign(d, t);
}

static void no_such_row(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM + 8 * 9 + 4, 0x00010511);
    sign(d, t);
}

static void two_words_changed_places(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM + 8 * 7 + 4, word_address(8, 50));
    put_word(d, WORDS_FROM + 8 * 8 + 4, word_address(7, 50));
    sign(d, t);
}

static void a_word_twice(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM + 8 * 49 + 4, word_address(48, 50));
    sign(d, t);
}

static void a_word_that_sets_nothing(device *d, test_kernel *t) {
    put_word(d, WORDS_FROM, 0);
    sign(d, t);
}

static void what_is_no_image_for_this_program_is_refused(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 1, 1, 2);
    load_bitstream(d, &t, 50);
    uint32_t right = t.image.config_sums[0];
    cut_off(d, &t);
    uint32_t without_end = sum_of(d, 0, 50, 0);
    device_free(d);
    refuse(no_image, FW_ERROR_IMAGE_MAGIC, 0, 0x49584e4f);
    refuse(other_version, FW_ERROR_IMAGE_VERSION, 1, 2);
    refuse(damaged_header, FW_ERROR_IMAGE_PROGRAM, 50, 50);
    refuse(other_board, FW_ERROR_IMAGE_BOARD, 0x12345678, 0xb0a2d001);
    refuse(other_length, FW_ERROR_IMAGE_PROGRAM, 49, 50);
    refuse(other_program, FW_ERROR_IMAGE_PROGRAM, 50, 50);
    refuse(cut_off, FW_ERROR_IMAGE_SUMS, without_end, right);
    refuse(no_such_column, FW_ERROR_IMAGE_ADDRESS, 0x00012005, 7);
    refuse(no_such_row, FW_ERROR_IMAGE_ADDRESS, 0x00010511, 9);
    refuse(two_words_changed_places, FW_ERROR_IMAGE_ORDER, word_address(7, 50), 8);
    refuse(a_word_twice, FW_ERROR_IMAGE_ORDER, word_address(48, 50), 49);
    refuse(a_word_that_sets_nothing, FW_ERROR_IMAGE_ORDER, word_address(0, 50), 0);
}

/* An image of 50 words does not get the program to run; the device is freed. */
static void expect_no_boot(device *d, test_kernel *t, uint32_t error, uint32_t detail0, uint32_t detail1) {
    load_bitstream(d, t, 50);
    assert_false(boot(d, t));
    expect_failure(error, detail0, detail1);
    device_end(d);
}

static void a_word_that_reads_back_differently_is_named(void **state) {
    (void)state;
    for (uint32_t path = 0; path < 2; path++) {
        test_kernel t;
        make_kernel(&t, 0, 1, 1);
        t.k.register_path = path == 1;
        t.k.verify = true;
        device *d = device_new(&t.k, 3);
        d->flip_address = word_address(41, 50);
        d->flips = UINT32_MAX;
        expect_no_boot(d, &t, FW_ERROR_CONFIG_MISMATCH, d->flip_address, (0x9e3779b9u * 42) ^ 0x100);
    }
}

/* Kernels of two loads that boot on a faulty chip. */
static void expect_boot(device *d, test_kernel *t, uint32_t rewritten) {
    load_bitstream(d, t, 50);
    assert_true(boot(d, t));
    assert_null(d->violation);
    assert_int_equal(mailbox.rewritten, rewritten);
    assert_int_equal(d->n_config, 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(d->config[i].data, 0x9e3779b9u * (i + 1));
    device_free(d);
}

static void a_word_that_reads_back_differently_is_written_again(void **state) {
    (void)state;
    for (uint32_t flips = 0; flips <= 18; flips += 3) {
        test_kernel t;
        device *d = device_for(&t, 2, 1, 3);
        t.k.verify = true;
        d->flip_address = word_address(41, 50);
        d->flips = flips;
        if (flips <= 16)
            expect_boot(d, &t, flips);
        else
            expect_no_boot(d, &t, FW_ERROR_CONFIG_MISMATCH, d->flip_address, (0x9e3779b9u * 42) ^ 0x100);
    }
}

/* The controller's reset replaces a platform reset without effect; if both have none, the program reports an
 * error. */
static void a_reset_that_does_nothing_is_noticed(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 2, 1, 3);
    d->dead_reset = true;
    expect_boot(d, &t, 0);
    d = device_for(&t, 2, 1, 3);
    d->stuck_configuration = true;
    expect_no_boot(d, &t, FW_ERROR_ARRAY_RESET, 0x7cd8, 0x9e3779b9u);
}

static void a_configuration_that_hangs_is_reported(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 1, 1, 4);
    d->hang_config = true;
    expect_no_boot(d, &t, FW_ERROR_CONFIG_TIMEOUT, 0, 50);
}

static void a_chip_that_does_not_answer_is_reported(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 1, 1, 5);
    d->platform_id = 7;
    assert_false(boot(d, &t));
    expect_failure(FW_ERROR_PLATFORM_ID, 7, 0x5a5a5a5a);
    device_free(d);
    d = device_new(&t.k, 5);
    d->stuck_reset = true;
    assert_false(boot(d, &t));
    expect_failure(FW_ERROR_ARRAY_RESET, 0x100, 0);
    device_end(d);
}

/* Outputs without a load are drained before the first run; the program reports an endless output. */
static void an_early_output_that_hangs_is_reported(void **state) {
    (void)state;
    test_kernel t;
    device *d = device_for(&t, 2, 3, 5);
    t.image.early_stores = 6;
    d->hang_stores = 4;
    expect_no_boot(d, &t, FW_ERROR_EARLY_OUTPUT, 4, 6);
}

TEST_PART(fw_boots, TEST(segments_are_checked), TEST(each_word_of_a_sum_is_compared),
          TEST(both_paths_configure_the_array), TEST(an_access_that_is_not_aligned_is_noticed),
          TEST(a_damaged_image_is_not_configured), TEST(what_is_no_image_for_this_program_is_refused),
          TEST(a_word_that_reads_back_differently_is_named),
          TEST(a_word_that_reads_back_differently_is_written_again),
          TEST(a_reset_that_does_nothing_is_noticed), TEST(a_configuration_that_hangs_is_reported),
          TEST(a_chip_that_does_not_answer_is_reported), TEST(an_early_output_that_hangs_is_reported))
