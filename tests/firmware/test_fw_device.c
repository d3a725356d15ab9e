/* The firmware compiled for the host, on a model of the chip: accesses to registers, contents of the run
 * table, and reports about a misbehaving chip. */
#include "firmware/sums.h"
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/target.h"
#include "sam/operators.h"
#include "support/mlist.h"
#include "tests/firmware/device.h"
#include "tests/firmware/random_plan.h"
#include "tests/firmware/test_kernel.h"
#include "tests/support/bf16_products.h"

#include <math.h>

static bool serve(device *d, const test_kernel *t) {
    if (setjmp(d->stopped))
        return false;
    firmware_serve(&t->k);
    return true;
}

static void expect_failure(uint32_t error, uint32_t detail0, uint32_t detail1) {
    assert_int_equal(mailbox.magic, FW_MAILBOX_MAGIC);
    assert_int_equal(mailbox.state, FW_STATE_FAILED);
    assert_int_equal(mailbox.error, error);
    assert_int_equal(mailbox.detail[0], detail0);
    assert_int_equal(mailbox.detail[1], detail1);
}

/* A chip for a kernel of `loads` and `stores` streams. */
static device *device_for(test_kernel *t, uint32_t loads, uint32_t stores, uint64_t seed) {
    make_kernel(t, 0, loads, stores);
    return device_new(&t->k, seed);
}

/* Frees the device; no access may have violated the chip's rules. */
static void device_end(device *d) {
    assert_null(d->violation);
    device_free(d);
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool check_segment(device *d, const test_kernel *t, uint32_t address, uint32_t bytes, uint64_t sum) {
    mailbox.table = address;
    mailbox.runs = bytes;
    mailbox.sum[0] = (uint32_t)sum;
    mailbox.sum[1] = (uint32_t)(sum >> 32);
    mailbox.part = FW_CHECK;
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
    assert_true(mailbox.config_cycles[0] > 200);
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

/* ---- runs ------------------------------------------------------------------------------------ */

static void load_batch(device *d, const pnr_board *b, const fw_batch *batch) {
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *seg = &batch->segments.at[i];
        if (seg->address >= b->map.cgra_data) {
            memcpy(d->glb + (seg->address - b->map.cgra_data), seg->content, seg->bytes);
            continue;
        }
        for (uint32_t w = 0; w < seg->bytes; w += 4) {
            const uint8_t *at = seg->content + w;
            d->sram[(seg->address - b->map.sram + w) / 4] =
                at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        }
    }
    mailbox.runs = batch->runs;
    mailbox.table = batch->table;
    mailbox.outputs = d->output_banks = batch->outputs;
    mailbox.command++;
}

/* Moves the inputs of these tiles to their second banks, and the outputs to the first, as where an earlier
 * batch's store has left an input. */
static void move_inputs(fixture *f, const pnr_board *b, const test_kernel *t, fw_batch *batch,
                        uint32_t tiles) {
    const uint32_t row_bytes = fw_row_bytes(t->part.n_loads, t->part.n_stores);
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        fw_segment *s = &batch->segments.at[i];
        const uint32_t tile = (s->address - b->map.cgra_data) >> 18;
        if (s->address >= b->map.cgra_data && tiles >> tile & 1)
            s->address += b->glb_bank_bytes;
        if (s->address >= b->map.cgra_data)
            continue;
        uint8_t *table = arena_alloc(&f->mem, s->bytes);
        memcpy(table, s->content, s->bytes);
        s->content = table;
        for (uint32_t r = 0; r < batch->runs; r++)
            for (uint32_t l = 0; l < t->part.n_loads; l++) /* bit 17 of the address is the bank */
                if (tiles >> t->loads[l].glb_tile & 1)
                    table[r * row_bytes + 8 * l + 2] |= 2;
    }
    batch->outputs &= ~tiles;
}

/* Compares the row's outputs with the model's outputs for the run's inputs. */
static void check_row(const device *d, const test_kernel *t, const tile_plan *plan, const uint32_t *row,
                      uint32_t run) {
    static uint16_t want[1 << 16];
    for (uint32_t i = 0; i < t->part.n_stores; i++) {
        const tile_block *in = plan_block(plan, run, i % t->part.n_loads);
        uint32_t n = device_expected(&t->k, i, plan->words.at + in->first, in->length, want);
        const uint32_t *cell = row + 2 * (t->part.n_loads + i);
        assert_int_equal(cell[1], n);
        assert_memory_equal(d->glb + cell[0], want, 2 * n);
    }
    assert_true(row[2 * (t->part.n_loads + t->part.n_stores)] > 0);
}

static uint64_t counter(const volatile uint32_t c[2]) {
    return c[0] | (uint64_t)c[1] << 32;
}

/* Cycles, copy and start of a row, by docs/firmware.md. */
static uint32_t lane_of_row(const test_kernel *t, const uint32_t *row) {
    uint32_t lane = row[2 * (t->part.n_loads + t->part.n_stores) + 1] & 0xff;
    assert_in_range(lane, 0, t->part.n_lanes - 1);
    for (uint32_t i = 0; i < t->part.n_stores; i++)
        assert_int_equal(row[2 * (t->part.n_loads + i)] >> 18,
                         t->stores[lane * t->part.n_stores + i].glb_tile);
    return lane;
}

