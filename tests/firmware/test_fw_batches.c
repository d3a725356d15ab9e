/* Batch files: every run finds its words, blocks are stored once, memories are never overfilled, damage is
 * noticed. */
#include "firmware/calls.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "tests/firmware/random_plan.h"

static void write_batches(fixture *f, const tile_plan *plan, const fw_columns *c, const pnr_board *b,
                          const char *path, fw_batch_stats *stats) {
    if (!write_plans(f, plan, 1, c, b, path, stats))
        fail_msg("%s", fixture_printed(f));
}

static fw_batches read_batches(fixture *f, const pnr_board *b, const char *path) {
    fw_batches file;
    if (!fw_batches_open(path, b, &f->mem, &f->diag, &file))
        fail_msg("%s", fixture_printed(f));
    return file;
}

static uint32_t get32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Memory after the batch was loaded: byte at an address of the processor. */
static const uint8_t *loaded(const fw_batch *batch, uint32_t address) {
    for (uint32_t i = 0; i < batch->segments.len; i++) {
        const fw_segment *s = &batch->segments.at[i];
        if (address >= s->address && address - s->address < s->bytes)
            return s->content + (address - s->address);
    }
    fail_msg("nothing was loaded at 0x%08x", address);
    return NULL;
}

static void check_run(const tile_plan *plan, const fw_columns *c, const pnr_board *b, const fw_batch *batch,
                      uint32_t bank, const uint8_t *row, uint32_t run) {
    for (uint32_t i = 0; i < c->n_in; i++) {
        const tile_block *want = plan_block(plan, run, i);
        uint32_t address = get32(row + fw_load_cell(i) + FW_AT_cell_first);
        assert_int_equal(address >> 17, c->in[i] / 2 * 2 + bank); /* of the column's GLB tile */
        assert_int_equal(get32(row + fw_load_cell(i) + FW_AT_cell_words), want->length);
        for (uint32_t w = 0; w < want->length; w++) {
            const uint8_t *at = loaded(batch, b->map.cgra_data + address + 2 * w);
            assert_int_equal(at[0] | at[1] << 8, plan->words.at[want->first + w]);
        }
    }
}

/* Checks every run of the plan, in order, over the batches from `k` on; returns the next batch. */
static uint32_t check_plan(fixture *f, const tile_plan *plan, const fw_columns *c, const pnr_board *b,
                           fw_batches *file, uint32_t k) {
    uint32_t run = 0;
    for (; run < plan->runs.len; k++) {
        fw_batch batch;
        assert_true(k < file->batches && fw_batches_get(file, k, &f->mem, &f->diag, &batch));
        assert_true(batch.runs > 0 && batch.runs == file->list[k].runs);
        uint64_t bound = 0;
        uint32_t buffer = k % c->buffers, rows = batch.runs * fw_row_bytes(c->n_in, c->n_out);
        const uint8_t *row = loaded(&batch, batch.table);
        assert_int_equal(batch.table, 0x20004000 + buffer * 0xc000);
        assert_true(rows <= 0x18000 / c->buffers);
        for (uint32_t r = 0; r < batch.runs; r++, run++) {
            check_run(plan, c, b, &batch, buffer, row + r * fw_row_bytes(c->n_in, c->n_out), run);
            bound += plan->runs.at[run].bound_words;
        }
        assert_true(2 * bound <= b->glb_bank_bytes);
    }
    assert_int_equal(run, plan->runs.len);
    return k;
}

/* Checks the plans in order and the end of the file; closes the file. */
static void check_file(fixture *f, const tile_plan *plans, uint32_t n, const fw_columns *c,
                       const pnr_board *b, fw_batches *file) {
    uint32_t batch = 0;
    uint64_t runs = 0;
    assert_int_equal(file->inputs, c->n_in);
    assert_int_equal(file->outputs, c->n_out);
    assert_int_equal(file->buffers, c->buffers);
    for (uint32_t i = 0; i < n; i++) {
        batch = check_plan(f, &plans[i], c, b, file, batch);
        runs += plans[i].runs.len;
    }
    assert_int_equal(file->batches, batch);
    assert_int_equal(file->runs, runs);
    fw_batches_close(file);
}

