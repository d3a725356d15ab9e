/* Calls of functions by the processor, natively compiled: rows of the table, banks of the results, calls
 * beside batches of the array, and refused rows. */
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "tests/firmware/test_kernel.h"
#include "tests/test.h"

enum {
    TABLE = 0x20000000 + FW_TABLE_OFFSET,
    ALL = DEVICE_TILES * 2 * DEVICE_BANK,
    LAST = (DEVICE_TILES - 1) * 2, /* the last tile begins with this bank */
    BATCH_TABLE = 0x8000,          /* the array's table lies so many bytes behind TABLE */
};

static uint32_t address_of(const void *place) {
    return (uint32_t)(uintptr_t)place;
}

/* Word i is the sum of the inputs' words i; a missing word is 0. */
static void add_inputs(kernel_calls *c, uint32_t inputs) {
    for (uint32_t i = 0; i < c->out_words; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < inputs; k++)
            sum += i < c->words[k] ? bus_read16(address_of(c->in[k]) + 2 * i) : 0;
        bus_write16(address_of(c->out) + 2 * i, sum);
        c->calls++;
    }
}
static void copy_one(kernel_calls *c) {
    add_inputs(c, 1);
}
static void add_two(kernel_calls *c) {
    add_inputs(c, 2);
}
static const kernel_function functions[] = {{copy_one, 1}, {add_two, 2}};

/* Makes a chip that has a kernel with a load and a store, and two functions. */
static device *begin_chip(test_kernel *t) {
    make_kernel(t, 0, 1, 1);
    t->k.call = t->k.call_function = functions_batch;
    t->k.functions = functions;
    t->k.n_functions = 2;
    device *d = device_new(&t->k, 5);
    load_bitstream(d, t, 5);
    assert_true(boot(d, t));
    return d;
}

static bool run(device *d, const test_kernel *t, uint32_t callee, uint32_t rows, uint32_t outputs) {
    mailbox.callee = callee;
    mailbox.table = TABLE + (callee < FW_FUNCTION ? BATCH_TABLE : 0);
    mailbox.runs = rows;
    mailbox.outputs = outputs;
    mailbox.command = mailbox.done + 1;
    if (setjmp(d->stopped))
        return false;
    firmware_serve(&t->k);
    return true;
}

static uint16_t word(const device *d, uint32_t at) {
    return (uint16_t)(d->glb[at] | d->glb[at + 1] << 8);
}

static uint32_t *row_of(device *d, uint32_t r, uint32_t inputs) {
    return d->sram + FW_TABLE_OFFSET / 4 + r * fw_row_bytes(inputs, 1) / 4;
}

/* Writes rows of `inputs` inputs; row r has r + 1 words of each. */
static void fill_rows(device *d, uint32_t rows, uint32_t inputs, uint32_t from) {
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t *cell = row_of(d, r, inputs);
        for (uint32_t k = 0; k < inputs; k++) {
            const uint32_t at = from + (r * inputs + k) * 16;
            cell[2 * k + FW_WORD_cell_first] = at;
            cell[2 * k + FW_WORD_cell_words] = r + 1;
            for (uint32_t i = 0; i <= r; i++)
                memcpy(d->glb + at + 2 * i, &(uint16_t){(uint16_t)(100 * r + 10 * k + i + 1)}, 2);
        }
        cell[2 * inputs + FW_WORD_cell_first] = 0xdead;
        cell[2 * inputs + FW_WORD_cell_words] = r + 1;
        cell[2 * inputs + 2] = cell[2 * inputs + 3] = 0xdead;
    }
}

/* Each row has its place, its words and its cycles; returns all cycles. */
static uint32_t check_rows(device *d, uint32_t rows, uint32_t inputs, uint32_t to) {
    uint32_t cycles = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t *cell = row_of(d, r, inputs) + 2 * inputs;
        assert_int_equal(cell[FW_WORD_cell_first], to);
        assert_int_equal(cell[FW_WORD_cell_words], r + 1);
        assert_in_range(cell[2 + FW_WORD_end_cycles], 1, 100000);
        assert_int_equal(cell[2 + FW_WORD_end_lane], 0);
        for (uint32_t i = 0; i <= r; i++)
            assert_int_equal(word(d, to + 2 * i), inputs * (100 * r + i + 1) + (inputs == 2 ? 10 : 0));
        to += (2 * (r + 1) + 3) / 4 * 4;
        cycles += cell[2 + FW_WORD_end_cycles];
    }
    return cycles;
}