/* Boots, runs every batch of the plan, checks every row. Returns the cycles with at least one busy lane. */
static uint64_t run_plan(fixture *f, test_kernel *t, const tile_plan *plan, uint32_t buffers, uint64_t seed,
                         uint32_t delay, uint32_t slow_lane) {
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "device.bin");
    plan_columns c;
    set_columns(&c, t->part.n_loads, t->part.n_stores);
    c.columns.copies = t->part.n_lanes;
    c.columns.buffers = buffers;
    for (uint32_t i = 0; i < t->part.n_lanes * t->part.n_loads; i++)
        c.in[i] = 2u * t->loads[i].glb_tile;
    for (uint32_t i = 0; i < t->part.n_lanes * t->part.n_stores; i++)
        c.out[i] = 2u * t->stores[i].glb_tile + 1;
    fw_batch_stats stats;
    fw_batches file;
    if (!write_plans(f, plan, 1, &c.columns, &b, path, &stats) ||
        !fw_batches_open(path, &b, &f->mem, &f->diag, &file))
        fail_msg("%s", fixture_printed(f));
    device *d = device_new(&t->k, seed);
    d->stream_delay = delay;
    d->slow_lane = slow_lane;
    load_bitstream(d, t, 20);
    assert_true(boot(d, t));
    uint32_t run = 0, of_lane[KERNEL_MAX_LANES] = {0};
    uint64_t row_cycles = 0;
    for (uint32_t k = 0; k < file.batches; k++) {
        uint32_t words = fw_row_bytes(t->part.n_loads, t->part.n_stores) / 4;
        fw_batch batch;
        assert_true(fw_batches_get(&file, k, &f->mem, &f->diag, &batch));
        assert_int_equal(batch.outputs, k % buffers ? 0 : UINT16_MAX);
        if (buffers == 1 && t->part.n_lanes == 1)
            move_inputs(f, &b, t, &batch, (uint32_t)(k * seed));
        load_batch(d, &b, &batch);
        if (!serve(d, t))
            fail_msg("batch %u: error %u, details 0x%x 0x%x (%s)", k, mailbox.error, mailbox.detail[0],
                     mailbox.detail[1], d->violation ? d->violation : "no violation");
        assert_int_equal(mailbox.done, k + 1);
        assert_int_equal(mailbox.state, FW_STATE_READY);
        assert_int_equal(batch.table, 0x20004000 + k % buffers * 0xc000);
        const uint32_t *row = d->sram + batch.table % 0x20000 / 4;
        uint32_t starts = 0; /* of this batch: each number occurs once */
        for (uint32_t r = 0; r < batch.runs; r++, run++, row += words) {
            check_row(d, t, plan, row, run);
            of_lane[lane_of_row(t, row)]++;
            row_cycles += row[words - 2];
            starts += row[words - 1] >> 8;
            assert_true(t->part.n_lanes > 1 || row[words - 1] >> 8 == r);
        }
        assert_int_equal(starts, batch.runs * (batch.runs - 1) / 2);
    }
    if (d->violation)
        fail_msg("%s", d->violation);
    assert_int_equal(run, plan->runs.len);
    assert_int_equal(d->starts, run);
    for (uint32_t lane = 0; lane < t->part.n_lanes; lane++)
        assert_int_equal(of_lane[lane], d->lane_starts[lane]);
    uint64_t kernel_cycles = counter(mailbox.kernel_cycles);
    if (t->part.n_lanes == 1)
        assert_int_equal(kernel_cycles, row_cycles);
    else /* waiting of a done lane counts while another lane works */
        assert_true(kernel_cycles >= row_cycles / t->part.n_lanes);
    assert_int_equal(counter(mailbox.total_cycles), counter(mailbox.config_cycles) +
                                                        counter(mailbox.kernel_cycles) +
                                                        counter(mailbox.firmware_cycles));
    assert_int_equal(d->ticks, 0);
    /* Who does not poll sleeps whenever a look finds nothing done, and the array's interrupt ends each sleep.
     */
    assert_int_equal(d->sleeps, t->k.poll ? 0 : d->idle_looks);
    assert_true(t->k.poll ? d->interrupts == 0 : d->interrupts >= d->sleeps);
    assert_true(slow_lane < 20000 || d->sleeps > 0); /* there are such looks */
    device_free(d);
    fw_batches_close(&file);
    pnr_board_free(&b);
    unlink(path);
    return kernel_cycles;
}

/* Puts `lanes` copies of the kernel on the array, each with flush groups of its own. */
static void add_lanes(test_kernel *t, uint32_t lanes) {
    uint32_t loads = t->part.n_loads, stores = t->part.n_stores, most = loads > stores ? loads : stores;
    uint32_t tiles = (most + 1) / 2 * 2;
    t->part.n_lanes = lanes;
    t->image.n_loads = lanes * loads;
    t->image.n_stores = lanes * stores;
    t->part.flush_crossbar = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t first = lane * tiles;
        t->lanes[lane] = (kernel_lane){(uint16_t)(((1u << loads) - 1) << first),
                                       (uint16_t)(((1u << stores) - 1) << first)};
        for (uint32_t i = 0; i < loads; i++)
            t->loads[lane * loads + i] = (kernel_stream){.glb_tile = (uint8_t)(first + i), .data_mux = 1};
        for (uint32_t i = 0; i < stores; i++)
            t->stores[lane * stores + i] = (kernel_stream){
                .glb_tile = (uint8_t)(first + i), .data_mux = 2, .num_blocks = (uint16_t)(1 + i % 2)};
        for (uint32_t g = first / 2; g < (first + tiles) / 2; g++)
            t->part.flush_crossbar |= first << 4 * g;
    }
}

static void a_batch_of_three_runs_fills_its_table(void **state) {
    fixture *f = *state;
    prng p = prng_seed(6);
    const plan_shape shape = {
        .inputs = 2, .outputs = 2, .blocks = 3, .runs = 3, .most_words = 40, .bound = 60};
    tile_plan plan = random_plan(f, &p, &shape);
    test_kernel t;
    make_kernel(&t, 0, 2, 2);
    run_plan(f, &t, &plan, 1, 6, 300, 0);
}

/* Returns a plan's shape with at most `streams` inputs and as many outputs. Every fourth round has blocks of
 * one or two words, every third round a bound above all words. */
static plan_shape random_shape(prng *p, uint32_t round, uint32_t streams) {
    plan_shape shape = {.bound = round % 3 ? 30 : 9000};
    shape.inputs = 1 + prng_below(p, streams);
    shape.outputs = 1 + prng_below(p, streams);
    shape.blocks = 1 + prng_below(p, 10);
    shape.runs = 1 + prng_below(p, 40);
    shape.most_words = 1 + prng_below(p, round % 4 ? 30 : 2);
    return shape;
}

/* Blocks of one word, many batches, streams that finish early or late, any first GLB tile. */
static void random_kernels_run_random_plans(void **state) {
    fixture *f = *state;
    prng p = prng_seed(7);
    for (uint32_t round = 0; round < 40; round++) {
        const plan_shape shape = random_shape(&p, round, 8);
        tile_plan plan = random_plan(f, &p, &shape);
        test_kernel t;
        make_kernel(&t, prng_below(&p, 9), shape.inputs, shape.outputs);
        t.k.poll = round % 5 == 0;
        t.k.register_path = round % 7 == 0;
        t.image.early_stores = round % 3 ? 0 : (uint16_t)(t.lanes[0].store_mask & prng_next(&p));
        t.k.timeout = 5000; /* for each run, not for the sum of runs */
        run_plan(f, &t, &plan, 1 + prng_below(&p, 2), round, 1 + prng_below(&p, round % 2 ? 500 : 20), 0);
    }
}

/* Copies that take the next run when idle: every row is right, whichever copy ran the row. */
static void copies_take_runs_each_by_itself(void **state) {
    fixture *f = *state;
    prng p = prng_seed(8);
    for (uint32_t round = 0; round < 40; round++) {
        const plan_shape shape = random_shape(&p, round, 4);
        uint32_t most = shape.inputs > shape.outputs ? shape.inputs : shape.outputs;
        tile_plan plan = random_plan(f, &p, &shape);
        test_kernel t;
        make_kernel(&t, 0, shape.inputs, shape.outputs);
        add_lanes(&t, 1 + prng_below(&p, 8 / ((most + 1) / 2)));
        t.k.poll = round % 5 == 0;
        for (uint32_t lane = 0; lane < t.part.n_lanes && round % 3 == 0; lane++)
            t.image.early_stores |= t.lanes[lane].store_mask;
        t.k.timeout = 5000;
        run_plan(f, &t, &plan, 1 + prng_below(&p, 2), round, 1 + prng_below(&p, round % 2 ? 500 : 20),
                 prng_below(&p, 2) * 1000);
    }
}

/* Eight lanes of one load and one store; the first lane is much slower and takes few runs. */
static void a_slow_copy_holds_no_other_up(void **state) {
    fixture *f = *state;
    prng p = prng_seed(9);
    const plan_shape shape = {
        .inputs = 1, .outputs = 1, .blocks = 3, .runs = 64, .most_words = 10, .bound = 20};
    tile_plan plan = random_plan(f, &p, &shape);
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        test_kernel t;
        make_kernel(&t, 0, 1, 1);
        add_lanes(&t, i ? 2 : 1);
        cycles[i] = run_plan(f, &t, &plan, 1, 9, 300, 20000);
    }
    assert_true(cycles[1] * 20 < cycles[0]); /* the slow lane takes one or two runs, not half of the runs */
}

