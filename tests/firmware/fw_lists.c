#include "tests/firmware/fw_device_cases.h"

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
    const uint32_t runs = d->sram[FW_TABLE_OFFSET / 4 + FW_WORD_cell_words];
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
    const uint32_t *first = list_item(d, 0) + FW_COMMAND_CYCLES / 4, *second = first + ITEM_WORDS;
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
    assert_in_range(counter(mailbox.total_cycles), 1, bus_read32(CORE_BASE + CORE_DWT_CYCCNT));
    /* The steps before the one that is refused are known. */
    const uint32_t broken[][ITEM_WORDS] = {
        {FW_COPY, stored, 8, kept}, {FW_COPY, stored, 8, kept}, {FW_COPY | 1}};
    assert_false(serve_list(d, &t, broken, 3, 0, 3));
    assert_int_equal(mailbox.steps, 2);
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
        {{0}, UINT32_MAX / FW_COMMAND_BYTES + 2, 0, FW_ERROR_BAD_BATCH},
        {{1, 0x20004000, 1, 0}, 1, 0, FW_ERROR_BAD_KERNEL},
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
        mailbox.callee = cases[i].error == FW_ERROR_BAD_FUNCTION ? FW_FUNCTION + 3 : FW_COMMAND_LIST;
        mailbox.runs = 1;
        mailbox.command++;
        assert_false(serve(d, &t));
        if (mailbox.error != cases[i].error)
            fail_msg("case %zu: error %u", i, mailbox.error);
        assert_int_equal(d->starts, 0);
        device_free(d);
    }
}

