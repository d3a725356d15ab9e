/* Packing and the netlist of tiles: cells, configuration words, JSON, net_check. */
#include "lower_onyx/join.h"
#include "tests/lower_onyx/lower_test.h"

static netlist packed(fixture *f, const char *text) {
    netlist n;
    if (!lower_pack(parsed_ir(f, text), &f->mem, &f->diag, &n))
        print_message("%s", fixture_printed(f));
    return n;
}

static net_cell_data *cell_named(fixture *f, const netlist *n, const char *name) {
    name_id id = names_find(&f->names, name);
    for (uint32_t i = 0; i < n->cells.len; i++) {
        if (name_eq(n->cells.at[i].name, id))
            return &n->cells.at[i];
    }
    fail_msg("no cell %s", name);
    return NULL;
}

static uint32_t field(fixture *f, const net_cell_data *c, const char *name) {
    name_id id = names_find(&f->names, name);
    for (uint32_t i = 0; i < c->config.len; i++) {
        if (name_eq(c->config.at[i].field, id))
            return c->config.at[i].value;
    }
    return 0;
}

/* "0:0->1:2 ..." by cell index and port. */
static const char *nets_text(fixture *f, const netlist *n) {
    const char *text = "";
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        text = arena_printf(&f->mem, "%s%s.%u->", text,
                            names_text(&f->names, net_cell_at(n, net->source.cell)->name), net->source.port);
        for (uint32_t s = 0; s < net->sinks.len; s++)
            text = arena_printf(&f->mem, "%s%s%s.%u", text, s == 0 ? "" : ",",
                                names_text(&f->names, net_cell_at(n, net->sinks.at[s].cell)->name),
                                net->sinks.at[s].port);
        text = arena_printf(&f->mem, "%s\n", text);
    }
    return text;
}

static void identity_packs_into_eight_tiles(void **state) {
    fixture *f = *state;
    netlist n = packed(f, read_data(f, "vec_identity.onyx"));
    assert_false(diag_failed(&f->diag));
    const char *text = "";
    for (uint32_t i = 0; i < n.cells.len; i++) {
        const net_cell_data *c = &n.cells.at[i];
        text = arena_printf(&f->mem, "%s%c%u %s %s\n", text, c->tag, c->number, net_mode_table[c->mode].name,
                            names_text(&f->names, c->name));
    }
    assert_string_equal(
        text, "I0 io_in in_B0\nm1 fiber_access B0\nI2 io_in in_B_vals\nm3 fiber_access B_vals\n"
              "m4 fiber_access X0\nI5 io_out out_X0\nm6 fiber_access X_vals\nI7 io_out out_X_vals\n");
    assert_string_equal(nets_text(f, &n), "in_B0.0->B0.2\nB0.1->X0.3\nB0.2->B_vals.0\nin_B_vals.0->B_vals.2\n"
                                          "B_vals.1->X_vals.3\nX0.0->out_X0.0\nX_vals.0->out_X_vals.0\n");
    const net_cell_data *in = cell_named(f, &n, "in_B_vals"), *out = cell_named(f, &n, "out_X0");
    assert_string_equal(names_text(&f->names, in->tensor), "B");
    assert_int_equal(in->level, SAM_MODE_VALS);
    assert_int_equal(in->num_blocks, 1);
    assert_false(in->output);
    assert_string_equal(names_text(&f->names, out->tensor), "X");
    assert_int_equal(out->level, 0);
    assert_int_equal(out->num_blocks, 2);
    assert_true(out->output);
    assert_int_equal(field(f, in, "tile_en"), 1);
    assert_int_equal(in->config.len, 1);
}

/* ---- configuration words: a cell's fields in the chip's places, compared with words that drive the
 * reference netlist correctly ---- */

typedef struct {
    const char *field;
    uint32_t low; /* lowest bit in CONFIG_SPACE */
} placed_field;

