/* Files of the public tools: written files read back, in the expected words; faults are located. */
#include "tests/pnr/design.h"

static const char *temporary(fixture *f, const char *name) {
    return arena_printf(&f->mem, "%s/test_pnr_files_%s", ONYX_BINARY_DIR, name);
}

static const char *write_text(fixture *f, const char *name, const char *text) {
    file_out out;
    const char *path = temporary(f, name);
    assert_true(file_create(&out, path, &f->mem, &f->diag));
    fputs(text, out.stream);
    assert_true(file_commit(&out, &f->diag));
    return path;
}

static const char *read_text(fixture *f, const char *path) {
    size_t length = 0;
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    assert_non_null(text);
    return text;
}

static const char small_packed[] = "Netlists:\n"
                                   "e0: (I0, io2f_17_0)\t(m1, MEM_input_width_17_num_2)\n"
                                   "e1: (m1, MEM_output_width_17_num_1)\t(p2, PE_input_width_17_num_0)\t"
                                   "(p2, PE_input_width_17_num_3)\n"
                                   "e2: (p2, PE_output_width_17_num_0)\t(I3, f2io_17_0)\n"
                                   "\n"
                                   "ID to Names:\n"
                                   "I0: in\n"
                                   "m1: memory\n"
                                   "p2: adder\n"
                                   "I3: out\n"
                                   "\n"
                                   "Netlist Bus:\n"
                                   "e0: 17\n"
                                   "e1: 17\n"
                                   "e2: 17\n";

static void packed_files_read_back_as_written(void **state) {
    fixture *f = *state;
    netlist n;
    const char *path = write_text(f, "a.packed", small_packed), *copy = temporary(f, "b.packed");
    if (!pnr_read_packed(path, &f->names, &f->mem, &f->diag, &n))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(n.cells.len, 4);
    assert_int_equal(n.nets.len, 3);
    assert_false(n.cells.at[0].output);
    assert_true(n.cells.at[3].output);
    assert_int_equal(n.nets.at[1].source.port, 1);
    assert_int_equal(n.nets.at[1].sinks.at[1].port, 3);
    assert_true(pnr_write_packed(&n, copy, &f->diag));
    assert_string_equal(read_text(f, copy), small_packed);
    remove(path);
    remove(copy);
}

static void sections_may_come_in_any_order_and_names_may_be_missing(void **state) {
    fixture *f = *state;
    netlist n;
    const char *path =
        write_text(f, "c.packed",
                   "# made by hand\nNetlist Bus:\ne7: 17\ne9: 17\n\nID to Names:\np2: adder\n\nNetlists:\n"
                   "e9: (p2, PE_output_width_17_num_1) (I3, f2io_17_0)\n"
                   "e7: (p2, PE_output_width_17_num_0) (m1, MEM_input_width_17_num_0)\n");
    if (!pnr_read_packed(path, &f->names, &f->mem, &f->diag, &n))
        fail_msg("%s", fixture_printed(f));
    assert_int_equal(n.nets.at[0].source.port, 0); /* by source */
    assert_string_equal(names_text(&f->names, n.cells.at[1].name), "I3");
    remove(path);
}

static void wrong_packed_files_are_located(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"Netlists:\ne0: (q1, io2f_17_0) (m1, MEM_input_width_17_num_2)\n", ":2:6: error: 'q1' is no block"},
        {"Netlists:\ne0: (p, io2f_17_0) (m1, MEM_input_width_17_num_2)\n", ":2:6: error: 'p' is no block"},
        {"Netlists:\ne0: (I1, io2f_17_1) (m1, MEM_input_width_17_num_2)\n", ":2:10: error: no such port"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_3) (I1, f2io_17_0)\n", ":2:10: error: no such port"},
        {"Netlists:\ne0: (m1, MEM_input_width_17_num_2) (I1, f2io_17_0)\n",
         "first pin of a net must be an output"},
        {"Netlists:\ne0: (I1, io2f_17_0) (m1, MEM_output_width_17_num_2)\n", "a sink must be an input"},
        {"Netlists:\ne0: (I1, io2f_17_0)\n", ":2:1: error: expected 'eN: (block, port)"},
        {"Netlists:\ne0: (I1, io2f_17_0) (I1, f2io_17_0)\n", "I1 is both an input and an output"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0) (p2, "
         "PE_input_width_17_num_0)\n",
         "E0541-packed-block"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0)\n"
         "e1: (p1, PE_output_width_17_num_0) (p3, PE_input_width_17_num_0)\n",
         "output 0 of p1 drives two nets"},
        {"ID to Names:\np1: a\np2: a\n", ":3:5: error: two blocks are named 'a'"},
        {"ID to Names:\np1: a b\n", ":2:1: error: expected 'block: name'"},
        {"Netlist Bus:\ne0: 1\n", ":2:5: error: only nets of width 17"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0)\n",
         ":2:1: error: net e0 has no width of its own"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0)\n"
         "e0: (p1, PE_output_width_17_num_1) (p3, PE_input_width_17_num_0)\n\nNetlist Bus:\ne0: 17\n",
         ":3:1: error: two nets are called e0"},
        {"Netlist Bus:\ne1: 17\n\nNetlists:\n"
         "e0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0)\n",
         "E0546-packed-width"},
        {"Netlists:\ne0: (p1, PE_output_width_17_num_0) (p2, PE_input_width_17_num_0)\n\n"
         "Netlist Bus:\ne0: 17\ne0: 17\n",
         ":6:1: error: a width too many: e0"},
        {"Nets:\n", ":1:1: error: expected 'Netlists:'"},
        {"ID to Names:\np99999999999: a\n", "'p99999999999' is no block"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        netlist n;
        clear_diagnostics(f);
        const char *path = write_text(f, "wrong.packed", cases[i].text);
        assert_false(pnr_read_packed(path, &f->names, &f->mem, &f->diag, &n));
        const char *printed = fixture_printed(f);
        if (!strstr(printed, cases[i].printed))
            fail_msg("expected %s in\n%s", cases[i].printed, printed);
        remove(path);
    }
}

