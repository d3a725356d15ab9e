/* The register map: its facts, the generator's packing rule, and refusals of damaged tables. */
#include "bitstream/bits_int.h"
#include "tests/bitstream/bits_fixture.h"

static void known_fields_stand_where_the_chip_has_them(void **state) {
    bits_bench *p = *state;
    static const struct {
        net_tile tile;
        uint32_t feature;
        const char *name;
        uint32_t reg, shift, width;
    } known[] = {
        {NET_TILE_PE, 0, "mode", 3, 16, 3},
        {NET_TILE_PE, 0, "tile_en", 3, 19, 1},
        {NET_TILE_MEM, 0, "mode", 46, 21, 2},
        {NET_TILE_MEM, 0, "tile_en", 46, 24, 1},
        {NET_TILE_IO, 0, "tile_en", 0, 23, 1},
        {NET_TILE_PE, 14, "SB_T0_EAST_SB_OUT_B17_sel", 2, 18, 3},
        {NET_TILE_MEM, 11, "REG_T0_EAST_B17_start", 0, 2, 1},
        {NET_TILE_MEM, 3, "CB_MEM_input_width_17_num_0_sel", 0, 1, 5},
        {NET_TILE_PE, 0, "PE_onyx_inst_onyxpeintf_inst.opcode", 0, 3, 5},
        {NET_TILE_PE, 0, "intersect_unit_inst_joiner_op", 0, 1, 1},
        /* bits 100..103 of the space: word 3, which follows words 0, 1, 10 .. 19, 2, 20 .. 29 */
        {NET_TILE_MEM, 0, "fiber_access_16_inst_buffet_buffet_capacity_log_0", 23, 4, 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const bits_field *field = bits_find(p->b.map, known[i].tile, known[i].feature, known[i].name);
        bits_piece piece[2];
        assert_non_null(field);
        assert_int_equal(bits_pieces(p->b.map, field, piece), 1);
        assert_int_equal(piece[0].reg, known[i].reg);
        assert_int_equal(piece[0].shift, known[i].shift);
        assert_int_equal(piece[0].width, known[i].width);
    }
    assert_null(bits_find(p->b.map, NET_TILE_PE, 0, "no_such_field"));
    assert_null(bits_find(p->b.map, NET_TILE_PE, 1, "mode"));
}

/* The chip's generator sorts the fields of a feature by name and fills words from bit 0 on; the rule holds
 * for cores, ponds and switch boxes. The map lists fields by name: the test replays the rule. */
static void fields_are_packed_by_the_generators_rule(void **state) {
    bits_bench *p = *state;
    for (uint32_t place = 0; place < BITS_KINDS * 16; place++) {
        uint32_t reg = 0, bit = 0, seen = 0;
        for (uint32_t i = 0; i < p->b.map->fields.len; i++) {
            const bits_field *field = bits_field_at(p->b.map, i);
            if (field->space || field->tile * 16u + field->feature != place)
                continue;
            uint32_t width = field->hi - field->lo + 1u;
            if (bit + width > 32) {
                reg++;
                bit = 0;
            }
            assert_int_equal(field->reg, reg);
            assert_int_equal(field->lo, bit);
            bit += width;
            seen++;
        }
        assert_true(seen == 0 || seen == 1 || seen == 2 || seen == 18 || seen == 24 || seen == 31 ||
                    seen == 70 || seen == 140);
    }
}

static void fields_across_words_come_in_two_pieces(void **state) {
    bits_bench *p = *state;
    /* bits 24..39 */
    const bits_field *field =
        bits_find(p->b.map, NET_TILE_MEM, 0, "fiber_access_16_inst_read_scanner_stop_lvl");
    bits_piece piece[2];
    assert_non_null(field);
    assert_int_equal(bits_pieces(p->b.map, field, piece), 2);
    assert_int_equal(piece[0].shift, 24);
    assert_int_equal(piece[0].width, 8);
    assert_int_equal(piece[1].reg, 1);
    assert_int_equal(piece[1].shift, 0);
    assert_int_equal(piece[1].width, 8);
    assert_int_equal(piece[1].from, 8);
}

/* The chip and the profile onyx-ext, with their maps. */
static void map_both(fixture *f, bits_board *chip, bits_board *ours) {
    *chip = bits_board_onyx(f);
    *ours = bits_board_onyx(f);
    assert_true(pnr_board_set_profile(&ours->board, "onyx-ext", &f->diag));
    bits_board_map(f, chip);
    bits_board_map(f, ours);
}

/* A profile keeps every field of the chip in its place, and adds fields. */
static void a_profile_only_adds(void **state) {
    fixture *f = *state;
    bits_board chip, ours;
    map_both(f, &chip, &ours);
    assert_int_equal(ours.map->fields.len, chip.map->fields.len + chip.map->others.len);
    assert_int_equal(ours.map->others.len, 0);
    for (uint32_t i = 0; i < chip.map->fields.len; i++) {
        const bits_field *a = bits_field_at(chip.map, i),
                         *b = bits_find(ours.map, a->tile, a->feature, a->name);
        assert_non_null(b);
        assert_true(!a->profile && !b->profile && a->lo == b->lo && a->hi == b->hi && a->mode == b->mode);
    }
    for (uint32_t i = 0; i < chip.map->others.len; i++) {
        const bits_field *a = &chip.map->others.at[i];
        assert_null(bits_find(chip.map, a->tile, a->feature, a->name));
        assert_non_null(bits_find(ours.map, a->tile, a->feature, a->name));
        assert_true(bits_is_elsewhere(chip.map, a->tile, a->name));
        assert_string_equal(a->profile, "onyx-ext");
        assert_true(*a->what);
    }
    assert_false(pnr_board_set_profile(&ours.board, "no-such", &f->diag));
    assert_string_equal(f->diag.list.at[0].code, "E0503-board-profile");
    pnr_board_free(&chip.board);
    pnr_board_free(&ours.board);
}

/* A cell with one field of a profile, in each mode: the chip's map names field, profile and meaning. */
static void fields_of_another_profile_are_named(void **state) {
    fixture *f = *state;
    bits_board chip, ours;
    uint32_t tried = 0;
    map_both(f, &chip, &ours);
    for (uint32_t i = 0; i < chip.map->others.len; i++) {
        const bits_field *a = &chip.map->others.at[i];
        uint32_t mode = 1;
        while (mode < NET_MODES && (net_mode_table[mode].tile != a->tile ||
                                    (a->mode != BITS_ANY_MODE && net_mode_table[mode].chip_mode != a->mode)))
            mode++;
        if (mode == NET_MODES || !a->space)
            continue;
        netlist net = {.mem = &f->mem, .names = &f->names};
        pnr_design design = {.net = &net, .board = &ours.board};
        net_cell_data cell = {.mode = (net_mode)mode,
                              .name = names_intern(&f->names, "c"),
                              .tag = a->tile == NET_TILE_PE    ? 'p'
                                     : a->tile == NET_TILE_MEM ? 'm'
                                                               : 'I'};
        vec_push(&f->mem, &cell.config, (net_config){names_intern(&f->names, a->name), 1});
        vec_push(&f->mem, &net.cells, cell);
        vec_push(&f->mem, &design.site,
                 (cell.tag == 'm' ? (pnr_site){3, 1} : (pnr_site){4, cell.tag != 'I'}));
        bits_stream words;
        clear_diagnostics(f);
        if (!bits_encode(&design, ours.map, &f->mem, &f->diag, &words))
            fail_msg("%s", fixture_printed(f));
        assert_false(bits_decode_new(f, &chip, &words)->good);
        const char *said = arena_printf(&f->mem, "%s is of profile onyx-ext, which 'onyx' is not", a->name),
                   *help = arena_printf(&f->mem,
                                        "decode it with --profile onyx-ext; the fabricated chip cannot do "
                                        "what it says: %s",
                                        a->what);
        if (!strstr(fixture_printed(f), said) || !strstr(fixture_printed(f), help))
            fail_msg("%s: %s", a->name, fixture_printed(f));
        tried++;
    }
    assert_in_range(tried, 3, 1000);
    pnr_board_free(&chip.board);
    pnr_board_free(&ours.board);
}

#define REG_HEADER "tile,feature,register,lo,hi,field\n"
#define SPACE_HEADER "tile,feature,mode,controller,lo,hi,field\n"

#define PROFILE_HEADER "tile,feature,mode,controller,lo,hi,field,what\n"

static const struct {
    const char *reg, *space, *message;
} damaged[] = {
    {"tile,feature\n", "",
     "regmap.csv:1:1: error: the first row of a register table must name its columns [E0601-map-header]"},
    {REG_HEADER "PE,0,0,0,31\n", "", "regmap.csv:2:1: error: expected 6 columns, found 5 [E0602-map-row]"},
    {REG_HEADER "PR,0,0,0,31,a\n", "",
     "regmap.csv:2:1: error: expected a tile kind PE, MEM or IO, found 'PR' [E0602-map-row]"},
    {REG_HEADER "PE,16,0,0,31,a\n", "",
     "regmap.csv:2:4: error: expected a number from 0 to 15, found '16' [E0602-map-row]"},
    {REG_HEADER "PE,0,0,5,4,a\n", "",
     "regmap.csv:2:10: error: a field has 1 to 32 bits: hi must be 5 to 36, found 4"},
    {REG_HEADER "PE,0,0,0,4,\n", "", "regmap.csv:2:1: error: the field has no name [E0602-map-row]"},
    {REG_HEADER "PE,0,0,1,31,CONFIG_SPACE_0\n", "",
     "regmap.csv:2:13: error: a CONFIG_SPACE word starts at bit 0, not 1"},
    {REG_HEADER "PE,0,0,0,4,a\nPE,0,0,4,5,b\n", SPACE_HEADER,
     "regmap.csv:3:12: error: field 'b' overlaps field 'a' [E0603-map-overlap]"},
    {REG_HEADER "PE,0,0,0,4,a\nPE,0,1,4,5,a\n", SPACE_HEADER,
     "regmap.csv:3:12: error: field 'a' is defined twice [E0603-map-overlap]"},
    {REG_HEADER "# remark\n\nPE,0,0,0,31,CONFIG_SPACE_0\n", SPACE_HEADER "PE,0,0,c,30,33,a\n",
     "config_space.csv:2:16: error: PE feature 0 has no word CONFIG_SPACE_1 [E0602-map-row]"},
    {REG_HEADER "PE,0,0,0,31,CONFIG_SPACE_0\n", SPACE_HEADER "PE,0,9,c,0,3,a\n",
     "config_space.csv:2:6: error: expected a number from 0 to 7, found '9' [E0602-map-row]"},
    {REG_HEADER "PE,0,0,0,31,CONFIG_SPACE_0\n", SPACE_HEADER "PE,0,1,c,0,3,a\nPE,0,*,c,3,3,b\n",
     "config_space.csv:3:14: error: field 'b' overlaps field 'a' [E0603-map-overlap]"},
    {REG_HEADER "PE,0,0,0,0,tile_en\n", SPACE_HEADER,
     "has no field tile_en in feature 0 of MEM tiles [E0604-map-incomplete]"},
};

/* On a register map with a single word and a single field of all modes. */
static const struct {
    const char *rows, *message;
} damaged_profiles[] = {
    {"tile,feature\n", "onyx-ext.csv:1:1: error: the first row of a register table must name its columns"},
    {PROFILE_HEADER "PE,0,1,c,0,3,a\n",
     "onyx-ext.csv:2:1: error: expected 8 columns, found 7 [E0602-map-row]"},
    {PROFILE_HEADER "PE,0,1,c,3,4,a,adds, and more\n",
     "onyx-ext.csv:2:14: error: field 'a' overlaps field 'b' [E0603-map-overlap]"},
};

static void expect_damage(fixture *f, bits_board *b, const char *reg, const char *space, const char *profile,
                          const char *message) {
    const char *const names[] = {"regmap.csv", "config_space.csv", "onyx-ext.csv"};
    const char *const texts[] = {reg, space, profile};
    diag_init(&f->diag, &f->mem);
    for (int i = 0; i < 3; i++)
        write_text(arena_printf(&f->mem, "%s/%s", b->board.folder, names[i]), texts[i], strlen(texts[i]));
    assert_false(bits_map_read(&b->board, &f->mem, &f->diag, &b->map));
    if (strstr(message, "must name its columns")) /* nothing is read behind the heading */
        assert_int_equal(f->diag.errors, 1);
    if (!strstr(fixture_printed(f), message))
        fail_msg("expected '%s', got\n%s", message, fixture_printed(f));
    for (int i = 0; i < 3; i++)
        unlink(arena_printf(&f->mem, "%s/%s", b->board.folder, names[i]));
}

static void damaged_tables_are_refused_with_their_place(void **state) {
    fixture *f = *state;
    bits_board b = bits_board_onyx(f);
    b.board.folder = scratch_path(f, "map");
    assert_true(make_folder(b.board.folder, &f->diag));
    assert_true(pnr_board_set_profile(&b.board, "onyx-ext", &f->diag));
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++)
        expect_damage(f, &b, damaged[i].reg, damaged[i].space, PROFILE_HEADER, damaged[i].message);
    for (size_t i = 0; i < sizeof damaged_profiles / sizeof damaged_profiles[0]; i++)
        expect_damage(f, &b, REG_HEADER "PE,0,0,0,31,CONFIG_SPACE_0\n", SPACE_HEADER "PE,0,*,c,0,3,b\n",
                      damaged_profiles[i].rows, damaged_profiles[i].message);
    rmdir(b.board.folder);
    pnr_board_free(&b.board);
}

RUN_TESTS(ON_CHIP(known_fields_stand_where_the_chip_has_them),
          ON_CHIP(fields_are_packed_by_the_generators_rule), ON_CHIP(fields_across_words_come_in_two_pieces),
          TEST(a_profile_only_adds), TEST(fields_of_another_profile_are_named),
          TEST(damaged_tables_are_refused_with_their_place))
