/* Capacity of the buffet, consecutive blocks, and the memory seen from the configuration bus. */
#include "random_trees.h"
#include "tests/test.h"

enum { IN_REF, IN_ADDR, IN_BLOCK, IN_DATA, CAPACITY = 1024 };

static const tree_use level_out = {"level, read-out", WRITE_STREAM, READ_OUT};
static const tree_use values_out = {"values, read-out", WRITE_STREAM, READ_OUT_VALUES};
static const tree_use values_block = {"value block, lookup", WRITE_BLOCK, READ_LOOKUP};
static const tree_use level_scan = {"level block, root scan", WRITE_BLOCK, READ_ROOT};

static void idle(bench_design design) {
    bench_pins pins = {.enable = true};
    design.settle(design.device, &pins);
    design.clock(design.device);
}

static bench_design start(const spec_mem_config *config) {
    bench_design design = mem_design_new();
    mem_design_configure(design, true, 0, config->space);
    bench_reset(design);
    idle(design);
    return design;
}

/* n ascending data, a stop, done. */
static void put_fiber(arena *mem, u32_vec *in, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        vec_push(mem, in, i);
    vec_push(mem, in, RTL_STOP(0));
    vec_push(mem, in, RTL_DONE);
}

static void expect_block(const u32_vec *out, uint32_t at, uint32_t n) {
    assert_true(out->len >= at + n + 1);
    assert_int_equal(out->at[at], n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(out->at[at + 1 + i], i);
}

static void test_full_capacity(void **state) {
    fixture *f = *state;
    bench_result got;
    u32_vec in[BENCH_INS] = {{0}};
    put_fiber(&f->mem, &in[IN_DATA], CAPACITY);

    spec_mem_config config = tree_config(&values_out, 8, 8, 0);
    bench_design design = start(&config);
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    assert_int_equal(got.out[0].token.len, 1 + CAPACITY);
    expect_block(&got.out[0].token, 0, CAPACITY);

    config = tree_config(&level_out, 8, 8, 0);
    mem_design_configure(design, true, 0, config.space);
    bench_run(design, (bench_pace){0}, in, &f->mem, &got);
    assert_int_equal(got.out[0].token.len, 3 + 1 + CAPACITY);
    expect_block(&got.out[0].token, 3, CAPACITY);
    mem_design_free(design);
}

/* An entry beyond the capacity: the writer waits for ever and takes no more. A flush frees the writer. */
static void test_overflow_waits(void **state) {
    fixture *f = *state;
    const tree_use *uses[] = {&values_out, &level_out};
    for (int u = 0; u < 2; u++) {
        for (uint32_t log = 1; log <= 8; log++) {
            bench_result got;
            u32_vec in[BENCH_INS] = {{0}}, fitting[BENCH_INS] = {{0}};
            put_fiber(&f->mem, &in[IN_DATA], (4u << log) + 1);
            put_fiber(&f->mem, &in[IN_DATA], 20);
            put_fiber(&f->mem, &fitting[IN_DATA], 4u << log);
            spec_mem_config config = tree_config(uses[u], u == 0 ? log : 8, u == 0 ? 8 : log, 0);
            bench_design design = start(&config);
            bench_run(design, (bench_pace){0}, in, &f->mem, &got);
            assert_int_equal(got.out[0].token.len, 0);
            assert_true(got.in[IN_DATA].token.len < in[IN_DATA].len);
            bench_run(design, (bench_pace){0}, fitting, &f->mem, &got);
            expect_block(&got.out[0].token, u == 0 ? 0 : 3, 4u << log);
            mem_design_free(design);
        }
    }
}

/* Blocks that do not fit together, and a stalling reader: each block waits for its predecessor. */
static void test_blocks_wait_for_room(void **state) {
    fixture *f = *state;
    bench_result got;
    u32_vec in[BENCH_INS] = {{0}};
    static const uint32_t sizes[] = {600, 601, 1024, 1, 0, 1023, 1024, 3, 512, 512, 512};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (uint32_t i = 0; i < SIZES; i++)
        put_fiber(&f->mem, &in[IN_DATA], sizes[i]);
    spec_mem_config config = tree_config(&values_out, 8, 8, 0);
    bench_design design = start(&config);
    for (uint32_t stall = 0; stall <= 60; stall += 60) {
        bench_run(design, (bench_pace){.seed = stall, .out_stall_pct = stall}, in, &f->mem, &got);
        uint32_t at = 0;
        for (uint32_t i = 0; i < SIZES; i++) {
            expect_block(&got.out[0].token, at, sizes[i]);
            at += 1 + sizes[i];
        }
        assert_int_equal(got.out[0].token.len, at);
    }
    mem_design_free(design);
}

/* The configuration bus reads back its writes, lane by lane; a run in between starts at lane 0 again. */
static void test_sram_from_the_bus(void **state) {
    (void)state;
    spec_mem_config config = tree_config(&values_block, 8, 8, 0);
    bench_design design = start(&config);
    for (uint32_t lane = 0; lane < 4 * 512; lane++)
        mem_design_sram_write(design, lane / 4, (uint16_t)(lane * 40503u));
    for (uint32_t lane = 0; lane < 4 * 512; lane++)
        assert_int_equal(mem_design_sram_read(design, lane / 4), (uint16_t)(lane * 40503u));

    mem_design_sram_read(design, 5); /* a sequence cut short */
    idle(design);
    assert_int_equal(mem_design_sram_read(design, 5), (uint16_t)(20 * 40503u));
    idle(design);
    mem_design_configure(design, false, 0, config.space);
    for (uint32_t lane = 0; lane < 4; lane++)
        mem_design_sram_write(design, 9, 0xdead); /* the tile is not on */
    mem_design_configure(design, true, 0, config.space);
    for (uint32_t lane = 0; lane < 4; lane++)
        assert_int_equal(mem_design_sram_read(design, 9), (uint16_t)((36 + lane) * 40503u));
    mem_design_free(design);
}

/* Segments from word 0, coordinates from word 256, lane 0 lowest; the core still runs after the look. */
static void test_layout_of_a_block(void **state) {
    fixture *f = *state;
    bench_result got;
    static const uint32_t level[] = {2, 0, 6, 6, 10, 11, 12, 13, 14, 15};
    u32_vec in[BENCH_INS] = {{0}};
    for (uint32_t i = 0; i < sizeof level / sizeof *level; i++)
        vec_push(&f->mem, &in[IN_BLOCK], level[i]);
    spec_mem_config config = tree_config(&level_scan, 8, 8, 0);
    bench_design design = start(&config);
    for (int again = 0; again < 2; again++) {
        bench_run(design, (bench_pace){0}, in, &f->mem, &got);
        assert_int_equal(got.out[1].token.len, 8);
        assert_int_equal(mem_design_sram_read(design, 0), 0);
        assert_int_equal(mem_design_sram_read(design, 0), 6);
        mem_design_sram_read(design, 0);
        mem_design_sram_read(design, 0);
        for (uint32_t i = 0; i < 6; i++)
            assert_int_equal(mem_design_sram_read(design, 256 + i / 4), 10 + i);
    }
    mem_design_free(design);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_full_capacity),     TEST(test_overflow_waits),    TEST(test_blocks_wait_for_room),
        TEST(test_sram_from_the_bus), TEST(test_layout_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
