/* The text form of dense tiles: its contents, its refusals, and refused programs and words. */
#include "exchange/exchange.h"
#include "tests/dense/board.h"

static bool parse(fixture *f, const dense_board *o, const char *text, dense_design *out) {
    return dense_parse("a.dense", text, &o->board, o->map, &f->diag, out);
}

/* ---- the example ------------------------------------------------------------------------------- */

static void test_example(void **state) {
    fixture *f = *state;
    dense_board o;
    dense_design design, again;
    text_out out;
    open_board(f, &o);
    assert_true(dense_parse(ONYX_SOURCE_DIR "/examples/matrix_product.dense", NULL, &o.board, o.map, &f->diag,
                            &design));
    bits_stream bits = dense_encode(&design, &f->mem);
    assert_int_equal(bits.words.len, 34);
    assert_true(dense_is(&bits, o.map));
    assert_true(dense_verify(&bits, &design, &f->diag));
    /* The Pond's second set of writes: two loops of 24 and 256, its address one on and 23 back. */
    const dense_tile *t = dense_tile_at(&design, 1, 1);
    assert_int_equal(dense_value(&design, t, 1, "strg_ub_thin_PondTop_inst_in2regfile_0_for_loop_ranges2_0"),
                     22);
    assert_int_equal(dense_value(&design, t, 1, "strg_ub_thin_PondTop_inst_in2regfile_0_addr_gen_strides2_1"),
                     9);
    text_begin(&out);
    dense_dump(&design, out.stream);
    assert_true(parse(f, &o, text_end(&out, &f->mem), &again));
    assert_true(dense_diff(&design, &again, stdout));
    pnr_board_free(&o.board);
}

/* Tiles without routes name their sources; the text of a design without routes gives the same design. */
static void test_links(void **state) {
    fixture *f = *state;
    dense_board o;
    dense_design design, again;
    text_out out[2];
    const char *text[2];
    open_board(f, &o);
    assert_true(dense_parse(ONYX_SOURCE_DIR "/examples/product_8_8_8.dense", NULL, &o.board, o.map, &f->diag,
                            &design));
    assert_int_equal(design.links.len, 4);
    text_begin(&out[0]);
    dense_dump(&design, out[0].stream);
    text[0] = text_end(&out[0], &f->mem);
    assert_non_null(strstr(text[0], "  word <- x1y1.out0\n  bit <- x3y1.bit2\n"));
    assert_true(parse(f, &o, text[0], &again));
    text_begin(&out[1]);
    dense_dump(&again, out[1].stream);
    text[1] = text_end(&out[1], &f->mem);
    assert_string_equal(text[0], text[1]);
    pnr_board_free(&o.board);
}

/* ---- mistakes ---------------------------------------------------------------------------------- */

typedef struct {
    const char *text, *message;
} mistake;