/* Words that a load streams from these registers, as recorded from the chip's reference netlist; the model's
 * store gets the words as its last block. The word at byte address A is A / 2. */
static void replay_load(const test_kernel *t, const cJSON *start) {
    device *d = device_new(&t->k, 1);
    load_bitstream(d, (test_kernel *)(uintptr_t)t, 5);
    assert_true(boot(d, t));
    uint32_t registers = glb_registers(0), out = 0x20000, n = 0;
    for (uint32_t at = 0; at < 0x400; at += 4)
        put_word(d, at, at / 2 | (at / 2 + 1) << 16);
    bus_write32(registers + GLB_LD_DIM, (uint32_t)cJSON_GetObjectItem(start, "dim")->valuedouble);
    bus_write32(registers + GLB_LD_RANGE, (uint32_t)cJSON_GetObjectItem(start, "range_0")->valuedouble);
    bus_write32(registers + GLB_LD_START_ADDR,
                (uint32_t)cJSON_GetObjectItem(start, "start_addr")->valuedouble);
    bus_write32(registers + GLB_ST_START_ADDR, out);
    glc_write(GLC_STREAM_START, 0x10001);
    assert_null(d->violation);
    for (uint32_t block = 1; block < t->stores[0].num_blocks; block++)
        out += 2 * (1 + (word_at(d, out) & 0xffff));
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(start, "cycles")) {
        if (!cJSON_GetArrayItem(row, 1)->valueint || !cJSON_GetArrayItem(row, 2)->valueint)
            continue;
        n++;
        assert_int_equal(d->glb[out + 2 * n] | d->glb[out + 2 * n + 1] << 8,
                         cJSON_GetArrayItem(row, 3)->valueint);
    }
    assert_int_equal(d->glb[out] | d->glb[out + 1] << 8, n);
    device_free(d);
}

static void recorded_loads_are_replayed(void **state) {
    fixture *f = *state;
    size_t length;
    const char *text = file_read(TEST_RECORDED("vectors/glb/load_dma.json"), &f->mem, &length, &f->diag);
    cJSON *cases = cJSON_Parse(text);
    const cJSON *one, *start;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    t.stores[0].num_blocks = 12; /* the last takes up to 80 words */
    assert_int_equal(cJSON_GetArraySize(cases), 32);
    cJSON_ArrayForEach(one, cases) cJSON_ArrayForEach(start, cJSON_GetObjectItem(one, "starts"))
        replay_load(&t, start);
    cJSON_Delete(cases);
}

typedef struct {
    uint16_t words[128]; /* words of a store from its start on */
    uint32_t n, first;   /* number of words, and the byte address of the first word in memory */
    uint8_t memory[0x400];
    bool written[0x400], done;
} recorded_store;

static uint32_t cell(const cJSON *row, int i) {
    return (uint32_t)cJSON_GetArrayItem(row, i)->valuedouble;
}

/* Adds a line of this cycle: eight bytes, strobed each. */
static void add_line(recorded_store *r, const cJSON *row) {
    uint64_t line = strtoull(cJSON_GetArrayItem(row, 7)->valuestring, NULL, 16);
    uint32_t strobes = cell(row, 5), address = cell(row, 6) & 0x1fff8;
    for (uint32_t b = 0; b < 8; b++) {
        if (!(strobes >> b & 1))
            continue;
        assert_true(address + b < sizeof r->memory);
        if (r->first == UINT32_MAX)
            r->first = address + b;
        r->memory[address + b] = (uint8_t)(line >> 8 * b);
        r->written[address + b] = true;
    }
}

/* Reads the cycles of one start, from `row` on; returns the next start, NULL for none. */
static const cJSON *read_store(const cJSON *row, recorded_store *r) {
    *r = (recorded_store){.first = UINT32_MAX};
    for (bool start = true; row && (start || !cell(row, 0)); row = row->next, start = false) {
        if (cell(row, 1) && cell(row, 3) && !r->done) {
            assert_true(r->n < sizeof r->words / sizeof *r->words);
            r->words[r->n++] = (uint16_t)cell(row, 2);
        }
        if (cell(row, 4))
            add_line(r, row);
        r->done |= cell(row, 8) != 0;
    }
    return row;
}

/* The model's store gets the recorded store's words; both memories must be equal. */
static void replay_store(test_kernel *t, const cJSON *one, const recorded_store *r) {
    t->stores[0].num_blocks = (uint16_t)cJSON_GetObjectItem(one, "num_blocks")->valuedouble;
    device *d = device_new(&t->k, 1);
    load_bitstream(d, t, 5);
    assert_true(boot(d, t));
    uint32_t registers = glb_registers(0);
    bus_write32(registers + GLB_LD_START_ADDR, 0);
    bus_write32(registers + GLB_ST_START_ADDR, DEVICE_BANK + r->first);
    bus_write32(registers + GLB_ST_STRIDE, (uint32_t)cJSON_GetObjectItem(one, "stride_0")->valuedouble);
    d->stream = r->words;
    d->stream_words = r->n;
    glc_write(GLC_STREAM_START, 0x10001);
    assert_null(d->violation);
    for (uint32_t i = 0; i < sizeof r->memory; i++) {
        if (r->written[i])
            assert_int_equal(d->glb[DEVICE_BANK + i], r->memory[i]);
    }
    device_free(d);
}

/* Replays every start that ends, except a start during another run, which the model refuses. */
static void recorded_stores_are_replayed(void **state) {
    fixture *f = *state;
    size_t length;
    uint32_t replayed = 0, words = 0;
    const char *text = file_read(TEST_RECORDED("vectors/glb/store_dma.json"), &f->mem, &length, &f->diag);
    cJSON *cases = cJSON_Parse(text);
    const cJSON *one;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    cJSON_ArrayForEach(one, cases) {
        const cJSON *row = cJSON_GetObjectItem(one, "cycles")->child;
        bool ignored = strcmp(cJSON_GetObjectItem(one, "name")->valuestring, "start_while_running") == 0;
        while (row && !ignored) {
            recorded_store r = {.done = false};
            row = cell(row, 0) ? read_store(row, &r) : row->next;
            if (!r.done)
                continue;
            replay_store(&t, one, &r);
            replayed++;
            words += r.n;
        }
    }
    cJSON_Delete(cases);
    assert_int_equal(replayed, 52);
    assert_int_equal(words, 789);
}

static device *with_batch(device *d, test_kernel *t, uint32_t runs) {
    load_bitstream(d, t, 5);
    assert_true(boot(d, t));
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(t->part.n_loads, t->part.n_stores) / 4) {
        for (uint32_t i = 0; i < t->part.n_loads; i++) {
            row[2 * i] = (uint32_t)t->loads[i].glb_tile << 18;
            row[2 * i + 1] = 1;
        }
    }
    d->output_banks = UINT16_MAX;
    mailbox.runs = runs;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = d->output_banks;
    mailbox.command = 1;
    return d;
}

static device *device_with_batch(test_kernel *t, uint32_t runs, uint64_t seed) {
    return with_batch(device_new(&t->k, seed), t, runs);
}

/* The controller's reset keeps an earlier program's values in the buffer's registers. */
static void runs_are_right_after_the_other_reset(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 2, 3, 2);
    device *d = device_new(&t.k, 8);
    d->dead_reset = true;
    with_batch(d, &t, 5);
    assert_true(serve(d, &t));
    assert_int_equal(d->starts, 5);
    device_end(d);
}

