/* app.elf: the files that fw_build writes, their sizes, and its refusals. Needs the cross compiler; only the
 * refusals are tested without the compiler. */
#include "firmware/fw_int.h"
#include "tests/firmware/elf_segments.h"
#include "tests/firmware/small_design.h"

#include <sys/stat.h>
#include <sys/wait.h>

static bool have_compiler(void) {
    return system("arm-none-eabi-gcc --version >/dev/null 2>&1") == 0;
}

static void skip_without_compiler(void) {
    if (!have_compiler()) {
        print_message("no arm-none-eabi-gcc: the firmware is not built\n");
        skip();
    }
}

/* The runtime comes from its objects, as in the command. */
static fw_options options(fixture *f, const char *name) {
    fw_options o =
        fw_options_default(ONYX_SOURCE_DIR, arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/fw/%s", name));
    o.objects = ONYX_BINARY_DIR "/firmware/objects";
    return o;
}

static fw_app build(fixture *f, const small_design *s, const fw_options *o) {
    const fw_image image = {.design = &s->design, .bits = &s->bits};
    fw_app app;
    if (!fw_build(&image, 1, o, &f->mem, &f->diag, &app))
        fail_msg("%s", fixture_printed(f));
    return app;
}

static void expect_refusal(fixture *f, const small_design *s, const fw_options *o, const char *code) {
    const fw_image image = {.design = &s->design, .bits = &s->bits};
    fw_app app;
    uint32_t before = f->diag.list.len;
    assert_false(fw_build(&image, 1, o, &f->mem, &f->diag, &app));
    assert_int_equal(f->diag.list.len, before + 1);
    assert_string_equal(f->diag.list.at[before].code, code);
}

/* Each word is weighted by the address after the word; 64 bits, data and addresses apart. */
static void words_add_up_by_their_places(void **state) {
    fixture *f = *state;
    pnr_board b = {.map = {.cgra_data = 0x20400000}};
    bits_stream bits = {0};
    uint32_t sums[4];
    fw_add_up(&b, 0, &bits, sums);
    assert_memory_equal(sums, ((const uint32_t[]){0, 0, 0, 0}), sizeof sums);
    vec_push(&f->mem, &bits.words, ((bits_word){.data = 5, .address = 0x101}));
    vec_push(&f->mem, &bits.words, ((bits_word){.data = 0x80000001, .address = 0xff000201}));
    fw_add_up(&b, 0, &bits, sums);
    const uint64_t data = 0x20400028ull * 5 + 0x20400030ull * 0x80000001,
                   addresses = 0x20400028ull * 0x101 + 0x20400030ull * 0xff000201;
    const uint32_t wanted[] = {(uint32_t)data, (uint32_t)(data >> 32), (uint32_t)addresses,
                               (uint32_t)(addresses >> 32)};
    assert_memory_equal(sums, wanted, sizeof sums);
}

static void error_numbers_are_told_apart(void **state) {
    (void)state;
    for (uint32_t i = 0; i <= FW_ERROR_IMAGE_ORDER; i++) {
        assert_non_null(fw_error_find(i));
        assert_int_equal(fw_error_find(i)->number, i);
    }
    assert_string_equal(fw_error_find(FW_ERROR_RUN_TIMEOUT)->name, "RUN_TIMEOUT");
    assert_null(fw_error_find(FW_ERROR_PROGRAM_SUMS + 1));
}

/* Begins a test of a design of its own, whose program goes to folder `name`. */
static small_design *begin(fixture *f, const char *name, fw_options *o) {
    skip_without_compiler();
    *o = options(f, name);
    return small_design_new(f, "onyx");
}

/* Budgets: limits that a change of the runtime may exceed only by decision. The stack has 15 KB; its bound
 * covers every function of the runtime, linked or not. Code for lists, for bf16 and for making compressed
 * matrices is linked only into programs that use lists, bf16 or changing matrices (docs/decisions/speed.md).
 */
enum {
    CODE_BUDGET = 5904,
    LISTS_CODE = 7152,
    BF16_CODE = 928, /* 108 of it for plain quotients */
    ENTRIES_CODE = 4096,
    DATA_BUDGET = 1152,
    STACK_BUDGET = 2800,
    FRAME_BUDGET = 96
};

static void a_program_keeps_its_budgets(void **state) {
    fixture *f = *state;
    fw_options o;
    small_design *s = begin(f, "budget", &o);
    fw_app app = build(f, s, &o);
    print_message("code %u, data %u, stack bound %u, largest frame %u bytes\n", app.code_bytes,
                  app.data_bytes, app.stack_bytes, app.largest_frame);
    assert_in_range(app.code_bytes, 1024, CODE_BUDGET);
    assert_in_range(app.data_bytes, FW_MAILBOX_BYTES, DATA_BUDGET);
    assert_in_range(app.stack_bytes, 128, STACK_BUDGET);
    assert_in_range(app.largest_frame, 8, FRAME_BUDGET);
    assert_int_equal(app.bitstream_bytes, 32 + 8 * s->bits.words.len);
    uint32_t less = app.code_bytes;
    static const fw_command_lists lists[] = {FW_LISTS, FW_LISTS_OF_BF16, FW_ENTRY_LISTS_OF_BF16};
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        o.lists = lists[i];
        const fw_app with = build(f, s, &o);
        const uint32_t most = CODE_BUDGET + LISTS_CODE +
                              (o.lists & FW_LISTS_OF_BF16 ? (uint32_t)BF16_CODE : 0) +
                              (o.lists & FW_ENTRY_LISTS ? (uint32_t)ENTRIES_CODE : 0);
        print_message("with lists%s%s code %u, data %u, stack bound %u\n",
                      o.lists & FW_LISTS_OF_BF16 ? " of bf16" : "",
                      o.lists & FW_ENTRY_LISTS ? ", of entries, too," : "", with.code_bytes, with.data_bytes,
                      with.stack_bytes);
        assert_in_range(with.code_bytes, less + 128, most);
        assert_in_range(with.data_bytes, FW_MAILBOX_BYTES, DATA_BUDGET);
        assert_in_range(with.stack_bytes, 128, STACK_BUDGET);
        assert_in_range(with.largest_frame, 8, FRAME_BUDGET);
        less = with.code_bytes;
    }
    pnr_board_free(&s->board);
}

