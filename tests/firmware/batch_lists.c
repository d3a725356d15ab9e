#include "tests/firmware/batch_cases.h"

/* Reads a damaged copy without printing errors; true if the reader accepted the copy. */
static bool accepts(const pnr_board *b, const char *path) {
    arena mem = {0};
    diagnostics d;
    fw_batches file;
    diag_init(&d, &mem);
    bool good = fw_batches_open(path, b, &mem, &d, &file);
    assert_int_equal(good, !diag_failed(&d));
    if (good)
        fw_batches_close(&file);
    arena_free(&mem);
    return good;
}

/* A written list is read back; invalid lists are refused. */
static void lists_are_validated(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "list.bin");
    const uint32_t table = b.map.sram + FW_TABLE_OFFSET, all = b.glb_tiles * 2 * b.glb_bank_bytes;
    static const uint8_t content[6] = {1, 2, 3, 4, 5, 6};
    fw_segment puts[] = {{b.map.cgra_data, 6, content}}, stores[] = {{b.map.cgra_data + 0x20000, 10, NULL}};
    const fw_segments segments = {puts, 1, 1}, stored = {stores, 1, 1};
    const struct {
        fw_command item;
        bool good;
    } cases[] = {
        {{{3, table, 1, 1}}, true},
        {{{FW_KERNELS_MOST, table, 1, 1}}, false},
        {{{3, table + 2, 1, 1}}, false},
        {{{3, table - 4, 1, 1}}, false},
        {{{FW_TEST | 7, all - 4, 2, 0, 5}}, true},
        {{{FW_TEST | 7, all - 2, 2, 0, 5}}, false},
        {{{FW_TEST | 7, 1, 2, 0, 5}}, false},
        {{{FW_TEST | 16, 0, 2, 0, 5}}, false},
        {{{FW_COPY, 0, 8, all - 8}}, true},
        {{{FW_COPY, 0, 8, all - 4}}, false},
        {{{FW_COPY, 2, 6, 16}}, true},
        {{{FW_COPY, 2, 7, 16}}, false},
        {{{FW_COPY, 1, 8, 16}}, false},
        {{{FW_BLOCK, all - 10, 4, 4}}, true},
        {{{FW_BLOCK, all - 8, 4, 0}}, false},
        {{{FW_BLOCK, 1, 4, 0}}, false},
        {{{FW_BLOCK, 2, 4, 5}}, false},
        {{{FW_BLOCK, 0, 0x10000, 0}}, false},
        {{{FW_SPREAD | FW_OP_AND, 0, table, all - 8, 0, 4, 0}}, true},
        {{{FW_SPREAD, table + 8, table, 2, 5, 4, 7}}, true},
        {{{FW_SPREAD | FW_SPREADS, 0, table, 2, 0, 4, 0}}, false},
        {{{FW_SPREAD, 0, table, all - 6, 0, 4, 0}}, false},
        {{{FW_SPREAD, 0, table, 3, 0, 4, 0}}, false},
        {{{FW_SPREAD, 0, table - 4, 2, 0, 4, 0}}, false},
        {{{FW_SPREAD, table + 2, table, 2, 0, 4, 0}}, false},
        {{{FW_SPREAD, b.map.sram + FW_TABLE_END - 4, table, 2, 0, 4, 0}}, false},
        {{{FW_PACK | FW_PACK_BITS, 3 << 16 | 5, all - 20, all - 16, table, table + 8, 2 << 16 | 24}}, true},
        {{{FW_PACK, 5, 0, 0, 0, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK, 5, all - 16, 0, table, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK, 5, 2, 0, table, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK, 5, 0, 0, table, 0, 24}}, false},
        {{{FW_PACK, 5, 0, 0, b.map.sram + FW_TABLE_END - 8, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK, 10239u << 16 | 2, 0, 0, table, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK + FW_PACK_BITS + 1, 5, 0, 0, table, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK | FW_PACK_STORED | 7 << FW_PACK_FILL_SHIFT, 5, table, table, table, table + 8,
           2 << 16 | 24}},
         true},
        {{{FW_PACK | FW_PACK_STORED, 5, 0, table, table, table + 8, 2 << 16 | 24}}, false},
        {{{FW_PACK | FW_PACK_STORED, 5, table, 0, table, table + 8, 2 << 16 | 24}}, false},
        {{{FW_PACK | FW_PACK_STORED, 5, table, table, 0, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK | FW_PACK_STORED, 5, table, table - 4, table, 0, 2 << 16 | 24}}, false},
        {{{FW_PACK | FW_PACK_STORED, 5, table, table, table, 0, 24}}, false},
        {{{FW_PACK | FW_PACK_STORED, 5, table, table, b.map.sram + FW_TABLE_END - 8, 0, 2 << 16 | 24}},
         false},
        {{{FW_PACK | FW_PACK_STORED | FW_PACK_ABSENT, 5, table, table, table, 0, 2 << 16 | 24}}, false},
        {{{FW_CALC | FW_OP_MAX, FW_SCRATCH, 0, FW_SCRATCH | 4}}, true},
        {{{FW_CALC | FW_CALC_NUMBER, FW_SCRATCH, 0, UINT32_MAX}}, true},
        {{{FW_CALC, FW_SCRATCH, 0, UINT32_MAX}}, false},
        {{{FW_CALC, FW_SCRATCH | 2, 0, 0}}, false},
        {{{FW_CALC + FW_OPS, FW_SCRATCH, 0, 0}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3390, 0, 0, 0, 0xffff}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3400, 0, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 1610, 1, 0, 0, 0xffff}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 3390, 1, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 5, 2, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH | 2, 5, 0, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 5, 95 << 16 | 98, 0, 0, 0xffff}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 5, 98 << 16 | 99, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 5, 0xffffu << 16 | 0xffff, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_BEGIN, FW_SCRATCH, 5, 5 << 16, 0, 0, 0xffff}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_AGAIN | FW_ENTRIES_TURNED, FW_SCRATCH | 4, 5, 1}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_AGAIN, 4, 5, 1}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_TAKE, 0, table, table + 8}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_TAKE, table, 0, table - 8}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_TAKE, table + 2, 0, table}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_SHAPE, table, 3 << 16 | 24, 0xff0102}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_SHAPE, table, 3 << 16 | 24, 0xff0103}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_SHAPE, b.map.sram + FW_TABLE_END - 48, 3 << 16 | 24, 0}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_LEVELS, 5, 5, 2, 4, all - 2}}, true},
        {{{FW_ENTRIES | FW_ENTRIES_LEVELS, 5, 5, 2, 4, all}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_LEVELS, 5, 5, 2, 5, 0}}, false},
        {{{FW_ENTRIES | FW_ENTRIES_LEVELS, 5, 5, FW_SCRATCH, 4, 0}}, false},
        {{{FW_ENTRIES | (FW_ENTRIES_AGAIN + 1), FW_SCRATCH, 5, 1}}, false},
        {{{FW_ENTRIES | (FW_ENTRIES_BITS + 1), FW_SCRATCH, 5, 1}}, false},
        {{{FW_COPY, FW_SCRATCH | 0x4ffc, 4, 0}}, true},
        {{{FW_COPY, FW_SCRATCH | 0x4ffc, 8, 0}}, false},
        {{{FW_COPY, 0, 2, all - 8, 2 << 16 | 2, 0, 4u << 16 | 2}}, true},
        {{{FW_COPY, 0, 2, all - 8, 2 << 16 | 2, 0, 6u << 16 | 2}}, false},
        {{{FW_COPY, all - 4, 2, 0, 3, 2, 0}}, false},
        {{{FW_COPY, 0, 2, 16, 2, 1, 2}}, false},
        {{{FW_COPY, 0, 2, 16, 2 << 16, 2, 3u << 16}}, false},
        {{{FW_CALC, 2, all - 4, 6, 2 << 16 | 1, 2u << 16, 4}}, true},
        {{{FW_CALC, 2, all - 4, 6, 3 << 16 | 1, 2u << 16, 4}}, false},
        {{{FW_CALC | FW_CALC_NUMBER, all - 4, 0, UINT32_MAX, 1 << 16 | 2}}, true},
        {{{FW_CALC, all - 4, 0, 0, 1 << 16 | 3}}, false},
        {{{FW_CALC, 0, 0, 3, 1 << 16 | 3}}, false},
        {{{FW_CALC, 0, 0, 0, 2 << 16 | 3, 1}}, false},
        {{{FW_FUNCTION, table, 1, 1}}, true},
        {{{FW_FUNCTION, table - 4, 1, 1}}, false},
        {{{FW_FUNCTION | FW_HEADED | 31u << FW_BANK_SHIFT, table, 1, 1}}, true},
        {{{FW_FUNCTION | FW_HEADED | 32u << FW_BANK_SHIFT, table, 1, 1}}, false},
        {{{FW_FUNCTION | 31u << FW_BANK_SHIFT, table, 1, 1}}, false},
        {{{FW_FUNCTION | FW_REST, table, 1, 1}}, false},
        {{{FW_FUNCTION | FW_OVERLAPPED, table, 1, 1}}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fw_command twice[] = {cases[0].item, cases[i].item};
        const fw_commands steps = {twice, 2, 2};
        fw_batches file;
        fw_batch batch;
        assert_true(fw_write_list(&(fw_list){&steps, 2, 1}, &segments, &stored, &b, path, &f->diag));
        if (accepts(&b, path) != cases[i].good)
            fail_msg("case %zu", i);
        if (!cases[i].good)
            continue;
        assert_true(fw_batches_open(path, &b, &f->mem, &f->diag, &file) &&
                    fw_batches_get(&file, 0, &f->mem, &f->diag, &batch));
        assert_int_equal(file.callee, FW_COMMAND_LIST);
        assert_int_equal(batch.runs, 2);
        assert_int_equal(batch.table, fw_list_address(&b, 2));
        assert_int_equal(batch.segments.len, 2);
        assert_memory_equal(batch.segments.at[0].content, content, 6);
        assert_int_equal(batch.stored.len, 1);
        assert_int_equal(batch.stored.at[0].bytes, 10);
        fw_batches_close(&file);
    }
    const uint32_t column = 0;
    const fw_columns c = {.in = &column, .out = &column, .n_in = 2, .n_out = 1, .kernel = 5};
    assert_true(fw_write_collect(&c, 3, table, path, &f->diag) && accepts(&b, path));
    assert_true(fw_write_collect(&c, 3, table - 4, path, &f->diag) && !accepts(&b, path));
    assert_true(fw_write_collect(&c, 4096, table, path, &f->diag) && !accepts(&b, path));
    const fw_put put = {0x20000, 14, 0};
    fw_batches file;
    fw_batch batch;
    assert_true(fw_write_fetch(&put, &b, path, &f->diag) &&
                fw_batches_open(path, &b, &f->mem, &f->diag, &file) &&
                fw_batches_get(&file, 0, &f->mem, &f->diag, &batch));
    assert_true(fw_is_collecting(&file) && batch.runs == 1 && batch.segments.len == 1);
    assert_int_equal(batch.segments.at[0].address, batch.table);
    assert_int_equal(file_u32_at(batch.segments.at[0].content + 8), put.address);
    assert_int_equal(file_u32_at(batch.segments.at[0].content + 12), 7);
    fw_batches_close(&file);
    unlink(path);
    pnr_board_free(&b);
}