static void a_run_that_hangs_names_its_streams(void **state) {
    (void)state;
    for (uint32_t poll = 0; poll < 2; poll++) {
        test_kernel t;
        make_kernel(&t, 3, 3, 2);
        t.k.poll = poll == 1;
        t.k.timeout = 20000;
        device *d = device_with_batch(&t, 2, 8);
        d->no_tick = poll == 1; /* only who sleeps needs it */
        d->hang_loads = 1u << 4;
        d->hang_stores = 1u << 3;
        assert_false(serve(d, &t));
        expect_failure(FW_ERROR_RUN_TIMEOUT, 1u << 4 | 1u << (16 + 3), 0);
        assert_int_equal(d->ticks, poll == 0);
        assert_int_equal(mailbox.done, 0);
        device_free(d);
        d = device_with_batch(&t, 2, 9);
        d->hang_stores = 1u << 4;
        assert_false(serve(d, &t));
        expect_failure(FW_ERROR_RUN_TIMEOUT, 1u << (16 + 4), 0);
        device_free(d);
    }
}

/* Sleep stops the clocks, the tick included, unless a debugger keeps them on: the firmware does not sleep
 * without a debugger. */
static void without_a_debugger_nobody_sleeps(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 0, 2, 2);
    t.k.timeout = 20000;
    device *d = device_with_batch(&t, 3, 8);
    d->debugger = false;
    d->no_tick = true;
    d->sleeps = 0;
    assert_true(serve(d, &t));
    mailbox.command++;
    d->hang_stores = 2;
    assert_false(serve(d, &t));
    expect_failure(FW_ERROR_RUN_TIMEOUT, 2u << 16, 0);
    assert_int_equal(d->sleeps, 0);
    device_end(d);
}

/* One of two copies hangs: the other copy finishes the batch, then the hanging streams are named. */
static void a_copy_that_hangs_is_named(void **state) {
    (void)state;
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    add_lanes(&t, 2);
    t.k.timeout = 20000;
    device *d = device_with_batch(&t, 6, 15);
    d->hang_stores = 1u << 2;
    assert_false(serve(d, &t));
    expect_failure(FW_ERROR_RUN_TIMEOUT, 1u << (16 + 2), 1);
    assert_int_equal(d->lane_starts[0], 5);
    assert_int_equal(d->lane_starts[1], 1);
    device_end(d);
}

/* Words that store `s` of a kernel writes for a load of `n` words: its blocks, with their lengths. */
static uint32_t words_stored(const kernel_stream *store, uint32_t n) {
    uint32_t words = 0;
    for (uint32_t b = 0; b < store->num_blocks; b++)
        words += 1 + (n < 7 * b + 3 ? n : 7 * b + 3);
    return words;
}

/* Writes the table of a batch of `runs` runs, of one word and more. Batches store to the banks in turn. */
static void put_rows(device *d, const kernel_part *p, uint32_t runs) {
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    d->output_banks = p->image->early_stores || mailbox.command % 2 ? UINT16_MAX : 0;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(p->n_loads, p->n_stores) / 4)
        for (uint32_t l = 0; l < p->n_loads; l++) {
            row[2 * l] = (uint32_t)p->loads[l].glb_tile << 18 | (d->output_banks ? 0 : 1u << 17);
            row[2 * l + 1] = 1 + mailbox.command % 3 + r;
        }
}

/* Every store of each run lies in its bank, with the words of its load. */
static void expect_rows(const device *d, const kernel_part *p, uint32_t runs) {
    const uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(p->n_loads, p->n_stores) / 4)
        for (uint32_t s = 0; s < p->n_stores; s++) {
            const uint32_t *out = &row[2 * (p->n_loads + s)];
            assert_int_equal(out[0] >> 17, p->stores[s].glb_tile * 2u + (d->output_banks != 0));
            assert_int_equal(out[1], words_stored(&p->stores[s], row[2 * (s % p->n_loads) + 1]));
        }
}

/* A function of its own: longjmp can change no local variable here. */
static __attribute__((noinline)) bool is_served(device *d, const kernel_description *k) {
    if (setjmp(d->stopped))
        return false;
    firmware_serve(k);
    return true;
}

/* Has kernel `number` of the description run `runs` runs; returns whether the program did. */
static bool serve_kernel(device *d, const kernel_description *k, uint32_t number, uint32_t runs) {
    const kernel_part *p = &k->parts[number];
    const uint32_t before = d->starts;
    put_rows(d, p, runs);
    mailbox.runs = runs;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = d->output_banks;
    mailbox.part = number;
    mailbox.command++;
    if (!is_served(d, k))
        return false;
    if (d->violation)
        fail_msg("kernel %u: %s", number, d->violation);
    assert_int_equal(d->flush_crossbar, p->flush_crossbar);
    assert_int_equal(d->starts, before + runs);
    expect_rows(d, p, runs);
    return true;
}

/* Kernels in a common bitstream take batches in turn, each on streams and a flush of its own; an unknown
 * kernel is refused. */
static void kernels_of_one_bitstream_run_in_turn(void **state) {
    (void)state;
    enum { RUNS = 3 };
    test_kernel t[2];
    make_kernel(&t[0], 1, 3, 2);
    make_kernel(&t[1], 5, 2, 4);
    kernel_stream loads[5], stores[6];
    memcpy(loads, t[0].loads, 3 * sizeof *loads);
    memcpy(loads + 3, t[1].loads, 2 * sizeof *loads);
    memcpy(stores, t[0].stores, 2 * sizeof *stores);
    memcpy(stores + 2, t[1].stores, 4 * sizeof *stores);
    kernel_part parts[] = {t[0].part, t[1].part};
    for (uint32_t p = 0; p < 2; p++) {
        parts[p].image = &t[0].image;
        parts[p].loads = loads + 3 * p;
        parts[p].stores = stores + 2 * p;
    }
    t[0].image.loads = loads;
    t[0].image.stores = stores;
    t[0].image.n_loads = 5;
    t[0].image.n_stores = 6;
    t[0].k.parts = parts;
    t[0].k.n_parts = 2;
    device *d = device_new(&t[0].k, 17);
    d->output_banks = UINT16_MAX;
    load_bitstream(d, &t[0], 5);
    assert_true(boot(d, &t[0]));
    assert_int_equal(d->flush_crossbar, 0x11111111);
    const uint32_t written = d->config_writes;
    static const uint32_t order[] = {1, 0, 0, 1, 1, 0};
    uint64_t config = 0;
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_true(serve_kernel(d, &t[0].k, order[i], RUNS));
        assert_true(i == 0 || counter(mailbox.config_cycles) == config); /* its streams were set up once */
        config = counter(mailbox.config_cycles);
    }
    assert_int_equal(d->config_writes, written);
    mailbox.part = 2;
    mailbox.command++;
    assert_false(serve(d, &t[0]));
    expect_failure(FW_ERROR_BAD_PART, 2, 2);
    assert_int_equal(d->starts, RUNS * (sizeof order / sizeof *order));
    device_free(d);
}

/* ---- several images ------------------------------------------------------------------------------ */

/* Two images of 5 and 9 words; the second kernel has a GLB tile of its own for a store, and the first for a
 * load. */