/* Content of the loadable segment at `address`. */
static const uint8_t *segment_at(fixture *f, const char *elf, uint32_t address, uint32_t *bytes) {
    elf_segments all = elf_segments_of(f, elf);
    for (uint32_t i = 0; i < all.len; i++) {
        *bytes = all.at[i].bytes;
        if (all.at[i].address == address)
            return all.at[i].content;
    }
    fail_msg("nothing is loaded at 0x%08x", address);
    return NULL;
}

static void the_bitstream_is_loaded_into_the_global_buffer(void **state) {
    fixture *f = *state;
    fw_options o;
    small_design *s = begin(f, "image", &o);
    fw_app app = build(f, s, &o);
    uint32_t bytes = 0;
    const uint8_t *image = segment_at(f, app.elf, s->board.map.cgra_data, &bytes);
    assert_int_equal(bytes, 32 + 8 * s->bits.words.len);
    uint32_t sums[4];
    fw_add_up(&s->board, 0, &s->bits, sums);
    const uint32_t header[] = {
        0x49584e4f, 2, fw_board_id(&s->board), s->bits.words.len, sums[0], sums[1], sums[2], sums[3]};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(file_u32_at(image + 4 * i), header[i]);
    image += 32;
    for (uint32_t i = 0; i < s->bits.words.len; i++) {
        assert_int_equal(file_u32_at(image + 8 * i), s->bits.words.at[i].data);
        assert_int_equal(file_u32_at(image + 8 * i + 4), s->bits.words.at[i].address);
    }
    const uint8_t *vectors = segment_at(f, app.elf, 0, &bytes);
    assert_int_equal(file_u32_at(vectors), 0x20004000); /* stack top */
    assert_int_equal(file_u32_at(vectors + 4) & 1, 1);  /* reset handler, Thumb */
    assert_true(file_u32_at(vectors + 4 * (16 + 9)) !=
                file_u32_at(vectors + 4 * (16 + 8))); /* the array's interrupt */
    pnr_board_free(&s->board);
}

