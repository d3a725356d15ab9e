#include "tests/firmware/fw_device_cases.h"
#include <math.h>

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
    const uint32_t row_bytes = fw_row_bytes(t->kernel.n_loads, t->kernel.n_stores);
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
            for (uint32_t l = 0; l < t->kernel.n_loads; l++) /* bit 17 of the address is the bank */
                if (tiles >> t->loads[l].glb_tile & 1)
                    table[r * row_bytes + fw_load_cell(l) + FW_AT_cell_first + 2] |= 2;
    }
    batch->outputs &= ~tiles;
}

/* Compares the row's outputs with the model's outputs for the run's inputs. */
static void check_row(const device *d, const test_kernel *t, const tile_plan *plan, const uint32_t *row,
                      uint32_t run) {
    static uint16_t want[1 << 16];
    for (uint32_t i = 0; i < t->kernel.n_stores; i++) {
        const tile_block *in = plan_block(plan, run, i % t->kernel.n_loads);
        uint32_t n = device_expected(&t->k, i, plan->words.at + in->first, in->length, want);
        const uint32_t *cell = row + 2 * (t->kernel.n_loads + i);
        assert_int_equal(cell[FW_WORD_cell_words], n);
        assert_memory_equal(d->glb + cell[FW_WORD_cell_first], want, 2 * n);
    }
    assert_true(row[2 * (t->kernel.n_loads + t->kernel.n_stores) + FW_WORD_end_cycles] > 0);
}

/* Cycles, copy and start of a row, by docs/firmware.md. */
static uint32_t lane_of_row(const test_kernel *t, const uint32_t *row) {
    uint32_t lane =
        row[2 * (t->kernel.n_loads + t->kernel.n_stores) + FW_WORD_end_lane] >> FW_LOW_end_lane & 0xff;
    assert_in_range(lane, 0, t->kernel.n_lanes - 1);
    for (uint32_t i = 0; i < t->kernel.n_stores; i++)
        assert_int_equal(row[2 * (t->kernel.n_loads + i) + FW_WORD_cell_first] >> 18,
                         t->stores[lane * t->kernel.n_stores + i].glb_tile);
    return lane;
}

/* Boots, runs every batch of the plan, checks every row. Returns the cycles with at least one busy lane. */
static uint64_t run_plan(fixture *f, test_kernel *t, const tile_plan *plan, uint32_t buffers, uint64_t seed,
                         uint32_t delay, uint32_t slow_lane) {
    pnr_board b = onyx_board(f);
    const char *path = scratch_path(f, "device.bin");
    plan_columns c;
    set_columns(&c, t->kernel.n_loads, t->kernel.n_stores);
    c.columns.copies = t->kernel.n_lanes;
    c.columns.buffers = buffers;
    for (uint32_t i = 0; i < t->kernel.n_lanes * t->kernel.n_loads; i++)
        c.in[i] = 2u * t->loads[i].glb_tile;
    for (uint32_t i = 0; i < t->kernel.n_lanes * t->kernel.n_stores; i++)
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
        uint32_t words = fw_row_bytes(t->kernel.n_loads, t->kernel.n_stores) / 4;
        fw_batch batch;
        assert_true(fw_batches_get(&file, k, &f->mem, &f->diag, &batch));
        assert_int_equal(batch.outputs, k % buffers ? 0 : UINT16_MAX);
        if (buffers == 1 && t->kernel.n_lanes == 1)
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
            row_cycles += row[words - 2 + FW_WORD_end_cycles];
            const uint32_t start = row[words - 2 + FW_WORD_end_start] >> FW_LOW_end_start & 0xffffff;
            starts += start;
            assert_true(t->kernel.n_lanes > 1 || start == r);
        }
        assert_int_equal(starts, batch.runs * (batch.runs - 1) / 2);
    }
    if (d->violation)
        fail_msg("%s", d->violation);
    assert_int_equal(run, plan->runs.len);
    assert_int_equal(d->starts, run);
    for (uint32_t lane = 0; lane < t->kernel.n_lanes; lane++)
        assert_int_equal(of_lane[lane], d->lane_starts[lane]);
    uint64_t kernel_cycles = counter(mailbox.kernel_cycles);
    if (t->kernel.n_lanes == 1)
        assert_int_equal(kernel_cycles, row_cycles);
    else /* waiting of a done lane counts while another lane works */
        assert_true(kernel_cycles >= row_cycles / t->kernel.n_lanes);
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
    uint32_t loads = t->kernel.n_loads, stores = t->kernel.n_stores, most = loads > stores ? loads : stores;
    uint32_t tiles = (most + 1) / 2 * 2;
    t->kernel.n_lanes = lanes;
    t->image.n_loads = lanes * loads;
    t->image.n_stores = lanes * stores;
    t->kernel.flush_crossbar = 0;
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
            t->kernel.flush_crossbar |= first << 4 * g;
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
    quota q = {0};
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
        quota_add(&q, true, plan.words.len < 2);
    }
    assert_false(quota_failed(&q));
}

