/* test_cosim_golden.c - the real firmware on the processor model and the RTL: kernels of the golden array,
 * configured and run through the real registers, several runs a batch. Every word of every run must be the
 * reference's. */
#include "golden_kernel.h"

enum { BATCHES = 2, RUNS = 3 };

static const char *const KERNELS[] = {"vec_elemmul", "vec_elemadd_pipe", "mat_elemadd", "mat_elemmul_pipe",
                                      "mat_identity"};

static uint32_t word_at(const char *text, size_t at) {
    uint32_t word;
    memcpy(&word, text + at, 4);
    return word;
}

/* Cycles of the first run. */
static uint64_t check_result(fixture *f, const golden_kernel *k, const char *path) {
    size_t length, at = 16;
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(text);
    assert_memory_equal(text, "ONXR", 4);
    assert_int_equal(word_at(text, 8), BATCHES * RUNS);
    assert_int_equal(word_at(text, 12), k->n_out);
    for (uint32_t run = 0; run < BATCHES * RUNS; run++) {
        assert_int_equal(word_at(text, at), word_at(text, 16)); /* every run takes as long as the first */
        at += 8;
        for (uint32_t o = 0; o < k->n_out; o++) {
            assert_int_equal(word_at(text, at), k->out[o].len);
            assert_memory_equal(text + at + 4, k->out[o].words, 2 * k->out[o].len);
            at += 4 + (k->out[o].len + 1) / 2 * 4;
        }
    }
    assert_int_equal(at, length);
    return word_at(text, 16);
}

static double statistic(fixture *f, const char *path, const char *name) {
    cJSON *json = json_read(path, &f->diag);
    assert_non_null(json);
    assert_non_null(cJSON_GetObjectItem(json, name));
    double value = cJSON_GetObjectItem(json, name)->valuedouble;
    cJSON_Delete(json);
    return value;
}

typedef struct {
    pnr_board board;
    golden_kernel *kernel;
    cosim_options options;
} setting;

/* Builds and writes all inputs of a run of the kernel. False: no data. */
static bool prepare(fixture *f, const char *name, int words_off, bool by_hand, setting *s) {
    const char *folder = arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/cosim/%s", name);
    s->kernel = golden_read(f, name);
    if (!s->kernel || system("arm-none-eabi-gcc --version > /dev/null 2>&1") != 0)
        return false;
    assert_true(make_folder(folder, &f->diag));
    if (!pnr_board_read("onyx", &f->mem, &f->diag, &s->board))
        fail_msg("%s", fixture_printed(f));
    fw_options o = fw_options_default(ONYX_SOURCE_DIR, folder);
    o.objects = ONYX_BINARY_DIR "/firmware/objects";
    o.register_path = o.poll = by_hand;
    s->options = (cosim_options){.elf = golden_build(f, s->kernel, &s->board, &o),
                                 .batches = arena_printf(&f->mem, "%s/batches.bin", folder),
                                 .result = arena_printf(&f->mem, "%s/result.bin", folder),
                                 .stats = arena_printf(&f->mem, "%s/stats.json", folder),
                                 .watchdog = 100000};
    golden_write_batches(s->kernel, &s->board, BATCHES, RUNS, words_off, s->options.batches);
    return true;
}

static void no_data(void) {
    print_message("no golden array data or no arm-none-eabi-gcc: skipped\n");
    skip();
}

static void run_and_check(fixture *f, const char *name, bool by_hand) {
    setting s;
    if (!prepare(f, name, 0, by_hand, &s))
        no_data();
    if (cosim_run(&s.options, &s.board, &f->mem, &f->diag) != COSIM_OK)
        fail_msg("%s", fixture_printed(f));
    assert_string_equal(fixture_printed(f), ""); /* nor a collision in the global buffer */
    uint64_t cycles = check_result(f, s.kernel, s.options.result);
    double all = statistic(f, s.options.stats, "cgra_cycles"),
           stepped = statistic(f, s.options.stats, "cgra_cycles_evaluated");
    print_message("%-18s %5u words, run %6llu cycles (reference %5.0f), %8.0f cycles in all, %8.0f "
                  "evaluated, %8.0f cycles/s\n",
                  name, s.kernel->bits.words.len, (unsigned long long)cycles, s.kernel->cycles, all, stepped,
                  statistic(f, s.options.stats, "cgra_cycles_per_second"));
    /* Loads take a few cycles to start and stores a few to finish. */
    assert_in_range(cycles, (uint64_t)s.kernel->cycles, (uint64_t)s.kernel->cycles + 40);
    assert_true(stepped <= all);
    pnr_board_free(&s.board);
}

