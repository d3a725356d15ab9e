/* The fabric's own proof, and its files: a written file reads back as the board's, a changed line is refused.
 */
#include "tests/pnr/design.h"

static void every_board_proves_its_fabric(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    for (uint32_t tracks = 1; tracks <= 8; tracks++) {
        pnr_board b = {
            .name = "any", .width = 5, .height = 4, .tracks = tracks, .mem_period = 4, .mem_phase = 3};
        pnr_fabric got;
        if (!pnr_fabric_check(&b, &f->diag, &got))
            fail_msg("%s", fixture_printed(f));
        assert_int_equal(got.outputs, 5 * 3 * 4 * tracks);
        assert_int_equal(got.switch_wires, 12 * tracks);
    }
    pnr_fabric got;
    assert_true(pnr_fabric_check(&p->b, &f->diag, &got));
    assert_int_equal(got.outputs, 10240);
}

/* Wires are named by 16-bit coordinates; a board file cannot ask for more, but a caller of the library can.
 */
static void a_fabric_whose_wires_cannot_be_named_is_refused(void **state) {
    fixture *f = *state;
    pnr_board b = {.name = "wide", .width = 65537, .height = 2, .tracks = 1, .mem_period = 4, .mem_phase = 3};
    pnr_fabric got;
    assert_false(pnr_fabric_check(&b, &f->diag, &got));
    assert_string_equal(fixture_printed(f),
                        "onyx: error: wire x65536y1.EAST.0 is not found by its name [E0562-fabric]\n");
}

static const char *out_path(fixture *f, const char *name) {
    return arena_printf(&f->mem, "%s/tests/%s", ONYX_BINARY_DIR, name);
}

/* Overwrites the first `from` of a file by `to`, of equal length. */
static void change_file(fixture *f, const char *path, const char *from, const char *to) {
    size_t length;
    char *text = file_read(path, &f->mem, &length, &f->diag), *at = strstr(text, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void graphs_are_written_and_recognised(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8"), small = read_board(f, "onyx-4x2");
    for (int i = 0; i < 2; i++) {
        const char *path = out_path(f, i ? "1.graph" : "17.graph");
        assert_true(pnr_write_graph(&b, i ? 1 : 17, path, &f->diag));
        assert_true(pnr_check_graph(&b, i ? 1 : 17, path, &f->diag));
        assert_false(pnr_check_graph(&b, i ? 17 : 1, path, &f->diag));
        assert_false(pnr_check_graph(&small, i ? 1 : 17, path, &f->diag));
    }
    clear_diagnostics(f);
    const char *path = out_path(f, "17.graph");
    change_file(f, path, "RMUX (3, 2, 5, 1, 17)", "RMUX (3, 2, 5, 2, 17)");
    assert_false(pnr_check_graph(&b, 17, path, &f->diag));
    assert_true(has_code(f, "E0560-graph-differs"));
    assert_non_null(strstr(fixture_printed(f), "RMUX (3, 2, 5, 2, 17)"));
    pnr_board_free(&b);
    pnr_board_free(&small);
}

/* The first line of a switch may have a fifth word. */
static void the_newer_switch_line_is_read(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    const char *path = out_path(f, "five.graph");
    assert_true(pnr_write_graph(&p->b, 17, path, &f->diag));
    size_t length;
    char *text = file_read(path, &f->mem, &length, &f->diag);
    FILE *file = fopen(path, "w");
    fprintf(file, "SWITCH 17 0 5 5%s", strchr(text, '\n'));
    fclose(file);
    assert_true(pnr_check_graph(&p->b, 17, path, &f->diag));
}

static void both_layouts_are_written_and_recognised(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8"), small = read_board(f, "onyx-4x2");
    for (int counts = 0; counts < 2; counts++) {
        const char *path = out_path(f, counts ? "new.layout" : "old.layout");
        clear_diagnostics(f);
        assert_true(pnr_write_layout(&b, counts, path, &f->diag));
        if (!pnr_check_layout(&b, path, &f->diag))
            fail_msg("%s", fixture_printed(f));
        assert_false(pnr_check_layout(&small, path, &f->diag));
        change_file(f, path, counts ? "1 1 1 0" : "1110", counts ? "1 1 0 0" : "1100");
        assert_false(pnr_check_layout(&b, path, &f->diag));
        assert_non_null(strstr(fixture_printed(f), "layer 'p': tile (2, 1) differs from the board"));
    }
    pnr_board_free(&b);
    pnr_board_free(&small);
}

RUN_TESTS(ON_BOARD("onyx", every_board_proves_its_fabric),
          TEST(a_fabric_whose_wires_cannot_be_named_is_refused), TEST(graphs_are_written_and_recognised),
          ON_BOARD("onyx-4x2", the_newer_switch_line_is_read), TEST(both_layouts_are_written_and_recognised))
