/* Whole kernels recorded on an array of the public netlist's tiles, with the chip's order at a scanner's
 * port: the same words on the cycle model and on the RTL, in cycles that differ from the recorded ones by 1 %
 * at most. In all-dense intersections a fiber ends with the first end of any of a joiner's four streams. */
#include "kernels.h"

static const char *const recorded[] = {"dense_matmul",    "dense_product",  "mttkrp",
                                       "scalar_constant", "scalar_product", "scalar_sum"};
enum { RECORDED = sizeof recorded / sizeof *recorded };

static const char *write_bits(fixture *f, const cJSON *words) {
    text_out text;
    const cJSON *word;
    const char *path = arena_printf(&f->mem, "%s/kernel.bs", test_folder(f));
    text_begin(&text);
    cJSON_ArrayForEach(word, words) fprintf(text.stream, "%s\n", word->valuestring);
    const char *all = text_end(&text, &f->mem);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(all, 1, strlen(all), out), strlen(all));
    assert_int_equal(fclose(out), 0);
    return path;
}

static void play(fixture *f, uint32_t i, void *unused) {
    (void)unused;
    kernel k = {0};
    kernel_recording r = {.n = 0};
    cycle_stream *got;
    cJSON *json = json_read(
        arena_printf(&f->mem, ONYX_SOURCE_DIR "/tests/cycle/recorded/%s.json", recorded[i]), &f->diag);
    assert_non_null(json);
    const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "runs"), 0);
    kernel_read(write_bits(f, cJSON_GetObjectItem(json, "bitstream")), &f->names, &f->mem, &f->diag, &k);
    kernel_recorded(cJSON_GetObjectItem(run, "inputs"), false, &f->mem, &r);
    kernel_recorded(cJSON_GetObjectItem(run, "reference"), true, &f->mem, &r);
    kernel_pair pair = kernel_start(&k, &f->mem);
    const double cycles = (double)kernel_run(&pair, r.stream, r.n, &f->mem, &got),
                 chip = cJSON_GetObjectItem(run, "cycles_reference")->valuedouble;
    kernel_expect(&r, got);
    print_message("%s: %.0f cycles, recorded %.0f\n", recorded[i], cycles, chip);
    assert_true(cycles <= 1.01 * chip && cycles >= 0.99 * chip);
    kernel_stop(&pair, (uint64_t)cycles, &f->mem);
    pnr_board_free(&k.board);
    cJSON_Delete(json);
}

static void test_recorded(void **state) {
    (void)state;
    each_afresh(RECORDED, play, NULL);
}

/* A bitstream of another tool with a lone register, with a fork behind a pair, and with too many sinks. */
static void test_other_registers(void **state) {
    fixture *f = *state;
    kernel k = {0};
    cJSON *json = json_read(ONYX_SOURCE_DIR "/tests/cycle/recorded/dense_matmul.json", &f->diag);
    assert_non_null(json);
    kernel_read(write_bits(f, cJSON_GetObjectItem(json, "bitstream")), &f->names, &f->mem, &f->diag, &k);
    uint32_t net = 0, hop = 0;
    for (; !k.decoded.route.at[net].hops.at[hop].fifo_end; hop++)
        if (hop + 1 == k.decoded.route.at[net].hops.len) {
            hop = UINT32_MAX;
            net++;
        }
    pnr_route *route = &k.decoded.route.at[net];
    route->hops.at[hop].fifo_end = false;
    assert_true(cycle_load(&k.decoded, k.map, &f->mem, &f->diag, &k.design));
    assert_string_equal(f->diag.list.at[0].code, "E0661-wired-net");
    assert_int_equal(k.design.nets.at[net].registers.len, 0);
    route->hops.at[hop].fifo_end = true;
    pnr_sink again = route->sinks.at[0];
    again.hop = hop;
    vec_push(&f->mem, &route->sinks, again);
    net_pin pin = k.decoded.net->nets.at[net].sinks.at[0];
    vec_push(&f->mem, &k.decoded.net->nets.at[net].sinks, pin);
    diag_init(&f->diag, &f->mem);
    assert_true(cycle_load(&k.decoded, k.map, &f->mem, &f->diag, &k.design));
    assert_string_equal(f->diag.list.at[0].code, "E0661-wired-net");
    assert_int_equal(k.design.nets.at[net].registers.len, 0);
    for (uint32_t i = 0; i < 64; i++) {
        vec_push(&f->mem, &route->sinks, again);
        vec_push(&f->mem, &k.decoded.net->nets.at[net].sinks, pin);
    }
    assert_false(cycle_load(&k.decoded, k.map, &f->mem, &f->diag, &k.design));
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0662-sinks");
    pnr_board_free(&k.board);
    cJSON_Delete(json);
}

RUN_TESTS(TEST(test_recorded), TEST(test_other_registers))
