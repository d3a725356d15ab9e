#include "tests/firmware/fw_device_cases.h"

/* ---- several images ------------------------------------------------------------------------------ */

/* Two images of 5 and 9 words; the second kernel has a GLB tile of its own for a store, and the first for a
 * load. */
typedef struct {
    test_kernel t[2];
    kernel_image images[2];
    array_kernel kernels[2];
    kernel_description k;
    device *d;
} two_images;

static void begin_images(two_images *p, uint32_t early) {
    make_kernel(&p->t[0], 1, 3, 2);
    make_kernel(&p->t[1], 2, 2, 3);
    p->t[1].stores[2].num_blocks = 3;
    p->t[1].image.early_stores = (uint16_t)early;
    p->d = device_new(&p->k, 18);
    p->d->output_banks = UINT16_MAX;
    load_bitstream_at(p->d, &p->t[0], 0, 5);
    load_bitstream_at(p->d, &p->t[1], WORDS_FROM + 8 * 5, 9);
    p->k = p->t[1].k;
    for (uint32_t i = 0; i < 2; i++) {
        p->images[i] = p->t[i].image;
        p->kernels[i] = p->t[i].kernel;
        p->kernels[i].image = &p->images[i];
    }
    p->k.images = p->images;
    p->k.kernels = p->kernels;
    p->k.n_images = p->k.n_kernels = 2;
    p->k.call = lists_batch;
    p->k.combine = lists_combine;
}

static bool boot_images(two_images *p) {
    if (setjmp(p->d->stopped))
        return false;
    firmware_boot(&p->k);
    return true;
}

/* The array holds exactly the words of image `i`. */
static void expect_image(const two_images *p, uint32_t i) {
    const device *d = p->d;
    const uint32_t words = p->images[i].config_words;
    assert_int_equal(d->n_config, words);
    for (uint32_t w = 0; w < words; w++) {
        assert_int_equal(d->config[w].address, word_address(w, words));
        assert_int_equal(d->config[w].data, 0x9e3779b9u * (w + 1));
    }
}

/* Only a batch of a kernel of another image configures the array; the time counts as configuration. */
static void images_take_turns(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 10; kind++) {
        const bool by_list = kind >= 5;
        two_images p;
        begin_images(&p, kind % 5 == 1 ? 4 : 0);
        p.k.poll = kind % 5 == 2;
        p.k.verify = kind % 5 == 3;
        p.k.register_path = kind % 5 == 4;
        assert_true(boot_images(&p));
        expect_image(&p, 0);
        uint64_t config = counter(mailbox.config_cycles), first = 0;
        static const uint32_t order[] = {0, 1, 1, 0, 0, 1, 0, 1};
        uint32_t now = 0;
        for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
            const uint32_t writes = p.d->config_writes;
            assert_true(by_list ? list_kernel(p.d, &p.k, order[i])
                                : serve_kernel(p.d, &p.k, order[i], 1 + i % 3));
            const uint64_t took = counter(mailbox.config_cycles) - config;
            config += took;
            assert_int_equal(p.d->config_writes - writes, order[i] == now ? 0 : order[i] ? 9 : 5);
            assert_true(order[i] == now ? took == 0 : took > 0);
            if (order[i] &&
                order[i] != now) { /* whether a reset works is asked the first time, or every time */
                assert_true(!first || kind % 5 == 3 || took < first);
                first = first ? first : took;
            }
            now = order[i];
            expect_image(&p, now);
        }
        assert_int_equal(config + counter(mailbox.kernel_cycles) + counter(mailbox.firmware_cycles),
                         counter(mailbox.total_cycles));
        device_end(p.d);
    }
}

/* Where the controller's reset does nothing between images the platform's does, and all settings are made
 * again; where neither does, the program says so. */
static void a_reset_between_images_is_noticed(void **state) {
    (void)state;
    static const uint32_t order[] = {1, 0, 1};
    two_images p;
    begin_images(&p, 0);
    p.d->dead_global_reset = true;
    assert_true(boot_images(&p));
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(serve_kernel(p.d, &p.k, order[i], 2));
        expect_image(&p, order[i]);
    }
    device_end(p.d);
    for (uint32_t later = 0; later < 2; later++) { /* --verify-config asks every time, not only the first */
        begin_images(&p, 0);
        p.k.verify = later;
        assert_true(boot_images(&p));
        for (uint32_t i = 0; later && i < 2; i++)
            assert_true(serve_kernel(p.d, &p.k, order[i], 2));
        const uint32_t starts = p.d->starts;
        p.d->stuck_configuration = true;
        assert_false(serve_kernel(p.d, &p.k, 1, 2));
        expect_failure(FW_ERROR_ARRAY_RESET, 0x7cd8, 0x9e3779b9u);
        assert_int_equal(p.d->starts, starts);
        device_end(p.d);
    }
}

/* Every image is checked in full at boot, before a word of any is written. */
static void a_damaged_image_is_never_configured(void **state) {
    (void)state;
    const uint32_t second = WORDS_FROM + 8 * 5, bits = 32 * 2 * 9;
    for (uint32_t bit = 0; bit <= bits; bit++) {
        const bool in_words = bit < bits;
        const uint32_t at = second + (in_words ? WORDS_FROM + bit / 32 * 4 : WORDS_AT);
        two_images p;
        begin_images(&p, 0);
        put_word(p.d, at, word_at(p.d, at) ^ 1u << bit % 32);
        assert_false(boot_images(&p));
        assert_int_equal(mailbox.error, in_words ? FW_ERROR_IMAGE_SUMS : FW_ERROR_IMAGE_PROGRAM);
        assert_int_equal(p.d->config_writes, 0);
        device_end(p.d);
    }
}