typedef struct {
    test_kernel t[2];
    kernel_image images[2];
    kernel_part parts[2];
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
        p->parts[i] = p->t[i].part;
        p->parts[i].image = &p->images[i];
    }
    p->k.images = p->images;
    p->k.parts = p->parts;
    p->k.n_images = p->k.n_parts = 2;
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
    for (uint32_t kind = 0; kind < 5; kind++) {
        two_images p;
        begin_images(&p, kind == 1 ? 4 : 0);
        p.k.poll = kind == 2;
        p.k.verify = kind == 3;
        p.k.register_path = kind == 4;
        assert_true(boot_images(&p));
        expect_image(&p, 0);
        uint64_t config = counter(mailbox.config_cycles), first = 0;
        static const uint32_t order[] = {0, 1, 1, 0, 0, 1, 0, 1};
        uint32_t now = 0;
        for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
            const uint32_t writes = p.d->config_writes;
            assert_true(serve_kernel(p.d, &p.k, order[i], 1 + i % 3));
            const uint64_t took = counter(mailbox.config_cycles) - config;
            config += took;
            assert_int_equal(p.d->config_writes - writes, order[i] == now ? 0 : order[i] ? 9 : 5);
            assert_true(order[i] == now ? took == 0 : took > 0);
            if (order[i] && order[i] != now) { /* the first check covers the whole image, later checks less */
                assert_true(!first || took < first);
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

/* Every image is checked in full before a word is written: the first at boot, another at its first use. */
static void a_damaged_image_is_never_configured(void **state) {
    (void)state;
    two_images p;
    begin_images(&p, 0);
    assert_true(boot_images(&p));
    const uint32_t at = WORDS_FROM + 8 * 5 + WORDS_FROM + 8 * 3;
    put_word(p.d, at, word_at(p.d, at) ^ 0x40);
    assert_true(serve_kernel(p.d, &p.k, 0, 2));
    const uint32_t writes = p.d->config_writes;
    assert_false(serve_kernel(p.d, &p.k, 1, 2));
    assert_int_equal(mailbox.error, FW_ERROR_IMAGE_SUMS);
    assert_int_equal(p.d->config_writes, writes);
    expect_image(&p, 0);
    device_end(p.d);
    begin_images(&p, 0);
    put_word(p.d, WORDS_FROM + 8 * 5 + WORDS_AT, 8);
    assert_true(boot_images(&p));
    assert_false(serve_kernel(p.d, &p.k, 1, 2));
    expect_failure(FW_ERROR_IMAGE_PROGRAM, 8, 9);
    device_end(p.d);
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
    p.d->sram[FW_TABLE_OFFSET / 4 + 1] = 5;
    p.d->sram[FW_TABLE_OFFSET / 4 + 3] = 0;
    mailbox.runs = mailbox.part = mailbox.command = 1;
    mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
    mailbox.outputs = UINT16_MAX;
    assert_false(is_served(p.d, &p.k)); /* another image's, too */
    expect_failure(FW_ERROR_BAD_BATCH, 0x2000400c, 0);
    device_end(p.d);
    test_kernel t;
    make_kernel(&t, 0, 1, 1);
    device *d = device_with_batch(&t, 1, 12);
    d->sram[FW_TABLE_OFFSET / 4 + 1] = 0;
    assert_false(serve(d, &t));
    expect_failure(FW_ERROR_BAD_BATCH, 0x20004004, 0);
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
        row[6 * r] = 2u << 18;
        row[6 * r + 1] = 100;
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

/* ---- lists ----------------------------------------------------------------------------------- */

enum { ITEM_WORDS = FW_ITEM_BYTES / 4, LIST_MOST = 4 };

static uint32_t *list_item(device *d, uint32_t i) {
    return d->sram + (FW_TABLE_END - LIST_MOST * FW_ITEM_BYTES) / 4 + i * ITEM_WORDS;
}

/* Runs a list of these items, for at most `steps` steps. */
static bool serve_list(device *d, const test_kernel *t, const uint32_t (*items)[ITEM_WORDS], uint32_t n,
                       uint32_t again, uint32_t steps) {
    uint32_t *head = list_item(d, 0) - FW_LIST_HEAD / 4;
    head[0] = n;
    head[1] = again;
    memcpy(list_item(d, 0), items, n * sizeof *items);
    mailbox.part = FW_COMMAND_LIST;
    mailbox.table = 0x20000000 + FW_TABLE_END - LIST_MOST * FW_ITEM_BYTES - FW_LIST_HEAD;
    mailbox.runs = steps;
    mailbox.outputs = 0;
    mailbox.command = mailbox.done + 1;
    return serve(d, t);
}

/* Returns a chip whose processor takes lists of the batches of a kernel with a load and a store. */
static device *device_with_lists(test_kernel *t, uint32_t runs, uint64_t seed) {
    make_kernel(t, 0, 1, 1);
    t->k.call = lists_batch;
    t->k.combine = lists_combine;
    t->k.entries = entries_item;
    return device_with_batch(t, runs, seed);
}

/* The first store's block has min(words, 3) words of the load; tests of a list read this block. */
static void put_words(device *d, const uint16_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        d->glb[2 * i] = (uint8_t)words[i];
        d->glb[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
}

static void the_processor_goes_through_a_list(void **state) {
    (void)state;
    enum { TABLE = 0x20000000 + FW_TABLE_OFFSET };
    static const uint16_t words[] = {5, 0, 7, 9, 0};
    const uint32_t stored = DEVICE_BANK, kept = 3 * DEVICE_BANK + 0x40;
    test_kernel t;
    device *d = device_with_lists(&t, 2, 23);
    put_words(d, words, 5);
    const uint32_t runs = d->sram[FW_TABLE_OFFSET / 4 + 1];
    assert_true(runs > 0);
    const uint32_t items[][ITEM_WORDS] = {
        {0, TABLE, 2, UINT16_MAX},
        {0, TABLE, 1, UINT16_MAX},
        {FW_COPY, stored, 8, kept},
        {FW_TEST | FW_TEST_EQUAL, stored, 1, 0, 77},
    };
    /* Two runs; a run, a copy and a failing test, twice; one run. */
    assert_true(serve_list(d, &t, items, 4, 1, 8));
    assert_int_equal(mailbox.steps, 8);
    assert_int_equal(d->starts, 5);
    assert_memory_equal(d->glb + kept, d->glb + stored, 8);
    const uint32_t *first = list_item(d, 0) + FW_ITEM_CYCLES / 4, *second = first + ITEM_WORDS;
    assert_int_equal(first[0] + second[0], 0);
    assert_int_equal(first[1] + second[1], mailbox.kernel_cycles[0]);
    assert_in_range(first[2] + second[2], 1, mailbox.firmware_cycles[0] - 1); /* copies and tests take time */
    assert_int_equal(counter(mailbox.total_cycles), counter(mailbox.config_cycles) +
                                                        counter(mailbox.kernel_cycles) +
                                                        counter(mailbox.firmware_cycles));
    /* Surplus steps do not belong to the list; an empty list has no steps. */
    assert_true(serve_list(d, &t, items, 1, 0, 3));
    assert_int_equal(mailbox.steps, 3);
    assert_int_equal(d->starts, 11);
    assert_true(serve_list(d, &t, items, 1, 0, 0));
    assert_int_equal(mailbox.steps, 0);
    assert_int_equal(d->starts, 11);
    device_end(d);
}

static void a_list_that_is_none_is_refused(void **state) {
    (void)state;
    const uint32_t all = DEVICE_TILES * 2 * DEVICE_BANK;
    const struct {
        uint32_t item[ITEM_WORDS], n, again, error;
    } cases[] = {
        {{0}, 1, 0, FW_ERROR_BAD_FUNCTION}, /* there are none */
        {{0}, 0, 0, FW_ERROR_BAD_BATCH},
        {{0}, 1, 1, FW_ERROR_BAD_BATCH},
        {{0}, LIST_MOST + 1, 0, FW_ERROR_BAD_BATCH},
        {{0}, UINT32_MAX / FW_ITEM_BYTES + 2, 0, FW_ERROR_BAD_BATCH},
        {{1, 0x20004000, 1, 0}, 1, 0, FW_ERROR_BAD_PART},
        {{0, 0x20003ffc, 1, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_TEST, 1, 1, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_TEST, 0, DEVICE_BANK, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_TEST, all - 2, 2, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 0, 4, all}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, all, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 1, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 2, 3, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY | 1, 0, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_BLOCK, 1, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_BLOCK | 1, 0, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_BLOCK, all - 8, 4, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_BLOCK, 0, 4, 5}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_BLOCK, 0, DEVICE_BANK / 2, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_SPREAD, 0, 0x20003ff8, 0, 0, 1, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_SPREAD, 0x2001c000, 0x20004000, 0, 0, 1, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK, 4, 0, 0, 0, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH}, /* no stream */
        {{FW_PACK, 4, 2, 0, 0x20004000, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK, 4, 0, 0, 0x20004000, 0, 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK | 32, 4, 0, 0, 0x20004000, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK | FW_PACK_STORED, 4, 0, 0x20004000, 0x20004000, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK | FW_PACK_STORED | FW_PACK_ABSENT, 4, 0x20004000, 0x20004008, 0x20004000, 0, 1 << 16 | 24},
         1,
         0,
         FW_ERROR_BAD_BATCH},
        {{FW_PACK, 4, all - 12, 0, 0x20004000, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK, 4, 0, FW_SCRATCH, 0, 0x20004000, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK, 4, 0, 0, 0x2001bff8, 0, 2 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_PACK, 10239u << 16 | 2, 0, 0, 0x20004000, 0, 1 << 16 | 24}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC, FW_SCRATCH | 2, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC, FW_SCRATCH | 0x5000, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC | FW_OPS, 0, 0, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC, 0, 0, 1, 1 << 16 | 1}, 1, 0, FW_ERROR_BAD_BATCH}, /* rows */
        {{FW_CALC, all - 2, 0, 0, 1 << 16 | 2}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC, 0, all - 8, 0, 3 << 16 | 1, 4u << 16}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC, 0, 0, all - 8, 3 << 16 | 1, 0, 4}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_CALC | FW_OPS, 0, 0, 0, 1 << 16 | 1}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 0, 2, 8, 2, 3, 2}, 1, 0, FW_ERROR_BAD_BATCH}, /* ways */
        {{FW_COPY, 0, 2, 8, 2 << 16, 2, 3 << 16}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, all - 8, 2, 8, 3, 4, 2}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 0, 2, all - 8, 3 << 16, 2u << 16, 4u << 16}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 0, 2, 8, UINT32_MAX, 0xfffefffe, 0}, 1, 0, FW_ERROR_BAD_BATCH},
        {{FW_COPY, 0, DEVICE_BANK + 4, 0}, 1, 0, FW_ERROR_BAD_BATCH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 25);
        uint32_t *head = list_item(d, 0) - FW_LIST_HEAD / 4;
        serve_list(d, &t, &cases[i].item, 1, 0, 0);
        head[0] = cases[i].n;
        head[1] = cases[i].again;
        mailbox.part = cases[i].error == FW_ERROR_BAD_FUNCTION ? FW_FUNCTION + 3 : FW_COMMAND_LIST;
        mailbox.runs = 1;
        mailbox.command++;
        assert_false(serve(d, &t));
        if (mailbox.error != cases[i].error)
            fail_msg("case %zu: error %u", i, mailbox.error);
        assert_int_equal(d->starts, 0);
        device_free(d);
    }
}

