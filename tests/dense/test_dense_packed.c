/* Dense netlists in the files of the chip's own flow: the chip's programs written and read again, placed
 * anew, and mistakes in such files. */
#include "tests/dense/placing.h"

/* ---- programs ---------------------------------------------------------------------------------- */

static placing programs[] = {
    {"pointwise", 0, 1},
    {"conv_1_2", 0, 2},
    {"conv_3_3", 0, 3},
    {"gaussian_619", 0, 4},
    {"gaussian2", 0, 5},
    {"unsharp", 0, 6},
    {"harris_color_542", 0, 7},
    {"pointwise_gops", 0, 8},
    {"gaussian_unroll", 0, 0},
    {"pointwise_gops_unroll", 0, 0},
    {"pointwise_gops2_unroll", 0, 0},
    {"pointwise_gops2_unroll_pd", 0, 0},
    {"camera_pipeline_2x2_369", 0, 0},
    {"resnet_output_stationary_437", 0, 0},
    {"sequential_0_fp", 0, 0},
};

/* Writes the files of a routed design, reads them, and compares netlist and routes with the design. */
static void write_and_read(fixture *f, const dense_design *design, const char *folder, dense_packed *out) {
    const dense_design on = {.board = design->board, .map = design->map};
    const dense_blocks blocks = dense_name_blocks(design, &f->mem);
    const char *nets = arena_printf(&f->mem, "%s/design.packed", folder);
    dense_packed routed;
    if (!dense_write_packed(design, &blocks, folder, &f->diag) || !dense_is_packed(nets, &f->diag) ||
        !dense_read_packed(nets, arena_printf(&f->mem, "%s/design.place", folder), &on, &f->diag, out) ||
        !dense_same_links(design, &out->design, nets, &f->diag))
        fail_msg("%s", fixture_printed(f));
    routed = *out;
    routed.design = (dense_design){.board = on.board, .map = on.map};
    for (uint32_t i = 0; i < out->design.tiles.len; i++) {
        dense_tile t = out->design.tiles.at[i];
        t.settings = (dense_settings){0};
        for (uint32_t k = 0; k < out->design.tiles.at[i].settings.len; k++)
            vec_push(&f->mem, &t.settings, out->design.tiles.at[i].settings.at[k]);
        vec_push(&f->mem, &routed.design.tiles, t);
    }
    if (!dense_read_routes(arena_printf(&f->mem, "%s/design.route", folder), &routed.design, &f->diag) ||
        !dense_same_links(design, &routed.design, "design.route", &f->diag))
        fail_msg("%s", fixture_printed(f));
}

/* The netlist alone, on other sites, with as many registers on each link (judged by dense_place). */
static void go_round(fixture *f, uint32_t i, void *of) {
    const placing *c = &programs[i];
    const char *folder = test_folder(f);
    dense_packed files, again;
    dense_placed placed;
    subject s;
    (void)of;
    open_subject(f, c->name, &s);
    write_and_read(f, &s.design, folder, &files);
    if (c->seed) {
        const dense_design on = {.board = &s.on.board, .map = s.on.map};
        pnr_options o = pnr_options_default();
        o.seed = c->seed;
        assert_true(dense_read_packed(arena_printf(&f->mem, "%s/design.packed", folder), NULL, &on, &f->diag,
                                      &again));
        assert_int_equal(again.design.links.len, files.design.links.len);
        if (!dense_place(&again.design, &o, &f->diag, &placed))
            fail_msg("%s: %s", c->name, fixture_printed(f));
        write_and_read(f, &placed.design, folder, &files);
        assert_int_equal(files.design.links.len, again.design.links.len);
    }
    remove_folder(folder);
    pnr_board_free(&s.on.board);
}

static void test_programs(void **state) {
    (void)state;
    TEST_SHARED("chip_programs");
    each_afresh(sizeof programs / sizeof *programs, go_round, NULL);
}

/* ---- mistakes ---------------------------------------------------------------------------------- */

typedef struct {
    const char *nets, *widths, *message;
} mistake;