#define FA "fiber_access_16_inst_"
#define INST "PE_onyx_inst_onyxpeintf_inst."
static const placed_field places[] = {
    {FA "write_scanner_tile_en", 0},
    {FA "write_scanner_lowest_level", 18},
    {FA "write_scanner_compressed", 20},
    {FA "write_scanner_block_mode", 21},
    {FA "tile_en", 22},
    {FA "read_scanner_tile_en", 23},
    {FA "read_scanner_root", 41},
    {FA "read_scanner_lookup", 59},
    {FA "read_scanner_dim_size", 77},
    {FA "read_scanner_dense", 93},
    {FA "read_scanner_block_mode", 94},
    {FA "buffet_tile_en", 95},
    {FA "buffet_buffet_capacity_log_1", 96},
    {FA "buffet_buffet_capacity_log_0", 100},
    {"intersect_unit_inst_tile_en", 0},
    {"intersect_unit_inst_joiner_op", 1},
    {"crddrop_inst_tile_en", 0},
    {"crddrop_inst_cmrg_stop_lvl", 1},
    {"crddrop_inst_cmrg_enable", 17},
    {"crdhold_inst_tile_en", 0},
    {"crdhold_inst_cmrg_stop_lvl", 1},
    {"crdhold_inst_cmrg_enable", 17},
    {"Repeat_inst_tile_en", 0},
    {"Repeat_inst_root", 18},
    {"RepeatSignalGenerator_inst_tile_en", 0},
    {"reg_cr_inst_tile_en", 0},
    {"PE_onyx_inst_tile_en", 0},
    {INST "kind", 1},
    {INST "opcode", 3},
    {INST "signed", 8},
    {INST "rega_mode", 22},
    {INST "const0", 24},
    {INST "regb_mode", 40},
    {INST "const1", 42},
    {INST "regc_mode", 58},
    {INST "regd_mode", 76},
    {INST "bit0", 78},
    {INST "rege_mode", 79},
    {INST "regf_mode", 82},
};

static void put_bits(uint32_t *words, uint32_t low, uint32_t value) {
    for (uint32_t bit = 0; bit < 32; bit++) {
        if ((value >> bit & 1u) != 0)
            words[(low + bit) / 32] |= 1u << (low + bit) % 32;
    }
}

static void expect_words(fixture *f, const netlist *n, const char *name, const uint32_t *expected) {
    const net_cell_data *c = cell_named(f, n, name);
    uint32_t words[4] = {0};
    for (uint32_t i = 0; i < c->config.len; i++) {
        const char *text = names_text(&f->names, c->config.at[i].field);
        if (strcmp(text, "tile_en") == 0 || strcmp(text, "mode") == 0)
            continue;
        size_t p = 0;
        while (p < sizeof places / sizeof *places && strcmp(places[p].field, text) != 0)
            p++;
        if (p == sizeof places / sizeof *places)
            fail_msg("%s: no place for %s", name, text);
        put_bits(words, places[p].low, c->config.at[i].value);
    }
    for (int i = 0; i < 4; i++) {
        if (words[i] != expected[i])
            fail_msg("%s: word %d is %08x, not %08x", name, i, words[i], expected[i]);
    }
    assert_int_equal(field(f, c, "tile_en"), 1);
}

static void memory_words_are_those_of_the_chip(void **state) {
    fixture *f = *state;
    netlist n = packed(f, read_data(f, "vec_identity.onyx"));
    expect_words(f, &n, "B0", (uint32_t[]){0x00f00001, 0x00000200, 0x80000000, 0x88});
    expect_words(f, &n, "B_vals", (uint32_t[]){0x00f40001, 0x08000000, 0x80000000, 0x88});
    expect_words(f, &n, "X0", (uint32_t[]){0x00d00001, 0, 0xc0000000, 0x88});
    expect_words(f, &n, "X_vals", (uint32_t[]){0x00d40001, 0x08000000, 0xc0000000, 0x88});
}