static void a_batch_without_runs_is_done_at_once(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_with_batch(&t, 0, 10);
    assert_true(serve(d, &t));
    assert_int_equal(mailbox.done, 1);
    assert_int_equal(d->starts, 0);
    assert_true(serve(d, &t)); /* nothing new: nothing happens */
    assert_int_equal(mailbox.done, 1);
    device_free(d);
}

static void expect_bad_batch(uint32_t table, uint32_t runs) {
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_with_batch(&t, 1, 11);
    mailbox.table = table;
    mailbox.runs = runs;
    assert_false(serve(d, &t));
    expect_failure(FW_ERROR_BAD_BATCH, table, runs);
    assert_int_equal(d->starts, 0);
    device_free(d);
}

static void a_table_outside_its_area_is_refused(void **state) {
    (void)state;
    uint32_t most = (FW_TABLE_END - FW_TABLE_OFFSET) / fw_row_bytes(1, 1);
    expect_bad_batch(0x20003ffc, 1);
    expect_bad_batch(0x20004002, 1);
    expect_bad_batch(0x2001c000, 1);
    expect_bad_batch(0x2001c004, 1);
    expect_bad_batch(0, 1);
    expect_bad_batch(0x20004000, most + 1);
    expect_bad_batch(0x20004000, UINT32_MAX);
}

static void outputs_in_no_bank_are_refused(void **state) {
    (void)state;
    for (uint32_t banks = 1 << 16; banks; banks <<= 1) {
        test_kernel t;
        make_kernel(&t, 0, 1, 1);
        device *d = device_with_batch(&t, 1, 11);
        mailbox.outputs = banks;
        assert_false(serve(d, &t));
        expect_failure(FW_ERROR_OUTPUT_BANK, banks, 16);
        assert_int_equal(d->starts, 0);
        device_free(d);
    }
}

static void a_load_without_words_is_refused(void **state) {
    (void)state;
    two_images p;
    begin_images(&p, 0);
    assert_true(boot_images(&p));
    p.d->sram[FW_TABLE_OFFSET / 4 + FW_WORD_cell_words] = 5;
    p.d->sram[FW_TABLE_OFFSET / 4 + 2 + FW_WORD_cell_words] = 0;
    mailbox.runs = mailbox.callee = mailbox.command = 1;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = UINT16_MAX;
    assert_false(is_served(p.d, &p.k)); /* another image's, too */
    expect_failure(FW_ERROR_BAD_BATCH, 0x20004008 + FW_AT_cell_words, 0);
    device_end(p.d);
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_with_batch(&t, 1, 12);
    d->sram[FW_TABLE_OFFSET / 4 + FW_WORD_cell_words] = 0;
    assert_false(serve(d, &t));
    expect_failure(FW_ERROR_BAD_BATCH, 0x20004000 + FW_AT_cell_words, 0);
    device_free(d);
}

/* 32 blocks of one word are 64 words a run: 1024 runs fill a bank exactly. */
static void an_output_may_fill_its_bank(void **state) {
    (void)state;
    for (uint32_t runs = 1024; runs <= 1025; runs++) {
        test_kernel t;
        make_kernel(&t, 1, 1, 1);
        t.stores[0].num_blocks = 32;
        device *d = device_with_batch(&t, runs, 14);
        assert_int_equal(serve(d, &t), runs == 1024);
        assert_null(d->violation);
        if (runs > 1024)
            expect_failure(FW_ERROR_OUTPUT_OVERFLOW, 1, 1024);
        device_free(d);
    }
}

static void cycle_counters_carry(void **state) {
    (void)state;
    mailbox_clear();
    mailbox_add_cycles(mailbox.kernel_cycles, UINT32_MAX);
    mailbox_add_cycles(mailbox.kernel_cycles, 3);
    mailbox_add_cycles(mailbox.firmware_cycles, UINT32_MAX);
    assert_int_equal(counter(mailbox.kernel_cycles), 0x100000002);
    assert_int_equal(counter(mailbox.total_cycles), 0x200000001);
}

/* Runs whose outputs are longer than the host's bound: the bank overflows in some run, and the run reports
 * the overflow. */
static void an_output_beyond_its_bank_is_reported(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 2, 1, 1);
    device *d = device_with_batch(&t, 1, 13);
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    uint32_t runs = (FW_TABLE_END - FW_TABLE_OFFSET) / fw_row_bytes(1, 1);
    t.stores[0].num_blocks = 4; /* 4 headers and 3 + 10 + 17 + 24 words a run: 58 * 4096 > 65536 */
    for (uint32_t r = 0; r < runs; r++) {
        row[6 * r + FW_WORD_cell_first] = 2u << 18;
        row[6 * r + FW_WORD_cell_words] = 100;
    }
    mailbox.runs = runs;
    assert_true(boot(d, &t)); /* again, for the new number of blocks */
    mailbox.runs = runs;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = UINT16_MAX;
    mailbox.command = 1;
    assert_false(serve(d, &t));
    assert_null(d->violation);
    expect_failure(FW_ERROR_OUTPUT_OVERFLOW, 2, 65536 / 58);
    device_free(d);
}

TEST_PART(fw_images, TEST(images_take_turns), TEST(a_reset_between_images_is_noticed),
          TEST(a_damaged_image_is_never_configured), TEST(a_batch_without_runs_is_done_at_once),
          TEST(a_table_outside_its_area_is_refused), TEST(outputs_in_no_bank_are_refused),
          TEST(a_load_without_words_is_refused), TEST(an_output_may_fill_its_bank),
          TEST(cycle_counters_carry), TEST(an_output_beyond_its_bank_is_reported))
