/* Dense programs of the chip on other sites (programs of at most a second); and products of matrices, which
 * have no recorded sites. */
#include "tests/dense/placing.h"

static placing programs[] = {
    {"pointwise", 4096, 7},      {"conv_1_2", 4032, 8},          {"conv_3_3", 3844, 9},
    {"gaussian_619", 12152, 10}, {"harris_color_542", 7874, 11}, {"pointwise_gops", 4096, 12},
};

static void test_programs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof programs / sizeof *programs, place_number, programs);
}

/* ---- products of matrices ---------------------------------------------------------------------- */

enum { B_BYTE = 0x40000, C_BYTE = 0x20000, PRODUCT_SEEDS = 8 };

/* A stream over loops i, j, k, the last innermost, a word a cycle: strides in words. */
static dense_stream load_of(uint32_t column, uint32_t byte, const uint32_t extent[3],
                            const int32_t stride[3]) {
    dense_stream s = {.mode = DENSE_STREAM_STATIC, .column = column};
    int32_t inner = 0;
    s.g.enable = true;
    s.g.nest.dim = 3;
    s.g.address[0].start = byte;
    for (uint32_t i = 0; i < 3; i++) {
        s.g.nest.range[i] = extent[i] - 2;
        s.g.at.increment[i] = 1;
        s.g.address[0].increment[i] = (uint32_t)(2 * stride[i] - inner);
        inner += 2 * stride[i] * ((int32_t)extent[i] - 1);
    }
    return s;
}

static void stream_product(int32_t n, int32_t k, arena *mem, dense_streams *out) {
    const uint32_t extent[3] = {(uint32_t)k, (uint32_t)n, (uint32_t)n};
    dense_stream store = {.mode = DENSE_STREAM_VALID, .store = true, .column = 1};
    store.g.enable = true;
    store.g.nest.dim = 1;
    store.g.nest.range[0] = (uint32_t)(n * n) - 2;
    store.g.address[0] = (dense_affine){C_BYTE, {2}};
    *out = (dense_streams){0};
    vec_push(mem, out, load_of(0, 0, extent, (const int32_t[]){1, 0, k}));
    vec_push(mem, out, load_of(2, B_BYTE, extent, (const int32_t[]){n, 1, 0}));
    vec_push(mem, out, store);
}

static void multiply(fixture *f, const dense_board *o, const char *name, uint32_t n, uint32_t k,
                     uint64_t seed) {
    pnr_options options = pnr_options_default();
    dense_design design;
    dense_placed placed;
    dense_streams streams;
    dense_outcome out;
    uint16_t *memory = arena_new_n(&f->mem, uint16_t, GLB_WORDS);
    options.seed = seed;
    for (uint32_t i = 0; i < n * k; i++) {
        memory[i] = (uint16_t)(i * 40503u + seed);
        memory[B_BYTE / 2 + i] = (uint16_t)(i * 30011u + 7);
    }
    stream_product((int32_t)n, (int32_t)k, &f->mem, &streams);
    if (!dense_parse(name, NULL, &o->board, o->map, &f->diag, &design) ||
        !dense_place(&design, &options, &f->diag, &placed))
        fail_msg("%s", fixture_printed(f));
    move_streams(&placed, &streams);
    assert_true(dense_check(&placed.design, &f->diag) &&
                dense_check_streams(&placed.design, &streams, &f->diag));
    assert_true(dense_run(&placed.design, &streams, memory, &f->diag, &out) && out.done);
    for (uint32_t c = 0; c < n * n; c++) {
        uint16_t sum = 0;
        for (uint32_t i = 0; i < k; i++)
            sum = (uint16_t)(sum + (uint32_t)memory[c / n * k + i] * memory[B_BYTE / 2 + i * n + c % n]);
        assert_int_equal(memory[C_BYTE / 2 + c], sum);
    }
}

static void test_products(void **state) {
    fixture *f = *state;
    dense_board o;
    open_board(f, &o);
    for (uint64_t seed = 1; seed <= PRODUCT_SEEDS; seed++) {
        multiply(f, &o, ONYX_SOURCE_DIR "/examples/product_8_8_8.dense", 8, 8, seed);
        multiply(f, &o, ONYX_SOURCE_DIR "/examples/product_16_16_24.dense", 16, 24, seed);
    }
    pnr_board_free(&o.board);
}

/* ---- refused placements ----------------------------------------------------------------------- */

/* PEs that feed themselves over more registers than the array has, and a link from an absent tile.
 */
static void test_refusals(void **state) {
    static const char nobody[] = "dense onyx\ntile x0y0 IO\n  stream\n  word <- x5y5.out0\n";
    fixture *f = *state;
    const pnr_options options = pnr_options_default();
    dense_board o;
    dense_design design;
    dense_placed placed;
    text_out out;
    open_board(f, &o);
    text_begin(&out);
    fputs("dense onyx\n", out.stream);
    for (uint32_t i = 0; i < 60; i++)
        fprintf(out.stream,
                "tile x%uy%u PE\n  alu adc if=z lut=0 a=wire b=1 c=0 d=0 e=0 f=0\n  in0 <- x%uy%u.out0 250\n",
                i / 16 * 4, i % 16 + 1, i / 16 * 4, i % 16 + 1);
    assert_true(dense_parse("far.dense", text_end(&out, &f->mem), &o.board, o.map, &f->diag, &design));
    assert_false(dense_place(&design, &options, &f->diag, &placed));
    assert_non_null(strstr(fixture_printed(f), "E0984-dense-registers"));
    clear_diagnostics(f);
    assert_true(dense_parse("nobody.dense", nobody, &o.board, o.map, &f->diag, &design));
    assert_false(dense_place(&design, &options, &f->diag, &placed));
    assert_non_null(strstr(fixture_printed(f), "no unit of tile x5y5 works"));
    clear_diagnostics(f);
    pnr_board_free(&o.board);
}

RUN_TESTS(TEST(test_programs), TEST(test_products), TEST(test_refusals))