static void a_kernel_without_functions_calls_none(void **state) {
    static const uint32_t numbers[] = {0, 1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        test_kernel t;
        device *d = device_with_lists(&t, 1, 25);
        mailbox.callee = FW_FUNCTION + numbers[i];
        mailbox.table = 0x20000000 + FW_TABLE_OFFSET;
        mailbox.runs = 1;
        mailbox.command++;
        assert_false(serve(d, &t));
        assert_int_equal(mailbox.error, FW_ERROR_BAD_FUNCTION);
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

/* ---- batches of one run -------------------------------------------------------------------------- */

enum { ROWS = 0x20000000 + FW_TABLE_OFFSET };

/* Returns a chip whose kernel has loads and stores by the seed, with a table of two rows. For some seeds all
 * settings of loads change from row to row: a row has single words, and the other row has none. */
static device *device_with_rows(test_kernel *t, uint32_t seed) {
    make_kernel(t, seed % 5, 1 + seed % 3, 1 + seed / 3 % 3);
    t->k.call = lists_batch;
    t->k.combine = lists_combine;
    t->k.poll = seed % 2;
    device *d = device_with_batch(t, 2, seed);
    uint32_t *row = d->sram + FW_TABLE_OFFSET / 4;
    for (uint32_t r = 0; r < 2; r++, row += fw_row_bytes(t->kernel.n_loads, t->kernel.n_stores) / 4) {
        for (uint32_t i = 0; i < t->kernel.n_loads; i++) {
            row[2 * i + FW_WORD_cell_first] += 0x400 * r;
            row[2 * i + FW_WORD_cell_words] = seed % 4 ? 1 + (seed + 3 * r + i) % 9 : 1 + r * (2 + seed % 7);
        }
    }
    return d;
}

/* Runs a row by the mailbox, as a batch. */
static bool serve_row(device *d, const test_kernel *t, uint32_t row, uint32_t banks) {
    mailbox.callee = 0;
    mailbox.runs = 1;
    mailbox.table = row;
    mailbox.outputs = banks;
    mailbox.command = mailbox.done + 1;
    return serve(d, t);
}

/* Copies the cells of both rows, without the ends, which have cycles. */
static void copy_cells(const device *d, const test_kernel *t, uint32_t *to) {
    const uint32_t words = fw_row_bytes(t->kernel.n_loads, t->kernel.n_stores) / 4,
                   cells = words - FW_END_BYTES / 4;
    for (uint32_t r = 0; r < 2; r++)
        memcpy(to + r * cells, d->sram + FW_TABLE_OFFSET / 4 + r * words, 4 * cells);
}

/* A list's batches of one run leave what the mailbox' batches leave: words, rows and starts. The run behind
 * the last step, set up ahead, comes as a batch of the mailbox, or never: then another row comes. */
static void runs_of_a_list_are_batches(void **state) {
    (void)state;
    enum { CELLS = 2 * 2 * 6, BYTES = DEVICE_TILES * 2 * DEVICE_BANK };
    static uint8_t glb[BYTES];
    for (uint32_t seed = 0; seed < 45; seed++) {
        test_kernel t;
        uint32_t want[CELLS] = {0}, got[CELLS] = {0};
        device *d = device_with_rows(&t, seed);
        const uint32_t next = ROWS + fw_row_bytes(t.kernel.n_loads, t.kernel.n_stores);
        for (uint32_t i = 0; i < 5; i++)
            assert_true(serve_row(d, &t, i % 2 ? next : ROWS, UINT16_MAX));
        const uint32_t behind = seed / 3 % 2 ? next : ROWS;
        assert_true(serve_row(d, &t, behind, UINT16_MAX));
        copy_cells(d, &t, want);
        memcpy(glb, d->glb, BYTES);
        const uint32_t starts = d->starts;
        device_end(d);

        d = device_with_rows(&t, seed);
        const uint32_t items[][ITEM_WORDS] = {{0, ROWS, 1, UINT16_MAX}, {0, next, 1, UINT16_MAX}};
        assert_true(serve_list(d, &t, items, 2, 0, 5));
        const uint32_t *first = list_item(d, 0) + FW_COMMAND_CYCLES / 4, *second = first + ITEM_WORDS;
        assert_int_equal(first[0] + second[0], 0);
        assert_int_equal(first[1] + second[1], mailbox.kernel_cycles[0]);
        assert_in_range(first[2] + second[2], 1, mailbox.firmware_cycles[0]);
        assert_true(serve_row(d, &t, behind, UINT16_MAX));
        copy_cells(d, &t, got);
        assert_memory_equal(got, want, sizeof want);
        assert_memory_equal(d->glb, glb, BYTES);
        assert_int_equal(d->starts, starts);
        device_end(d);
    }
}

/* A row that the host or a command of the list has changed is set up anew, though the run before had the row,
 * too: words and cells are those of batches of the mailbox. */
static void a_changed_row_is_set_up_again(void **state) {
    (void)state;
    enum { CELLS = 2 * 2 * 6, BYTES = DEVICE_TILES * 2 * DEVICE_BANK };
    static uint8_t glb[BYTES];
    for (uint32_t seed = 0; seed < 30; seed++) {
        uint32_t cells[2][CELLS] = {{0}};
        for (uint32_t by_list = 0; by_list < 2; by_list++) {
            test_kernel t;
            device *d = device_with_rows(&t, seed);
            uint32_t *const first = d->sram + FW_TABLE_OFFSET / 4;
            const uint32_t row_bytes = fw_row_bytes(t.kernel.n_loads, t.kernel.n_stores);
            const uint32_t items[][ITEM_WORDS] = {
                {0, ROWS, 1, UINT16_MAX},
                {FW_PACK, 0, 0, first[FW_WORD_cell_first], 0, ROWS, 1 << 16 | row_bytes},
                {0, ROWS, 1, UINT16_MAX}};
            assert_true(by_list ? serve_list(d, &t, items, 1, 0, 3) : serve_row(d, &t, ROWS, UINT16_MAX));
            first[FW_WORD_cell_words] += 2;
            if (by_list) {
                assert_true(serve_list(d, &t, items, 3, 0, 3));
            } else {
                assert_true(serve_row(d, &t, ROWS, UINT16_MAX));
                assert_true(serve_list(d, &t, items + 1, 1, 0, 1));
                assert_true(serve_row(d, &t, ROWS, UINT16_MAX));
                memcpy(glb, d->glb, BYTES);
            }
            assert_int_equal(first[FW_WORD_cell_words], 2); /* an empty block has a length and a value */
            copy_cells(d, &t, cells[by_list]);
            assert_memory_equal(d->glb, glb, BYTES);
            device_end(d);
        }
        assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
    }
}

/* A run of a list fails as the mailbox' does: without a word, outside of the tables, by its streams. */
static void runs_of_a_list_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t row, banks, hang_loads, hang_stores, words;
    } cases[] = {{ROWS, UINT16_MAX, 0, 0, 0},          {ROWS + 2, UINT16_MAX, 0, 0, 1},
                 {ROWS, UINT16_MAX + 1u, 0, 0, 1},     {0x2001bffc, UINT16_MAX, 0, 0, 1},
                 {ROWS, UINT16_MAX, UINT16_MAX, 0, 1}, {ROWS, UINT16_MAX, 0, UINT16_MAX, 1}};
    for (uint32_t seed = 0; seed < 6; seed++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint32_t error[2], detail[2][2];
            for (uint32_t by = 0; by < 2; by++) {
                test_kernel t;
                device *d = device_with_rows(&t, seed);
                const uint32_t item[][ITEM_WORDS] = {{0, cases[i].row, 1, cases[i].banks}};
                d->hang_loads = cases[i].hang_loads;
                d->hang_stores = cases[i].hang_stores;
                if (!cases[i].words)
                    d->sram[FW_TABLE_OFFSET / 4 + FW_WORD_cell_words] = 0;
                assert_false(by ? serve_list(d, &t, item, 1, 0, 2)
                                : serve_row(d, &t, cases[i].row, cases[i].banks));
                error[by] = mailbox.error;
                detail[by][0] = mailbox.detail[0];
                detail[by][1] = mailbox.detail[1];
                device_free(d);
            }
            assert_int_equal(error[1], error[0]);
            assert_int_not_equal(error[1], 0);
            assert_memory_equal(detail[1], detail[0], sizeof detail[0]);
        }
    }
}

