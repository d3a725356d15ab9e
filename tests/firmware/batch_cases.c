#include "tests/firmware/batch_cases.h"

void write_batches(fixture *f, const tile_plan *plan, const fw_columns *c, const pnr_board *b,
                   const char *path, fw_batch_stats *stats) {
    if (!write_plans(f, plan, 1, c, b, path, stats))
        fail_msg("%s", fixture_printed(f));
}

fw_batches read_batches(fixture *f, const pnr_board *b, const char *path) {
    fw_batches file;
    if (!fw_batches_open(path, b, &f->mem, &f->diag, &file))
        fail_msg("%s", fixture_printed(f));
    return file;
}

uint32_t get32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Memory after the batch was loaded: byte at an address of the processor. */
const uint8_t *loaded(const fw_batch *batch, uint32_t address) {
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
void check_file(fixture *f, const tile_plan *plans, uint32_t n, const fw_columns *c, const pnr_board *b,
                fw_batches *file) {
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

/* A plan of `runs` runs over distinct blocks of `words` words. */
tile_plan plan_of_blocks(fixture *f, uint32_t runs, uint32_t words, uint32_t bound) {
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

void write_bytes(const char *path, const char *bytes, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}