static const char *text_of(fixture *f, const fw_options *o, const char *name) {
    size_t length = 0;
    const char *text = file_read(arena_printf(&f->mem, "%s/%s", o->folder, name), &f->mem, &length, &f->diag);
    assert_non_null(text);
    return text;
}

static void tables_name_streams_by_column(void **state) {
    fixture *f = *state;
    skip_without_compiler();
    small_design *s = small_design_new(f, "onyx");
    fw_options o = options(f, "tables");
    o.register_path = o.poll = o.verify = true;
    build(f, s, &o);
    const char *text = text_of(f, &o, "app_tables.c");
    const char *const wanted[] = {
        "loads[] = {\n    {.glb_tile = 0, .data_mux = GLB_COLUMN_EVEN",
        "{.glb_tile = 1, .data_mux = GLB_COLUMN_EVEN, .num_blocks = 2}, /* column 2: B level 0 */",
        "stores[] = {\n    {.glb_tile = 0, .data_mux = GLB_COLUMN_ODD, .num_blocks = 2}",
        "{.glb_tile = 2, .data_mux = GLB_COLUMN_ODD, .num_blocks = 1}, /* column 5: X values */",
        "{.load_mask = 0x0003, .store_mask = 0x0005}",
        ".n_lanes = 1",
        ".flush_crossbar = 0x00000000",
        ".stall_mask = 0xffffffff",
        ".config_words = 400, .config_tiles = 1,",
        ".register_path = true",
        ".verify = true",
        ".poll = true"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!strstr(text, wanted[i]))
            fail_msg("app_tables.c lacks: %s", wanted[i]);
    }
    pnr_board_free(&s->board);
}

/* The chip's first words of SRAM are documented as faulty: they stay empty, and the mailbox follows them. */
static void the_start_of_sram_is_left_free(void **state) {
    fixture *f = *state;
    fw_options o;
    small_design *s = begin(f, "sram", &o);
    build(f, s, &o);
    const char *text = text_of(f, &o, "memory.ld"), *map = text_of(f, &o, "app.map");
    assert_non_null(strstr(text, "MAILBOX : ORIGIN = 0x20000040, LENGTH = 0x00080"));
    assert_non_null(strstr(text, "DATA    : ORIGIN = 0x200000c0, LENGTH = 0x03f40"));
    assert_non_null(strstr(map, "0x20000040                mailbox"));
    pnr_board_free(&s->board);
}

static void every_board_has_a_program(void **state) {
    fixture *f = *state;
    skip_without_compiler();
    static const char *const boards[] = {"onyx-8x8", "onyx-4x2"};
    for (size_t i = 0; i < 2; i++) {
        small_design *s = arena_new(&f->mem, small_design);
        assert_true(pnr_board_read(boards[i], &f->mem, &f->diag, &s->board));
        s->net = (netlist){.mem = &f->mem, .names = &f->names};
        s->design.net = &s->net;
        s->design.board = &s->board;
        add_io(f, s, 0, false, 1);
        add_io(f, s, 1, true, 1);
        add_words(f, s, 3);
        const fw_options o = options(f, boards[i]);
        assert_int_equal(build(f, s, &o).bitstream_bytes, 32 + 24);
        pnr_board_free(&s->board);
    }
}