static void golden_kernels_run_under_firmware(void **state) {
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        run_and_check(*state, KERNELS[i], false);
}

static void registers_and_polling_do_as_well(void **state) {
    run_and_check(*state, "vec_elemmul", true);
}

/* A missing word: everything waits. */
static void a_stuck_run_is_explained(void **state) {
    fixture *f = *state;
    setting s;
    if (!prepare(f, "vec_elemadd", -1, false, &s))
        no_data();
    assert_int_equal(cosim_run(&s.options, &s.board, &f->mem, &f->diag), COSIM_WATCHDOG);
    const char *text = fixture_printed(f);
    assert_non_null(strstr(text, "E0770-watchdog"));
    assert_non_null(strstr(text, "store of GLB tile 0: "));
    pnr_board_free(&s.board);
}

static void overwrite(const char *path, const char *content, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(content, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

static void expect_end(fixture *f, const setting *s, int exit_code, const char *code, const char *text) {
    uint32_t before = f->diag.list.len;
    remove(s->options.result);
    assert_int_equal(cosim_run(&s->options, &s->board, &f->mem, &f->diag), exit_code);
    assert_in_range(f->diag.list.len, before + 1, before + 10);
    assert_string_equal(f->diag.list.at[before].code, code);
    assert_non_null(strstr(fixture_printed(f), text));
    assert_int_not_equal(access(s->options.result, F_OK), 0);
}

/* Returns the place of these words, from `at` on. */
static size_t find(const char *elf, size_t length, size_t at, const uint32_t words[2]) {
    while (at + 8 <= length && memcmp(elf + at, words, 8) != 0)
        at++;
    assert_true(at + 8 <= length);
    return at;
}

/* A bit of the bitstream flipped on the way; afterwards the head of the file. */
static void damaged_programs_are_told(void **state) {
    fixture *f = *state;
    setting s;
    size_t length, at = 0;
    if (!prepare(f, "vec_elemmul_pipe", 0, false, &s))
        no_data();
    char *elf = file_read(s.options.elf, &f->mem, &length, &f->diag);
    const bits_word *first = &s.kernel->bits.words.at[0];
    const uint32_t head[2] = {FW_IMAGE_MAGIC, FW_IMAGE_VERSION}, pattern[2] = {first->data, first->address};
    at = find(elf, length, at, head);
    at = find(elf, length, at, pattern);
    elf[at] ^= 1;
    overwrite(s.options.elf, elf, length);
    expect_end(f, &s, COSIM_TARGET, "E0760-target", "the sum expected");
    elf[18] = 3; /* another processor */
    overwrite(s.options.elf, elf, length);
    expect_end(f, &s, COSIM_USAGE, "E0751-elf", "wrong kind of file");
    overwrite(s.options.elf, elf, 20);
    expect_end(f, &s, COSIM_USAGE, "E0751-elf", "too short");
    pnr_board_free(&s.board);
}

static void time_is_bounded(void **state) {
    fixture *f = *state;
    setting s;
    if (!prepare(f, "vec_elemadd", 0, false, &s))
        no_data();
    s.options.max_cycles = 3000; /* less than configuration takes */
    expect_end(f, &s, COSIM_WATCHDOG, "E0771-max-cycles", "3000 array cycles");
    pnr_board_free(&s.board);
}

RUN_TESTS(TEST(golden_kernels_run_under_firmware), TEST(registers_and_polling_do_as_well),
          TEST(a_stuck_run_is_explained), TEST(damaged_programs_are_told), TEST(time_is_bounded))