/* ---- lists over kernels of two images ----------------------------------------------------------- */

/* Kernels 0 and 1 share an image, and no tile of the buffer; kernel 2 is an image of its own, on tiles of
 * both. Each kernel has a table of two rows. */
typedef struct {
    test_kernel t[3]; /* the first has the description of all */
    kernel_stream loads[KERNEL_MAX_STREAMS], stores[KERNEL_MAX_STREAMS]; /* of the first image */
    kernel_image images[2];
    array_kernel kernels[3];
    device *d;
} three_kernels;

static uint32_t table_of(uint32_t number) {
    return FW_TABLE_OFFSET + 0x1000 * number;
}

static void join_kernels(three_kernels *p) {
    kernel_image *image = &p->images[0];
    for (uint32_t i = 0; i < 2; i++) {
        array_kernel *const k = &p->kernels[i];
        k->loads = memcpy(p->loads + image->n_loads, k->loads, k->n_loads * sizeof *k->loads);
        k->stores = memcpy(p->stores + image->n_stores, k->stores, k->n_stores * sizeof *k->stores);
        image->n_loads += k->n_loads;
        image->n_stores += k->n_stores;
    }
    image->loads = p->loads;
    image->stores = p->stores;
}

static void begin_three(three_kernels *p, uint32_t seed) {
    make_kernel(&p->t[0], 0, 2, 1 + seed % 2);
    make_kernel(&p->t[1], 3, 1 + seed % 3, 2);
    make_kernel(&p->t[2], 1, 3, 2 + seed % 2);
    kernel_description *const k = &p->t[0].k;
    p->d = device_new(k, seed);
    p->d->output_banks = UINT16_MAX;
    load_bitstream_at(p->d, &p->t[0], 0, 5);
    load_bitstream_at(p->d, &p->t[2], WORDS_FROM + 8 * 5, 9);
    p->images[0] = p->t[0].image;
    p->images[0].n_loads = p->images[0].n_stores = 0;
    p->images[1] = p->t[2].image;
    for (uint32_t i = 0; i < 3; i++) {
        p->kernels[i] = p->t[i].kernel;
        p->kernels[i].image = &p->images[i / 2];
    }
    join_kernels(p);
    k->images = p->images;
    k->kernels = p->kernels;
    k->n_images = 2;
    k->n_kernels = 3;
    k->call = lists_batch;
    k->combine = lists_combine;
    k->poll = seed % 2;
    assert_true(boot(p->d, &p->t[0]));
    for (uint32_t i = 0; i < 3; i++) {
        const array_kernel *of = &p->kernels[i];
        uint32_t *row = p->d->sram + table_of(i) / 4;
        for (uint32_t r = 0; r < 2; r++, row += fw_row_bytes(of->n_loads, of->n_stores) / 4) {
            for (uint32_t l = 0; l < of->n_loads; l++) {
                row[2 * l + FW_WORD_cell_first] = (uint32_t)of->loads[l].glb_tile << 18 | 0x400 * r;
                row[2 * l + FW_WORD_cell_words] = 1 + (seed + 3 * r + l) % 9;
            }
        }
    }
}

/* Copies the cells of all tables, without the ends. */
static void copy_tables(const three_kernels *p, uint32_t (*to)[2][2 * 6]) {
    memset(to, 0, 3 * sizeof *to);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t words = fw_row_bytes(p->kernels[i].n_loads, p->kernels[i].n_stores) / 4;
        for (uint32_t r = 0; r < 2; r++)
            memcpy(to[i][r], p->d->sram + table_of(i) / 4 + r * words, 4 * words - FW_END_BYTES);
    }
}