static void tests_of_a_list_compare(void **state) {
    (void)state;
    /* Two blocks: 0, -3, 7 and 0, 9; two zeros, five values, the first value 0. */
    static const uint16_t words[] = {3, 0, (uint16_t)-3, 7, 2, 0, 9};
    test_kernel t;
    device *d = device_with_lists(&t, 1, 24);
    put_words(d, words, 7);
    static const struct {
        uint32_t what, address, words, fill;
        int32_t value, now;
    } cases[] = {{0, 0, 7, 0, 3, 3},
                 {0, 0, 7, 0, 4, 3},
                 {0, 0, 7, 9, 4, 4},
                 {0, 0, 7, (uint16_t)-3, 5, 4},
                 {0, 0, 4, 0, 1, 2},
                 {0, 8, 3, 0, -1, 1},
                 {0, 0, 0, 0, 0, 0},
                 {FW_TEST_WORD, 2, 2, 0, -2, -3},
                 {FW_TEST_WORD, 2, 2, 0, -3, -3},
                 {FW_TEST_WORD, 0, 2, 0, -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t holds = 0; holds < 8; holds++) {
            const uint32_t item[][ITEM_WORDS] = {{FW_TEST | cases[i].what | holds, cases[i].address,
                                                  cases[i].words, cases[i].fill, (uint32_t)cases[i].value}};
            const bool over = cases[i].now < cases[i].value    ? holds & FW_TEST_LESS
                              : cases[i].now == cases[i].value ? holds & FW_TEST_EQUAL
                                                               : holds & FW_TEST_GREATER;
            assert_true(serve_list(d, &t, item, 1, 0, 5));
            if (mailbox.steps != (over ? 0 : 5))
                fail_msg("case %zu, %u: %u steps", i, holds, mailbox.steps);
        }
    }
    assert_true(d->starts == 0 && !d->violation);
    device_free(d);
}

/* A row of two stores: coordinates 1, 3, 4 of five segments' room, values -2, 0, 9 and a value beyond
 * them. */
static void put_vector(device *d) {
    static const uint16_t crd[] = {2, 0, 3, 3, 1, 3, 4}, val[] = {4, (uint16_t)-2, 0, 9, 77};
    for (uint32_t i = 0; i < 7; i++)
        memcpy(d->glb + 0x100 + 2 * i, &crd[i], 2);
    for (uint32_t i = 0; i < 5; i++)
        memcpy(d->glb + 0x206 + 2 * i, &val[i], 2);
    const uint32_t row[] = {0x100, 7, 0x206, 5};
    memcpy(d->sram + FW_TABLE_OFFSET / 4, row, sizeof row);
}