/* The first build compiles the runtime, whose objects make an equal program. */
static void a_second_build_replaces_the_first(void **state) {
    fixture *f = *state;
    fw_options o;
    small_design *s = begin(f, "again", &o);
    fw_options compiled = o;
    compiled.objects = NULL;
    fw_app first = build(f, s, &compiled), second = build(f, s, &o);
    assert_int_equal(first.stack_bytes, second.stack_bytes);
    assert_int_equal(first.largest_frame, second.largest_frame);
    assert_int_equal(first.code_bytes, second.code_bytes);
    assert_int_equal(first.data_bytes, second.data_bytes);
    pnr_board_free(&s->board);
}

/* Several bitstreams lie behind each other, each with its own header and sums; kernels are numbered through.
 */
static void images_lie_behind_each_other(void **state) {
    fixture *f = *state;
    fw_options o;
    fw_app app;
    uint32_t bytes = 0, sums[4];
    small_design *s = begin(f, "images", &o), *other = small_design_new(f, "onyx");
    s->design.site.at[3].x = 4; /* off GLB tile 0 */
    other->design.site.at[3].x = 6;
    other->bits.words.len = 5;
    const fw_image images[] = {{.design = &s->design, .bits = &s->bits},
                               {.design = &other->design, .bits = &other->bits, .early_stores = 4}};
    if (!fw_build(images, 2, &o, &f->mem, &f->diag, &app))
        fail_msg("%s", fixture_printed(f));
    const uint32_t second = 32 + 8 * 400;
    assert_int_equal(app.bitstream_bytes, second + 32 + 8 * 5);
    const uint8_t *image = segment_at(f, app.elf, s->board.map.cgra_data, &bytes);
    assert_int_equal(bytes, app.bitstream_bytes);
    fw_add_up(&s->board, second, &other->bits, sums);
    const uint32_t header[] = {0x49584e4f, 2, fw_board_id(&s->board), 5, sums[0], sums[1], sums[2], sums[3]};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(file_u32_at(image + second + 4 * i), header[i]);
    uint64_t data = 0;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(file_u32_at(image + second + 32 + 8 * i), other->bits.words.at[i].data);
        assert_int_equal(file_u32_at(image + second + 36 + 8 * i), other->bits.words.at[i].address);
        data += (0x20400000ull + second + 32 + 8 * (i + 1)) * other->bits.words.at[i].data;
    }
    assert_int_equal(sums[0] | (uint64_t)sums[1] << 32, data);
    const char *const wanted[] = {
        ".n_images = 2",
        ".n_kernels = 2",
        "{.image = images + 1, .loads = loads + 2, .stores = stores + 2, .lanes = lanes + 1,",
        ".at = 0xca0, .config_words = 5,",
        "}, .early_stores = 0x0000}",
        "}, .early_stores = 0x0004}"};
    const char *text = text_of(f, &o, "app_tables.c");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!strstr(text, wanted[i]))
            fail_msg("app_tables.c lacks: %s\n%s", wanted[i], text);
    }
    pnr_board_free(&s->board);
    pnr_board_free(&other->board);
}

/* The bank of several bitstreams has no load and no padding. */
static void images_have_their_bank_alone(void **state) {
    fixture *f = *state;
    const fw_options o = options(f, "bank");
    small_design *s = small_design_new(f, "onyx"), *other = small_design_new(f, "onyx");
    const fw_image images[] = {{.design = &s->design, .bits = &s->bits},
                               {.design = &other->design, .bits = &other->bits}};
    fw_app app;
    s->design.site.at[3].x = 4;
    assert_false(fw_build(images, 2, &o, &f->mem, &f->diag, &app));
    assert_string_equal(f->diag.list.at[0].code, "E0706-streams");
    assert_non_null(
        strstr(fixture_printed(f), "GLB tile 0, which keeps several bitstreams, would have a load"));
    other->design.site.at[3].x = 6;
    add_words(f, other, 16384 - 8 - 800 + 1);
    assert_false(fw_build(images, 2, &o, &f->mem, &f->diag, &app));
    assert_string_equal(f->diag.list.at[1].code, "E0707-bitstream-size");
    assert_non_null(strstr(
        fixture_printed(f),
        "a bitstream of 15977 words; one bank of the global buffer holds 1 to 15976 behind the others"));
    pnr_board_free(&s->board);
    pnr_board_free(&other->board);
}

