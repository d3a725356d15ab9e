/* Files written for other tools read back unchanged, or equal the tools' expectation. */
#include "tests/pnr/design.h"

static const char *out_path(fixture *f, const char *name) {
    return arena_printf(&f->mem, "%s/tests/%s", ONYX_BINARY_DIR, name);
}

static const char *text_of(fixture *f, const char *path) {
    size_t length;
    char *text = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(text);
    return text;
}

/* A diamond_netlist, placed and routed. */
static pnr_design diamond_design(fixture *f, uint32_t layers, const pnr_board *b) {
    pnr_options o = pnr_options_default();
    pnr_design design;
    place_and_route(f, diamond_netlist(f, layers), b, &o, &design);
    return design;
}

static void routes_come_back(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    pnr_design design = diamond_design(f, 12, &p->b), read;
    const char *path = out_path(f, "back.route"), *again = out_path(f, "again.route");
    assert_true(pnr_write_route(&design, path, &f->diag));
    read = design;
    memset(&read.route, 0, sizeof read.route);
    if (!pnr_read_route(&read, path, &f->mem, &f->diag) || !pnr_check(&read, &f->diag))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(pnr_hops(&read), pnr_hops(&design));
    assert_true(pnr_write_route(&read, again, &f->diag));
    assert_string_equal(text_of(f, path), text_of(f, again));
}

static void bad_routes_are_refused_where_they_go_wrong(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    pnr_design design = diamond_design(f, 3, &p->b);
    const char *const bad[] = {
        "Net ID: e99 Segment Size: 1\n", "Segment: 0 Size: 1\n",
        "Net ID: e0 Segment Size: 1\nSegment: 0 Size: 1\nSB (0, 1, 1, 0, 2, 17)\n",
        "Net ID: e0 Segment Size: 1\nSegment: 0 Size: 1\nSB (0, 1, 1, 0, 0, 17)\n",
        /* numbers beyond a hop's range: track 256, column 65536, side 4 */
        "Net ID: e0 Segment Size: 1\nSegment: 0 Size: 3\nPORT io2f_17_0 (1, 0, 17)\nSB "
        "(256, 1, 1, 0, 1, 17)\nPORT PE_input_width_17_num_0 (2, 1, 17)\n",
        "Net ID: e0 Segment Size: 1\nSegment: 0 Size: 3\nPORT io2f_17_0 (1, 0, 17)\nSB (0, "
        "65536, 1, 0, 1, 17)\nPORT PE_input_width_17_num_0 (2, 1, 17)\n",
        "Net ID: e0 Segment Size: 1\nSegment: 0 Size: 3\nPORT io2f_17_0 (1, 0, 17)\nRMUX 4_0 "
        "(1, 1, 17)\nPORT PE_input_width_17_num_0 (2, 1, 17)\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *path = out_path(f, "bad.route");
        FILE *file = fopen(path, "w");
        fputs(bad[i], file);
        fclose(file);
        clear_diagnostics(f);
        assert_false(pnr_read_route(&design, path, &f->mem, &f->diag));
        assert_true(has_code(f, "E0544-route-syntax"));
    }
}

static uint32_t occurrences(const char *text, const char *what) {
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static void drawings_show_every_hop(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    pnr_design design = diamond_design(f, 4, &p->b);
    const char *path = out_path(f, "design.svg");
    assert_true(pnr_write_svg(&design, false, path, &f->diag));
    assert_int_equal(occurrences(text_of(f, path), "<line"), pnr_hops(&design));
    assert_int_equal(occurrences(text_of(f, path), "<text"), design.net->cells.len);
    assert_true(pnr_write_svg(&design, true, path, &f->diag));
    assert_int_equal(occurrences(text_of(f, path), "<line"), 0);
    assert_true(occurrences(text_of(f, path), "of 10 wires") > 0);
}

RUN_TESTS(ON_BOARD("onyx", routes_come_back),
          ON_BOARD("onyx-8x8", bad_routes_are_refused_where_they_go_wrong),
          ON_BOARD("onyx-8x8", drawings_show_every_hop))