/* Entries stored by coordinates become a dense block, of any fill; parts are combined. */
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
    for (uint32_t round = 0; round < 600; round++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 26);
        const uint32_t how = prng_below(&p, FW_SPREADS), kind = prng_below(&p, 3),
                       n = prng_below(&p, MOST + 1), crd = AT_CRD + 2 * prng_below(&p, 2),
                       val = AT_VAL + 2 * prng_below(&p, 2), to = TO + 2 * prng_below(&p, 2),
                       count = prng_below(&p, ROOM / 2),
                       fill = prng_below(&p, 2) ? 0 : prng_below(&p, 1 << 16);
        const int32_t first = (int32_t)prng_below(&p, 24) - 8;
        uint16_t words[MOST + 4] = {2, 0, (uint16_t)n, (uint16_t)n}, values[MOST + 1] = {(uint16_t)n};
        int32_t want[ROOM];
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
            if (at >= 0 && at < (int32_t)count)
                want[4 + at] = (int16_t)together(how, want[4 + at], (int16_t)values[1 + i]);
        }
        memcpy(d->glb + crd, words, 2 * (n + 4));
        memcpy(d->glb + val, values, 2 * (n + 1));
        const uint32_t row[] = {crd, n + 4, val, n + 1},
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
    }
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
        const uint32_t row[PACK_ROW / 4] = {PACK_CRD + r % 2 * 0x200, 0, PACK_VAL + r % 2 * 0x200, 0, 0, 0};
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
        assert_int_equal(row[1], r % 2 || !(streams & 1) ? 0 : n + 4);
        assert_int_equal(row[3], r % 2 || !(streams & 2) ? 0 : n + 1);
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
    }
}

/* A run's stored entries of a part are packed, too; the block has some coordinates of the part. Entries equal
 * to the fill are dropped. */
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
    for (uint32_t i = 0; i < 600; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 29);
        const uint32_t how = ways[prng_below(&random, sizeof ways / sizeof *ways)],
                       count = prng_below(&random, PACK_MOST + 1), streams = 1 + prng_below(&random, 3),
                       zeros = prng_below(&random, 5),
                       fill = prng_below(&random, 3) ? 0 : prng_below(&random, 0x10000);
        const int32_t first = (int32_t)prng_below(&random, 13) - 6;
        uint16_t stored[4 * PACK_MOST + 8], words[PACK_MOST] = {0}, crd[PACK_MOST + 1], val[PACK_MOST + 1];
        uint32_t n = 0, c = 0;
        for (; c < PACK_MOST; c++) { /* coordinates of the part */
            if (prng_below(&random, 4) < zeros)
                continue;
            const uint16_t value =
                (uint16_t)(prng_below(&random, 3) ? 1 + prng_below(&random, 0xffff) : fill);
            crd[n] = (uint16_t)c;
            val[n++] = value;
            if ((int32_t)c >= first && (int32_t)c - first < (int32_t)count)
                words[(int32_t)c - first] = value ^ (uint16_t)fill;
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
        const uint32_t cells[] = {0x4000, n + 4, 0x4000 + 2 * (n + 4), n + 1};
        memcpy(d->sram + (PACK_TABLE - 0x20000000) / 4, cells, sizeof cells);
        put_pack_rows(d);
        const uint32_t items[][ITEM_WORDS] = {{FW_PACK | FW_PACK_STORED | how | fill << FW_PACK_FILL_SHIFT,
                                               (uint32_t)first << 16 | count, PACK_TABLE, PACK_TABLE + 8,
                                               streams & 1 ? PACK_OWN : 0, streams & 2 ? PACK_OWN + 8 : 0,
                                               PACK_ROWS << 16 | PACK_ROW}};
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        n = packed_words(words, count, how, crd, val);
        expect_packed(d, streams, n, crd, val);
        device_free(d);
    }
}

/* ---- lists of entries ------------------------------------------------------------------------ */

enum { EXTENT = 20, STREAM_ROOM = 0x1000, PARTS = 3, GUARD = 0x5555 };

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
    uint32_t stored, most; /* entries of all parts; of a fiber */
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

/* Adds a value of a part to the expected matrix. */
static void want_value(entries_case *c, uint32_t row, uint32_t column, uint16_t value) {
    const uint32_t a = c->turned ? column : row, b = c->turned ? row : column;
    uint16_t *at = &c->want.value[a][b];
    *at = c->want.has[a][b] ? two_combined(c->how, *at, value) : value;
    c->want.has[a][b] = true;
}

/* Draws a run's result of rows [corner, corner + size), writes its streams, and makes its item. */
static void draw_part(entries_case *c, uint32_t part, uint32_t corner, uint32_t size, uint32_t *item) {
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
    uint32_t at = 0x20000 + part * 3 * STREAM_ROOM, begin = at;
    for (uint32_t k = 0; k < 3; k++) {
        begin = at = 0x20000 + (3 * part + k) * STREAM_ROOM + 2 * prng_below(&c->random, 2);
        if (k == 0) {
            put_block(c->d, &at, (uint16_t[]){outer[0], (uint16_t)n_rows}, 2);
            put_block(c->d, &at, rows, n_rows);
        } else if (k == 1) {
            put_block(c->d, &at, segments, n_rows + 1);
            put_block(c->d, &at, columns, n);
        } else {
            put_block(c->d, &at, values, n);
        }
        cell[k] = ENTRY_CELLS + 8 * (3 * part + k);
        c->d->sram[(cell[k] - 0x20000000) / 4] = begin;
        c->d->sram[(cell[k] - 0x20000000) / 4 + 1] = (at - begin) / 2;
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
            rows[r * ROW / 4 + 2 * (2 - k)] = place[k] + r * 0x10000;
            rows[r * ROW / 4 + 2 * (2 - k) + 1] = 0;
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
        assert_int_equal(rows[2 * (2 - k) + 1], has ? (at - place[k]) / 2 : 0);
        assert_int_equal(rows[ROW / 4 + 2 * (2 - k) + 1], 0);
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
    for (uint32_t i = 0; i < 400; i++) {
        entries_case c = {.random = prng_seed(100 + i)};
        c.d = device_with_lists(&c.t, 1, 31);
        const uint32_t parts = prng_below(&c.random, PARTS + 1);
        c.fill = prng_below(&c.random, 2) ? 0 : prng_below(&c.random, 0x10000);
        c.how = prng_below(&c.random, 2) ? FW_OP_SET : FW_OP_ADD + prng_below(&c.random, FW_SPREADS - 1);
        c.turned = prng_below(&c.random, 2);
        c.dense[0] = prng_below(&c.random, 3) == 0;
        c.dense[1] = prng_below(&c.random, 3) == 0;
        uint32_t take[PARTS][ITEM_WORDS], distinct = 0;
        for (uint32_t p = 0; p < parts; p++) /* rows of their own, or all have all */
            draw_part(&c, p, c.how ? 0 : p * 4, c.how ? EXTENT : 4, take[p]);
        for (uint32_t a = 0; a < EXTENT * EXTENT; a++)
            distinct += c.want.has[a / EXTENT][a % EXTENT];
        const uint32_t room = c.how && prng_below(&c.random, 2) ? distinct + 1 : c.stored + 1,
                       place = FW_SCRATCH | 4 * prng_below(&c.random, 9),
                       outer = EXTENT + prng_below(&c.random, 3), inner = EXTENT + prng_below(&c.random, 30),
                       way = prng_below(&c.random, 2) ? MLIST_SORTS : outer << 16 | inner;
        const uint32_t begin[] = {FW_ENTRIES | FW_ENTRIES_BEGIN, place, room, way, c.fill, c.how, 0xffff};
        assert_true(serve_list(c.d, &c.t, &begin, 1, 0, 1));
        for (uint32_t p = 0; p < parts; p++)
            assert_true(serve_list(c.d, &c.t, (const uint32_t(*)[ITEM_WORDS])take + p, 1, 0, 1));
        for (uint32_t a = 0; a < EXTENT * EXTENT; a++) {
            if (c.want.value[a / EXTENT][a % EXTENT] == c.fill)
                c.want.has[a / EXTENT][a % EXTENT] = false;
        }
        for (uint32_t k = 0; k < 4; k++)
            make_box(&c);
        for (uint32_t turns = 0; turns < 2; turns++) {
            const uint32_t again[] = {
                FW_ENTRIES | FW_ENTRIES_AGAIN | (turns ? FW_ENTRIES_TURNED : 0), place, room, way, 0, 0, 0};
            assert_true(serve_list(c.d, &c.t, &again, 1, 0, 1));
            if (turns)
                turn_matrix(&c.want);
            make_box(&c);
        }
        device_free(c.d);
    }
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
#define AGAIN(way)                                                                                           \
    { FW_ENTRIES | FW_ENTRIES_AGAIN, FW_SCRATCH, 3, way }
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
        {{DENSE(1, 8), TAKE(9), SHAPE(0x020100)}, false}, /* the part is beyond */
        {{DENSE(0, 9), SHAPE(0x020100)}, false},
        {{DENSE(1, 9), TAKE(9), AGAIN(1 << 16 | 9)}, false}, /* they are not listed */
        {{DENSE(1, 9), SHAPE(0x020100), AGAIN(1 << 16 | 9)}, true},
        {{DENSE(1, 9), SHAPE(0x020100), AGAIN(9 << 16 | 1)}, false},
        {{DENSE(1, 9), SHAPE(0x020100), TAKE(9)}, false},
        {{DENSE(150, 150), SHAPE(0x020100)}, false},
        {{BEGIN(3), TAKE(9), {FW_ENTRIES | (FW_ENTRIES_AGAIN + 1)}}, false},
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
        const uint32_t cells[] = {CRD, (at - CRD) / 2, VAL, 4};
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
    }
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
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        assert_memory_equal(d->glb + to, want, 2 * WORDS);
        assert_true(!d->violation);
        device_free(d);
    }
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
    }
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

