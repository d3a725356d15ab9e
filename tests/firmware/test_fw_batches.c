/* Batch files: every run finds its words, blocks are stored once, memories are never overfilled, damage is
 * noticed. */
#include "tests/firmware/batch_cases.h"

static void every_run_of_random_plans_finds_its_words(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "batches.bin");
    prng p = prng_seed(1);
    quota q = {0};
    for (uint32_t round = 0; round < 60; round++) {
        plan_shape shape = {.inputs = 1 + prng_below(&p, 16),
                            .outputs = 1 + prng_below(&p, 16),
                            .blocks = 1 + prng_below(&p, 40),
                            .runs = prng_below(&p, 100)};
        shape.most_words = 1 + prng_below(&p, 1u << (1 + prng_below(&p, 11)));
        shape.bound = prng_below(&p, 1u << prng_below(&p, 16));
        tile_plan plan = random_plan(f, &p, &shape);
        plan_columns c;
        set_columns(&c, shape.inputs, shape.outputs);
        c.columns.buffers = 1 + round % 2;
        fw_batch_stats stats;
        write_batches(f, &plan, &c.columns, &b, path, &stats);
        fw_batches file = read_batches(f, &b, path);
        assert_int_equal(file.batches, stats.batches);
        assert_true(stats.block_words <= stats.run_words);
        check_file(f, &plan, 1, &c.columns, &b, &file);
        quota_add(&q, true, shape.runs == 0);
    }
    assert_false(quota_failed(&q));
    unlink(path);
    pnr_board_free(&b);
}

/* A problem too large for memory comes in several plans, some without runs. */
static void plans_follow_each_other(void **state) {
    enum { PLANS = 5 };
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "plans.bin");
    prng p = prng_seed(5);
    tile_plan plans[PLANS];
    for (uint32_t i = 0; i < PLANS; i++) {
        const plan_shape shape = {.inputs = 3,
                                  .outputs = 2,
                                  .blocks = 1 + prng_below(&p, 40),
                                  .runs = i == 2 ? 0 : 200 * i,
                                  .most_words = 900,
                                  .bound = 100};
        plans[i] = random_plan(f, &p, &shape);
    }
    plan_columns c;
    set_columns(&c, 3, 2);
    fw_batch_stats stats;
    if (!write_plans(f, plans, PLANS, &c.columns, &b, path, &stats))
        fail_msg("%s", fixture_printed(f));
    fw_batches file = read_batches(f, &b, path);
    assert_int_equal(file.batches, stats.batches);
    check_file(f, plans, PLANS, &c.columns, &b, &file);
    unlink(path);
    pnr_board_free(&b);
}

/* Damage to an open file is noticed at the damaged batch. */
static void a_batch_is_validated_when_it_is_read(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "changed.bin");
    tile_plan plan = plan_of_blocks(f, 2, b.glb_bank_bytes / 4 + 1, 1);
    plan_columns c;
    fw_batch_stats stats;
    fw_batch batch;
    set_columns(&c, 1, 1);
    write_batches(f, &plan, &c.columns, &b, path, &stats);
    fw_batches file = read_batches(f, &b, path);
    assert_int_equal(file.batches, 2);
    FILE *out = fopen(path, "r+b");
    assert_non_null(out);
    assert_int_equal(fseek(out, (long)file.list[1].at + 12, SEEK_SET), 0);
    file_put_u32(out, 1); /* the address of the first segment */
    assert_int_equal(fclose(out), 0);
    assert_true(fw_batches_get(&file, 0, &f->mem, &f->diag, &batch));
    assert_false(fw_batches_get(&file, 1, &f->mem, &f->diag, &batch));
    assert_non_null(strstr(fixture_printed(f), "batch 1: a segment may not lie at 0x1"));
    fw_batches_close(&file);
    unlink(path);
    pnr_board_free(&b);
}

/* One run; input i has the words of `in[i]`. */
static tile_plan plan_of(fixture *f, const u16_vec *in, uint32_t inputs, uint32_t outputs) {
    tile_plan plan = {.tile = 8};
    const tile_run run = {.bound_words = 100};
    const tile_output output = {.num_blocks = 1};
    vec_push(&f->mem, &plan.runs, run);
    for (uint32_t i = 0; i < inputs; i++) {
        tile_input input = {0};
        const tile_block block = {.first = plan.words.len, .length = in[i].len};
        vec_push(&f->mem, &input.blocks, block);
        vec_push(&f->mem, &plan.inputs, input);
        vec_push(&f->mem, &plan.run_block, 0);
        for (uint32_t w = 0; w < in[i].len; w++)
            vec_push(&f->mem, &plan.words, in[i].at[w]);
    }
    for (uint32_t o = 0; o < outputs; o++)
        vec_push(&f->mem, &plan.outputs, output);
    return plan;
}

