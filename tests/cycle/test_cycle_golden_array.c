/* The bitstreams that ran on an array of the reference netlist's tiles, on the cycle model and on the RTL of
 * the array: every word in the same cycle, the words those recorded. Cycles against the recorded ones: within
 * 10 %. Skipped without the shared data. */
#include "kernels.h"

static const char *const kernels[] = {
    "mat_identity", "mat_identity_pipe", "vec_elemmul",       "vec_elemmul_pipe",
    "vec_elemadd",  "vec_elemadd_pipe",  "mat_elemadd",       "mat_elemadd_pipe",
    "mat_elemmul",  "mat_elemmul_pipe",  "matmul_ijk_nodrop", "matmul_ijk_nodrop_pipe",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void play(fixture *f, const char *folder, const char *name) {
    kernel k = {0};
    kernel_recording r = {.n = 0};
    cycle_stream *got;
    kernel_read(arena_printf(&f->mem, "%s/%s.bs", folder, name), &f->names, &f->mem, &f->diag, &k);
    cJSON *json = json_read(arena_printf(&f->mem, "%s/%s.json", folder, name), &f->diag);
    assert_non_null(json);
    kernel_recorded(cJSON_GetObjectItem(json, "inputs"), false, &f->mem, &r);
    kernel_recorded(cJSON_GetObjectItem(json, "expected"), true, &f->mem, &r);
    long recorded = (long)cJSON_GetObjectItem(json, "golden_total_cycles")->valuedouble;
    cJSON_Delete(json);
    kernel_pair pair = kernel_start(&k, &f->mem);
    long cycles = (long)kernel_run(&pair, r.stream, r.n, &f->mem, &got);
    kernel_stop(&pair, (uint64_t)cycles, &f->mem);
    pnr_board_free(&k.board);
    kernel_expect(&r, got);
    /* A line of the table of docs/notebook/fidelity.md (target golden_tables); kernel_run checked the RTL's
     * cycles. */
    print_message("| %s | %u | %ld | %ld | %ld | %.3f |\n", name, k.bits.words.len, recorded, cycles, cycles,
                  (double)cycles / (double)recorded);
    assert_true(labs(cycles - recorded) * 10 <= recorded);
}

static void test_recorded_kernels(void **state) {
    fixture *f = *state;
    const char *folder = TEST_SHARED("onyx_bitstreams/golden_array");
    print_message("| kernel | configuration words | recorded | rtl | cycle | to recorded "
                  "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < KERNELS; i++)
        play(f, folder, kernels[i]);
}

RUN_TESTS(TEST(test_recorded_kernels))