/* Any prefix of a good file is read or refused, never worse. */
static void cut_files_are_read_or_refused(void **state) {
    fixture *f = *state;
    for (size_t length = 0; length < strlen(small_packed); length++) {
        netlist n;
        clear_diagnostics(f);
        const char *path = write_text(f, "cut.packed", arena_strndup(&f->mem, small_packed, length));
        bool read = pnr_read_packed(path, &f->names, &f->mem, &f->diag, &n);
        if (read == diag_failed(&f->diag))
            fail_msg("%zu bytes: %s, but reported: %s", length, read ? "read" : "refused",
                     fixture_printed(f));
        remove(path);
    }
}

static void placements_come_back_as_fixed_sites(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 5);
    pnr_design design, again;
    pnr_site *fixed;
    place_and_route(f, n, &p->b, &p->o, &design);
    const char *path = temporary(f, "d.place");
    assert_true(pnr_write_place(&design, path, &f->diag));
    assert_true(pnr_read_place(n, path, &f->mem, &f->diag, &fixed));
    p->o.fixed = fixed;
    place_and_route(f, n, &p->b, &p->o, &again);
    assert_memory_equal(design.site.at, again.site.at, design.site.len * sizeof *design.site.at);
    remove(path);
}

static void wrong_placements_are_located(void **state) {
    fixture *f = *state;
    static const struct {
        const char *rows, *printed;
    } cases[] = {
        {"cell_0 0 0 #I0\ncell_0 2 0 #I0\n", ":4:12: error: block I0 is placed twice"},
        {"who 0 0 #p77\n", ":3:9: error: the netlist has no block p77"},
        {"cell_0 0 0 I0\n", ":3:1: error: expected 'name x y #block'"},
        {"cell_0 0 #I0\n", ":3:1: error: expected 'name x y #block'"},
        {"cell_0 70000 0 #I0\n", ":3:1: error: expected 'name x y #block'"},
        {"cell_1 0 0 #I0\n", ":3:1: error: block I0 is called 'cell_0', not 'cell_1'"},
    };
    netlist *n = diamond_netlist(f, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pnr_site *fixed;
        clear_diagnostics(f);
        const char *path = write_text(
            f, "wrong.place", arena_printf(&f->mem, "Block Name X Y #Block ID\n---\n%s", cases[i].rows));
        assert_false(pnr_read_place(n, path, &f->mem, &f->diag, &fixed));
        if (!strstr(fixture_printed(f), cases[i].printed))
            fail_msg("expected %s in\n%s", cases[i].printed, fixture_printed(f));
        remove(path);
    }
    static const char *const headings[] = {"", "cell_0 0 0 #I0\ncell_1 2 0 #I1\n",
                                           "Block Name X Y #Block ID\n", "Block Name Y X #Block ID\n---\n",
                                           "Block Name X Y #Block ID\n===\n"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        pnr_site *fixed;
        clear_diagnostics(f);
        const char *path = write_text(f, "heading.place", headings[i]);
        assert_false(pnr_read_place(n, path, &f->mem, &f->diag, &fixed));
        assert_non_null(strstr(fixture_printed(f), "E0542-place-syntax"));
        remove(path);
    }
}