/* Fetched words are complete. */
static void words_that_are_fetched_are_whole(void **state) {
    fixture *f = *state;
    const uint32_t content[] = {0x52584e4f, 1, 1, 1, 0, 0, 3, 0x00020001, 3};
    const char *path = scratch_path(f, "fetched.bin");
    const uint8_t *words;
    write_bytes(path, (const char *)content, sizeof content);
    assert_true(fw_read_fetched(path, 3, &f->mem, &f->diag, &words));
    assert_true(words[0] == 1 && words[2] == 2 && words[4] == 3);
    assert_false(fw_read_fetched(path, 4, &f->mem, &f->diag, &words));
    for (size_t n = 0; n < sizeof content; n += 4) {
        write_bytes(path, (const char *)content, n);
        assert_false(fw_read_fetched(path, 3, &f->mem, &f->diag, &words));
        assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0718-list-results");
    }
    unlink(path);
}

/* Its counters are taken whole, or not at all. */
static void results_of_lists_are_whole(void **state) {
    fixture *f = *state;
    const uint32_t content[] = {0x4c584e4f, 1, 9, 2, 1, 2, 3, 4, 5, 6};
    const char *path = scratch_path(f, "list_result.bin");
    fw_list_result r;
    const uint32_t before = f->diag.list.len;
    write_bytes(path, (const char *)content, sizeof content);
    assert_true(fw_read_list_result(path, 2, &f->mem, &f->diag, &r));
    assert_true(r.steps == 9 && r.n == 2 && r.cycles[0][2] == 3 && r.cycles[1][0] == 4);
    assert_false(fw_read_list_result(path, 1, &f->mem, &f->diag, &r));
    for (size_t n = 0; n < sizeof content; n += 4) {
        write_bytes(path, (const char *)content, n);
        assert_false(fw_read_list_result(path, 2, &f->mem, &f->diag, &r));
        assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0718-list-results");
    }
    assert_true(unlink(path) == 0 && f->diag.list.len == before + 1 + sizeof content / 4);
}