static void tools_that_fail_are_named(void **state) {
    fixture *f = *state;
    small_design *s = small_design_new(f, "onyx");
    fw_options o = options(f, "tools");
    o.compiler = "no-such-compiler";
    expect_refusal(f, s, &o, "E0701-compiler-missing");
    o.compiler = "false";
    expect_refusal(f, s, &o, "E0702-compiler");
    o.compiler = "true"; /* succeeds and writes nothing */
    expect_refusal(f, s, &o, "E0001-file");
    o = options(f, "tools");
    o.home = "/nowhere";
    expect_refusal(f, s, &o, "E0703-runtime-missing");
    o = options(f, "tools");
    o.timeout = 10;
    expect_refusal(f, s, &o, "E0708-timeout");
    o = options(f, "tools");
    s->board.map.sram_bytes = 0x8000;
    expect_refusal(f, s, &o, "E0709-sram");
    pnr_board_free(&s->board);
}

/* An empty block in front of the last block would cost the chip the next block's length. */
static void blocks_that_may_be_empty_come_last(void **state) {
    fixture *f = *state;
    const fw_options o = options(f, "blocks");
    for (uint32_t values = 0; values < 2; values++) {
        small_design *s = small_design_new(f, "onyx");
        net_cell_data *store = &s->net.cells.at[values ? 0 : 2]; /* X values; X level 0 */
        store->num_blocks++;
        expect_refusal(f, s, &o, "E0714-empty-block");
        assert_non_null(
            strstr(fixture_printed(f), values ? "takes 2 blocks of values" : "takes 3 blocks of a level"));
        fw_columns columns;
        assert_false(fw_columns_of(&s->design, 0, false, &f->mem, &f->diag, &columns));
        pnr_board_free(&s->board);
    }
}

static void a_compiler_message_reaches_the_user(void **state) {
    fixture *f = *state;
    skip_without_compiler();
    small_design *s = small_design_new(f, "onyx");
    fw_options o = options(f, "message");
    const char *home = arena_printf(&f->mem, "%s/home", o.folder);
    assert_true(make_folder(arena_printf(&f->mem, "%s/firmware/target", home), &f->diag));
    FILE *script = fopen(arena_printf(&f->mem, "%s/firmware/target/onyx.ld", home), "w");
    assert_non_null(script);
    fclose(script);
    o.home = home; /* has a linker script but no sources */
    expect_refusal(f, s, &o, "E0702-compiler");
    assert_non_null(strstr(fixture_printed(f), "error"));
    pnr_board_free(&s->board);
}

static void streams_the_chip_lacks_are_refused(void **state) {
    fixture *f = *state;
    const fw_options o = options(f, "streams");
    small_design *s = small_design_new(f, "onyx");
    add_io(f, s, 3, false, 1); /* column 2 has this GLB tile's load */
    expect_refusal(f, s, &o, "E0706-streams");
    pnr_board_free(&s->board);
    s = small_design_new(f, "onyx");
    s->net.cells.len = 1; /* only an output */
    expect_refusal(f, s, &o, "E0706-streams");
    pnr_board_free(&s->board);
    s = small_design_new(f, "onyx");
    s->net.cells.at[0].copy = FW_FLUSH_GROUPS; /* all copies but the first lack a stream */
    fw_columns columns;
    clear_diagnostics(f);
    assert_false(fw_columns_of(&s->design, 0, true, &f->mem, &f->diag, &columns));
    assert_string_equal(f->diag.list.at[0].code, "E0706-streams");
    pnr_board_free(&s->board);
    s = small_design_new(f, "onyx");
    add_words(f, s, 16384 - 4 - 400 + 1);
    expect_refusal(f, s, &o, "E0707-bitstream-size");
    assert_int_equal(f->diag.unmappable, 1);
    s->bits.words.len = 0;
    expect_refusal(f, s, &o, "E0707-bitstream-size");
    pnr_board_free(&s->board);
    for (uint32_t high = 0; high < 2; high++) {
        s = small_design_new(f, "onyx");
        s->board.map.cgra_data = high ? 0x80000000 : 0x10000;
        expect_refusal(f, s, &o, "E0716-buffer-address");
        pnr_board_free(&s->board);
    }
    for (uint32_t row = 0; row < 2; row++) { /* of the array of 32 columns and 17 rows, both from 0 on */
        s = small_design_new(f, "onyx");
        s->bits.words.at[399].address = row ? 0x00010511 : 0x00012005;
        expect_refusal(f, s, &o, "E0715-bitstream-word");
        pnr_board_free(&s->board);
    }
}