static const mistake netlists[] = {
    {"e0: (r1, reg) (p2, PE_input_width_17_num_0)", "e0: 17", "no block feeds this register"},
    {"e0: (p1, PE_output_width_17_num_0) (r2, reg)", "e0: 17", "this register feeds nothing"},
    {"e0: (r1, reg) (r2, reg)\ne1: (r2, reg) (r1, reg)", "e0: 1\ne1: 1", "no block feeds this register"},
    {"e0: (p1, PondTop_output_width_17_num_0) (p2, PE_input_width_17_num_0)", "e0: 17",
     "leads to words of its own PE alone"},
    {"e0: (p1, PE_output_width_1_num_0) (p2, PE_input_width_17_num_0)", "e0: 17",
     "ports of a net have one width"},
    {"e0: (p1, PE_output_width_1_num_0) (p2, PE_input_width_1_num_0)", "e0: 17", "ports of width 1"},
    {"e0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_3)", "e0: 17", "no such port"},
    {"e0: (p1, PE_output_width_17_num_0) (p2, flush)", "e0: 17", "no such port"},
    {"e0: (I1, io2f_1) (p2, PE_input_width_1_num_0)", "e0: 1", "no such port"},
    {"e0: (r1, data) (p2, PE_input_width_17_num_0)", "e0: 17", "no such port"},
    {"e0: (M1, PondTop_output_width_17_num_0) (p2, PE_input_width_17_num_0)", "e0: 17", "is no block"},
    {"e0: (p1, PE_output_width_17_num_0) (m2, MEM_input_width_17_num_3)\n"
     "e1: (p1, PE_output_width_1_num_0) (m2, MEM_input_width_1_num_0)",
     "e0: 17\ne1: 1", "no unit has all of these inputs"},
};

static const char *file_of(fixture *f, const char *name, const char *text) {
    const char *path = arena_printf(&f->mem, "%s/%s", test_folder(f), name);
    file_out file;
    assert_true(file_create(&file, path, &f->mem, &f->diag));
    fputs(text, file.stream);
    assert_true(file_commit(&file, &f->diag));
    return path;
}

static bool read_text(fixture *f, const dense_board *o, const char *text, const char *sites,
                      dense_packed *out) {
    const dense_design on = {.board = &o->board, .map = o->map};
    const char *nets = file_of(f, "a.packed", text), *placed = sites ? file_of(f, "a.place", sites) : NULL;
    return dense_read_packed(nets, placed, &on, &f->diag, out);
}

static void refuse_netlist(fixture *f, uint32_t i, void *of) {
    const mistake *m = &netlists[i];
    dense_packed out;
    if (read_text(f, of, arena_printf(&f->mem, "Netlists:\n%s\n\nNetlist Bus:\n%s\n", m->nets, m->widths),
                  NULL, &out) ||
        !strstr(fixture_printed(f), m->message))
        fail_msg("of '%s' expected '%s', got %s", m->nets, m->message, fixture_printed(f));
}

#define HEADING "Block Name X Y #Block ID\n---\n"
static const mistake placements[] = {
    {HEADING "p1 3 1 #p1\n", "", "block p1 cannot stand at (3, 1)"},
    {HEADING "p1 40 1 #p1\n", "", "block p1 cannot stand at (40, 1)"},
    {HEADING "p1 1 1 #p1\np2 1 1 #p2\n", "", "block p2 cannot stand at (1, 1)"},
};

static void refuse_placement(fixture *f, uint32_t i, void *of) {
    dense_packed out;
    if (read_text(f, of,
                  "Netlists:\ne0: (p1, PE_output_width_17_num_0) (r3, reg)\n"
                  "e1: (r3, reg) (p2, PE_input_width_17_num_0)\n\nNetlist Bus:\ne0: 17\ne1: 17\n",
                  placements[i].nets, &out) ||
        !strstr(fixture_printed(f), placements[i].message))
        fail_msg("expected '%s', got %s", placements[i].message, fixture_printed(f));
}