/* Copies that take the next run when idle: every row is right, whichever copy ran the row. */
static void copies_take_runs_each_by_itself(void **state) {
    quota q = {0};
    prng p = prng_seed(8);
    fixture *f = *state;
    for (uint32_t round = 0; round < 40; round++) {
        const plan_shape shape = random_shape(&p, round, 4);
        uint32_t most = shape.inputs > shape.outputs ? shape.inputs : shape.outputs;
        tile_plan plan = random_plan(f, &p, &shape);
        test_kernel t;
        make_kernel(&t, 0, shape.inputs, shape.outputs);
        add_lanes(&t, 1 + prng_below(&p, 8 / ((most + 1) / 2)));
        t.k.poll = round % 5 == 0;
        for (uint32_t lane = 0; lane < t.kernel.n_lanes && round % 3 == 0; lane++)
            t.image.early_stores |= t.lanes[lane].store_mask;
        t.k.timeout = 5000;
        run_plan(f, &t, &plan, 1 + prng_below(&p, 2), round, 1 + prng_below(&p, round % 2 ? 500 : 20),
                 prng_below(&p, 2) * 1000);
        quota_add(&q, true, t.kernel.n_lanes == 1);
    }
    if (quota_failed(&q))
        fail_msg("too many plans run on one copy");
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

/* One of two copies hangs: the other copy finishes the batch, then the hanging streams are named. Two are
 * named together. */
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
    device_free(d);
    d = device_with_batch(&t, 6, 15);
    d->hang_stores = 1u << 2 | 1u;
    assert_false(serve(d, &t));
    assert_int_equal(mailbox.error, FW_ERROR_RUN_TIMEOUT);
    assert_int_equal(mailbox.detail[0], (1u << 2 | 1u) << 16);
    device_end(d);
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
    array_kernel kernels[] = {t[0].kernel, t[1].kernel};
    for (uint32_t p = 0; p < 2; p++) {
        kernels[p].image = &t[0].image;
        kernels[p].loads = loads + 3 * p;
        kernels[p].stores = stores + 2 * p;
    }
    t[0].image.loads = loads;
    t[0].image.stores = stores;
    t[0].image.n_loads = 5;
    t[0].image.n_stores = 6;
    t[0].k.kernels = kernels;
    t[0].k.n_kernels = 2;
    t[0].k.call = lists_batch;
    t[0].k.combine = lists_combine;
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
    assert_true(boot(d, &t[0]));
    config = counter(mailbox.config_cycles);
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_true(list_kernel(d, &t[0].k, order[i]));
        const uint64_t took = counter(mailbox.config_cycles) - config;
        assert_true(i == 0 ? took > 0 : took == 0);
        assert_int_equal(list_item(d, 0)[FW_COMMAND_CYCLES / 4], took);
        config += took;
    }
    mailbox.callee = 2;
    mailbox.command++;
    assert_false(serve(d, &t[0]));
    expect_failure(FW_ERROR_BAD_KERNEL, 2, 2);
    assert_int_equal(d->starts, (RUNS + 1) * (sizeof order / sizeof *order));
    device_free(d);
}

TEST_PART(fw_runs, TEST(a_batch_of_three_runs_fills_its_table), TEST(random_kernels_run_random_plans),
          TEST(copies_take_runs_each_by_itself), TEST(a_slow_copy_holds_no_other_up),
          TEST(recorded_loads_are_replayed), TEST(recorded_stores_are_replayed),
          TEST(runs_are_right_after_the_other_reset), TEST(a_run_that_hangs_names_its_streams),
          TEST(without_a_debugger_nobody_sleeps), TEST(a_copy_that_hangs_is_named),
          TEST(kernels_of_one_bitstream_run_in_turn))