static const mistake mistakes[] = {
    {"sparse", "'dense onyx' in the first line"},
    {"dense onyx\nin0 <- WEST 1", "expected a tile"},
    {"dense onyx\ntile x1", "expected a tile such as x3y4"},
    {"dense onyx\ntile x40y1 PE", "expected a tile of the board"},
    {"dense onyx\ntile x3y1 PE", "expected MEM"},
    {"dense onyx\ntile x2y1 PE\ntile x1y1 PE", "in the order of x, then y"},
    {"dense onyx\ntile x1y1 PE\n  buffer", "expected a line of this tile"},
    {"dense onyx\ntile x1y1 PE\n  alu muladd q=3", "an operand a= to f="},
    {"dense onyx\ntile x1y1 PE\n  alu muladd a=later", "old, wire, delay, or a constant"},
    {"dense onyx\ntile x1y1 PE\n  alu muladd a=65536", "a number of 16 bits"},
    {"dense onyx\ntile x1y1 PE\n  alu muladd both", "signed, if=, lut="},
    {"dense onyx\ntile x1y1 PE\n  in0 <- UP 1", "expected a side, zero"},
    {"dense onyx\ntile x1y1 PE\n  in0 <- WEST 5", "a track of the board"},
    {"dense onyx\ntile x1y1 PE\n  in0 WEST 1", "'<-' and a source"},
    {"dense onyx\ntile x1y1 PE\n  T0 NORTH <- NORTH 0", "a wire that the switch box leads to this output"},
    {"dense onyx\ntile x1y1 PE\n  T0 UP <- out0", "a track and a side"},
    {"dense onyx\ntile x1y1 PE\n  T0 NORTH <- out9", "a side, an output of the tile"},
    {"dense onyx\ntile x3y1 MEM\n  write0 over 1 at 0 by 1", "an extent of 2 or more"},
    {"dense onyx\ntile x3y1 MEM\n  write0 over 2 2 2 2 at 0 by 1 1 1 1", "at most 3 loops"},
    {"dense onyx\ntile x3y1 MEM\n  write0 over 2 at 0", "'by' and a stride for each loop"},
    {"dense onyx\ntile x3y1 MEM\n  write0 over 2 at 0 by", "a stride for each loop"},
    {"dense onyx\ntile x3y1 MEM\n  write0 over 2 at 0 by 70000", "a stride of 16 bits"},
    {"dense onyx\ntile x3y1 MEM\n  write0", "'at' and the cycle of the first event"},
    {"dense onyx\ntile x3y1 MEM\n  write0 at 65536", "a number of 16 bits"},
    {"dense onyx\ntile x3y1 MEM\n  padding0 many", "expected a number"},
    {"dense onyx\ntile x3y1 MEM\n  contents 1", "FEATURE.REGISTER"},
    {"dense onyx\ntile x3y1 MEM\n  contents 0.1 5", "a word of the tile's memory"},
    {"dense onyx\ntile x3y1 MEM\n  set 0 nothing 5", "a field that the tile has"},
    {"dense onyx\ntile x3y1 MEM\n  buffer now", "the end of the line"},
    {"dense onyx\ntile x1y1 PE\n  in0 <- x0y0.bit", "an output of words of a tile"},
    {"dense onyx\ntile x1y1 PE\n  bit0 <- x3y1.out0", "an output of bits of a tile"},
    {"dense onyx\ntile x1y1 PE\n  in0 <- x0y0.word 256", "0 to 255 registers"},
    {"dense onyx\ntile x1y0 IO\n  word <- WEST 1", "an output of a tile, as x3y1.out0"},
    {"dense onyx\ntile x1y0 IO\n  word x1y1.out0", "'<-' and a source"},
};

static void refuse_text(fixture *f, uint32_t i, void *of) {
    dense_board o;
    dense_design design;
    (void)of;
    open_board(f, &o);
    assert_false(parse(f, &o, mistakes[i].text, &design));
    const char *printed = fixture_printed(f);
    if (!strstr(printed, mistakes[i].message) || !strstr(printed, "E0982-dense-text") ||
        !strstr(printed, "a.dense:"))
        fail_msg("of '%s' expected '%s', got %s", mistakes[i].text, mistakes[i].message, printed);
    pnr_board_free(&o.board);
}

static void test_mistakes(void **state) {
    (void)state;
    each_afresh(sizeof mistakes / sizeof *mistakes, refuse_text, NULL);
}

/* Every beginning of the example is read, or refused with a place. */
static void test_beginnings(void **state) {
    fixture *f = *state;
    dense_board o;
    dense_design design;
    size_t length = 0;
    open_board(f, &o);
    char *text = file_read(ONYX_SOURCE_DIR "/examples/matrix_product.dense", &f->mem, &length, &f->diag);
    for (size_t n = length; n-- > 0;) {
        text[n] = '\0';
        clear_diagnostics(f);
        if (!parse(f, &o, text, &design))
            assert_non_null(strstr(fixture_printed(f), "E0982-dense-text"));
    }
    pnr_board_free(&o.board);
}

/* ---- words and programs ------------------------------------------------------------------------ */

static void check_decode(fixture *f, const bits_word *words, uint32_t n, const char *code) {
    dense_board o;
    dense_design design;
    bits_stream bits = {0};
    open_board(f, &o);
    for (uint32_t i = 0; i < n; i++)
        vec_push(&f->mem, &bits.words, words[i]);
    assert_false(dense_decode(&bits, &o.board, o.map, &f->diag, &design));
    assert_non_null(strstr(fixture_printed(f), code));
    pnr_board_free(&o.board);
    clear_diagnostics(f);
}

static void test_words(void **state) {
    const bits_word unknown[] = {{0x03000101, 0xffff0000, {0}}},
                    twice[] = {{0x00030101, 3, {0}}, {0x00030101, 1, {0}}};
    check_decode(*state, unknown, 1, "E0620-unknown-bit");
    check_decode(*state, twice, 2, "E0621-repeated-address");
}

