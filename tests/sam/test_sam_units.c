/* sam/: every primitive of the simulator on hand-written token streams. */
#include "tests/sam/unit_run.h"

static const uint32_t seg[] = {0, 2, 2, 3}, crd[] = {1, 4, 0};
static const uint16_t vals[] = {7, 8, 9};
static const sam_tensor_levels compressed = {
    .order = 1,
    .level = {{.format = SAM_LEVEL_COMPRESSED, .dim = 5, .seg = seg, .crd = crd, .n_seg = 4, .n_crd = 3}},
    .vals = vals,
    .n_vals = 3};
static const sam_tensor_levels dense = {
    .order = 1, .level = {{.format = SAM_LEVEL_DENSE, .dim = 2}}, .vals = vals, .n_vals = 3};

/* Runs a scanner over three fibers {1 4} {} {0}, whatever the operand check would say of a vector. */
static void run_scanner(fixture *f, const sam_tensor_levels *b, const char *in, const char *out_crd,
                        const char *out_ref) {
    sam_graph g;
    sim_machine m;
    const char *format = b == &dense ? "dense" : "compressed";
    const char *attributes = arena_printf(&f->mem, "type=fiberlookup tensor=B mode=0 format=%s", format);
    build(f, (unit_run){attributes, IN(in)}, b, &g, &m);
    m.units[1].s.scan.fibers = 3;
    sim_queue *c = probe_output(&m, (sam_node){1}, 0), *r = probe_output(&m, (sam_node){1}, 1);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FINISHED);
    assert_string_equal(write_tokens(&f->mem, c), out_crd);
    assert_string_equal(write_tokens(&f->mem, r), out_ref);
}

static void scanners_emit_fibers_and_close_them(void **state) {
    run_scanner(*state, &compressed, "0 D", "1 4 S0 D", "0 1 S0 D");
    run_scanner(*state, &compressed, "0 2 S0 D", "1 4 S0 0 S1 D", "0 1 S0 2 S1 D");
    run_scanner(*state, &compressed, "0 S0 2 S1 D", "1 4 S1 0 S2 D", "0 1 S1 2 S2 D");
    run_scanner(*state, &compressed, "1 1 S0 D", "S0 S1 D", "S0 S1 D");
    run_scanner(*state, &compressed, "N 0 N S0 D", "S0 1 4 S0 S1 D", "S0 0 1 S0 S1 D");
    run_scanner(*state, &dense, "0 2 S0 D", "0 1 S0 0 1 S1 D", "0 1 S0 4 5 S1 D");
    run_scanner(*state, &dense, "N 1 S0 D", "S0 0 1 S1 D", "S0 2 3 S1 D");
}

static void scanners_mark_stops_of_fibers_that_were_never_opened(void **state) {
    run_scanner(*state, &compressed, "S0 0 S0 S1 D", "S1/1 1 4 S1 S2/1 D", "S1/1 0 1 S1 S2/1 D");
    run_scanner(*state, &compressed, "S1/1 D", "S2/2 D", "S2/2 D");
    run_scanner(*state, &dense, "S0 S1 D", "S1/1 S2/1 D", "S1/1 S2/1 D");
}

static void arrays_load_values_and_zeros(void **state) {
    run_unit(*state,
             (unit_run){"type=arrayvals tensor=B", IN("2 0 S0 N S1/1 1 S1 D"), OUT("9 7 S0 0 S1/1 8 S1 D")},
             &compressed);
    run_unit(*state,
             (unit_run){"type=arrayvals tensor=B fill=0x7fff", IN("2 0 S0 N S1 D"), OUT("9 7 S0 32767 S1 D")},
             &compressed);
}

static void signals_and_repeats(void **state) {
    RUN("type=repsiggen", IN("4 N S0 S1 7 S2/1 D"), OUT("0 0 S0 S0 0 S0 D"));
    RUN("type=repeat", IN("5 D", "R R R S0 D"), OUT("5 5 5 S0 D"));
    RUN("type=repeat", IN("5 6 S0 D", "R R S0 S0 D"), OUT("5 5 S0 S1 D"));
    RUN("type=repeat", IN("5 S0 6 N S1 D", "R S0 R S0 R S0 D"), OUT("5 S1 6 S0 N S2 D"));
    RUN("type=repeat", IN("S0 5 S1 D", "S0 R S0 D"), OUT("S1/1 5 S2 D"));
    RUN("type=repeat root=true", IN("", "R R S0 D"), OUT("0 0 S0 D"));
}