static void every_run_of_random_plans_finds_its_words(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "batches.bin");
    prng p = prng_seed(1);
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
    }
    unlink(path);
    pnr_board_free(&b);
}

/* A plan of `runs` runs over distinct blocks of `words` words. */
static tile_plan plan_of_blocks(fixture *f, uint32_t runs, uint32_t words, uint32_t bound) {
    prng p = prng_seed(3);
    const plan_shape shape = {.inputs = 1, .outputs = 1, .blocks = runs, .runs = runs, .most_words = 1};
    tile_plan plan = random_plan(f, &p, &shape);
    for (uint32_t i = plan.words.len; i < words; i++)
        vec_push(&f->mem, &plan.words, (uint16_t)i);
    for (uint32_t r = 0; r < runs; r++) {
        plan.inputs.at[0].blocks.at[r] = (tile_block){.length = words};
        plan.run_block.at[r] = r;
        plan.runs.at[r].bound_words = bound;
    }
    return plan;
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
    assert_int_equal(file.part, FW_FUNCTION + 3);
    assert_true(file.batches > 1 && file.runs == ROWS);
    for (uint32_t k = 0, row = 0; k < file.batches; k++) {
        fw_batch batch;
        assert_true(fw_batches_get(&file, k, &f->mem, &f->diag, &batch));
        const uint8_t *at = loaded(&batch, batch.table);
        for (uint32_t r = 0; r < batch.runs; r++, row++, at += fw_row_bytes(INPUTS, 1)) {
            for (uint32_t i = 0; i < INPUTS; i++) {
                const uint32_t address = get32(at + 8 * i);
                assert_int_equal(address % 4, 0);
                assert_int_equal(address >> 17, 2 * (b.glb_tiles - 1)); /* the last tile's first bank */
                assert_int_equal(get32(at + 8 * i + 4), rows[row].in[i].words);
                for (uint32_t w = 0; w < rows[row].in[i].words; w++) {
                    const uint8_t *there = loaded(&batch, b.map.cgra_data + address + 2 * w);
                    assert_int_equal(there[0] | there[1] << 8, rows[row].in[i].word[w]);
                }
            }
            assert_int_equal(get32(at + 8 * INPUTS + 4), rows[row].out_words);
        }
    }
    fw_batches_close(&file);
    /* Rows that wait for runs of the array have a bank of their own, and the table lies at the bank's end. */
    assert_int_equal(fw_calls_table(&calls, &b), 0);
    calls.n = 40;
    calls.bank = 9;
    const uint32_t end = b.map.sram + FW_TABLE_END;
    assert_int_equal(fw_calls_table(&calls, &b), end - 40 * fw_row_bytes(INPUTS, 1));
    assert_true(fw_write_calls(&calls, &b, FW_BESIDE, path, &f->diag));
    file = read_batches(f, &b, path);
    fw_batch waits;
    assert_int_equal(file.part, FW_FUNCTION | FW_BESIDE | 9 << FW_BANK_SHIFT | 3);
    assert_true(fw_batches_get(&file, 0, &f->mem, &f->diag, &waits));
    assert_int_equal(waits.table, fw_calls_table(&calls, &b));
    assert_int_equal(get32(loaded(&waits, waits.table)), 9 * b.glb_bank_bytes);
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

static uint32_t batches_of(fixture *f, const pnr_board *b, uint32_t buffers, const tile_plan *plan) {
    const char *path = scratch_path(f, "limits.bin");
    plan_columns c;
    set_columns(&c, 1, 1);
    c.columns.buffers = buffers;
    fw_batch_stats stats;
    write_batches(f, plan, &c.columns, b, path, &stats);
    fw_batches file = read_batches(f, b, path);
    check_file(f, plan, 1, &c.columns, b, &file);
    unlink(path);
    return stats.batches;
}

/* Two buffers halve the run table's area, not the banks. */
static void batches_end_exactly_where_a_memory_does(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    for (uint32_t buffers = 1; buffers <= 2; buffers++) {
        uint32_t bank = b.glb_bank_bytes / 2, rows = 98304 / buffers / 24;
        tile_plan plan = plan_of_blocks(f, 2, bank / 2, 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 1);
        plan = plan_of_blocks(f, 2, bank / 2 + 1, 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 2);
        plan = plan_of_blocks(f, 4, 1, bank / 4);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 1);
        plan = plan_of_blocks(f, 4, 1, bank / 4 + 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 2);
        plan = plan_of_blocks(f, rows, 1, 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 1);
        plan = plan_of_blocks(f, rows + 1, 1, 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 2);
        plan = plan_of_blocks(f, 0, 1, 1);
        assert_int_equal(batches_of(f, &b, buffers, &plan), 0);
    }
    pnr_board_free(&b);
}