static void rows_are_called_in_turn(void **state) {
    (void)state;
    for (uint32_t inputs = 1; inputs < 3; inputs++) {
        for (uint32_t bank = 0; bank < 2; bank++) {
            test_kernel t;
            device *d = begin_chip(&t);
            fill_rows(d, 5, inputs, ALL - DEVICE_BANK - bank * DEVICE_BANK);
            const uint32_t before = mailbox.firmware_cycles[0];
            assert_true(run(d, &t, FW_FUNCTION + inputs - 1, 5, bank << (DEVICE_TILES - 1)));
            const uint32_t cycles = check_rows(d, 5, inputs, (LAST + bank) * DEVICE_BANK);
            assert_int_equal(mailbox.firmware_cycles[0] - before, cycles);
            assert_int_equal(mailbox.kernel_cycles[0], 0);
            assert_int_equal(mailbox.calls, 15);
            assert_int_equal(mailbox.overlapped, 0);
            assert_true(run(d, &t, FW_FUNCTION + inputs - 1, 5, bank << (DEVICE_TILES - 1)));
            assert_int_equal(mailbox.calls, 30);
            assert_null(d->violation);
            device_free(d);
        }
    }
}

/* Runs a batch of `runs` runs on the array, whose streams take time. */
static void run_array(device *d, const test_kernel *t, uint32_t runs) {
    uint32_t *row = d->sram + (FW_TABLE_OFFSET + BATCH_TABLE) / 4;
    for (uint32_t r = 0; r < runs; r++, row += fw_row_bytes(1, 1) / 4) {
        row[FW_WORD_cell_first] = 0x100;
        row[FW_WORD_cell_words] = 4;
    }
    d->output_banks = UINT16_MAX;
    assert_true(run(d, t, 0, runs, UINT16_MAX));
}

/* Rows beside the array are called while its batches wait, into the second half of their bank; what is left
 * is called in the end. */
static void rows_are_called_beside_the_array(void **state) {
    (void)state;
    const uint32_t bank = 9, overlapped = FW_FUNCTION + 1 + FW_OVERLAPPED + (bank << FW_BANK_SHIFT);
    for (uint32_t runs = 0; runs < 30; runs += 29) {
        test_kernel t;
        device *d = begin_chip(&t);
        d->stream_delay = 3000;
        fill_rows(d, 6, 2, bank * DEVICE_BANK);
        assert_true(run(d, &t, overlapped, 6, UINT16_MAX));
        assert_int_equal(mailbox.calls, 0);
        assert_int_equal(mailbox.overlapped, 0);
        run_array(d, &t, runs);
        const uint32_t done = mailbox.calls;
        assert_int_equal(done, runs ? 21 : 0);
        assert_true(runs ? mailbox.overlapped > 0 : mailbox.overlapped == 0);
        const uint32_t before = mailbox.firmware_cycles[0];
        assert_true(run(d, &t, FW_FUNCTION + 1 + FW_REST, 6, UINT16_MAX));
        const uint32_t cycles = check_rows(d, 6, 2, bank * DEVICE_BANK + DEVICE_BANK / 2);
        assert_int_equal(mailbox.calls, 21);
        assert_int_equal(mailbox.overlapped, runs ? cycles : 0);
        assert_int_equal(mailbox.firmware_cycles[0] - before, runs ? 0 : cycles);
        run_array(d, &t, 3); /* nothing is left to do beside it */
        assert_int_equal(mailbox.calls, 21);
        assert_null(d->violation);
        device_free(d);
    }
}

/* With a bank and FW_HEADED each result has its length in the first word. */
static void results_have_their_length(void **state) {
    (void)state;
    const uint32_t bank = 9, headed = FW_FUNCTION + 1 + FW_HEADED + (bank << FW_BANK_SHIFT);
    test_kernel t;
    device *d = begin_chip(&t);
    fill_rows(d, 5, 2, ALL - DEVICE_BANK);
    row_of(d, 4, 2)[4 + FW_WORD_cell_words] = 0;
    assert_true(run(d, &t, headed, 5, 0));
    uint32_t to = bank * DEVICE_BANK;
    for (uint32_t r = 0; r < 4; r++, to += (2 * r + 3) / 4 * 4) {
        assert_int_equal(row_of(d, r, 2)[4 + FW_WORD_cell_first], to);
        assert_int_equal(word(d, to), r);
        for (uint32_t i = 1; i <= r; i++)
            assert_int_equal(word(d, to + 2 * i), 2 * (100 * r + i + 1) + 10);
    }
    const uint16_t before = word(d, to); /* an empty result has no room for a length */
    assert_true(run(d, &t, headed, 5, 0));
    assert_int_equal(word(d, to), before);
    assert_null(d->violation);
    device_free(d);
}