static void damaged_files_are_refused(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "damaged.bin");
    prng p = prng_seed(4);
    quota q = {0};
    const plan_shape shape = {
        .inputs = 2, .outputs = 2, .blocks = 2, .runs = 3, .most_words = 9, .bound = 10};
    tile_plan plan = random_plan(f, &p, &shape);
    plan_columns c;
    set_columns(&c, 2, 2);
    fw_batch_stats stats;
    size_t length = 0;
    write_batches(f, &plan, &c.columns, &b, path, &stats);
    const char *whole = file_read(path, &f->mem, &length, &f->diag);
    for (size_t n = 0; n < length; n++) {
        write_bytes(path, whole, n);
        assert_false(accepts(&b, path));
    }
    char *copy = arena_alloc(&f->mem, length + 4);
    memcpy(copy, whole, length);
    write_bytes(path, copy, length + 4);
    assert_false(accepts(&b, path));
    /* Structure: magic, version, streams, counts, and the first segment's address and size (without bits
     * whose flip leaves a legal file). */
    for (size_t byte = 0; byte < 40; byte++) {
        memcpy(copy, whole, length);
        copy[byte] = (char)(copy[byte] ^ 0x80);
        write_bytes(path, copy, length);
        assert_false(accepts(&b, path));
    }
    /* A bit of any byte is noticed; sealed anew the file is accepted or refused, but never a crash. */
    for (size_t byte = 0; byte < length; byte++) {
        size_t bit = 8 * byte + prng_below(&p, 8);
        memcpy(copy, whole, length);
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        write_bytes(path, copy, length);
        assert_false(accepts(&b, path));
        write_bytes(path, copy, length - 8);
        assert_true(fw_seal(path));
        quota_add(&q, accepts(&b, path), false);
    }
    assert_false(quota_failed(&q));
    unlink(path);
    pnr_board_free(&b);
}

/* A sum depends on every bit and its place: any flipped bit and any other address change the sum. */
static void sums_tell_every_flip(void **state) {
    fixture *f = *state;
    prng p = prng_seed(7);
    uint8_t content[40];
    (void)f;
    for (uint32_t bytes = 0; bytes <= sizeof content; bytes += 2) {
        for (uint32_t i = 0; i < sizeof content; i++)
            content[i] = (uint8_t)prng_below(&p, 256);
        const uint32_t address = 0x20400000 + 4 * prng_below(&p, 1000);
        const uint64_t sum = fw_sum(address, content, bytes);
        for (uint32_t bit = 0; bit < 8 * sizeof content; bit++) {
            content[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(fw_sum(address, content, bytes) == sum, bit / 8 >= bytes);
            content[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        if (bytes)
            assert_true(fw_sum(address + 8, content, bytes) != sum);
    }
}

TEST_PART(batch_lists, TEST(damaged_files_are_refused), TEST(sums_tell_every_flip), TEST(lists_are_validated),
          TEST(results_of_lists_are_whole), TEST(words_that_are_fetched_are_whole))