static void expect_capacity_error(fixture *f, const pnr_board *b, uint32_t words, uint32_t bound,
                                  const char *what) {
    const char *path = scratch_path(f, "capacity.bin");
    tile_plan plan = plan_of_blocks(f, 3, words, bound);
    plan_columns c;
    set_columns(&c, 1, 1);
    fw_batch_stats stats;
    uint32_t before = f->diag.list.len;
    assert_false(write_plans(f, &plan, 1, &c.columns, b, path, &stats));
    assert_int_equal(f->diag.list.len, before + 1);
    assert_string_equal(f->diag.list.at[before].code, "E0710-batch-capacity");
    assert_int_equal(f->diag.list.at[before].kind, DIAG_UNMAPPABLE);
    assert_non_null(strstr(f->diag.list.at[before].message, what));
    assert_int_not_equal(access(path, F_OK), 0); /* no half file */
}

static void a_run_that_fits_nowhere_is_refused(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    uint32_t bank = b.glb_bank_bytes / 2;
    expect_capacity_error(f, &b, bank + 1, 1, "bank of an input");
    expect_capacity_error(f, &b, 1, bank + 1, "bank of an output");
    pnr_board_free(&b);
}

static void write_bytes(const char *path, const char *bytes, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* What reading `path` fails with. */
static const char *refusal(fixture *f, const pnr_board *b, const char *path) {
    fw_batches file;
    diag_init(&f->diag, &f->mem);
    assert_false(fw_batches_open(path, b, &f->mem, &f->diag, &file));
    return fixture_printed(f);
}

static void refusals_say_what_and_where(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "refused.bin");
    const uint32_t table = b.map.sram + FW_TABLE_OFFSET, bank = b.map.cgra_data;
    const uint32_t second = b.map.sram + 0x10000, next_bank = bank + b.glb_bank_bytes;
    const char *both = "batch 0: inputs in both banks of a tile, at 0x20420000 [E0712-batch-content]";
    /* Magic, version, inputs, outputs, batches, buffers, part; runs, table, segments; address, bytes,
     * content. */
    enum { HEAD = 7, MOST = 26 };
    const struct {
        uint32_t words[MOST], n, batches, buffers;
        const char *message;
    } cases[] = {
        {{0}, 0, 1, 1, "byte 28: the file ends early [E0711-batch-format]"},
        {{0}, 0, 1, 0, "impossible number of buffers [E0711-batch-format]"},
        {{0}, 0, 1, 3, "impossible number of buffers [E0711-batch-format]"},
        {{1, table, 1, table, 24},
         5,
         1,
         1,
         "byte 48: a segment is longer than the file [E0711-batch-format]"},
        {{1, table, 1, bank - 4, 4, 0}, 6, 1, 1, "batch 0: a segment may not lie at 0x"},
        {{1, table, 1, next_bank, 4, 0}, 6, 1, 2, "batch 0: a segment may not lie at 0x20420000"},
        {{1, second, 1, second, 24, 0, 0, 0, 0, 0, 0},
         11,
         1,
         2,
         "batch 0: a segment may not lie at 0x20010000 [E0712-batch-content]"},
        {{0, table, 1, table, 4, 0, 1, table, 1, table, 4, 0},
         12,
         2,
         2,
         "batch 1: a segment may not lie at 0x20004000 [E0712-batch-content]"},
        {{0, table, 1, table, 4, 0, 1, second, 1, bank, 4, 0},
         12,
         2,
         2,
         "batch 1: a segment may not lie at 0x20400000 [E0712-batch-content]"},
        {{1, table, 2, bank, 4, 0, bank, 4, 0}, 9, 1, 1, "batch 0: segments overlap at 0x"},
        {{1, table, 1, bank, 4, 0}, 6, 1, 1, "batch 0: no run table at 0x"},
        {{1, table, 1, table, 24, 0, 1, 0, 0, 0, 0},
         11,
         1,
         1,
         "batch 0: a load without its words at 0x0 [E0712-batch-content]"},
        {{1, table, 3, table, 24, 0, 1, 0, 0, 0, 0, bank, 4, 0, next_bank, 4, 0}, 17, 1, 1, both},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t all[HEAD + MOST] = {FW_BATCH_MAGIC,   FW_BATCH_VERSION, 1, 1,
                                     cases[i].batches, cases[i].buffers};
        memcpy(all + HEAD, cases[i].words, 4 * cases[i].n);
        write_bytes(path, (const char *)all, 4 * (HEAD + (size_t)cases[i].n));
        assert_true(fw_seal(path));
        const char *printed = refusal(f, &b, path);
        if (!strstr(printed, cases[i].message))
            fail_msg("case %zu: %s", i, printed);
    }
    unlink(path);
    pnr_board_free(&b);
}

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