static void intersecters_keep_what_all_operands_have(void **state) {
    RUN("type=intersect", IN("0 2 5 S0 D", "10 12 15 S0 D", "2 3 5 S0 D", "1 2 3 S0 D"),
        OUT("2 5 S0 D", "12 15 S0 D", "1 3 S0 D"));
    RUN("type=intersect", IN("S0 1 S1 D", "S0 3 S1 D", "1 2 S0 S1 D", "4 5 S0 S1 D"),
        OUT("S0 S1 D", "S0 S1 D", "S0 S1 D"));
    RUN("type=intersect", IN("1 S1 S2/1 D", "0 S1 S2/1 D", "1 S1 S2/1 D", "N S1 S2/1 D"),
        OUT("1 S1 S2/1 D", "0 S1 S2/1 D", "N S1 S2/1 D"));
    RUN("type=intersect", IN("1 2 3 S0 D", "1 2 3 S0 D", "2 3 S0 D", "5 6 S0 D", "0 3 4 S0 D", "7 8 9 S0 D"),
        OUT("3 S0 D", "3 S0 D", "6 S0 D", "8 S0 D"));
}

static void unions_keep_what_any_operand_has(void **state) {
    RUN("type=union", IN("0 2 S0 D", "10 12 S0 D", "2 3 S0 D", "1 2 S0 D"),
        OUT("0 2 3 S0 D", "10 12 N S0 D", "N 1 2 S0 D"));
    RUN("type=union", IN("S0 1 S1 D", "S0 0 S1 D", "4 S0 S1 D", "5 S0 S1 D"),
        OUT("4 S0 1 S1 D", "N S0 0 S1 D", "5 S0 N S1 D"));
    RUN("type=union", IN("S0 S1 D", "S0 S1 D", "S0 S1 D", "S0 S1 D"), OUT("S0 S1 D", "S0 S1 D", "S0 S1 D"));
    RUN("type=union", IN("1 S0 D", "1 S0 D", "0 1 S0 D", "5 6 S0 D", "S0 D", "S0 D"),
        OUT("0 1 S0 D", "N 1 S0 D", "5 6 S0 D", "N N S0 D"));
}

static void operations_wrap_around(void **state) {
    RUN("type=add", IN("1 0xffff S0 5 S1 D", "2 2 S0 6 S1 D"), OUT("3 1 S0 11 S1 D"));
    RUN("type=add sub=1", IN("1 S0 D", "2 S0 D"), OUT("65535 S0 D"));
    RUN("type=mul", IN("300 S0 S1 D", "300 S0 S1 D"), OUT("24464 S0 S1 D"));
    RUN("type=div", IN("0xfff9 9 D", "2 0 D"), OUT("65533 0 D"));
    RUN("type=smax const0=0", IN("", "5 0xffff S0 D"), OUT("5 0 S0 D"));
    RUN("type=min", IN("5 0xffff D", "4 4 D"), OUT("4 65535 D"));
    RUN("type=mul", IN("2 S0 D", "3 S0 D", "7 S0 D"), OUT("42 S0 D"));
    RUN("type=add", IN("1 S1/1 D", "1 S1/1 D"), OUT("2 S1/1 D"));
    RUN("type=add sub=1 const0=10", IN("", "3 D"), OUT("7 D"));
}

static void bfloat16_rounds_to_nearest_even(void **state) {
    /* 1.0 = 3f80, its unit in the last place is 2^-7; 3b80 = 2^-8, half a unit. */
    RUN("type=fp_add", IN("0x3f80 0x3f81 D", "0x3b80 0x3b80 D"), OUT("16256 16258 D"));
    RUN("type=fp_mul", IN("0x4000 D", "0xbfc0 D"), OUT("49216 D"));                      /* 2 * -1.5 = -3 */
    RUN("type=fp_sub", IN("0x3f80 D", "0x3f80 D"), OUT("0 D"));                          /* 1 - 1 = +0 */
    RUN("type=fp_max const0=\"-0.5\"", IN("", "0xbf80 0x3f80 D"), OUT("48896 16256 D")); /* -0.5, 1 */
    RUN("type=fp_div", IN("0 D", "0 D"), OUT("32704 D"));                                /* NaN is 7fc0 */
}

