#include "tests/tiling/plan_cases.h"

static void disagreeing_dimensions_are_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bik:ss", "Ckj:ss:10", "*", "Sk", NULL}, "ijk");
    tile_tensor operand[3] = {{.order = 0}, one_entry(f, "B", 64, 0, 40), one_entry(f, "C", 65, 40, 63)};
    uint32_t *extent;
    assert_false(
        tile_extents(&b.s, &(tile_operands){operand, 3, TILE_DTYPE_INT16}, &f->mem, &f->diag, &extent));
    assert_non_null(strstr(fixture_printed(f), "index k runs to 65 in C but to 64 in B"));
}

/* A .tns file without entries says nothing about its size. */
static void an_index_of_unknown_extent_is_refused(void **state) {
    fixture *f = *state;
    builder b;
    build(&b, f, "Xij:ss", (const char *const[]){"Bij:ss", NULL}, "ij");
    tile_tensor operand[2] = {{.order = 0}, {.order = 2, .dim_inferred = true}};
    uint32_t *extent;
    assert_false(
        tile_extents(&b.s, &(tile_operands){operand, 2, TILE_DTYPE_INT16}, &f->mem, &f->diag, &extent));
    assert_string_equal(fixture_printed(f),
                        "onyx: error: no operand tells how far index i runs [E0321-no-extent]\n"
                        "    help: say so with -d i:SIZE, or in a program file by an operand that has i\n");
}

/* Plans x(i) = b(i), where b has eight values and no zero. */
static void plan_copy(fixture *f, builder *b, uint32_t edge, tile_tensor *operand, uint32_t **extent,
                      tile_plan *plan) {
    build(b, f, "xi:s", (const char *const[]){"bi:s", NULL}, "i");
    assert_true(tile_generate("8:1", (name_id){0}, 0, 1, TILE_DTYPE_INT16, &f->mem, &f->diag, operand));
    operand->name = names_intern(&f->names, "b");
    const tile_tensor operands[2] = {{.order = 0}, *operand};
    const tile_operands in = {operands, 2, TILE_DTYPE_INT16};
    const tile_options options = {.tile = edge, .mem_words = 1024};
    const name_id x = names_intern(&f->names, "x");
    tile_stream inputs[2] = {{.tensor = operand->name, .level = 0},
                             {.tensor = operand->name, .level = SAM_MODE_VALS}};
    tile_stream outputs[2] = {{.tensor = x, .level = 0}, {.tensor = x, .level = SAM_MODE_VALS}};
    assert_true(tile_extents(&b->s, &in, &f->mem, &f->diag, extent));
    assert_true(plan_all(f, &b->s, &in, &options, inputs, outputs, 2, plan));
}

static void corrupt_result_streams_are_refused(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand;
    tile_plan plan;
    uint32_t *extent;
    plan_copy(f, &b, 0, &operand, &extent, &plan);
    static const struct {
        uint16_t level[6];
        uint32_t n;
        uint16_t vals[3];
        bool good;
    } cases[] = {
        {{2, 0, 2, 2, 1, 7}, 6, {2, 5, 6}, true},       {{2, 0, 2, 2, 1, 7}, 6, {1, 5, 6}, false},
        {{2, 0, 3, 2, 1, 7}, 6, {2, 5, 6}, false},      {{3, 0, 2, 2, 1, 7}, 6, {2, 5, 6}, false},
        {{2, 0, 2, 2, 1, 7}, 5, {2, 5, 6}, false},      {{2, 0, 1, 2, 1, 7}, 6, {2, 5, 6}, false},
        {{2, 0, 2, 2, 1, 0xffff}, 6, {2, 5, 6}, false},
    };
    uint32_t broken = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        broken += !cases[i].good;
        tile_collector *c = tile_collect_begin(&b.s, &plan, extent, TILE_DTYPE_INT16, &f->mem);
        const uint16_t *words[2] = {cases[i].level, cases[i].vals};
        uint32_t lengths[2] = {cases[i].n, cases[i].vals[0] + 1u};
        if (tile_collect_run(c, 0, words, lengths, &f->diag) != cases[i].good)
            fail_msg("case %zu", i);
        tile_tensor out;
        assert_true(tile_collect_end(c, &f->mem, &out));
        assert_int_equal(f->diag.mismatches, broken);
    }
    assert_int_equal(f->diag.errors, 0);
    const uint16_t *words[2] = {cases[0].level, cases[0].vals};
    const uint32_t lengths[2] = {cases[0].n, cases[0].vals[0] + 1u};
    for (uint32_t i = 0; i < 2; i++) { /* a good answer, but more than was planned */
        tile_collector *c = tile_collect_begin(&b.s, &plan, extent, TILE_DTYPE_INT16, &f->mem);
        plan.runs.at[0].bound_words = i ? 5 : 6;
        plan.runs.at[0].bound_array = i ? 2 : 1;
        assert_false(tile_collect_run(c, 0, words, lengths, &f->diag));
        assert_int_equal(f->diag.mismatches, broken + i + 1);
    }
}