static u16_vec random_words(fixture *f, prng *p) {
    u16_vec words = {0};
    for (uint32_t n = 1 + prng_below(p, 9); n > 0; n--)
        vec_push(&f->mem, &words, (uint16_t)prng_next(p));
    return words;
}

/* Hundreds of batches beside a model of the buffer; stores write random words to the model. Many operands
 * repeat an earlier store's words. An operand counts as resident if the words lie in the operand's own tile
 * and no later write changed them. No absent operand may count as resident, no output may use a bank with an
 * input, and an earlier table keeps its place. */
static void operands_lie_where_they_were_stored(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "stored.bin");
    enum { STREAMS = 3, BATCHES = 400 };
    prng p = prng_seed(17);
    u16_vec bank[2 * STREAMS] = {{0}}; /* first words of each bank of the three tiles */
    bool by_store[2 * STREAMS] = {false};
    fw_memory memory = {.mem = &f->mem};
    uint32_t stayed = 0, tables = 0;
    for (uint32_t n = 0; n < BATCHES; n++) {
        plan_columns c;
        u16_vec in[STREAMS];
        fw_batch_stats stats;
        fw_batch batch;
        uint32_t reach = memory.tables.len;
        set_columns(&c, 1 + prng_below(&p, STREAMS), 1 + prng_below(&p, STREAMS));
        c.columns.memory = &memory;
        for (uint32_t i = 0; i < c.columns.n_in; i++) {
            const u16_vec *old = &bank[prng_below(&p, 4) ? 2 * i + prng_below(&p, 2) : prng_below(&p, 6)];
            in[i] = old->len && prng_below(&p, 4) ? *old : random_words(f, &p);
        }
        const tile_plan plan = plan_of(f, in, c.columns.n_in, c.columns.n_out);
        fw_batch_writer *w = fw_batches_begin(&c.columns, &b, path, &f->mem, &f->diag);
        assert_true(w && fw_batches_add(w, &plan) && fw_batches_end(w, true, &stats));
        fw_batches file = read_batches(f, &b, path);
        assert_true(file.batches == 1 && fw_batches_get(&file, 0, &f->mem, &f->diag, &batch));
        tables += memory.tables.len == reach;
        for (uint32_t i = 0; i < c.columns.n_in; i++) {
            const uint32_t at = (batch.segments.at[i].address - b.map.cgra_data) / b.glb_bank_bytes;
            const bool same[2] = {by_store[2 * i] && bank[2 * i].len == in[i].len &&
                                      !memcmp(bank[2 * i].at, in[i].at, 2 * (size_t)in[i].len),
                                  by_store[2 * i + 1] && bank[2 * i + 1].len == in[i].len &&
                                      !memcmp(bank[2 * i + 1].at, in[i].at, 2 * (size_t)in[i].len)};
            assert_int_equal(at / 2, i);
            assert_true(same[at % 2] || (at % 2 == 0 && !same[1]));
            assert_int_equal(batch.outputs >> i & 1, 1 - at % 2);
            stayed += same[at % 2];
            if (same[at % 2])
                continue;
            bank[at] = in[i];
            by_store[at] = false;
        }
        for (uint32_t o = 0; o < c.columns.n_out; o++) {
            const uint32_t at = 2 * o + (batch.outputs >> o & 1);
            bank[at] = random_words(f, &p);
            by_store[at] = true;
            assert_int_equal(stats.output[o], at * b.glb_bank_bytes);
            const fw_put put = {at * b.glb_bank_bytes, 2 * bank[at].len,
                                hash_bytes(bank[at].at, 2 * (size_t)bank[at].len)};
            vec_push(&f->mem, &memory.stored, put);
        }
        fw_batches_close(&file);
    }
    pnr_board_free(&b);
    unlink(path);
    assert_true(stayed > BATCHES / 4 && tables > BATCHES / 8);
}

/* Rows of two inputs and a result, more than the table has room for in one batch; the batch file is that of
 * function 3, and each row finds its words. */