/* The rows of each command that nothing ran again have its cycles, whatever ran behind it. */
static void expect_cycles(const three_kernels *p, uint32_t (*items)[ITEM_WORDS], uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t number = items[i][0];
        const array_kernel *of = &p->kernels[number];
        const uint32_t words = fw_row_bytes(of->n_loads, of->n_stores) / 4,
                       *end = p->d->sram + (items[i][1] - 0x20000000 - FW_END_BYTES) / 4 + words +
                              FW_WORD_end_cycles;
        bool again = false;
        for (uint32_t later = i + 1; later < n; later++)
            again |= items[later][0] == number;
        const uint32_t cycles = (items[i][2] ? end[0] : 0) + (items[i][2] == 2 ? end[words] : 0),
                       *counted = list_item(p->d, i) + FW_COMMAND_CYCLES / 4;
        if (!again)
            assert_int_equal(counted[1], cycles);
    }
}

/* Batches of no run, of one and of two, over kernels of two images, leave what the mailbox' batches leave,
 * and each row the cycles of its last run. */
static void kernels_of_images_take_turns_in_a_list(void **state) {
    (void)state;
    enum { BYTES = DEVICE_TILES * 2 * DEVICE_BANK };
    static uint8_t glb[BYTES];
    static three_kernels p;
    quota q = {0};
    for (uint32_t seed = 0; seed < 80; seed++) {
        prng random = prng_seed(seed);
        uint32_t items[LIST_MOST][ITEM_WORDS] = {{0}}, cells[2][3][2][2 * 6];
        begin_three(&p, seed);
        for (uint32_t i = 0; i < LIST_MOST; i++) {
            const uint32_t number = prng_below(&random, 3), row = prng_below(&random, 2);
            const array_kernel *of = &p.kernels[number];
            items[i][0] = number;
            items[i][1] = 0x20000000 + table_of(number) + row * fw_row_bytes(of->n_loads, of->n_stores);
            items[i][2] = row ? 1 : prng_below(&random, 3);
            items[i][3] = UINT16_MAX;
        }
        const uint32_t n = 2 + seed % 3, again = prng_below(&random, n), steps = seed % 2 ? n : 3 * n - 1;
        for (uint32_t step = 0; step < steps; step++) {
            const uint32_t *item = items[step < n ? step : again + (step - n) % (n - again)];
            mailbox.callee = item[0];
            mailbox.table = item[1];
            mailbox.runs = item[2];
            mailbox.outputs = item[3];
            mailbox.command = mailbox.done + 1;
            assert_true(serve(p.d, &p.t[0]));
        }
        copy_tables(&p, cells[0]);
        memcpy(glb, p.d->glb, BYTES);
        const uint32_t starts = p.d->starts;
        device_end(p.d);

        begin_three(&p, seed);
        const uint64_t config = counter(mailbox.config_cycles);
        assert_true(serve_list(p.d, &p.t[0], (const uint32_t(*)[ITEM_WORDS])items, n, again, steps));
        copy_tables(&p, cells[1]);
        assert_memory_equal(cells[1], cells[0], sizeof *cells);
        assert_memory_equal(p.d->glb, glb, BYTES);
        assert_int_equal(p.d->starts, starts);
        uint64_t kernel_cycles = 0, config_cycles = config;
        for (uint32_t i = 0; i < n; i++) {
            config_cycles += list_item(p.d, i)[FW_COMMAND_CYCLES / 4];
            kernel_cycles += list_item(p.d, i)[FW_COMMAND_CYCLES / 4 + 1];
        }
        assert_int_equal(config_cycles, counter(mailbox.config_cycles));
        assert_int_equal(kernel_cycles, counter(mailbox.kernel_cycles));
        if (steps == n)
            expect_cycles(&p, items, n);
        bool turns = false; /* whether the list has several kernels */
        for (uint32_t i = 1; i < n; i++)
            turns |= items[i][0] != items[0][0];
        quota_add(&q, true, !turns);
        device_end(p.d);
    }
    assert_false(quota_failed(&q));
}

TEST_PART(fw_lists, TEST(the_processor_goes_through_a_list), TEST(tests_of_a_list_compare),
          TEST(a_list_that_is_none_is_refused), TEST(runs_of_a_list_are_batches),
          TEST(a_changed_row_is_set_up_again), TEST(runs_of_a_list_are_refused),
          TEST(kernels_of_images_take_turns_in_a_list), TEST(a_kernel_without_functions_calls_none))
