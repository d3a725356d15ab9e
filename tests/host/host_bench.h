/* host_bench.h - jobs of two batches for a board whose OpenOCD is fake_openocd.c, and their expected results.
 */
#ifndef ONYX_TESTS_HOST_BENCH_H
#define ONYX_TESTS_HOST_BENCH_H

#include "firmware/sums.h"
#include "host/host.h"
#include "tests/test.h"

#define FAKE_OPENOCD ONYX_BINARY_DIR "/fake_openocd"

enum { RUNS_A = 3, RUNS_B = 2, INPUTS = 2, OUTPUTS = 1, WORDS = 5 };
enum { TABLE = 0x20004000, GLB = 0x20400000, TILE_BYTES = 0x40000, BANK_BYTES = 0x20000, HALF = 0xc000 };

typedef struct {
    pnr_board board;
    host_job job;
    host_options options;
    host_outcome outcome;
    const char *folder;
    uint32_t first_tile;       /* of the inputs */
    uint32_t told[64], n_told; /* runs done in all, as progress was told */
} bench;

static inline void put_batch(FILE *out, uint32_t first_tile, uint32_t first_value, uint32_t runs,
                             uint32_t buffer) {
    uint32_t table = TABLE + buffer * HALF, bank = buffer * BANK_BYTES;
    uint32_t row_bytes = fw_row_bytes(INPUTS, OUTPUTS), block = (2 * WORDS * runs + 3) / 4 * 4;
    file_put_u32(out, runs);
    file_put_u32(out, table);
    file_put_u32(out, 1 + INPUTS);
    for (uint32_t i = 0; i < INPUTS; i++) {
        file_put_u32(out, GLB + (first_tile + i) * TILE_BYTES + bank);
        file_put_u32(out, block);
        for (uint32_t w = 0; w < block / 4; w++)
            file_put_u32(out, (first_value + 2 * w) | (first_value + 2 * w + 1) << 16);
    }
    file_put_u32(out, table);
    file_put_u32(out, runs * row_bytes);
    for (uint32_t r = 0; r < runs; r++) {
        for (uint32_t i = 0; i < INPUTS; i++) {
            file_put_u32(out, (first_tile + i) * TILE_BYTES + bank + 2 * WORDS * r);
            file_put_u32(out, WORDS);
        }
        for (uint32_t w = 0; w < 2 * OUTPUTS + 2; w++)
            file_put_u32(out, 0);
    }
}

static inline void tell(void *context, const host_progress *now) {
    bench *b = context;
    assert_int_equal(now->batches, 2);
    assert_int_equal(now->all_runs, RUNS_A + RUNS_B);
    assert_true(now->done <= now->runs);
    if (b->n_told < 64)
        b->told[b->n_told++] = (uint32_t)now->all_done;
}

static inline void put_file(fixture *f, const bench *b, uint32_t buffers) {
    file_out out;
    const uint32_t head[] = {FW_BATCH_MAGIC, FW_BATCH_VERSION, INPUTS, OUTPUTS, 2, buffers, 0};
    assert_true(file_create(&out, b->job.batches, &f->mem, &f->diag));
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(out.stream, head[i]);
    put_batch(out.stream, b->first_tile, 100, RUNS_A, 0);
    put_batch(out.stream, b->first_tile, 500, RUNS_B, buffers - 1);
    assert_true(file_commit(&out, &f->diag) && fw_seal(b->job.batches));
}

static inline bench *bench_new(fixture *f, const char *name, const char *mode) {
    bench *b = arena_new(&f->mem, bench);
    file_out out;
    setenv("FAKE_OPENOCD", mode, 1);
    b->folder = arena_printf(&f->mem, ONYX_BINARY_DIR "/test_host-%s", name);
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &b->board) && make_folder(b->folder, &f->diag));
    b->job = (host_job){.elf = arena_printf(&f->mem, "%s/app.elf", b->folder),
                        .batches = arena_printf(&f->mem, "%s/batches.bin", b->folder),
                        .result = arena_printf(&f->mem, "%s/result.bin", b->folder),
                        .folder = b->folder};
    remove(b->job.result);
    assert_true(file_create(&out, b->job.elf, &f->mem, &f->diag));
    fputs("a program", out.stream);
    assert_true(file_commit(&out, &f->diag));
    put_file(f, b, 1);
    b->options = host_options_default();
    b->options.openocd = FAKE_OPENOCD;
    b->options.timeout = 1;
    b->options.progress = tell;
    b->options.context = b;
    return b;
}

static inline bool program(fixture *f, bench *b) {
    b->n_told = 0;
    return host_program(&b->board, &b->job, &b->options, &f->mem, &f->diag, &b->outcome);
}

static inline void end(bench *b) {
    remove_folder(b->folder);
    pnr_board_free(&b->board);
}

static inline uint32_t word_at(const char *bytes, size_t i) {
    const uint8_t *at = (const uint8_t *)bytes + 4 * i;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Every run's words are its first load's words plus one; two array cycles a processor cycle. */
static inline void check_result(fixture *f, const bench *b) {
    size_t length, at = 0;
    const char *bytes = file_read(b->job.result, &f->mem, &length, &f->diag);
    assert_non_null(bytes);
    const uint32_t head[] = {0x52584e4f, 1, RUNS_A + RUNS_B, OUTPUTS};
    for (; at < 4; at++)
        assert_int_equal(word_at(bytes, at), head[at]);
    for (uint32_t run = 0; run < RUNS_A + RUNS_B; run++) {
        uint32_t r = run < RUNS_A ? run : run - RUNS_A, first = run < RUNS_A ? 100 : 500;
        assert_int_equal(word_at(bytes, at++), 2 * (100 + r));
        assert_int_equal(word_at(bytes, at++), 0);
        assert_int_equal(word_at(bytes, at++), WORDS);
        for (uint32_t w = 0; w < WORDS; w++)
            assert_int_equal(word_at(bytes, at + w / 2) >> 16 * (w % 2) & 0xFFFF, first + r * WORDS + w + 1);
        at += (WORDS + 1) / 2;
    }
    assert_int_equal(length, 4 * at);
}

#endif