static void calls_are_batches_of_rows(void **state) {
    enum { ROWS = 3200, INPUTS = 2 };
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "calls.bin");
    fw_call_row *rows = arena_new_n(&f->mem, fw_call_row, ROWS);
    uint16_t *word = arena_new_n(&f->mem, uint16_t, ROWS * INPUTS * 8);
    prng p = {7};
    for (uint32_t r = 0; r < ROWS; r++) {
        rows[r].out_words = (uint32_t)prng_below(&p, 5);
        for (uint32_t i = 0; i < INPUTS; i++) {
            uint16_t *own = word + 8 * (INPUTS * r + i);
            rows[r].in[i].words = 1 + (uint32_t)prng_below(&p, 7);
            rows[r].in[i].word = own;
            for (uint32_t w = 0; w < rows[r].in[i].words; w++)
                own[w] = (uint16_t)prng_below(&p, 0x10000);
        }
    }
    fw_calls calls = {.function = 3, .inputs = INPUTS, .rows = rows, .n = ROWS};
    assert_true(fw_write_calls(&calls, &b, 0, path, &f->diag));
    fw_batches file = read_batches(f, &b, path);
    assert_int_equal(file.callee, FW_FUNCTION + 3);
    assert_true(file.batches > 1 && file.runs == ROWS);
    for (uint32_t k = 0, row = 0; k < file.batches; k++) {
        fw_batch batch;
        assert_true(fw_batches_get(&file, k, &f->mem, &f->diag, &batch));
        const uint8_t *at = loaded(&batch, batch.table);
        for (uint32_t r = 0; r < batch.runs; r++, row++, at += fw_row_bytes(INPUTS, 1)) {
            for (uint32_t i = 0; i < INPUTS; i++) {
                const uint32_t address = get32(at + fw_load_cell(i) + FW_AT_cell_first);
                assert_int_equal(address % 4, 0);
                assert_int_equal(address >> 17, 2 * (b.glb_tiles - 1)); /* the last tile's first bank */
                assert_int_equal(get32(at + fw_load_cell(i) + FW_AT_cell_words), rows[row].in[i].words);
                for (uint32_t w = 0; w < rows[row].in[i].words; w++) {
                    const uint8_t *there = loaded(&batch, b.map.cgra_data + address + 2 * w);
                    assert_int_equal(there[0] | there[1] << 8, rows[row].in[i].word[w]);
                }
            }
            assert_int_equal(get32(at + fw_load_cell(INPUTS) + FW_AT_cell_words), rows[row].out_words);
        }
    }
    fw_batches_close(&file);
    /* Rows that wait for runs of the array have a bank of their own, and the table lies at the bank's end. */
    assert_int_equal(fw_calls_table(&calls, &b), 0);
    calls.n = 40;
    calls.bank = 9;
    const uint32_t end = b.map.sram + FW_TABLE_END;
    assert_int_equal(fw_calls_table(&calls, &b), end - 40 * fw_row_bytes(INPUTS, 1));
    assert_true(fw_write_calls(&calls, &b, FW_OVERLAPPED, path, &f->diag));
    file = read_batches(f, &b, path);
    fw_batch waits;
    assert_int_equal(file.callee, FW_FUNCTION | FW_OVERLAPPED | 9 << FW_BANK_SHIFT | 3);
    assert_true(fw_batches_get(&file, 0, &f->mem, &f->diag, &waits));
    assert_int_equal(waits.table, fw_calls_table(&calls, &b));
    assert_int_equal(get32(loaded(&waits, waits.table) + FW_AT_cell_first), 9 * b.glb_bank_bytes);
    fw_batches_close(&file);
    rows[5].in[1].words = b.glb_bank_bytes / 4; /* half a bank is for the results */
    assert_int_equal(fw_calls_table(&calls, &b), 0);
    rows[5].in[1].words = b.glb_bank_bytes / 2;
    assert_false(fw_write_calls(&calls, &b, 0, path, &f->diag));
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0710-batch-capacity");
    const uint32_t quarter = b.glb_bank_bytes / 8; /* words: two rows of two fill the bank exactly */
    const uint16_t *full = arena_new_n(&f->mem, uint16_t, quarter);
    for (uint32_t i = 0; i < 2 * INPUTS; i++) {
        rows[i / INPUTS].in[i % INPUTS].words = quarter;
        rows[i / INPUTS].in[i % INPUTS].word = full;
    }
    calls = (fw_calls){.function = 3, .inputs = INPUTS, .rows = rows, .n = 2};
    assert_true(fw_write_calls(&calls, &b, 0, path, &f->diag));
    file = read_batches(f, &b, path);
    assert_int_equal(file.batches, 1);
    fw_batches_close(&file);
    pnr_board_free(&b);
    assert_int_equal(unlink(path), 0);
}

