/* The checker finds every kind of fault: each test breaks a legal design in one way. */
#include "tests/pnr/broken.h"

/* A broad design: enough hops, forks and edge tiles for every fault. */
static void make_design(fixture *f, const pnr_board *b, pnr_design *out) {
    pnr_options o = pnr_options_default();
    o.moves = 1; /* long routes */
    netlist *n = diamond_netlist(f, 10);
    pnr_site *fixed = free_sites(f, n);
    fixed[0] = (pnr_site){0, 0};
    fixed[2] = (pnr_site){0, 8};
    fixed[3] = (pnr_site){6, 8};
    fixed[8] = (pnr_site){0, 1};
    o.fixed = fixed;
    place_and_route(f, n, b, &o, out);
}

static void every_fault_is_reported(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        pnr_design design;
        clear_diagnostics(f);
        make_design(f, &p->b, &design);
        if (!faults[i].apply(&design))
            fail_msg("the design has no place for: %s", faults[i].name);
        if (pnr_check(&design, &f->diag))
            fail_msg("not seen: %s", faults[i].name);
        if (!has_code(f, faults[i].code))
            fail_msg("%s: no %s in\n%s", faults[i].name, faults[i].code, fixture_printed(f));
        assert_true(faults[i].apply != site_missing || f->diag.errors == 1);
    }
}

/* Messages name cells, columns and flushes: a cell of another flush than the first cell of its columns. */
static void messages_name_both_cells(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    pnr_design d;
    make_design(f, &p->b, &d);
    uint32_t flush[64] = {0}, first = 0, other = 1;
    const uint32_t wide = p->b.flush_columns;
    while (d.site.at[other].x / wide != d.site.at[first].x / wide) {
        if (++other < d.net->cells.len)
            continue;
        first++;
        other = first + 1;
    }
    for (uint32_t c = 0; c < first; c++)
        assert_true(d.site.at[c].x / wide != d.site.at[first].x / wide);
    flush[other] = 7;
    d.flush = flush;
    clear_diagnostics(f);
    assert_false(pnr_check(&d, &f->diag));
    const net_cell_data *a = &d.net->cells.at[first], *b = &d.net->cells.at[other];
    const uint32_t group = d.site.at[other].x / wide;
    const char *text = arena_printf(
        &f->mem,
        "%c%u of flush 7 stands in column %u, in flush group %u (columns %u to %u) with %c%u of flush 0",
        b->tag, b->number, d.site.at[other].x, group, group * wide, group * wide + wide - 1, a->tag,
        a->number);
    if (!strstr(fixture_printed(f), text))
        fail_msg("not '%s' but\n%s", text, fixture_printed(f));
}

/* A root in a far row, with a sink in a near row; the placer moves the root. */
static void no_token_comes_in_behind_the_flush(void **state) {
    fixture *f = &((pnr_bench *)*state)->f;
    pnr_options o = pnr_options_default();
    pnr_board b;
    pnr_design design;
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &b));
    make_design(f, &b, &design);
    const net_cell root = {2}; /* the memory behind the input */
    make_root(design.net, net_cell_at(design.net, root));
    bool *early = arena_new_n(&f->mem, bool, design.net->nets.len);
    uint32_t net = 0;
    net_early(design.net, early);
    while (design.net->nets.at[net].source.cell.v != root.v)
        net++;
    assert_true(early[net]);
    const net_data *of = &design.net->nets.at[net];
    const uint32_t source = root.v - 1, sink = of->sinks.at[0].cell.v - 1;
    assert_in_range(design.site.at[sink].y, 1, 8);
    design.site.at[source].y = 9;
    clear_diagnostics(f);
    assert_false(pnr_check(&design, &f->diag));
    assert_true(has_code(f, "E0529-flush-row"));
    o.region = arena_new_n(&f->mem, pnr_region, design.net->cells.len); /* its sinks cannot be elsewhere */
    for (uint32_t c = 0; c < design.net->cells.len; c++)
        ((pnr_region *)o.region)[c] = (pnr_region){.x0 = PNR_FREE};
    ((pnr_region *)o.region)[sink] = (pnr_region){0, 1, 31, 8};
    for (o.seed = 1; o.seed <= 20; o.seed++) {
        place_and_route(f, design.net, &b, &o, &design); /* and checks */
    }
    pnr_board_free(&b);
}

/* Rows up to 8 see the flush at once. */
static void near_rows_may_lead_anywhere(void **state) {
    fixture *f = &((pnr_bench *)*state)->f;
    pnr_board b;
    pnr_design design;
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &b));
    make_design(f, &b, &design);
    make_root(design.net, net_cell_at(design.net, (net_cell){2}));
    for (uint16_t row = 8; row <= 9; row++) {
        design.site.at[1].y = row;
        clear_diagnostics(f);
        pnr_check(&design, &f->diag);
        assert_int_equal(has_code(f, "E0529-flush-row"), row == 9);
    }
    design.fabric_only = true;
    clear_diagnostics(f);
    pnr_check(&design, &f->diag);
    assert_false(has_code(f, "E0529-flush-row"));
    pnr_board_free(&b);
}

RUN_TESTS(ON_BOARD("onyx-8x8", every_fault_is_reported), ON_BOARD("onyx-8x8", messages_name_both_cells),
          ON_BOARD("onyx-8x8", near_rows_may_lead_anywhere),
          ON_BOARD("onyx-8x8", no_token_comes_in_behind_the_flush))
