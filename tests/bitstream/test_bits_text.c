/* Files of words: accepted files, refused files with their messages, written files, explanations and counts.
 */
#include "tests/bitstream/bits_fixture.h"

/* Reads `text` as a file called bits.bs; returns the messages, "" for an accepted file. */
static const char *read_text(fixture *f, const char *text, size_t length, bits_stream *words) {
    const char *path = scratch_path(f, "bits.bs");
    diagnostics d;
    diag_init(&d, &f->mem);
    write_text(path, text, length);
    bool good = bits_read(path, &f->mem, &d, words);
    unlink(path);
    assert_true(good != diag_failed(&d));
    char *printed = NULL;
    size_t printed_length = 0;
    FILE *out = open_memstream(&printed, &printed_length);
    diag_print(&d, 0, out, false);
    fclose(out);
    /* Without the folder, which differs from machine to machine. */
    const char *from = strstr(printed, "bits.bs");
    const char *kept = arena_strdup(&f->mem, from ? from : printed);
    free(printed);
    return kept;
}

typedef struct {
    const char *text, *message;
} text_case;

#define LINE_HINT "    help: a line is AAAAAAAA DDDDDDDD: address and data, 8 hexadecimal digits each\n"
#define CUT_HINT "    help: the file was cut off; write or copy it again\n"

static const text_case cases[] = {
    {"0000010",
     "bits.bs:1:8: error: the file ends in the middle of a word: expected hexadecimal digit 8 of 8 of the "
     "address [E0611-bits-truncated]\n    0000010\n           ^\n" CUT_HINT},
    {"00000101",
     "bits.bs:1:9: error: the file ends in the middle of a word: expected a blank between address and data "
     "[E0611-bits-truncated]\n    00000101\n            ^\n" CUT_HINT},
    {"00000101 00000001\n00000102 0000",
     "bits.bs:2:14: error: the file ends in the middle of a word: expected hexadecimal digit 5 of 8 of the "
     "data "
     "[E0611-bits-truncated]\n    00000102 0000\n                 ^\n" CUT_HINT},
    {"00000101 0000001\n",
     "bits.bs:1:17: error: expected hexadecimal digit 8 of 8 of the data, found the end of the "
     "line [E0610-bits-text]\n    00000101 0000001\n                    ^\n" LINE_HINT},
    {"00000101 00000G01\n", "bits.bs:1:15: error: expected hexadecimal digit 6 of 8 of the data, found 'G' "
                            "[E0610-bits-text]\n    00000101 00000G01\n                  ^\n" LINE_HINT},
    {"00000101,00000001\n", "bits.bs:1:9: error: expected a blank between address and data, found ',' "
                            "[E0610-bits-text]\n    00000101,00000001\n            ^\n" LINE_HINT},
    {"00000101 000000012\n",
     "bits.bs:1:18: error: expected the end of the line, found '2' [E0610-bits-text]\n"
     "    00000101 000000012\n                     ^\n" LINE_HINT},
    {"0x000101 00000001\n", "bits.bs:1:2: error: expected hexadecimal digit 2 of 8 of the address, found 'x' "
                            "[E0610-bits-text]\n    0x000101 00000001\n     ^\n" LINE_HINT},
    {"# nothing\n",
     "bits.bs:1:1: error: the file holds no word [E0611-bits-truncated]\n    # nothing\n    ^\n"
     "    help: an empty bitstream configures nothing; was the file written completely?\n"},
};

static void malformed_text_is_refused_with_its_place(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bits_stream words;
        assert_string_equal(read_text(f, cases[i].text, strlen(cases[i].text), &words), cases[i].message);
    }
    bits_stream words;
    const char *got = read_text(f, "00000101 0\0000001\n", 17, &words);
    assert_non_null(strstr(got, "1:11: error: byte 10 of the file is a zero, so it is no text"));
}