static void reducers_add_up_fibers_and_make_zeros_of_empty_ones(void **state) {
    RUN("type=reduce", IN("1 2 S0 3 S1 D"), OUT("3 3 S0 D"));
    RUN("type=reduce", IN("S0 4 S0 S1 D"), OUT("0 4 0 S0 D"));
    RUN("type=reduce", IN("1 2 3 S0 D"), OUT("6 D"));
    RUN("type=reduce", IN("S0 D"), OUT("0 D"));
    RUN("type=reduce", IN("0x8000 0x8000 1 S2 5 S2 D"), OUT("1 S1 5 S1 D"));
    RUN("type=reduce", IN("1 S1 S1/1 2 S0 S2 D"), OUT("1 S0 S0 2 0 S1 D"));
    RUN("type=reduce", IN("S2/2 D"), OUT("S1/1 D"));
    RUN("type=reduce fp=true", IN("0x3f80 0x3f80 S0 D"), OUT("16384 D"));
    RUN("type=reduce op=min", IN("3 0xffff S0 S0 7 S1 D"), OUT("65535 32767 7 S0 D"));
    RUN("type=reduce op=mul", IN("3 5 S0 S0 7 S1 D"), OUT("15 1 7 S0 D"));
    RUN("type=reduce op=addhigh", IN("0x7ff0 0x7fff S0 0x7ff0 15 S0 0x8001 0x8002 S1 D"),
        OUT("32767 32767 32768 S0 D"));
}

static void droppers_remove_coordinates_of_empty_fibers(void **state) {
    const char *n = "type=crddrop outer=i inner=j";
    RUN(n, IN("0 1 2 S0 D", "5 S0 S0 6 7 S1 D"), OUT("0 2 S0 D", "5 S0 6 7 S1 D"));
    RUN(n, IN("0 1 2 S0 D", "S0 5 S0 S1 D"), OUT("1 S0 D", "5 S1 D"));
    RUN(n, IN("0 1 S0 D", "S0 S1 D"), OUT("S0 D", "S1/1 D"));
    RUN(n, IN("S0 D", "S1/1 D"), OUT("S0 D", "S1/1 D"));
    RUN(n, IN("S0 3 S0 4 S1 D", "S1/1 S1 8 S2 D"), OUT("S0 S0 4 S1 D", "S1/1 S1/1 8 S2 D"));
    RUN("type=crddrop outer=j inner=val", IN("0 1 S0 D", "0 S0 S1 D"), OUT("0 S0 D", "0 S1 D"));
}

static void droppers_remove_zero_values(void **state) {
    RUN("type=crddrop outer=i inner=val mode=0", IN("0 1 2 S0 S1/1 3 S1 D", "5 0 N S0 S1/1 0 S1 D"),
        OUT("0 S0 S1/1 S1 D", "5 S0 S1/1 S1 D"));
    RUN("type=crddrop outer=i inner=vals vals=true fp=true", IN("0 1 S0 D", "0x8000 0x3f80 S0 D"),
        OUT("1 S0 D", "16256 S0 D"));
}

static void holds_repeat_the_outer_coordinate(void **state) {
    const char *n = "type=crdhold outer=i inner=j";
    RUN(n, IN("3 4 5 S0 D", "0 1 S0 S0 2 S1 D"), OUT("3 3 S0 S0 5 S1 D", "0 1 S0 S0 2 S1 D"));
    RUN(n, IN("S0 7 S1 D", "S1/1 0 S2 D"), OUT("S1/1 7 S2 D", "S1/1 0 S2 D"));
}

