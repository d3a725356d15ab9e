/* Boards: the supplied boards are sound, and every wrong member is named. */
#include "tests/pnr/design.h"

static void the_chips_board_is_the_chip(void **state) {
    pnr_bench *p = *state;
    assert_string_equal(p->b.name, "onyx");
    assert_string_equal(p->b.folder, "boards/onyx");
    assert_int_equal(p->b.width, 32);
    assert_int_equal(p->b.height, 17);
    assert_int_equal(p->b.tracks, 5);
    assert_int_equal(p->b.glb_tiles * p->b.glb_banks_per_tile * p->b.glb_bank_bytes, 4 << 20);
    assert_int_equal(p->b.map.cgra_data, 0x20400000);
    assert_int_equal(p->b.map.cgra_reg, 0x40010000);
    assert_int_equal(p->b.map.platform, 0x40007000);
    assert_int_equal(p->b.map.cgra_irq, 9);
    assert_int_equal(p->b.cpu_mhz, 500);
    assert_int_equal(p->b.cgra_mhz, 970);
    uint32_t count[NET_TILE_IO + 1] = {0};
    for (uint32_t y = 0; y < p->b.height; y++)
        for (uint32_t x = 0; x < p->b.width; x++)
            count[pnr_site_tile(&p->b, x, y)]++;
    assert_int_equal(count[NET_TILE_PE], 384);
    assert_int_equal(count[NET_TILE_MEM], 128);
    assert_int_equal(count[NET_TILE_IO], 32);
}

static void small_boards_share_the_register_map(void **state) {
    fixture *f = *state;
    const char *const names[] = {"onyx-8x8", "onyx-4x2"};
    for (int i = 0; i < 2; i++) {
        pnr_board b = read_board(f, names[i]);
        assert_string_equal(b.name, names[i]);
        assert_string_equal(b.folder, "boards/onyx");
        pnr_board_free(&b);
    }
}

/* The chip's document with a replaced piece of text. */
static const char *changed_board(fixture *f, const char *from, const char *to) {
    size_t length = 0;
    char *text = file_read("boards/onyx.json", &f->mem, &length, &f->diag);
    char *at = strstr(text, from);
    if (!at)
        fail_msg("boards/onyx.json has no %s", from);
    *at = '\0';
    file_out out;
    const char *path = arena_printf(&f->mem, "%s/test_board.json", ONYX_BINARY_DIR);
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fprintf(out.stream, "%s%s%s", text, to, at + strlen(from));
    assert_true(file_commit(&out, &f->diag));
    return path;
}

/* The messages about a board with the change, which must be refused. */
static const char *said_of_change(fixture *f, const char *from, const char *to) {
    pnr_board b;
    clear_diagnostics(f);
    assert_false(pnr_board_read(changed_board(f, from, to), &f->mem, &f->diag, &b));
    return fixture_printed(f);
}