static void comments_blanks_and_both_cases_of_digits_are_read(void **state) {
    fixture *f = *state;
    bits_stream words;
    const char text[] = "# a comment\n\n  2e000302 01000000  # why\r\nABCDEF01 00000002";
    assert_string_equal(read_text(f, text, sizeof text - 1, &words), "");
    assert_int_equal(words.words.len, 2);
    assert_int_equal(words.words.at[0].address, 0x2e000302);
    assert_int_equal(words.words.at[0].data, 0x01000000);
    assert_int_equal(words.words.at[1].address, 0xabcdef01);
    assert_int_equal(words.words.at[1].data, 2);
}

static const char sample[] = "00000000 00800000\n00030401 00000003\n03000401 00080000\n";

/* Every prefix is either a file of its whole words or refused as cut off. */
static void every_prefix_is_whole_words_or_refused(void **state) {
    fixture *f = *state;
    bits_stream all;
    read_text(f, sample, sizeof sample - 1, &all);
    for (size_t length = 0; length < sizeof sample; length++) {
        bits_stream words;
        const char *got = read_text(f, sample, length, &words);
        size_t in_line = length % 18;
        if (length && (in_line == 0 || in_line == 17)) {
            assert_string_equal(got, "");
            assert_int_equal(words.words.len, (length + 1) / 18);
            for (uint32_t i = 0; i < words.words.len; i++)
                assert_int_equal(words.words.at[i].data, all.words.at[i].data);
        } else {
            assert_non_null(strstr(got, "E0611-bits-truncated"));
        }
    }
}

static void text_holds_the_words_in_order(void **state) {
    fixture *f = *state;
    bits_stream words;
    size_t length = 0;
    read_text(f, sample, sizeof sample - 1, &words);
    const char *path = scratch_path(f, "out");
    assert_true(bits_write(&words, path, &f->diag));
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    assert_string_equal(text, sample);
    unlink(path);
}

static const char *print_with(fixture *f, void (*print)(const bits_stream *, const bits_map *, FILE *),
                              const bits_stream *words, const bits_map *map) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    print(words, map, out);
    fclose(out);
    const char *kept = arena_strdup(&f->mem, text);
    free(text);
    return kept;
}

static void words_are_explained_and_counted(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    static const char text[] =
        "00000000 00800000\n" /* IO tile_en */
        "03000401 000A0000\n" /* PE mode 2, crdhold */
        "00000401 80020003\n" /* tile_en, stop level bit 0, enable; bit 31 is nothing */
        "00030401 00000003\n" /* CB 0 from SOUTH 0 */
        "020E0401 00060000\n" /* SB EAST 0 enabled, select 1 */
        "00010301 0000ABCD\n" /* SRAM */
        "00002101 00000001\n";
    bits_stream words;
    assert_string_equal(read_text(f, text, sizeof text - 1, &words), "");
    assert_string_equal(
        print_with(f, bits_explain, &words, p->b.map),
        "00000000 00800000  # x0y0 IO feature 0 register 0: tile_en=1\n"
        "03000401 000A0000  # x4y1 PE feature 0 register 3: mode=2 tile_en=1\n"
        "00000401 80020003  # x4y1 PE feature 0 register 0: crdhold_inst_tile_en=1 "
        "crdhold_inst_cmrg_stop_lvl=1 "
        "crdhold_inst_cmrg_enable=1 UNKNOWN=80000000\n"
        "00030401 00000003  # x4y1 PE feature 3 register 0: CB_PE_input_width_17_num_0_enable=1 "
        "CB_PE_input_width_17_num_0_sel=1\n"
        "020E0401 00060000  # x4y1 PE feature 14 register 2: SB_T0_EAST_SB_OUT_B17_enable=1 "
        "SB_T0_EAST_SB_OUT_B17_sel=1\n"
        "00010301 0000ABCD  # x3y1 MEM feature 1 register 0: SRAM word 0\n"
        "00002101 00000001  # x33y1 is outside the array\n");
    assert_string_equal(
        print_with(f, bits_stat, &words, p->b.map),
        "words 7\nPE crdhold 1\nIO io 1\nswitch-box outputs 1\nregisters 0\nconnection boxes 1\n"
        "unknown bits 2\n");
}