static void vector_reducers_add_up_fibers_of_coordinates(void **state) {
    const char *n = "type=vectorreducer";
    RUN(n, IN("0 2 S0 1 2 S1 D", "1 2 S0 3 4 S1 D"), OUT("0 1 2 S0 D", "1 3 6 S0 D"));
    RUN(n, IN("5 S0 S0 4 S2 D", "1 S0 S0 2 S2 D"), OUT("4 5 S1 D", "2 1 S1 D"));
    RUN(n, IN("S1 3 S1 D", "S1 N S1 D"), OUT("S0 3 S0 D", "S0 0 S0 D"));
    RUN(n, IN("S1/1 S2/2 D", "S1/1 S2/2 D"), OUT("S0 S1/1 D", "S0 S1/1 D"));
    RUN("type=vectorreducer op=max", IN("0 2 S0 0 2 S1 D", "1 0xfffe S0 3 0xffff S1 D"),
        OUT("0 2 S0 D", "3 65535 S0 D"));
    RUN("type=vectorreducer fp=true", IN("1 S0 1 S1 D", "0x3f80 S0 0x3f80 S1 D"),
        OUT("1 S0 D", "16384 S0 D"));
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void expect_refusal(fixture *f, unit_run r, const char *message) {
    sam_graph g;
    sim_machine m;
    build(f, r, &compressed, &g, &m);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FAILED);
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].message, message);
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0231-stream");
}

static void streams_that_do_not_fit_are_refused(void **state) {
    expect_refusal(*state, (unit_run){"type=mul", IN("1 S0 D", "S0 D")},
                   "mul (node n) in cycle 1: a value meets the end of a fiber (at its inputs: 1, S0)");
    expect_refusal(*state, (unit_run){"type=mul", IN("S0 D", "S1 D")},
                   "mul (node n) in cycle 1: the operands' fibers differ (at its inputs: S0, S1)");
    expect_refusal(
        *state, (unit_run){"type=union", IN("S0 D", "S0 D", "S1 D", "S1 D")},
        "union (node n) in cycle 1: the operands' fibers end differently (at its inputs: S0, S0, S1, S1)");
    expect_refusal(*state, (unit_run){"type=intersect", IN("1 D", "S0 D", "1 D", "1 D")},
                   "intersect (node n) in cycle 1: coordinates and references of an operand are not in step "
                   "(at its inputs: 1, S0, 1, 1)");
    expect_refusal(
        *state, (unit_run){"type=repeat", IN("D", "R D")},
        "repeat :  (node n) in cycle 1: a repeat signal, but no reference to repeat (at its inputs: -, 0)");
    expect_refusal(
        *state, (unit_run){"type=repeat", IN("1 D", "D")},
        "repeat :  (node n) in cycle 1: one input is done, the other is not (at its inputs: D, D)");
    expect_refusal(
        *state, (unit_run){"type=fiberlookup tensor=B mode=0 format=compressed", IN("1 D")},
        "fiberlookup : B0 (node n) in cycle 1: the reference is beyond the last fiber (at its inputs: 1)");
    expect_refusal(
        *state, (unit_run){"type=arrayvals tensor=B", IN("3 D")},
        "arrayvals B (node n) in cycle 1: the reference is beyond the last value (at its inputs: 3)");
    expect_refusal(*state, (unit_run){"type=crddrop outer=i inner=j", IN("1 S0 D", "S0 D")},
                   "crddrop i,j (node n) in cycle 2: the outer fiber ends where the inner one does not "
                   "(at its inputs: S0, D)");
    expect_refusal(*state, (unit_run){"type=crddrop outer=i inner=j", IN("1 2 S0 D", "1 S1 D")},
                   "crddrop i,j (node n) in cycle 3: the inner stream has no fiber for this outer coordinate "
                   "(at its inputs: 2, D)");
    expect_refusal(*state, (unit_run){"type=crdhold outer=i inner=j", IN("S0 D", "S2 D")},
                   "crdhold i,j (node n) in cycle 1: the outer fiber is empty, the inner one is not "
                   "(at its inputs: S0, S2)");
    expect_refusal(
        *state, (unit_run){"type=crddrop outer=i inner=val mode=0", IN("1 D", "S0 D")},
        "crddrop i,val (node n) in cycle 1: coordinates and values are not in step (at its inputs: 1, S0)");
    expect_refusal(
        *state, (unit_run){"type=vectorreducer", IN("1 D", "S0 D")},
        "vectorreducer (node n) in cycle 1: coordinates and values are not in step (at its inputs: 1, S0)");
    expect_refusal(
        *state, (unit_run){"type=fiberwrite tensor=x mode=0", IN("N D")},
        "fiberwrite : x0 (node n) in cycle 1: nothing where a coordinate is expected (at its inputs: N)");
}