/* Results are taken whole, or not at all. */
static void results_of_calls_are_whole(void **state) {
    fixture *f = *state;
    const uint32_t content[] = {0x52584e4f, 1, 2, 1, 100, 0, 3, 0x20001, 0x3, 7, 1, 0};
    const fw_call_row rows[2] = {{.out_words = 3}, {.out_words = 0}};
    const fw_calls calls = {0, 1, rows, 2, 0};
    const char *path = scratch_path(f, "call_results.bin");
    uint16_t made[3];
    uint64_t cycles = 0;
    write_bytes(path, (const char *)content, sizeof content);
    assert_true(fw_read_calls(&calls, path, made, &cycles, &f->diag));
    assert_true(made[0] == 1 && made[1] == 2 && made[2] == 3);
    assert_int_equal(cycles, 107 + (UINT64_C(1) << 32));
    for (size_t n = 0; n < sizeof content; n += 4) {
        write_bytes(path, (const char *)content, n);
        assert_false(fw_read_calls(&calls, path, made, &cycles, &f->diag));
        assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0717-call-results");
    }
    assert_true(unlink(path) == 0 && f->diag.list.len == sizeof content / 4);
}

static uint32_t step_of(const uint32_t *list, uint32_t n, uint32_t again, uint32_t step) {
    return list[step < n ? step : again + (step - n) % (n - again)];
}