/* Appends a stream in the format of docs/dump.md: its length, and words in pairs. */
static void put_stream(fixture *f, const uint16_t *words, uint32_t n, u32_vec *out) {
    vec_push(&f->mem, out, n);
    for (uint32_t i = 0; i < n; i += 2)
        vec_push(&f->mem, out, words[i] | (i + 1 < n ? (uint32_t)words[i + 1] << 16 : 0));
}

static const char *put_words_file(fixture *f, const u32_vec *words, size_t bytes) {
    const char *path = ONYX_BINARY_DIR "/test_tiling_plan-result.bin";
    file_out out;
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fwrite(words->at, 1, bytes, out.stream);
    assert_true(file_commit(&out, &f->diag));
    return path;
}

/* Reads a result of `runs` runs; returns false for an invalid result. */
static bool read_result(fixture *f, const builder *b, const tile_plan *plan, const uint32_t *extent,
                        const char *path, uint64_t runs, tile_tensor *x, uint64_t *cycles) {
    tile_results r;
    tile_collector *c = tile_collect_begin(&b->s, plan, extent, TILE_DTYPE_INT16, &f->mem);
    bool good = tile_results_open(&r, path, runs, &f->diag);
    if (good)
        good = tile_results_close(&r, tile_results_collect(&r, plan, c, &f->diag), &f->diag);
    *cycles = r.cycles;
    assert_true(tile_collect_end(c, &f->mem, x));
    return good;
}

/* A job's file has the plan's words, and a result that returns these words is the operand; a truncated,
 * extended or foreign result is refused. */
static void jobs_and_results_are_files(void **state) {
    fixture *f = *state;
    builder b;
    tile_tensor operand, x;
    tile_plan plan;
    uint32_t *extent;
    uint64_t cycles;
    plan_copy(f, &b, 4, &operand, &extent, &plan);
    assert_int_equal(plan.runs.len, 2);
    u32_vec job = {0}, result = {0};
    const uint32_t job_head[] = {
        0x4a584e4f, 1, 2, 2, plan.outputs.at[0].num_blocks, plan.outputs.at[1].num_blocks, 4};
    const uint32_t result_head[] = {0x52584e4f, 1, 2, 2};
    for (size_t i = 0; i < sizeof job_head / sizeof *job_head; i++)
        vec_push(&f->mem, &job, job_head[i]);
    for (size_t i = 0; i < sizeof result_head / sizeof *result_head; i++)
        vec_push(&f->mem, &result, result_head[i]);
    for (uint32_t twice = 0; twice < 2; twice++) {
        for (uint32_t run = 0; run < 2; run++) {
            if (!twice) {
                vec_push(&f->mem, &result, 100 + run); /* cycles */
                vec_push(&f->mem, &result, 2);
            }
            for (uint32_t i = 0; i < 2; i++) {
                const tile_block *block =
                    &plan.inputs.at[i].blocks.at[plan.run_block.at[plan.runs.at[run].block_first + i]];
                assert_int_equal(block->length, i ? 5 : 8);
                put_stream(f, plan.words.at + block->first, block->length, &job);
                if (!twice)
                    put_stream(f, plan.words.at + block->first, block->length, &result);
            }
        }
    }
    const char *path = ONYX_BINARY_DIR "/test_tiling_plan-job.bin";
    tile_job j;
    for (uint32_t keep = 0; keep < 2; keep++) {
        remove(path);
        assert_true(tile_job_begin(&j, path, false, &f->diag));
        for (uint32_t plans = 0; plans < 2; plans++)
            tile_job_add(&j, &plan);
        assert_int_equal(tile_job_end(&j, keep, &f->diag), keep);
        assert_int_equal(access(path, F_OK), keep ? 0 : -1);
    }
    size_t length;
    const char *bytes = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(bytes);
    assert_int_equal(length, 4 * job.len);
    assert_memory_equal(bytes, job.at, length);

    const size_t whole = 4 * (size_t)result.len;
    assert_true(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 2, &x, &cycles));
    assert_int_equal(cycles, 201 + (UINT64_C(4) << 32));
    assert_int_equal(x.nnz, 8);
    assert_memory_equal(x.crd, operand.crd, sizeof *x.crd * 8);
    assert_memory_equal(x.val, operand.val, sizeof *x.val * 8);
    assert_int_equal(f->diag.errors, 0);
    assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 3, &x, &cycles));
    vec_push(&f->mem, &result, 0);
    uint32_t refused = 1;
    for (size_t n = 0; n <= whole + 4; n += n < 16 || n > whole ? 1 : 2) {
        if (n != whole) {
            assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, n), 2, &x, &cycles));
            refused++;
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        result.at[i]++;
        assert_false(read_result(f, &b, &plan, extent, put_words_file(f, &result, whole), 2, &x, &cycles));
        result.at[i]--;
        refused++;
    }
    assert_int_equal(f->diag.errors, refused);
    assert_non_null(strstr(fixture_printed(f), "is not a complete result of this job [E0342-job-result]"));
}

TEST_PART(plan_files, TEST(disagreeing_dimensions_are_refused), TEST(an_index_of_unknown_extent_is_refused),
          TEST(corrupt_result_streams_are_refused), TEST(jobs_and_results_are_files))