static void what_is_no_program_is_refused(void **state) {
    fixture *f = *state;
    small_design *s = small_design_new(f, "onyx");
    fw_app app = {0};
    assert_false(fw_read_sizes(ONYX_SOURCE_DIR "/LICENSE", &s->board, 0, &f->diag, &app));
    assert_string_equal(f->diag.list.at[0].code, "E0705-elf");
    assert_false(fw_read_stack(ONYX_SOURCE_DIR "/docs", &f->diag, &app));
    assert_string_equal(f->diag.list.at[1].code, "E0704-stack");
    pnr_board_free(&s->board);
}

/* The builder of the runtime in onyx's own build: a make that continues after an error would link missing
 * files. */
static void the_runtime_builder_tells_make(void **state) {
    fixture *f = *state;
    static const struct {
        const char *arguments;
        int code;
        const char *says;
    } cases[] = {
        {"", 1, "usage: firmware_runtime HOME BOARD FOLDER COMPILER [MOVED]"},
        {"a b c d e f", 1, "usage: "},
        {ONYX_SOURCE_DIR " onyx-9 " ONYX_BINARY_DIR "/tests/fw/runtime gcc", 1, "boards/onyx-9.json"},
        {ONYX_SOURCE_DIR " onyx " ONYX_BINARY_DIR "/tests/fw/none false", 1, "'false' failed: see"},
        {ONYX_SOURCE_DIR " onyx " ONYX_BINARY_DIR "/tests/fw/none true", 1, ".su"},
        {ONYX_SOURCE_DIR " onyx " ONYX_BINARY_DIR "/tests/fw/runtime arm-none-eabi-gcc", 0, ""},
    };
    skip_without_compiler();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *log = ONYX_BINARY_DIR "/tests/fw/runtime.log";
        const char *command = arena_printf(&f->mem, ONYX_BINARY_DIR "/firmware/firmware_runtime %s >%s 2>&1",
                                           cases[i].arguments, log);
        int status = system(command);
        assert_true(WIFEXITED(status));
        size_t length = 0;
        const char *said = file_read(log, &f->mem, &length, &f->diag);
        assert_non_null(said);
        if (WEXITSTATUS(status) != cases[i].code || !strstr(said, cases[i].says))
            fail_msg("%s: ended with %d and said %s", command, WEXITSTATUS(status), said);
        assert_int_equal(length == 0, cases[i].code == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(words_add_up_by_their_places),        TEST(error_numbers_are_told_apart),
        TEST(a_program_keeps_its_budgets),         TEST(the_bitstream_is_loaded_into_the_global_buffer),
        TEST(tables_name_streams_by_column),       TEST(every_board_has_a_program),
        TEST(a_second_build_replaces_the_first),   TEST(tools_that_fail_are_named),
        TEST(images_lie_behind_each_other),        TEST(images_have_their_bank_alone),
        TEST(the_start_of_sram_is_left_free),      TEST(blocks_that_may_be_empty_come_last),
        TEST(a_compiler_message_reaches_the_user), TEST(streams_the_chip_lacks_are_refused),
        TEST(what_is_no_program_is_refused),       TEST(the_runtime_builder_tells_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