/* Any repetition: the list makes the given steps, and no shorter list does. */
static void lists_make_the_steps_they_were_folded_of(void **state) {
    fixture *f = *state;
    prng p = prng_seed(61);
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t first = prng_below(&p, 4), period = 1 + prng_below(&p, 5),
                       steps = 1 + prng_below(&p, 40), kinds = 1 + prng_below(&p, 4);
        fw_items all = {0};
        uint32_t kept[40], pattern[9], again, shortest = steps;
        for (uint32_t i = 0; i < 9; i++)
            pattern[i] = prng_below(&p, kinds);
        for (uint32_t i = 0; i < steps; i++) {
            fw_item item = {{0, pattern[i < first ? i : first + (i - first) % period]}};
            vec_push(&f->mem, &all, item);
        }
        const uint32_t n = fw_fold_steps(&all, &again);
        assert_in_range(n, 1, steps);
        assert_in_range(again, 0, n - 1);
        for (uint32_t i = 0; i < n; i++)
            kept[i] = all.at[i].word[1];
        for (uint32_t i = 0; i < steps; i++)
            assert_int_equal(step_of(kept, n, again, i), all.at[i].word[1]);
        for (uint32_t m = 1; m < shortest; m++) { /* every possible length and distance back */
            for (uint32_t back = 0; back < m; back++) {
                bool same = true;
                for (uint32_t i = 0; i < m; i++)
                    kept[i] = all.at[i].word[1];
                for (uint32_t i = 0; i < steps; i++)
                    same = same && step_of(kept, m, back, i) == all.at[i].word[1];
                shortest = same ? m : shortest;
            }
        }
        assert_int_equal(n, shortest);
    }
}

/* A written list is read back; invalid lists are refused. */
static void lists_are_validated(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "list.bin");
    const uint32_t table = b.map.sram + FW_TABLE_OFFSET, all = b.glb_tiles * 2 * b.glb_bank_bytes;
    static const uint8_t content[6] = {1, 2, 3, 4, 5, 6};
    fw_segment puts[] = {{b.map.cgra_data, 6, content}}, stores[] = {{b.map.cgra_data + 0x20000, 10, NULL}};
    const fw_segments segments = {puts, 1, 1}, left = {stores, 1, 1};
    const struct {
        fw_item item;
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
        {{{FW_FUNCTION | FW_BESIDE, table, 1, 1}}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fw_item twice[] = {cases[0].item, cases[i].item};
        const fw_items steps = {twice, 2, 2};
        fw_batches file;
        fw_batch batch;
        assert_true(fw_write_list(&(fw_list){&steps, 2, 1}, &segments, &left, &b, path, &f->diag));
        if (accepts(&b, path) != cases[i].good)
            fail_msg("case %zu", i);
        if (!cases[i].good)
            continue;
        assert_true(fw_batches_open(path, &b, &f->mem, &f->diag, &file) &&
                    fw_batches_get(&file, 0, &f->mem, &f->diag, &batch));
        assert_int_equal(file.part, FW_COMMAND_LIST);
        assert_int_equal(batch.runs, 2);
        assert_int_equal(batch.table, fw_list_address(&b, 2));
        assert_int_equal(batch.segments.len, 2);
        assert_memory_equal(batch.segments.at[0].content, content, 6);
        assert_int_equal(batch.left.len, 1);
        assert_int_equal(batch.left.at[0].bytes, 10);
        fw_batches_close(&file);
    }
    const uint32_t column = 0;
    const fw_columns c = {.in = &column, .out = &column, .n_in = 2, .n_out = 1, .part = 5};
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
        accepts(&b, path);
    }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_run_of_random_plans_finds_its_words),
        TEST(plans_follow_each_other),
        TEST(a_batch_is_validated_when_it_is_read),
        TEST(operands_lie_where_they_were_stored),
        TEST(a_block_is_stored_once_a_batch),
        TEST(an_input_that_all_batches_want_stays),
        TEST(batches_end_exactly_where_a_memory_does),
        TEST(a_run_that_fits_nowhere_is_refused),
        TEST(damaged_files_are_refused),
        TEST(sums_tell_every_flip),
        TEST(refusals_say_what_and_where),
        TEST(calls_are_batches_of_rows),
        TEST(results_of_calls_are_whole),
        TEST(lists_make_the_steps_they_were_folded_of),
        TEST(lists_are_validated),
        TEST(results_of_lists_are_whole),
        TEST(words_that_are_fetched_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
