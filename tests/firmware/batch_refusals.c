#include "tests/firmware/batch_cases.h"

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
        {{1, table, 1, table, 24, [5 + FW_WORD_cell_words] = 1},
         11,
         1,
         1,
         "batch 0: a load without its words at 0x0 [E0712-batch-content]"},
        {{1, table, 3, table, 24, [5 + FW_WORD_cell_words] = 1, [11] = bank, 4, 0, next_bank, 4, 0},
         17,
         1,
         1,
         both},
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
    quota q = {0};
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t first = prng_below(&p, 4), period = 1 + prng_below(&p, 5),
                       steps = 1 + prng_below(&p, 40), kinds = 1 + prng_below(&p, 4);
        fw_commands all = {0};
        uint32_t kept[40], pattern[9], again, shortest = steps;
        for (uint32_t i = 0; i < 9; i++)
            pattern[i] = prng_below(&p, kinds);
        for (uint32_t i = 0; i < steps; i++) {
            fw_command item = {{0, pattern[i < first ? i : first + (i - first) % period]}};
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
        quota_add(&q, true, n == steps);
    }
    assert_false(quota_failed(&q));
}

TEST_PART(batch_refusals, TEST(batches_end_exactly_where_a_memory_does),
          TEST(a_run_that_fits_nowhere_is_refused), TEST(refusals_say_what_and_where),
          TEST(results_of_calls_are_whole), TEST(lists_make_the_steps_they_were_folded_of))