/* ---- configurations without a circuit ------------------------------------------------------- */

/* x4y1 is a PE, x5y1 too; x4y1 input 0 listens to WEST 0 of x4y1 unless said otherwise. */
static const text_case bad_circuits[] = {
    {"03000401 00080000\n00030401 00000003\n",
     "tile x4y1: wire SOUTH track 0 is selected, but x4y2 does not drive it [E0630-undriven-wire]"},
    {"03000401 00080000\n00030401 00000001\n",
     "tile x4y1: wire NORTH track 0 comes from IO tile x4y0, which is not enabled [E0630-undriven-wire]"},
    {"03001001 00080000\n03001010 00080000\n00031010 00000003\n",
     "tile x16y16: wire SOUTH track 0 is selected, but lies outside the array [E0630-undriven-wire]"},
    {"03000401 00080000\n00030401 0000002B\n",
     "tile x4y1: the connection box of input 0 selects 21, which is no wire [E0630-undriven-wire]"},
    {"03000401 00080000\n00030401 00000002\n",
     "tile x4y1: the connection box of input 0 selects 1 but is not enabled [E0632-dangling]"},
    {"00030401 00000003\n",
     "tile x4y1: the connection box of input 0 is enabled, but no core uses it [E0632-dangling]"},
    {"03000401 00010000\n", "tile x4y1: the core is configured but tile_en is 0 [E0632-dangling]"},
    {"020E0401 000E0000\n",
     "tile x4y1: switch-box output EAST track 0 is enabled but leads to no sink [E0632-dangling]"},
    {"020E0401 00040000\n",
     "tile x4y1: switch-box output EAST track 0 is configured but not enabled [E0632-dangling]"},
    {"010E0401 10000000\n020E0401 000E0000\n",
     "tile x4y1: switch-box output EAST track 0 has a register that is not in FIFO mode [E0632-dangling]"},
    {"000E0401 00000002\n020E0401 000E0000\n", "tile x4y1: switch-box output EAST track 0 has register bits, "
                                               "but its register is bypassed [E0632-dangling]"},
    /* x5y1 input 0 <- WEST 0 <- x4y1 EAST 0 <- core output 1, absent from an adder. */
    {"03000401 000B0000\n020E0401 00120000\n03000501 00080000\n00030501 00000007\n",
     "tile x4y1: switch-box output EAST track 0 takes core output 1, which the tile's mode does not use "
     "[E0630-undriven-wire]"},
    {"020E0401 000E0000\n03000501 00080000\n00030501 00000007\n",
     "tile x4y1: switch-box output EAST track 0 takes core output 0, which belongs to no enabled core "
     "[E0630-undriven-wire]"},
    /* x4y1 drives NORTH 0, taken by x4y0, and listens to the same IO tile. */
    {"00000400 00800000\n020E0401 00400000\n03000401 00080000\n00030401 00000001\n",
     "IO tile x4y0 is used in both directions [E0633-io-both-ways]"},
    {"00000400 00800000\n", "IO tile x4y0 is enabled but neither drives nor receives a net [E0634-idle-io]"},
    {"00000401 00000001\n00000401 00000001\n03000401 00080000\n",
     "address 00000401 is written twice [E0621-repeated-address]"},
    {"00010301 00000001\n", "tile x3y1: SRAM contents are not part of a netlist [E0622-not-expressible]"},
    {"000F0401 00000001\n",
     "tile x4y1: ps_en = 1 is outside what a sparse netlist says [E0622-not-expressible]"},
    {"2E000301 01200000\n", "tile x3y1: mode 1 of a MEM tile is not a sparse mode [E0622-not-expressible]"},
    {"00002000 00000001\n",
     "tile x32y0 (none), feature 0, register 0: no field explains bits 00000001 [E0620-unknown-bit]"},
    {"03000401 00F80000\n",
     "tile x4y1 (PE), feature 0, register 3: no field explains bits 00F00000 [E0620-unknown-bit]"},
};