static void wrong_members_are_named(void **state) {
    fixture *f = *state;
    static const struct {
        const char *from, *to, *code, *named;
    } cases[] = {
        {"\"width\": 32", "\"width\": 320", "E0501-board-member",
         "array: member \"width\" must be from 2 to 256"},
        {"\"width\": 32", "\"width\": \"wide\"", "E0501-board-member", "array: member \"width\""},
        {"\"width\": 32, ", "", "E0003-json-member", "array: member \"width\""},
        {"\"tracks\": 5", "\"tracks\": 2.5", "E0003-json-member", "array: member \"tracks\""},
        {"\"tracks\": 5", "\"tracks\": 5, \"track\": 5", "E0501-board-member", "member \"track\" is not one"},
        {"\"tracks\": 5", "\"tracks\": 0", "E0501-board-member", "member \"tracks\""},
        {"\"mem_phase\": 3", "\"mem_phase\": 4", "E0502-board-sizes", "array.mem_phase 4"},
        {"\"tiles\": 16", "\"tiles\": 15", "E0502-board-sizes", "15 glb.tiles"},
        {"\"glb\"", "\"gbl\"", "E0003-json-member", "member \"glb\" must be an object"},
        {"\"words\": 1024", "\"words\": 0", "E0501-board-member", "mem: member \"words\""},
        {"0x20400000", "0x120400000", "E0501-board-member", "memory_map: member \"cgra_data\""},
        {"0x20400000", "20400000", "E0501-board-member", "memory_map: member \"cgra_data\""},
        {"0x20400000", "0x", "E0501-board-member", "memory_map: member \"cgra_data\""},
        {"\"cpu_mhz\": 500", "\"cpu_mhz\": -500", "E0003-json-member", "clocks: member \"cpu_mhz\""},
        {"\"code_wait\": [0, 1]", "\"code_wait\": [1, 0]", "E0501-board-member",
         "processor: member \"code_wait\" must be [least, most] cycles"},
        {"\"interconnect\": [0, 14]", "\"interconnect\": [0, 2.5]", "E0501-board-member",
         "processor: member \"interconnect\""},
        {"\"sram_wait\"", "\"ram_wait\"", "E0501-board-member", "processor: member \"sram_wait\""},
        {"\"sram_wait\"", "\"flash\": 1, \"sram_wait\"", "E0501-board-member", "processor: member \"flash\""},
        {"[240, 240]", "[241, 240]", "E0501-board-member", "delays_ps: member \"sb_to_cb_pe\""},
        {"[240, 240]", "240", "E0501-board-member", "delays_ps: member \"sb_to_cb_pe\""},
        {"\"register_map\"", "\"registermap\"", "E0003-json-member", "member \"register_map\""},
        {"\"format_version\": 1", "\"format_version\": 2", "E0501-board-member", "member \"format_version\""},
        {"[\"onyx-ext\"]", "[\"../x\"]", "E0501-board-member", "member \"profiles\" must be a list"},
        {"[\"onyx-ext\"]", "\"onyx-ext\"", "E0501-board-member", "member \"profiles\" must be a list"},
        {"\"clocks\": {", "\"clocks\": [", "E0002-json", "JSON"},
        {"\"name\"", "\"nam\": 1, \"name\"", "E0501-board-member", "member \"nam\" is not one of a board"},
        {"\"openocd\"", "\"config\"", "E0003-json-member", "link: member \"openocd\" must be a string"},
        {"\"idcode\"", "\"adapter\": 1, \"idcode\"", "E0501-board-member", "link: member \"adapter\""},
        {"\"0x4ba00477\"", "\"ba00477\"", "E0501-board-member", "link: member \"idcode\""},
        {"\"name\": \"onyx\"", "\"name\": \"\"", "E0501-board-member", "member \"name\" must be of letters"},
        {"\"name\": \"onyx\"", "\"name\": \"a*/b\"", "E0501-board-member", "member \"name\" must be"},
        {"\"name\"", "\"name\": \"a\", \"name\"", "E0501-board-member", "member \"name\" is there twice"},
        {"\"tracks\": 5", "\"tracks\": 5, \"tracks\": 4", "E0501-board-member", "\"tracks\" is there twice"},
        {"\"rmux\"", "\"rmux\": [1, 1], \"rmux\"", "E0501-board-member", "\"rmux\" is there twice"},
        {"\"rmux\"", "\"mux\"", "E0501-board-member", "delays_ps: member \"mux\" is no delay"},
        {"\"rmux\": [230, 230],", "", "E0003-json-member", "delays_ps: member \"rmux\" must be"},
        {"\"rmux\":", "\"rmuxx\": [1, 2], \"rmux\":", "E0501-board-member",
         "delays_ps: member \"rmuxx\" is no delay"},
        {"\"ready_mem\"", "\"ready\"", "E0501-board-member", "delays_ps: member \"ready\" is no delay"},
        {"[467, 467]", "[467, 466]", "E0501-board-member", "delays_ps: member \"rmux_pe\" must be"},
        {"\"corner\": {", "\"corner\": { \"at\": 1,", "E0501-board-member", "corner: member \"at\""},
        {"\"name\": \"archipelago\",", "", "E0003-json-member", "corner: member \"name\""},
        {"0x40010000", "0x2043fffc", "E0502-board-sizes",
         "\"cgra_reg\" at 0x2043fffc overlaps \"cgra_data\""},
        {"0x20000000", "0x0001fffc", "E0502-board-sizes",
         "\"sram\" at 0x0001fffc overlaps \"code\", 131072 bytes"},
        {"\"0x4ba00477\"", "1, \"simulated\": 1", "E0003-json-member", "link: member \"simulated\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *printed = said_of_change(f, cases[i].from, cases[i].to);
        if (!strstr(printed, cases[i].named) || !strstr(printed, cases[i].code))
            fail_msg("%s -> %s printed:\n%s", cases[i].from, cases[i].to, printed);
    }
    remove(changed_board(f, "5", "5"));
}

/* Line and column of the member, or of its section if the member is missing. */
static void wrong_members_are_located(void **state) {
    fixture *f = *state;
    static const struct {
        const char *from, *to, *at;
    } cases[] = {
        {"\"width\": 32", "\"width\": 320", ":6:16: error: array: member \"width\""},
        {"\"width\": 32, ", "", ":6:5: error: array: member \"width\""},
        {"\"tiles\": 16", "\"tiles\": 15", ":7:14: error: 15 glb.tiles"},
        {"\"name\": \"onyx\",", "", ":1:1: error: member \"name\""},
        {"[240, 240]", "[241, 240]", ": error: delays_ps: member \"sb_to_cb_pe\""},
        {"\"cgra_irq\": 9", "\"cgra_irq\": 9, \"wi\\\"dth\": 1", ": error: memory_map: member \"wi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *printed = said_of_change(f, cases[i].from, cases[i].to);
        if (!strstr(printed, arena_printf(&f->mem, "test_board.json%s", cases[i].at)) &&
            !(cases[i].at[1] == ' ' && strstr(printed, cases[i].at)))
            fail_msg("%s -> %s printed:\n%s", cases[i].from, cases[i].to, printed);
        assert_non_null(strstr(printed, "^"));
    }
    remove(changed_board(f, "5", "5"));
}

/* The co-simulated board is the chip but for its link. */
static void the_co_simulated_board_is_the_chip(void **state) {
    fixture *f = *state;
    pnr_board chip = read_board(f, "onyx"), cosim = read_board(f, "onyx-cosim");
    static const char *const own[] = {"name", "link"};
    assert_string_equal(chip.link.openocd, "boards/onyx.cfg");
    assert_string_equal(cosim.link.openocd, "boards/onyx-cosim.cfg");
    assert_int_equal(cosim.link.idcode, chip.link.idcode);
    assert_false(chip.link.simulated);
    assert_true(cosim.link.simulated);
    for (int i = 0; i < 2; i++) {
        cJSON_DeleteItemFromObject((cJSON *)(uintptr_t)chip.json, own[i]);
        cJSON_DeleteItemFromObject((cJSON *)(uintptr_t)cosim.json, own[i]);
    }
    assert_true(cJSON_Compare(chip.json, cosim.json, true));
    pnr_board_free(&chip);
    pnr_board_free(&cosim);
}

static void a_board_that_is_not_there_is_an_error(void **state) {
    fixture *f = *state;
    pnr_board b;
    assert_false(pnr_board_read("no-such-board", &f->mem, &f->diag, &b));
    assert_true(has_code(f, "E0001-file"));
}

RUN_TESTS(ON_BOARD("onyx", the_chips_board_is_the_chip), TEST(small_boards_share_the_register_map),
          TEST(wrong_members_are_named), TEST(wrong_members_are_located),
          TEST(the_co_simulated_board_is_the_chip), TEST(a_board_that_is_not_there_is_an_error))