/* Packing alone places no demands on links: single nodes suffice; net_check reports the open inputs. */
static void single_node_words_are_those_of_the_chip(void **state) {
    fixture *f = *state;
    const struct {
        const char *node;
        uint32_t mode, words[4];
    } cases[] = {
        {"node read_scanner x.read tile=x dense=1 dim_size=4", 0, {0x00c00001, 0, 0xa0008000, 0x88}},
        {"node joiner x", 0, {0x1, 0, 0, 0}},
        {"node joiner x joiner_op=1", 0, {0x3, 0, 0, 0}},
        {"node crddrop x cmrg_enable=1 cmrg_stop_lvl=1", 1, {0x20003, 0, 0, 0}},
        {"node crdhold x cmrg_enable=1 cmrg_stop_lvl=1", 2, {0x20003, 0, 0, 0}},
        {"node alu x op=add", 3, {0x00800001, 0x08000200, 0x00090000, 0}},
        {"node alu x op=sub", 3, {0x00800009, 0x08000200, 0x00094000, 0}},
        {"node alu x op=mul", 3, {0x00800021, 0x08000200, 0x00092000, 0}},
        {"node alu x op=mul const0=2", 3, {0x02000021, 0x08000200, 0x00092000, 0}},
        {"node alu x op=sub const1=3", 3, {0x00800009, 0x08000c00, 0x00094000, 0}},
        {"node alu x op=neg", 3, {0x00000009, 0x08000200, 0x00094000, 0}},
        {"node alu x op=relu", 3, {0x00800191, 0x01fffc00, 0x00092000, 0}},
        {"node repeat x", 4, {0x1, 0, 0, 0}},
        {"node repeat x root=1", 4, {0x40001, 0, 0, 0}},
        {"node rsg x", 5, {0x1, 0, 0, 0}},
        {"node reduce x", 6, {0x1, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        diagnostics ignored;
        diag_init(&ignored, &f->mem);
        netlist n;
        lower_pack(parsed_ir(f, arena_printf(&f->mem, "onyx-ir 1\n%s\n", cases[i].node)), &f->mem, &ignored,
                   &n);
        assert_int_equal(n.cells.len, 1);
        expect_words(f, &n, "x", cases[i].words);
        assert_int_equal(field(f, &n.cells.at[0], "mode"), cases[i].mode);
    }
}

static void port_names_are_those_of_packed_files(void **state) {
    (void)state;
    assert_string_equal(net_port_name(NET_TILE_PE, false, 3), "PE_input_width_17_num_3");
    assert_string_equal(net_port_name(NET_TILE_PE, true, 0), "PE_output_width_17_num_0");
    assert_string_equal(net_port_name(NET_TILE_MEM, false, 2), "MEM_input_width_17_num_2");
    assert_string_equal(net_port_name(NET_TILE_MEM, true, 2), "MEM_output_width_17_num_2");
    assert_string_equal(net_port_name(NET_TILE_IO, true, 0), "io2f_17_0");
    assert_string_equal(net_port_name(NET_TILE_IO, false, 0), "f2io_17_0");
}

static void json_round_trip(void **state) {
    fixture *f = *state;
    netlist n = packed(f, read_data(f, "vec_identity.onyx")), again;
    cJSON *json = net_to_json(&n);
    char *text = cJSON_Print(json);
    cJSON *reread = cJSON_Parse(text);
    assert_true(net_from_json(reread, &f->names, &f->mem, &f->diag, &again));
    assert_true(net_check(&again, &f->diag));
    assert_int_equal(again.cells.len, n.cells.len);
    for (uint32_t i = 0; i < n.cells.len; i++) {
        const net_cell_data *a = &n.cells.at[i], *b = &again.cells.at[i];
        assert_int_equal(a->mode, b->mode);
        assert_int_equal(a->name.v, b->name.v);
        assert_int_equal(a->tag, b->tag);
        assert_int_equal(a->number, b->number);
        assert_int_equal(a->config.len, b->config.len);
        assert_memory_equal(a->config.at, b->config.at, a->config.len * sizeof *a->config.at);
        assert_int_equal(a->output, b->output);
        assert_int_equal(a->tensor.v, b->tensor.v);
        assert_int_equal(a->level, b->level);
        assert_int_equal(a->num_blocks, b->num_blocks);
    }
    assert_string_equal(nets_text(f, &n), nets_text(f, &again));
    cJSON_Delete(json);
    cJSON_Delete(reread);
    free(text);
}

static void broken_json_is_reported(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"format_version\":2}",
         "E0440-netlist-json: netlist: \"format_version\" is not 1 | docs/dump.md describes the file"},
        {"{\"format_version\":1,\"cells\":[{\"name\":\"a\",\"mode\":\"mixer\",\"tag\":\"p\",\"number\":0}],"
         "\"nets\":[]}",
         "E0440-netlist-json: a: \"mode\" is no tile mode | docs/dump.md describes the file"},
        {"{\"format_version\":1,\"cells\":[{\"name\":\"a\",\"mode\":\"rsg\",\"tag\":\"p\",\"number\":0,"
         "\"config\":"
         "{\"mode\":1.5}}],\"nets\":[]}",
         "E0440-netlist-json: mode: \"config\" is not a number of 32 bits | docs/dump.md describes the "
         "file"},
        {"{\"format_version\":1,\"cells\":[],\"nets\":[{\"source\":{\"cell\":\"a\",\"port\":0},\"sinks\":[]}]"
         "}",
         "E0440-netlist-json: a: \"cell\" of a net names no cell | docs/dump.md describes the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        cJSON *json = cJSON_Parse(cases[i].text);
        netlist n;
        assert_false(net_from_json(json, &f->names, &f->mem, &f->diag, &n));
        assert_string_equal(first_message(f), cases[i].message);
        cJSON_Delete(json);
    }
}

/* ---- net_check on a legal netlist with a single change ---------------------------------------- */

static void set_field(fixture *f, net_cell_data *c, const char *name, uint32_t value) {
    name_id id = names_find(&f->names, name);
    for (uint32_t i = 0; i < c->config.len; i++) {
        if (name_eq(c->config.at[i].field, id))
            c->config.at[i].value = value;
    }
}

static void two_drivers(fixture *f, netlist *n) {
    vec_push(n->mem, &n->nets.at[0].sinks, (net_pin){n->nets.at[1].sinks.at[0].cell, 3});
    (void)f;
}
static void open_input(fixture *f, netlist *n) {
    n->nets.len--;
    (void)f;
}
static void ignored_input(fixture *f, netlist *n) {
    vec_push(n->mem, &n->nets.at[0].sinks, (net_pin){n->nets.at[0].sinks.at[0].cell, 0});
    (void)f;
}
static void no_such_port(fixture *f, netlist *n) {
    n->nets.at[0].source.port = 1;
    (void)f;
}
static void wrong_mode(fixture *f, netlist *n) {
    set_field(f, cell_named(f, n, "B0"), "tile_en", 0);
}
static void same_number(fixture *f, netlist *n) {
    n->cells.at[1].number = 0;
    (void)f;
}
static void same_name(fixture *f, netlist *n) {
    n->cells.at[1].name = n->cells.at[0].name;
    (void)f;
}
static void tag_of_a_pe(fixture *f, netlist *n) {
    cell_named(f, n, "B0")->tag = 'p';
}
/* Makes a value memory of B0, which is a root; fields keep their order. */
static void root_of_values(fixture *f, netlist *n) {
    net_cell_data *c = cell_named(f, n, "B0");
    const net_config lookup = {names_intern(&f->names, "fiber_access_16_inst_read_scanner_lookup"), 1};
    uint32_t at = c->config.len;
    vec_push(n->mem, &c->config, lookup);
    for (; at > 0 && strcmp(names_text(&f->names, c->config.at[at - 1].field),
                            "fiber_access_16_inst_read_scanner_lookup") > 0;
         at--)
        c->config.at[at] = c->config.at[at - 1];
    c->config.at[at] = lookup;
}
static void empty_net(fixture *f, netlist *n) {
    n->nets.at[6].sinks.len = 0;
    (void)f;
}

static void net_check_finds_each_fault(void **state) {
    fixture *f = *state;
    const struct {
        void (*spoil)(fixture *, netlist *);
        const char *message;
    } cases[] = {
        {two_drivers,
         "E0443-two-drivers: X0.data_in is driven by in_B0.io2f and by B0.coord_out | an input has "
         "exactly one driver"},
        {open_input,
         "E0445-open-input: out_X_vals.f2io is not driven | every stream a tile waits for needs a net, "
         "or the tile waits for ever"},
        {ignored_input,
         "E0446-ignored-input: B0.us_pos_in is driven, but the tile's configuration ignores it | its "
         "driver would stall for ever: change the configuration or remove the net"},
        {no_such_port,
         "E0442-pin: cell in_B0: mode io_in has no output port 1 | nodes.def lists the ports of each "
         "mode"},
        {wrong_mode,
         "E0441-cell: cell B0: fields tile_en and mode must be 1 and 0 for mode fiber_access | tiles.def "
         "gives each mode's number"},
        {same_number,
         "E0441-cell: cells in_B0 and B0 have the same number 0 | numbers make the block ids of .packed "
         "files: make them unique"},
        {same_name, "E0441-cell: two cells are named in_B0 | cells are found by name: make them unique"},
        {tag_of_a_pe, "E0441-cell: cell B0 in mode fiber_access has tag 'p' instead of 'm' | p is a PE tile, "
                      "m a memory tile, I an IO tile"},
        {root_of_values,
         "E0431-root-lookup: cell B0 looks values up and is a root: the chip never answers | lead it the "
         "position of a dense root with one coordinate, through a reducer"},
        {empty_net, "E0444-net: the net of X_vals.block_rd_out has no sink | leave nets without sinks out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        netlist n = packed(f, read_data(f, "vec_identity.onyx"));
        cases[i].spoil(f, &n);
        assert_false(net_check(&n, &f->diag));
        assert_string_equal(first_message(f), cases[i].message);
    }
}

/* Net `i` equals `from`, with `first` cells in front. */
static void expect_net(const netlist *all, uint32_t i, const net_data *from, uint32_t first) {
    const net_data *net = &all->nets.at[i];
    assert_int_equal(net->source.cell.v, from->source.cell.v + first);
    assert_int_equal(net->source.port, from->source.port);
    assert_int_equal(net->sinks.len, from->sinks.len);
    for (uint32_t s = 0; s < net->sinks.len; s++)
        assert_int_equal(net->sinks.at[s].cell.v, from->sinks.at[s].cell.v + first);
}

/* Three kernels on an array, two with equal names; the third has a name that renaming would choose.
 */
static void kernels_share_an_array(void **state) {
    fixture *f = *state;
    netlist one = packed(f, read_data(f, "vec_identity.onyx")),
            other = packed(f, read_data(f, "vec_identity.onyx")), copied, all, again;
    assert_true(net_unroll(&one, 2, &f->mem, &f->diag, &copied));
    cell_named(f, &copied, "X0")->name = names_intern(&f->names, "B0_p1");
    const netlist *const parts[] = {&copied, &one, &other};
    assert_true(net_join(parts, 3, &f->mem, &f->diag, &all));
    uint32_t cell = 0, net = 0;
    for (uint32_t p = 0; p < 3; p++) {
        const uint32_t first = cell;
        for (uint32_t i = 0; i < parts[p]->cells.len; i++, cell++) {
            const net_cell_data *c = &all.cells.at[cell], *from = &parts[p]->cells.at[i];
            const char *name = names_text(&f->names, from->name);
            if (p && strcmp(name, "X0") == 0 && p == 1)
                name = "X0"; /* the first kernel lacks this name */
            else if (p)
                name =
                    arena_printf(&f->mem, strcmp(name, "B0") == 0 && p == 1 ? "%s_pp%u" : "%s_p%u", name, p);
            assert_string_equal(names_text(&f->names, c->name), name);
            assert_true(c->kernel == p && c->copy == from->copy && c->mode == from->mode);
        }
        for (uint32_t i = 0; i < parts[p]->nets.len; i++, net++)
            expect_net(&all, net, &parts[p]->nets.at[i], first);
    }
    assert_int_equal(all.cells.len, cell);
    assert_int_equal(all.nets.len, net);
    cJSON *json = net_to_json(&all);
    assert_true(net_from_json(json, &f->names, &f->mem, &f->diag, &again));
    for (uint32_t i = 0; i < again.cells.len; i++)
        assert_int_equal(again.cells.at[i].kernel, all.cells.at[i].kernel);
    cJSON_Delete(json);
}

/* Cell by cell and net by net: the kernel, moved by the cells before the copy. */
static void copies_are_the_kernel_beside_itself(void **state) {
    fixture *f = *state;
    netlist one = packed(f, read_data(f, "vec_identity.onyx")), three;
    uint32_t cells = one.cells.len, nets = one.nets.len;
    cell_named(f, &one, "X0")->name = names_intern(&f->names, "B0_u2"); /* a name copies must not take */
    assert_true(net_unroll(&one, 3, &f->mem, &f->diag, &three));
    assert_int_equal(three.cells.len, 3 * cells);
    assert_int_equal(three.nets.len, 3 * nets);
    for (uint32_t i = 0; i < 3 * cells; i++) {
        const net_cell_data *c = &three.cells.at[i], *from = &one.cells.at[i % cells];
        const char *name = names_text(&f->names, from->name);
        assert_int_equal(c->copy, i / cells);
        if (c->copy)
            name = arena_printf(&f->mem, "%s_uu%u", name, c->copy);
        assert_string_equal(names_text(&f->names, c->name), name);
        assert_true(c->mode == from->mode && c->level == from->level && name_eq(c->tensor, from->tensor));
        assert_int_equal(c->config.len, from->config.len);
    }
    for (uint32_t i = 0; i < 3 * nets; i++) {
        expect_net(&three, i, &one.nets.at[i % nets], i / nets * cells);
    }
    cJSON *json = net_to_json(&three);
    netlist again;
    assert_true(net_from_json(json, &f->names, &f->mem, &f->diag, &again));
    for (uint32_t i = 0; i < again.cells.len; i++)
        assert_int_equal(again.cells.at[i].copy,
                         net_mode_table[again.cells.at[i].mode].tile == NET_TILE_IO ? i / cells : 0);
    cJSON_Delete(json);
}

static net_cell mode_cell(fixture *f, netlist *n, net_mode mode) {
    vec_push(&f->mem, &n->cells, (net_cell_data){.mode = mode});
    return (net_cell){n->cells.len};
}

static net_data *net_from(fixture *f, netlist *n, net_cell cell, uint8_t port) {
    vec_push(&f->mem, &n->nets, (net_data){.source = {cell, port}});
    return &n->nets.at[n->nets.len - 1];
}

static void to_pin(fixture *f, net_data *net, net_cell cell, uint8_t port) {
    const net_pin pin = {cell, port};
    vec_push(&f->mem, &net->sinks, pin);
}

static net_shortage_vec shortages_of(fixture *f, const netlist *n) {
    net_shortage_vec found = {0};
    net_balance(n, &f->mem, &found);
    return found;
}

/* A scanner's coordinates go to a dropper and, through a repeat signal and `scanners` of other tensors, to
 * its other input. The short path holds 4; the long one takes 3 cycles a PE, and 10 + 16 a scanner's way from
 * references to coordinates. */
static void short_branches_lack_what_the_long_ones_are_late(void **state) {
    fixture *f = *state;
    for (uint32_t scanners = 0; scanners < 3; scanners++) {
        netlist n = {.mem = &f->mem, .names = &f->names};
        net_cell from = mode_cell(f, &n, NET_MODE_FIBER_ACCESS), drop = mode_cell(f, &n, NET_MODE_CRDDROP),
                 last = mode_cell(f, &n, NET_MODE_RSG);
        net_data *fork = net_from(f, &n, from, 1);
        to_pin(f, fork, drop, 1);
        to_pin(f, fork, last, 0);
        for (uint32_t s = 0; s < scanners; s++) {
            net_cell scanner = mode_cell(f, &n, NET_MODE_FIBER_ACCESS);
            to_pin(f, net_from(f, &n, last, s ? 1 : 0), scanner, 0);
            last = scanner;
        }
        to_pin(f, net_from(f, &n, last, scanners ? 1 : 0), drop, 0);
        net_shortage_vec found = shortages_of(f, &n);
        uint32_t late = 3 + 26 * scanners;
        assert_int_equal(found.len, late > 4);
        if (found.len) {
            assert_int_equal(found.at[0].net, 0);
            assert_int_equal(found.at[0].sink, 0);
            assert_int_equal(found.at[0].tokens, late - 4);
        }
    }
}

/* References leave a scanner 16 cycles before the matching coordinates reach the joiner. */
static void references_wait_for_coordinates(void **state) {
    fixture *f = *state;
    netlist n = {.mem = &f->mem, .names = &f->names};
    net_cell from = mode_cell(f, &n, NET_MODE_FIBER_ACCESS), join = mode_cell(f, &n, NET_MODE_INTERSECT);
    to_pin(f, net_from(f, &n, from, 1), join, 0);
    to_pin(f, net_from(f, &n, from, 2), join, 2);
    net_shortage_vec found = shortages_of(f, &n);
    assert_int_equal(found.len, 1);
    assert_int_equal(found.at[0].net, 1);
    assert_int_equal(found.at[0].tokens, 16 - 4);
}

static net_cell scanner_of(fixture *f, netlist *n, const char *feature) {
    net_cell c = mode_cell(f, n, NET_MODE_FIBER_ACCESS);
    const char *name = arena_printf(&f->mem, "fiber_access_16_inst_read_scanner_%s", feature);
    vec_push(&f->mem, &net_cell_at(n, c)->config, (net_config){names_intern(&f->names, name), 1});
    return c;
}

static net_cell dense_root(fixture *f, netlist *n) {
    net_cell c = scanner_of(f, n, "dense");
    vec_push(&f->mem, &net_cell_at(n, c)->config,
             (net_config){names_intern(&f->names, "fiber_access_16_inst_read_scanner_root"), 1});
    return c;
}

/* Checks the early nets among the first five of a netlist. */
static void assert_early(const netlist *n, const bool want[5]) {
    bool early[8];
    net_early(n, early);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(early[i], want[i]);
}

/* A dense root starts by itself: so does the level of the result written from its tokens, and the level's
 * output; readers of words of the global buffer do not start, nor do later writes. */
static void a_level_written_from_early_tokens_is_early(void **state) {
    fixture *f = *state;
    netlist n = {.mem = &f->mem, .names = &f->names};
    net_cell root = dense_root(f, &n), from = mode_cell(f, &n, NET_MODE_IO_IN);
    net_cell level = mode_cell(f, &n, NET_MODE_FIBER_ACCESS),
             reader = mode_cell(f, &n, NET_MODE_FIBER_ACCESS);
    net_cell behind = mode_cell(f, &n, NET_MODE_FIBER_ACCESS), to[2];
    for (uint32_t i = 0; i < 2; i++)
        to[i] = mode_cell(f, &n, NET_MODE_IO_OUT);
    to_pin(f, net_from(f, &n, root, 0), level, 0);
    to_pin(f, net_from(f, &n, root, 1), reader, 0);
    to_pin(f, net_from(f, &n, from, 0), reader, 2);
    to_pin(f, net_from(f, &n, reader, 0), behind, 0);
    to_pin(f, net_from(f, &n, behind, 0), to[1], 0);
    assert_early(&n, (const bool[]){true, true, false, false, false});
    bool early[6];
    to_pin(f, net_from(f, &n, level, 0), to[0], 0);
    net_early(&n, early);
    assert_true(early[5]);
}

/* A gate's coordinates are early if its coordinate input is; the stream from its outer side back to the gate
 * never has a token. An operation on an early stream and a waiting stream has none. */
static void outputs_of_a_gate_are_early_by_their_own_input(void **state) {
    fixture *f = *state;
    netlist n = {.mem = &f->mem, .names = &f->names};
    net_cell root = dense_root(f, &n), gate = mode_cell(f, &n, NET_MODE_CRDDROP);
    net_cell sum = mode_cell(f, &n, NET_MODE_ALU), from = mode_cell(f, &n, NET_MODE_IO_IN),
             to = mode_cell(f, &n, NET_MODE_IO_OUT);
    to_pin(f, net_from(f, &n, root, 1), gate, 0);
    to_pin(f, net_from(f, &n, gate, 0), sum, 0);
    to_pin(f, net_from(f, &n, gate, 1), gate, 1);
    to_pin(f, net_from(f, &n, from, 0), sum, 1);
    to_pin(f, net_from(f, &n, sum, 0), to, 0);
    assert_early(&n, (const bool[]){true, true, false, false, false});
}

RUN_TESTS(TEST(identity_packs_into_eight_tiles), TEST(memory_words_are_those_of_the_chip),
          TEST(single_node_words_are_those_of_the_chip), TEST(port_names_are_those_of_packed_files),
          TEST(json_round_trip), TEST(broken_json_is_reported), TEST(net_check_finds_each_fault),
          TEST(copies_are_the_kernel_beside_itself), TEST(kernels_share_an_array),
          TEST(short_branches_lack_what_the_long_ones_are_late), TEST(references_wait_for_coordinates),
          TEST(a_level_written_from_early_tokens_is_early),
          TEST(outputs_of_a_gate_are_early_by_their_own_input))