/* What helps, by a part of the message. */
static const text_case circuit_hints[] = {
    {"ps_en = 1", "help: 1-bit routing, ponds, routed flush and power switches belong to dense applications"},
    {"x32y0 (none)", "help: the array is 32 x 17: is the bitstream for another board?"},
    {"written twice", "help: the chip keeps the last word only; merge the words of one address"},
};

static void configurations_that_are_no_circuit_are_refused(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    for (size_t i = 0; i < sizeof bad_circuits / sizeof bad_circuits[0]; i++) {
        bits_stream words;
        const char *path = scratch_path(f, "circuit.bs");
        diag_init(&f->diag, &f->mem);
        write_text(path, bad_circuits[i].text, strlen(bad_circuits[i].text));
        assert_true(bits_read(path, &f->mem, &f->diag, &words));
        unlink(path);
        bits_decoded *got = bits_decode_new(f, &p->b, &words);
        const char *printed = fixture_printed(f);
        if (got->good || !strstr(printed, bad_circuits[i].message))
            fail_msg("case %zu: expected '%s', got\n%s", i, bad_circuits[i].message, printed);
        assert_non_null(strstr(printed, "circuit.bs:")); /* located in the file */
        for (size_t h = 0; h < sizeof circuit_hints / sizeof *circuit_hints; h++) {
            const text_case *hint = &circuit_hints[h];
            assert_int_equal(strstr(printed, hint->text) != NULL, strstr(printed, hint->message) != NULL);
        }
    }
}

static void unknown_bits_are_counted(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    bits_stream words = {0};
    vec_push(&f->mem, &words.words,
             (bits_word){.address = 0x03000401, .data = 0x00f80000}); /* 4 bits too many */
    vec_push(&f->mem, &words.words,
             (bits_word){.address = 0x40000401, .data = 0x00000101}); /* no such register */
    bits_decoded *got = bits_decode_new(f, &p->b, &words);
    assert_false(got->good);
    assert_int_equal(got->unknown, 6);
}

/* Rounds of four outputs: EAST of x4y1, SOUTH of x5y1, WEST of x5y2, NORTH of x4y2, back to x4y1. */
static void a_ring_of_wires_is_refused(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    static const struct {
        uint16_t x, y;
        pnr_side out;
    } corner[4] = {{4, 1, PNR_EAST}, {5, 1, PNR_SOUTH}, {5, 2, PNR_WEST}, {4, 2, PNR_NORTH}};
    netlist net = {.mem = &f->mem, .names = &f->names};
    pnr_design design = {.net = &net, .board = &p->b.board};
    pnr_route route = {0};
    /* Each turn permutes the tracks: some number of rounds ends on the first wire. */
    uint32_t track = 0;
    do {
        for (uint32_t i = 0; i < 4; i++) {
            pnr_hop hop = {
                .x = corner[i].x, .y = corner[i].y, .side = (uint8_t)corner[i].out, .parent = PNR_NO_HOP};
            hop.from_side = (uint8_t)pnr_opposite(corner[(i + 3) % 4].out);
            hop.from_track = (uint8_t)track;
            assert_true(pnr_switch_track(&p->b.board, (pnr_side)hop.from_side, hop.from_track, corner[i].out,
                                         &track));
            hop.track = (uint8_t)track;
            vec_push(&f->mem, &route.hops, hop);
        }
    } while (track != 0);
    vec_push(&f->mem, &net.cells,
             (net_cell_data){.mode = NET_MODE_RSG, .name = names_intern(&f->names, "r"), .tag = 'p'});
    vec_push(&f->mem, &design.site, (pnr_site){4, 1});
    net_data ring = {.source = {{1}, 0}};
    vec_push(&f->mem, &ring.sinks, (net_pin){{1}, 0});
    vec_push(&f->mem, &route.sinks, (pnr_sink){route.hops.len - 1, PNR_SOUTH, 0});
    vec_push(&f->mem, &net.nets, ring);
    vec_push(&f->mem, &design.route, route);
    bits_stream words;
    assert_true(bits_encode(&design, p->b.map, &f->mem, &f->diag, &words));
    assert_false(bits_decode_new(f, &p->b, &words)->good);
    assert_non_null(strstr(fixture_printed(f), "E0631-wire-loop"));
}