/* IO input at (0,0), PE at (0,3), IO output at (1,0): two straight routes with their pairs, word for word. */
static void routes_are_written_as_the_public_tools_do(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    net_cell in = add_cell(f, n, '<'), pe = add_cell(f, n, 'p'), out = add_cell(f, n, '>'),
             two = add_cell(f, n, 'p');
    connect_cells(f, n, in, 0, pe, 1);
    net_data *net = add_net(f, n, pe, 0);
    add_sink(f, net, two, 0);
    add_sink(f, net, two, 1);
    connect_cells(f, n, two, 2, out, 0);
    pnr_site fixed[4] = {{0, 0}, {0, 3}, {1, 0}, {1, 3}};
    p->o.fixed = fixed;
    bench_design(p, n);
    const char *path = temporary(f, "e.route");
    assert_true(pnr_write_route(&p->design, path, &f->diag));
    unsigned in_track = p->design.route.at[0].hops.at[0].from_track,
             track = p->design.route.at[1].hops.at[0].track;
    const char *want = arena_printf(&f->mem,
                                    "Net ID: e0 Segment Size: 1\n"
                                    "Segment: 0 Size: 11\n"
                                    "PORT io2f_17_0 (0, 0, 17)\n"
                                    "SB (%u, 0, 1, 3, 0, 17)\n"
                                    "SB (%u, 0, 1, 1, 1, 17)\n"
                                    "REG T%u_SOUTH (%u, 0, 1, 17)\n"
                                    "RMUX 1_%u (0, 1, 17)\n"
                                    "SB (%u, 0, 2, 3, 0, 17)\n"
                                    "SB (%u, 0, 2, 1, 1, 17)\n"
                                    "REG T%u_SOUTH (%u, 0, 2, 17)\n"
                                    "RMUX 1_%u (0, 2, 17)\n"
                                    "SB (%u, 0, 3, 3, 0, 17)\n"
                                    "PORT PE_input_width_17_num_1 (0, 3, 17)\n"
                                    "Net ID: e1 Segment Size: 2\n"
                                    "Segment: 0 Size: 5\n"
                                    "PORT PE_output_width_17_num_0 (0, 3, 17)\n"
                                    "SB (%u, 0, 3, 0, 1, 17)\n"
                                    "RMUX 0_%u (0, 3, 17)\n"
                                    "SB (%u, 1, 3, 2, 0, 17)\n"
                                    "PORT PE_input_width_17_num_0 (1, 3, 17)\n"
                                    "Segment: 1 Size: 2\n"
                                    "SB (%u, 1, 3, 2, 0, 17)\n"
                                    "PORT PE_input_width_17_num_1 (1, 3, 17)\n"
                                    "Net ID: e2 Segment Size: 1\n"
                                    "Segment: 0 Size: 12\n"
                                    "PORT PE_output_width_17_num_2 (1, 3, 17)\n"
                                    "SB (0, 1, 3, 3, 1, 17)\n"
                                    "REG T0_NORTH (0, 1, 3, 17)\n"
                                    "RMUX 3_0 (1, 3, 17)\n"
                                    "SB (0, 1, 2, 1, 0, 17)\n"
                                    "SB (0, 1, 2, 3, 1, 17)\n"
                                    "REG T0_NORTH (0, 1, 2, 17)\n"
                                    "RMUX 3_0 (1, 2, 17)\n"
                                    "SB (0, 1, 1, 1, 0, 17)\n"
                                    "SB (0, 1, 1, 3, 1, 17)\n"
                                    "RMUX 3_0 (1, 1, 17)\n"
                                    "PORT f2io_17_0 (1, 0, 17)\n",
                                    in_track, in_track, in_track, in_track, in_track, in_track, in_track,
                                    in_track, in_track, in_track, in_track, track, track, track, track);
    assert_string_equal(read_text(f, path), want);
    remove(path);
}

/* An unreadable route is not an empty route; the files next to the route are read or refused by the same
 * rule, and written or refused. */
static void files_that_are_not_there_are_refused(void **state) {
    fixture *f = *state;
    netlist none, *n = diamond_netlist(f, 2);
    pnr_design design = {.net = n};
    pnr_site *fixed;
    const char *path = temporary(f, "absent");
    for (int reader = 0; reader < 3; reader++) {
        clear_diagnostics(f);
        bool read = reader == 0   ? pnr_read_packed(path, &f->names, &f->mem, &f->diag, &none)
                    : reader == 1 ? pnr_read_place(n, path, &f->mem, &f->diag, &fixed)
                                  : pnr_read_route(&design, path, &f->mem, &f->diag);
        assert_false(read);
        assert_int_equal(f->diag.list.len, 1);
        assert_string_equal(f->diag.list.at[0].code, "E0001-file");
    }
    const char *within = arena_printf(&f->mem, "%s/file", path);
    for (int writer = 0; writer < 3; writer++) {
        clear_diagnostics(f);
        assert_false(writer == 0   ? pnr_write_packed(n, within, &f->diag)
                     : writer == 1 ? pnr_write_place(&design, within, &f->diag)
                                   : pnr_write_route(&design, within, &f->diag));
        assert_int_equal(f->diag.list.len, 1);
        assert_string_equal(f->diag.list.at[0].code, "E0004-write");
    }
}

RUN_TESTS(TEST(packed_files_read_back_as_written),
          TEST(sections_may_come_in_any_order_and_names_may_be_missing), TEST(wrong_packed_files_are_located),
          TEST(cut_files_are_read_or_refused), ON_BOARD("onyx-8x8", placements_come_back_as_fixed_sites),
          TEST(wrong_placements_are_located), TEST(files_that_are_not_there_are_refused),
          ON_BOARD("onyx-8x8", routes_are_written_as_the_public_tools_do))