static void a_block_is_stored_once_a_batch(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "unique.bin");
    prng p = prng_seed(2);
    const plan_shape shape = {
        .inputs = 2, .outputs = 1, .blocks = 3, .runs = 200, .most_words = 500, .bound = 10};
    tile_plan plan = random_plan(f, &p, &shape);
    plan_columns c;
    set_columns(&c, 2, 1);
    fw_batch_stats stats;
    write_batches(f, &plan, &c.columns, &b, path, &stats);
    fw_batches file = read_batches(f, &b, path);
    assert_int_equal(stats.batches, 1);
    uint64_t unique = 0;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 3; k++)
            unique += plan.inputs.at[i].blocks.at[k].length;
    assert_int_equal(stats.block_words, unique);
    check_file(f, &plan, 1, &c.columns, &b, &file);
    unlink(path);
    pnr_board_free(&b);
}

/* Returns how many bytes of the batches have to be written into the banks of an input. */
static uint64_t bytes_to_write(fixture *f, fw_batches *file, const fw_columns *c, const pnr_board *b,
                               uint32_t input) {
    fw_puts there = {0};
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < file->batches; k++) {
        fw_batch batch;
        assert_true(fw_batches_get(file, k, &f->mem, &f->diag, &batch));
        for (uint32_t i = 0; i < batch.segments.len; i++) {
            const fw_segment *g = &batch.segments.at[i];
            const bool of_input = g->address >= b->map.cgra_data &&
                                  (g->address - b->map.cgra_data) / b->glb_bank_bytes / 2 == c->in[input] / 2;
            if (of_input && !fw_is_there(&there, g, &f->mem))
                bytes += g->bytes;
        }
    }
    return bytes;
}

/* Input 0: a few blocks that all runs take in turn, each batch from another block on; input 1: a block for
 * each run. The file has the words of input 0 once for each buffer, and all words of input 1. */
static void an_input_that_all_batches_want_stays(void **state) {
    enum { BLOCKS = 7, RUNS = 9001, WORDS = 9 };
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "stays.bin");
    for (uint32_t buffers = 1; buffers <= 2; buffers++) {
        prng p = prng_seed(7);
        const plan_shape shape = {
            .inputs = 2, .outputs = 1, .blocks = RUNS, .runs = RUNS, .most_words = WORDS, .bound = 1};
        tile_plan plan = random_plan(f, &p, &shape);
        uint64_t staying = 0, passing = 0;
        for (uint32_t r = 0; r < RUNS; r++) {
            plan.run_block.at[plan.runs.at[r].block_first] = r % BLOCKS;
            plan.run_block.at[plan.runs.at[r].block_first + 1] = r;
            passing += plan.inputs.at[1].blocks.at[r].length;
        }
        for (uint32_t k = 0; k < BLOCKS; k++)
            staying += plan.inputs.at[0].blocks.at[k].length;
        plan_columns c;
        set_columns(&c, 2, 1);
        c.columns.buffers = buffers;
        fw_batch_stats stats;
        write_batches(f, &plan, &c.columns, &b, path, &stats);
        fw_batches file = read_batches(f, &b, path);
        assert_true(stats.batches > 2);
        assert_int_equal(bytes_to_write(f, &file, &c.columns, &b, 0), 2 * staying * buffers);
        assert_int_equal(bytes_to_write(f, &file, &c.columns, &b, 1), 2 * passing);
        check_file(f, &plan, 1, &c.columns, &b, &file);
    }
    unlink(path);
    pnr_board_free(&b);
}

TEST_PART(batch_runs, TEST(every_run_of_random_plans_finds_its_words), TEST(plans_follow_each_other),
          TEST(a_batch_is_validated_when_it_is_read), TEST(operands_lie_where_they_were_stored),
          TEST(a_block_is_stored_once_a_batch), TEST(an_input_that_all_batches_want_stays),
          TEST(calls_are_batches_of_rows))

int main(void) {
    return batch_runs() + batch_refusals() + batch_lists();
}