/* ---- differences of two designs -------------------------------------------------------------- */

/* A sum at x4y1 whose output 0 goes by EAST track 0 to input 0 of x5y1. */
typedef struct {
    netlist net;
    pnr_design design;
} pair;
static pair *pair_of(bits_bench *p) {
    fixture *f = &p->f;
    pair *out = arena_new(&f->mem, pair);
    out->net = (netlist){.mem = &f->mem, .names = &f->names};
    out->design = (pnr_design){.net = &out->net, .board = &p->b.board};
    for (uint16_t x = 4; x <= 5; x++) {
        net_cell_data cell = {.mode = NET_MODE_REDUCE, .name = names_intern(&f->names, "c"), .tag = 'p'};
        vec_push(&f->mem, &cell.config,
                 (net_config){names_intern(&f->names, "reg_cr_inst_default_value"), 5});
        vec_push(&f->mem, &out->net.cells, cell);
        vec_push(&f->mem, &out->design.site, (pnr_site){x, 1});
    }
    net_data net = {.source = {{1}, 0}};
    pnr_route route = {0};
    vec_push(&f->mem, &net.sinks, (net_pin){{2}, 0});
    vec_push(&f->mem, &route.hops,
             (pnr_hop){.x = 4, .y = 1, .side = PNR_EAST, .from_core = true, .parent = PNR_NO_HOP});
    vec_push(&f->mem, &route.sinks, (pnr_sink){0, PNR_WEST, 0});
    vec_push(&f->mem, &out->net.nets, net);
    vec_push(&f->mem, &out->design.route, route);
    return out;
}

static void drop_cell(pair *p) {
    p->net.cells.len = p->design.site.len = 1;
    p->net.nets.at[0].sinks.len = p->design.route.at[0].sinks.len = 0;
}
static void change_mode(pair *p) {
    p->net.cells.at[1].mode = NET_MODE_RSG;
}
static void change_field(pair *p) {
    p->net.cells.at[1].config.at[0].value = 7;
}
static void drop_field(pair *p) {
    p->net.cells.at[1].config.len = 0;
}
static void zero_field(pair *p) {
    p->net.cells.at[1].config.at[0].value = 0;
}
static void drop_net(pair *p) {
    p->net.nets.len = p->design.route.len = 0;
}
static void register_hop(pair *p) {
    p->design.route.at[0].hops.at[0].registered = p->design.route.at[0].hops.at[0].fifo_start = true;
}
static void another_track(pair *p) {
    p->design.route.at[0].hops.at[0].track = 1;
}

static const char *difference(fixture *f, const pair *a, const pair *b) {
    text_out out;
    text_begin(&out);
    const bool same = bits_diff(&a->design, &b->design, out.stream, &f->mem);
    const char *said = text_end(&out, &f->mem);
    assert_int_equal(same, !*said);
    return said;
}

#define EAST(track) "EAST track " track " from core output 0"
#define HOPS(first, second) "x4y1: '" first "' in the first, '" second "' in the second\n"
#define FIELD(first, second)                                                                                 \
    "x5y1: field reg_cr_inst_default_value is " first " in the first, " second " in the second\n"