/* Returns the lines of a tile of the ring around four tiles on all five tracks. */
static const char *ring_lines(fixture *f, const char *out, int add, int sign, const char *in, int in_add,
                              int in_sign) {
    const char *lines = "";
    for (int a = 0; a < 5; a++)
        lines = arena_printf(&f->mem, "%s  T%d %s <- %s %d\n", lines, (add + sign * a + 10) % 5, out, in,
                             (in_add + in_sign * a + 10) % 5);
    return lines;
}

static void test_rings(void **state) {
    fixture *f = *state;
    dense_board o;
    dense_design design;
    dense_outcome out;
    const dense_streams none = {0};
    open_board(f, &o);
    assert_true(
        parse(f, &o,
              arena_printf(
                  &f->mem,
                  "dense onyx\ntile x1y1 PE\n  alu adc a=delay\n  in0 <- SOUTH 0\n%stile x1y2 PE\n%s"
                  "tile x2y1 PE\n%stile x2y2 PE\n%s",
                  ring_lines(f, "EAST", 0, 1, "SOUTH", 3, -1), ring_lines(f, "NORTH", 5, -1, "EAST", 6, -1),
                  ring_lines(f, "SOUTH", -1, 1, "WEST", 0, 1), ring_lines(f, "WEST", 6, -1, "NORTH", -1, 1)),
              &design));
    assert_false(dense_run(&design, &none, NULL, &f->diag, &out));
    assert_non_null(strstr(fixture_printed(f), "E0631-wire-loop"));
    clear_diagnostics(f);
    /* A PE reads its own result over a combinational loop; a register on the loop makes the design right. */
    const char *text = "dense onyx\ntile x1y1 PE\n  alu adc a=wire\n  in0 <- SOUTH 0\n  T0 EAST <- out0%s\n"
                       "tile x1y2 PE\n  T0 NORTH <- EAST 1\ntile x2y1 PE\n  T4 SOUTH <- WEST 0\n"
                       "tile x2y2 PE\n  T1 WEST <- NORTH 4\n";
    assert_true(parse(f, &o, arena_printf(&f->mem, text, ""), &design));
    assert_false(dense_run(&design, &none, NULL, &f->diag, &out));
    assert_non_null(strstr(fixture_printed(f), "tile x1y1 feeds itself"));
    clear_diagnostics(f);
    assert_true(parse(f, &o, arena_printf(&f->mem, text, " register"), &design));
    assert_true(dense_run(&design, &none, NULL, &f->diag, &out));
    pnr_board_free(&o.board);
}

static void check_program(fixture *f, const char *text, const char *code) {
    const char *path = arena_printf(&f->mem, "%s/p.json", test_folder(f));
    file_out file;
    dense_program p;
    dense_streams streams;
    assert_true(file_create(&file, path, &f->mem, &f->diag));
    fputs(text, file.stream);
    assert_true(file_commit(&file, &f->diag));
    if (exchange_read_dense(path, &f->mem, &f->diag, &p) && dense_streams_of(&p, &f->mem, &f->diag, &streams))
        fail_msg("read: %s", text);
    assert_non_null(strstr(fixture_printed(f), code));
    clear_diagnostics(f);
}

static void test_programs(void **state) {
    fixture *f = *state;
    check_program(f, "{\"bitstream\": [\"0000010g 00F86600\"]}", "E0610-bits-text");
    check_program(
        f, "{\"bitstream\": [\"00000100 00F86600\"], \"register_writes\": {\"app_glb_config\": [[1]]}}",
        "E0970-chip-file");
    check_program(f,
                  "{\"bitstream\": [\"00000100 00F86600\"], \"register_writes\": {\"app_glb_config\": "
                  "[[\"Glb\", 120, 34]]}}",
                  "E0981-dense-stream");
    check_program(f,
                  "{\"bitstream\": [\"00000100 00F86600\"], \"register_writes\": {\"app_glb_config\": "
                  "[[\"Glb\", 120, 41]]}}",
                  "E0981-dense-stream");
    check_program(f,
                  "{\"bitstream\": [\"00000100 00F86600\"], \"register_writes\": {\"app_glb_config\": "
                  "[[\"Glb\", 16, 37]]}}",
                  "E0981-dense-stream");
}

RUN_TESTS(TEST(test_example), TEST(test_links), TEST(test_mistakes), TEST(test_beginnings), TEST(test_words),
          TEST(test_rings), TEST(test_programs))