static void wrong_rows_are_refused(void **state) {
    (void)state;
    const struct {
        uint32_t callee, rows, outputs, first, words, result, error, detail[2];
    } cases[] = {
        {FW_FUNCTION + 1, 1, 0, ALL - 4, 2, 2, 0, {0}},
        {FW_FUNCTION + 2, 1, 0, 0, 2, 2, FW_ERROR_BAD_FUNCTION, {2, 2}},
        {FW_FUNCTION, 0x20000, 0, 0, 2, 2, FW_ERROR_BAD_BATCH, {TABLE, 0x20000}},
        {FW_FUNCTION, 1, 1 << DEVICE_TILES, 0, 2, 2, FW_ERROR_OUTPUT_BANK, {1 << DEVICE_TILES, DEVICE_TILES}},
        {FW_FUNCTION, 1, 0, 2, 2, 2, FW_ERROR_BAD_BATCH, {TABLE, 2}},
        {FW_FUNCTION, 1, 0, ALL, 0, 2, 0, {0}},
        {FW_FUNCTION, 1, 0, ALL, 1, 2, FW_ERROR_BAD_BATCH, {TABLE, 1}},
        {FW_FUNCTION, 1, 0, ALL + 4, 0, 2, FW_ERROR_BAD_BATCH, {TABLE, 0}},
        {FW_FUNCTION, 1, 0, ALL - 4, 3, 2, FW_ERROR_BAD_BATCH, {TABLE, 3}},
        {FW_FUNCTION, 1, 0, 0, 2, DEVICE_BANK / 2, 0, {0}},
        {FW_FUNCTION, 1, 0, 0, 2, DEVICE_BANK / 2 + 1, FW_ERROR_BAD_BATCH, {TABLE + 8, DEVICE_BANK / 2 + 1}},
        {FW_FUNCTION + FW_OVERLAPPED + (31u << FW_BANK_SHIFT), 1, 0, 0, 2, 2, 0, {0}},
        {FW_FUNCTION + FW_OVERLAPPED + (32u << FW_BANK_SHIFT),
         1,
         0,
         0,
         2,
         2,
         FW_ERROR_BAD_BATCH,
         {TABLE, 32}},
        {FW_FUNCTION + FW_HEADED + (31u << FW_BANK_SHIFT), 1, 0, 0, 2, 2, 0, {0}},
        {FW_FUNCTION + FW_HEADED + (32u << FW_BANK_SHIFT), 1, 0, 0, 2, 2, FW_ERROR_BAD_BATCH, {TABLE, 32}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_kernel t;
        device *d = begin_chip(&t);
        uint32_t *cell = row_of(d, 0, 1);
        cell[FW_WORD_cell_first] = cell[2 + FW_WORD_cell_first] = cases[i].first;
        cell[FW_WORD_cell_words] = cases[i].words;
        cell[2 + FW_WORD_cell_words] = cases[i].result;
        if (cases[i].callee == FW_FUNCTION + 1) { /* cells 1 and 2 are the second input and the result */
            cell[2 + FW_WORD_cell_words] = cases[i].words;
            cell[4 + FW_WORD_cell_words] = cases[i].result;
        }
        const bool good = run(d, &t, cases[i].callee, cases[i].rows, cases[i].outputs);
        if (good != !cases[i].error ||
            (!good && (mailbox.error != cases[i].error || mailbox.detail[0] != cases[i].detail[0] ||
                       mailbox.detail[1] != cases[i].detail[1])))
            fail_msg("case %zu: %d, error %u: 0x%x 0x%x", i, good, mailbox.error, mailbox.detail[0],
                     mailbox.detail[1]);
        device_free(d);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_called_in_turn), cmocka_unit_test(rows_are_called_beside_the_array),
    cmocka_unit_test(results_have_their_length), cmocka_unit_test(wrong_rows_are_refused)};

int main(void) {
    return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