/* A bf16 program adds parts in bf16, for consecutive and for scattered coordinates. */
static void a_list_of_bf16_combines_parts(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = CRD + 8, TO = 0x1000 };
    static const uint16_t crd[] = {2, 0, 3, 3, 1, 3, 4}, val[] = {3, 0x3f80, 0xc000, 0x7f80};
    for (uint32_t dense = 0; dense < 2; dense++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 26);
        t.k.combine = bf16_combine;
        const uint16_t now[] = {0x3f80, 0x3f80, 0x3f80, 0x3f80, 0xff80};
        const uint16_t want[2][5] = {{0x3f80, 0x4000, 0x3f80, 0xbf80, 0x7fc0},
                                     {0x4000, 0xbf80, 0x7f80, 0x3f80, 0xff80}};
        const uint32_t row[] = {0x100, 7, 0x206, 4},
                       items[][ITEM_WORDS] = {{FW_SPREAD | FW_OP_ADD, dense ? 0 : CRD, VAL, TO, 0, 5, 0}};
        memcpy(d->glb + 0x100, crd, sizeof crd);
        memcpy(d->glb + 0x206, val, sizeof val);
        memcpy(d->glb + TO, now, sizeof now);
        memcpy(d->sram + FW_TABLE_OFFSET / 4, row, sizeof row);
        assert_true(serve_list(d, &t, items, 1, 0, 1));
        assert_memory_equal(d->glb + TO, want[dense], sizeof want[dense]);
        device_end(d);
    }
}

/* Stored words that form no vector, or a vector beyond the buffer, are refused. */
static void a_vector_that_is_none_is_refused(void **state) {
    (void)state;
    enum { CRD = 0x20000000 + FW_TABLE_OFFSET, VAL = CRD + 8, ALL = DEVICE_TILES * 2 * DEVICE_BANK };
    static const struct {
        uint32_t cell, value; /* a word of the row */
        uint32_t glb;         /* or of the buffer */
        uint32_t to, count;
    } cases[] = {{0, ALL, 0, 0, 7},         {1, 6, 0, 0, 7},
                 {1, 2, 0, 0, 7},           {1, 0, 0, 0, 7},
                 {2, ALL - 2, 0, 0, 7},     {3, 4, 0, 0, 7},
                 {3, DEVICE_BANK, 0, 0, 7}, {2, 0x207, 0, 0, 7},
                 {4, 60, 0x100, 0, 7},      {4, 5, 0x106, 0, 7},
                 {4, 2, 0x206, 0, 7},       {0, 0x100, 0, ALL, 7},
                 {0, 0x100, 0, 1, 7},       {0, 0x100, 0, 0, DEVICE_BANK}};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(segments_are_checked),
        TEST(each_word_of_a_sum_is_compared),
        TEST(the_processor_goes_through_a_list),
        TEST(tests_of_a_list_compare),
        TEST(a_list_makes_dense_vectors),
        TEST(a_list_puts_random_parts),
        TEST(a_list_copies_words),
        TEST(a_block_of_a_list_is_cleared),
        TEST(a_list_packs_vectors),
        TEST(a_list_packs_what_was_stored),
        TEST(a_list_makes_matrices),
        TEST(a_list_of_entries_that_is_none_is_refused),
        TEST(a_list_computes_values),
        TEST(a_list_copies_along_two_ways),
        TEST(a_list_reaches_the_last_word),
        TEST(a_list_computes_rows),
        TEST(values_of_lists_are_those_of_the_simulator),
        TEST(products_of_lists_are_those_of_the_array),
        TEST(a_list_of_bf16_combines_parts),
        TEST(quotients_of_lists_are_those_of_the_simulator),
        TEST(a_vector_that_is_none_is_refused),
        TEST(a_list_that_is_none_is_refused),
        TEST(both_paths_configure_the_array),
        TEST(an_access_that_is_not_aligned_is_noticed),
        TEST(a_damaged_image_is_not_configured),
        TEST(what_is_no_image_for_this_program_is_refused),
        TEST(a_word_that_reads_back_differently_is_named),
        TEST(a_word_that_reads_back_differently_is_written_again),
        TEST(a_reset_that_does_nothing_is_noticed),
        TEST(a_configuration_that_hangs_is_reported),
        TEST(a_chip_that_does_not_answer_is_reported),
        TEST(an_early_output_that_hangs_is_reported),
        TEST(a_batch_of_three_runs_fills_its_table),
        TEST(random_kernels_run_random_plans),
        TEST(copies_take_runs_each_by_itself),
        TEST(a_slow_copy_holds_no_other_up),
        TEST(recorded_loads_are_replayed),
        TEST(recorded_stores_are_replayed),
        TEST(runs_are_right_after_the_other_reset),
        TEST(a_run_that_hangs_names_its_streams),
        TEST(without_a_debugger_nobody_sleeps),
        TEST(a_copy_that_hangs_is_named),
        TEST(kernels_of_one_bitstream_run_in_turn),
        TEST(images_take_turns),
        TEST(a_reset_between_images_is_noticed),
        TEST(a_damaged_image_is_never_configured),
        TEST(a_batch_without_runs_is_done_at_once),
        TEST(a_table_outside_its_area_is_refused),
        TEST(outputs_in_no_bank_are_refused),
        TEST(a_load_without_words_is_refused),
        TEST(an_output_may_fill_its_bank),
        TEST(cycle_counters_carry),
        TEST(an_output_beyond_its_bank_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