/* The lines of a segment. */
static const mistake routes[] = {
    {"PORT PE_output_width_17_num_0 (1, 1, 5)", "1", "expected a PORT, SB, REG or RMUX node"},
    {"SB (0, 1, 1, 0, 1, 17)", "1", "a segment begins at a port"},
    {"PORT PE_output_width_17_num_0 (1, 1, 17)\nSB (0, 2, 1, 0, 1, 17)", "2", "no wire of the switch box"},
    {"PORT PE_output_width_1_num_0 (1, 1, 17)\nSB (0, 1, 1, 0, 1, 17)", "2", "no wire of the switch box"},
    {"SB (1, 1, 1, 0, 0, 17)\nSB (0, 1, 1, 0, 1, 17)", "2", "no wire of the switch box"},
    {"PORT PE_output_width_17_num_0 (1, 1, 17)\nSB (0, 1, 1, 0, 1, 17)\nRMUX 0_1 (1, 1, 17)", "3",
     "the wire of the line before is another"},
    {"PORT PE_output_width_17_num_0 (1, 1, 17)\nSB (0, 1, 1, 0, 1, 17)\nRMUX 0_0 (1, 1, 17)\n"
     "SB (0, 3, 1, 2, 0, 17)",
     "4", "does not arrive here"},
    {"SB (0, 1, 1, 0, 0, 17)\nPORT PE_input_width_17_num_3 (1, 1, 17)", "2", "this tile has no such input"},
    {"SB (0, 1, 1, 0, 0, 17)\nPORT PE_input_width_17_num_0 (2, 1, 17)", "2", "does not arrive here"},
    {"SB (0, 1, 1, 0, 0, 17)\nPORT f2io_17 (1, 0, 17)", "2", "does not lead to the IO tile"},
    {"nothing", "1", "expected a PORT, SB, REG or RMUX node"},
};

static void refuse_route(fixture *f, uint32_t i, void *of) {
    const dense_board *o = of;
    dense_design design = {.board = &o->board, .map = o->map};
    const char *path = file_of(f, "a.route",
                               arena_printf(&f->mem, "Net ID: e0 Segment Size: 1\nSegment: 0 Size: %s\n%s\n",
                                            routes[i].widths, routes[i].nets));
    if (dense_read_routes(path, &design, &f->diag) || !strstr(fixture_printed(f), routes[i].message) ||
        !strstr(fixture_printed(f), "E0544-route-syntax"))
        fail_msg("route %u: expected '%s', got %s", i, routes[i].message, fixture_printed(f));
}

static void test_mistakes(void **state) {
    fixture *f = *state;
    dense_board o;
    open_board(f, &o);
    each_afresh(sizeof netlists / sizeof *netlists, refuse_netlist, &o);
    each_afresh(sizeof placements / sizeof *placements, refuse_placement, &o);
    each_afresh(sizeof routes / sizeof *routes, refuse_route, &o);
    pnr_board_free(&o.board);
}

/* More streams than IO columns; and a bitstream compared with the files of another design. */
static void test_limits(void **state) {
    fixture *f = *state;
    dense_board o;
    dense_packed out;
    text_out nets, widths;
    open_board(f, &o);
    text_begin(&nets);
    text_begin(&widths);
    for (uint32_t i = 0; i < 17; i++) {
        fprintf(nets.stream, "e%u: (I%u, io2f_17) (p%u, PE_input_width_17_num_0)\n", i, i, 100 + i);
        fprintf(widths.stream, "e%u: 17\n", i);
    }
    const char *text = text_end(&nets, &f->mem);
    assert_false(read_text(
        f, &o, arena_printf(&f->mem, "Netlists:\n%s\nNetlist Bus:\n%s", text, text_end(&widths, &f->mem)),
        NULL, &out));
    assert_non_null(strstr(fixture_printed(f), "E0510-too-large"));
    clear_diagnostics(f);
    pnr_board_free(&o.board);
}

static void test_other_design(void **state) {
    fixture *f = *state;
    const char *folder = test_folder(f);
    dense_packed files;
    subject s;
    open_subject(f, "conv_3_3", &s);
    write_and_read(f, &s.design, folder, &files);
    files.design.links.at[0].registers++;
    assert_false(dense_same_links(&s.design, &files.design, "a.packed", &f->diag));
    assert_non_null(strstr(fixture_printed(f), "in the bitstream"));
    clear_diagnostics(f);
    files.design.links.len--;
    assert_false(dense_same_links(&s.design, &files.design, "a.packed", &f->diag));
    assert_non_null(strstr(fixture_printed(f), "E0925-not-the-design"));
    clear_diagnostics(f);
    remove_folder(folder);
    pnr_board_free(&s.on.board);
}

RUN_TESTS(TEST(test_programs), TEST(test_mistakes), TEST(test_limits), TEST(test_other_design))