static void a_run_that_stops_says_who_waits_for_whom(void **state) {
    fixture *f = *state;
    const char *text = "digraph { w [type=fiberwrite tensor=x mode=vals] r [type=reduce] m [type=mul]\n"
                       " a [type=reduce] b [type=reduce] a -> m [type=val] b -> m [type=val]\n"
                       " m -> r [type=val] r -> w [type=val] }";
    sam_graph g;
    sim_machine m = {.g = &g, .mem = &f->mem, .d = &f->diag};
    sim_token tokens[8];
    assert_true(sam_parse("stuck.gv", text, strlen(text), &f->names, &f->diag, &g));
    assert_true(sim_build(&m, NULL));
    sim_feed(&m, (sam_node){3}, 0, tokens, read_tokens("1 2", tokens));
    sim_feed(&m, (sam_node){3}, 1, tokens, read_tokens("1", tokens));
    assert_int_equal(sim_run(&m, 0), SIM_RUN_STUCK);
    sim_report_stuck(&m);
    assert_string_equal(
        fixture_printed(f),
        "stuck.gv:1:11: error: nothing moves after 3 cycles, fiberwrite vals x (node w) is not done "
        "[E0230-deadlock]\n"
        "    digraph { w [type=fiberwrite tensor=x mode=vals] r [type=reduce] m [type=mul]\n"
        "              ^\n"
        "    help: a stream ends early or a primitive's inputs do not belong together\n"
        "stuck.gv:1:11: note: fiberwrite vals x (node w) waits for reduce (node r): input 0 is empty\n"
        "    digraph { w [type=fiberwrite tensor=x mode=vals] r [type=reduce] m [type=mul]\n"
        "              ^\n"
        "stuck.gv:1:50: note: reduce (node r) waits for mul (node m): input 0 is empty\n"
        "    digraph { w [type=fiberwrite tensor=x mode=vals] r [type=reduce] m [type=mul]\n"
        "                                                     ^\n"
        "stuck.gv:1:66: note: mul (node m) waits for reduce (node b): input 1 is empty, input 0 holds 1 "
        "token, "
        "next 2\n"
        "    digraph { w [type=fiberwrite tensor=x mode=vals] r [type=reduce] m [type=mul]\n"
        "                                                                     ^\n");
}

static void queues_grow_and_keep_their_order(void **state) {
    fixture *f = *state;
    sim_queue *q = sim_new_queue(&f->mem);
    uint32_t in = 0, out = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3 * round; i++)
            sim_push(&f->mem, q, in++);
        for (int i = 0; i < 2 * round; i++)
            assert_int_equal(sim_pop(q), out++);
    }
    while (sim_has(q))
        assert_int_equal(sim_pop(q), out++);
    assert_int_equal(in, out);
}

RUN_TESTS(TEST(scanners_emit_fibers_and_close_them),
          TEST(scanners_mark_stops_of_fibers_that_were_never_opened), TEST(arrays_load_values_and_zeros),
          TEST(signals_and_repeats), TEST(intersecters_keep_what_all_operands_have),
          TEST(unions_keep_what_any_operand_has), TEST(operations_wrap_around),
          TEST(bfloat16_rounds_to_nearest_even), TEST(reducers_add_up_fibers_and_make_zeros_of_empty_ones),
          TEST(droppers_remove_coordinates_of_empty_fibers), TEST(droppers_remove_zero_values),
          TEST(holds_repeat_the_outer_coordinate), TEST(vector_reducers_add_up_fibers_of_coordinates),
          TEST(streams_that_do_not_fit_are_refused), TEST(a_run_that_stops_says_who_waits_for_whom),
          TEST(queues_grow_and_keep_their_order))
