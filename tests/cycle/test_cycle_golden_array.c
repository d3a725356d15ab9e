/* The bitstreams that ran on an array of the reference netlist's tiles, on the cycle model and on the RTL of
 * the array: every word in the same cycle, the words those recorded. Cycles against the recorded ones: within
 * 10 %. Skipped without the shared data. */
#include "kernels.h"

static const char *const kernels[] = {
    "mat_identity", "mat_identity_pipe", "vec_elemmul",       "vec_elemmul_pipe",
    "vec_elemadd",  "vec_elemadd_pipe",  "mat_elemadd",       "mat_elemadd_pipe",
    "mat_elemmul",  "mat_elemmul_pipe",  "matmul_ijk_nodrop", "matmul_ijk_nodrop_pipe",
};
enum { KERNELS = sizeof kernels / sizeof *kernels, MOST_STREAMS = 64 };

typedef struct {
    kernel_stream stream[MOST_STREAMS];
    uint16_t *expected[MOST_STREAMS]; /* of outputs */
    uint32_t expected_length[MOST_STREAMS];
    uint32_t n;
} recording;

static uint32_t count_blocks(const uint16_t *words, uint32_t length) {
    uint32_t blocks = 0;
    for (uint32_t at = 0; at < length; at += 1u + words[at])
        blocks++;
    return blocks;
}

static void read_streams(const cJSON *object, bool output, arena *mem, recording *r) {
    const cJSON *list, *word;
    cJSON_ArrayForEach(list, object) {
        u16_vec words = {0};
        cJSON_ArrayForEach(word, list) vec_push(mem, &words, (uint16_t)word->valueint);
        kernel_stream *s = &r->stream[r->n];
        *s = (kernel_stream){.column = (uint32_t)atoi(list->string), .output = output};
        if (output) {
            r->expected[r->n] = words.at;
            r->expected_length[r->n] = words.len;
            s->blocks = count_blocks(words.at, words.len);
        } else {
            s->words = words.at;
            s->length = words.len;
        }
        r->n++;
    }
}

static void play(fixture *f, const char *folder, const char *name) {
    kernel k = {0};
    recording r = {.n = 0};
    cycle_stream *got;
    kernel_read(arena_printf(&f->mem, "%s/%s.bs", folder, name), &f->names, &f->mem, &f->diag, &k);
    cJSON *json = json_read(arena_printf(&f->mem, "%s/%s.json", folder, name), &f->diag);
    assert_non_null(json);
    read_streams(cJSON_GetObjectItem(json, "inputs"), false, &f->mem, &r);
    read_streams(cJSON_GetObjectItem(json, "expected"), true, &f->mem, &r);
    long recorded = (long)cJSON_GetObjectItem(json, "golden_total_cycles")->valuedouble;
    cJSON_Delete(json);
    kernel_pair pair = kernel_start(&k, &f->mem);
    long cycles = (long)kernel_run(&pair, r.stream, r.n, &f->mem, &got);
    kernel_stop(&pair, (uint64_t)cycles, &f->mem);
    pnr_board_free(&k.board);
    for (uint32_t i = 0; i < r.n; i++) {
        if (!r.stream[i].output)
            continue;
        assert_int_equal(got[i].got.len, r.expected_length[i]);
        assert_memory_equal(got[i].got.at, r.expected[i], r.expected_length[i] * sizeof *r.expected[i]);
    }
    /* A line of the table of docs/notebook/fidelity.md (target golden_tables); kernel_run saw that the RTL
     * takes as many. */
    print_message("| %s | %u | %ld | %ld | %ld | %.3f |\n", name, k.bits.words.len, recorded, cycles, cycles,
                  (double)cycles / (double)recorded);
    assert_true(labs(cycles - recorded) * 10 <= recorded);
}

static void test_recorded_kernels(void **state) {
    fixture *f = *state;
    const char *folder = ONYX_SHARED_DIR "/data/onyx_bitstreams/golden_array";
    if (access(folder, R_OK) != 0) {
        print_message("skipped: no %s\n", folder);
        skip();
    }
    print_message("| kernel | configuration words | recorded | rtl | cycle | to recorded "
                  "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < KERNELS; i++)
        play(f, folder, kernels[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_recorded_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