/* Each change of the second design, and the same with both exchanged. */
static void differences_name_place_and_design(void **state) {
    bits_bench *p = *state;
    fixture *f = &p->f;
    static const struct {
        void (*change)(pair *p);
        const char *there, *back;
    } differences[] = {
        {drop_cell,
         "x5y1: the first has reduce here, the second nothing\nx5y1: 'input 0 from WEST track 0' in the "
         "first, 'nothing' in the second\n",
         "x5y1: the second has reduce here, the first nothing\nx5y1: 'nothing' in the first, 'input 0 from "
         "WEST track 0' in the second\n"},
        {change_mode, "x5y1: reduce in the first, rsg in the second\n",
         "x5y1: rsg in the first, reduce in the second\n"},
        {change_field, FIELD("5", "7"), FIELD("7", "5")},
        {drop_field, FIELD("5", "0"), FIELD("0", "5")},
        {zero_field, FIELD("5", "0"), FIELD("0", "5")},
        {drop_net, "x4y1: output 0 drives a net only in the first\n",
         "x4y1: output 0 drives a net only in the second\n"},
        {register_hop, HOPS(EAST("0"), EAST("0") ", registered start"),
         HOPS(EAST("0") ", registered start", EAST("0"))},
        {another_track, HOPS(EAST("0"), "nothing") HOPS("nothing", EAST("1")),
         HOPS("nothing", EAST("0")) HOPS(EAST("1"), "nothing")},
    };
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        pair *a = pair_of(p), *b = pair_of(p);
        const char *same = difference(f, a, b);
        differences[i].change(b);
        const char *said = difference(f, a, b), *reversed = difference(f, b, a);
        assert_string_equal(same, "");
        assert_string_equal(said, differences[i].there);
        assert_string_equal(reversed, differences[i].back);
    }
}

/* ---- the assembler's own refusals ------------------------------------------------------------ */

/* Settings of a cell, each wrong alone; the message names the place of the cell. */
static void wrong_settings_are_refused(void **state) {
    static const struct {
        const char *field;
        uint32_t value;
        const char *message, *hint;
    } wrong[] = {
        {"Repeat_inst_root", 1,
         "cell 'sum': a PE tile in mode reduce has no field 'Repeat_inst_root' [E0607-unknown-field]",
         "the fields of each mode are listed in boards/onyx/config_space.csv"},
        {"reg_cr_inst_default_value", 65536,
         "tile x4y1: 65536 does not fit field reg_cr_inst_default_value of 16 bits [E0606-field-range]",
         "the largest value is 65535"},
        {"mode", 5, "tile x4y1: field mode is set to two different values [E0605-field-conflict]",
         "two nets share a multiplexer, or a cell's config contradicts its mode"},
    };
    bits_bench *p = *state;
    fixture *f = &p->f;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        net_cell_data cell = {.mode = NET_MODE_REDUCE, .name = names_intern(&f->names, "sum"), .tag = 'p'};
        vec_push(&f->mem, &cell.config,
                 (net_config){names_intern(&f->names, wrong[i].field), wrong[i].value});
        const pnr_design design = lone_cell(p, cell);
        bits_stream words;
        clear_diagnostics(f);
        design.net->cells.at[0].loc = src_at(diag_add_source(&f->diag, "t.packed", "sum\n", 4), 0, 3);
        assert_false(bits_encode(&design, p->b.map, &f->mem, &f->diag, &words));
        assert_int_equal(f->diag.list.len, 1);
        assert_string_equal(fixture_printed(f),
                            arena_printf(&f->mem, "t.packed:1:1: error: %s\n    sum\n    ^~~\n    help: %s\n",
                                         wrong[i].message, wrong[i].hint));
    }
    /* The largest value that fits. */
    net_cell_data cell = {.mode = NET_MODE_REDUCE, .name = names_intern(&f->names, "sum"), .tag = 'p'};
    vec_push(&f->mem, &cell.config, (net_config){names_intern(&f->names, wrong[1].field), 65535});
    const pnr_design design = lone_cell(p, cell);
    bits_stream words;
    assert_true(bits_encode(&design, p->b.map, &f->mem, &f->diag, &words));
}

RUN_TESTS(TEST(malformed_text_is_refused_with_its_place),
          TEST(comments_blanks_and_both_cases_of_digits_are_read),
          TEST(every_prefix_is_whole_words_or_refused), TEST(text_holds_the_words_in_order),
          ON_CHIP(words_are_explained_and_counted), ON_CHIP(configurations_that_are_no_circuit_are_refused),
          ON_CHIP(unknown_bits_are_counted), ON_CHIP(a_ring_of_wires_is_refused),
          ON_CHIP(differences_name_place_and_design), ON_CHIP(wrong_settings_are_refused))
