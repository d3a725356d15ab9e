#include "lower_onyx/lower_int.h"
#include "tests/lower_onyx/ir_cases.h"

static void sums_are_no_references(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(f, "onyx-ir 1\nnode read_scanner b.read tile=b lookup=1\nnode reduce sum\n"
                                 "node read_scanner a.read tile=a lookup=1\n"
                                 "link b.read.val_out -> sum.data_in" STREAM
                                 "link sum.data_out -> a.read.us_pos_in" STREAM);
    assert_false(lower_check(g, &f->diag));
    assert_string_equal(message_with_code(f, "E0420-neighbour")->message,
                        "sum.data_out must not drive a.read.us_pos_in: it carries values");
}

static void a_value_memory_is_no_root(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(f, "onyx-ir 1\nnode read_scanner a.read tile=a lookup=1 root=1\n");
    assert_false(lower_check(g, &f->diag));
    assert_string_equal(message_with_code(f, "E0431-root-lookup")->message,
                        "a.read looks values up and is a root: the chip never answers");
}

/* Shares of a stream and chains of read-outs belong to scanners: for another kind only this error is
 * reported. */
static void no_other_kind_has_shares(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(
        f,
        "onyx-ir 1\nnode glb_in in_B0 tensor=B level=0 blocks=1\n"
        "node write_scanner B0.write tile=B0 block_mode=1 compressed=1\nnode read_scanner B0.read tile=B0\n"
        "node joiner join joiner_op=1\nnode repeat again\n"
        "link in_B0.data -> B0.write.block_wr_in" STREAM "link in_B0.data -> join.coord_in_1" STREAM
        "link again.ref_data_out -> B0.read.chain_in" STREAM);
    const char *wrong[] = {"in_B0.data must not drive join.coord_in_1", "again.ref_data_out must not drive"};
    uint32_t found = 0;
    assert_false(lower_check(g, &f->diag));
    for (uint32_t i = 0; i < f->diag.list.len; i++) {
        const diagnostic *m = &f->diag.list.at[i];
        if (found < 2 && strncmp(m->message, wrong[found], strlen(wrong[found])) == 0)
            found++;
        assert_string_not_equal(m->code, "E0422-fan-out");
    }
    assert_int_equal(found, 2);
}

static void values_and_references_are_kept_apart(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(
        f, "onyx-ir 1\nnode alu mul op=mul\nnode repeat repeat_B_i\nnode alu add op=add\n"
           "node joiner union_i joiner_op=1\nnode repeat repeat_C_j\n"
           "link mul.res -> union_i.pos_in_0" STREAM "link repeat_B_i.ref_data_out -> union_i.pos_in_1" STREAM
           "link union_i.pos_out_0 -> add.data0" STREAM
           "link union_i.pos_out_0 -> repeat_C_j.proc_data_in" STREAM
           "link union_i.pos_out_1 -> add.data1" STREAM);
    assert_false(lower_check(g, &f->diag));
    const char *wrong[] = {
        "union_i.pos_out_0 must not drive repeat_C_j.proc_data_in: it carries values",
        "union_i.pos_out_1 must not drive add.data1: it carries references",
    };
    uint32_t found = 0;
    for (uint32_t i = 0; i < f->diag.list.len; i++) {
        const diagnostic *m = &f->diag.list.at[i];
        if (strcmp(m->code, "E0420-neighbour") == 0)
            assert_string_equal(m->message, wrong[found++]);
    }
    assert_int_equal(found, 2);
}

/* The wires of a bundle, as the text form has them. */
static const char *wires_of(fixture *f, const onyx_rule *r, uint32_t wider) {
    const char *text = "";
    for (uint32_t i = 0; i < onyx_wire_count; i++) {
        const onyx_wire_info *w = &onyx_wire_table[i];
        if (w->bundle == r->bundle)
            text = arena_printf(&f->mem, "%s %s[%u]%c", text, onyx_signal_name[w->signal],
                                w->width + (*text ? wider : 0), w->backward ? '<' : '>');
    }
    return text;
}

static bool has_message(fixture *f, const char *code) {
    const diagnostic *m = message_with_code(f, code);
    return m != NULL && m->hint != NULL;
}

static const char *node_of(fixture *f, const onyx_port_info *port, const char *name) {
    const bool stream = port->kind == ONYX_GLB_IN || port->kind == ONYX_GLB_OUT;
    return arena_printf(&f->mem, "node %s %s tile=x%s\n", onyx_kind_table[port->kind].name, name,
                        stream                   ? " tensor=B level=0 blocks=1"
                        : port->kind == ONYX_ALU ? " op=add"
                                                 : "");
}

/* A graph of two links by one rule, from one node to two: the rule says whether a port may have two sinks,
 * and the bundle says the wires, each of which counts. */
static void each_rule_counts_sinks_and_wires(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < 2 * onyx_rule_count; i++) {
        const onyx_rule *r = &onyx_rule_table[i / 2];
        const onyx_port_info *from = &onyx_port_table[r->source], *to = &onyx_port_table[r->sink];
        const char *right = wires_of(f, r, 0), *wires = wires_of(f, r, i % 2);
        clear_diagnostics(f);
        lower_check(
            parsed_ir(f, arena_printf(&f->mem, "onyx-ir 1\n%s%s%slink a.%s -> b.%s%s\nlink a.%s -> c.%s%s\n",
                                      node_of(f, from, "a"), node_of(f, to, "b"), node_of(f, to, "c"),
                                      from->name, to->name, wires, from->name, to->name, wires)),
            &f->diag);
        if (has_message(f, "E0422-fan-out") != !r->many ||
            has_message(f, "E0421-bundle") != (strcmp(wires, right) != 0))
            fail_msg("rule %u, wires %s: %s", i / 2, wires, fixture_printed(f));
    }
}

/* Two write scanners of one stream take the same blocks of a tree or others, and agree on their number. */
static void shares_of_a_stream_are_equal_or_apart(void **state) {
    fixture *f = *state;
    for (uint32_t n = 0; n < 3 * 3 * 2 * 3 * 3 * 2; n++) {
        const uint32_t before[] = {n % 3, n / 18 % 3}, behind[] = {n / 3 % 3, n / 54 % 3},
                       lowest[] = {n / 9 % 2, n / 162 % 2};
        uint32_t taken[2], all[2];
        for (int k = 0; k < 2; k++) {
            const uint32_t own = lowest[k] ? 1 : 2;
            taken[k] = ((1u << own) - 1) << before[k];
            all[k] = before[k] + own + behind[k];
        }
        const bool fits = all[0] == all[1] && (taken[0] == taken[1] || !(taken[0] & taken[1]));
        const char *text = "onyx-ir 1\nnode glb_in in tensor=B level=0 blocks=1\n";
        for (int k = 0; k < 2; k++)
            text = arena_printf(
                &f->mem,
                "%snode write_scanner w%d tile=t%d block_mode=1 lowest_level=%u before=%u behind=%u\n"
                "link in.data -> w%d.block_wr_in" STREAM,
                text, k, k, lowest[k], before[k], behind[k], k);
        clear_diagnostics(f);
        lower_check(parsed_ir(f, text), &f->diag);
        if (has_message(f, "E0422-fan-out") == fits)
            fail_msg("%s%s", text, fixture_printed(f));
    }
}

/* A read-out lets pass as many blocks as the read-outs before give. */
static void a_chain_passes_all_blocks(void **state) {
    fixture *f = *state;
    for (uint32_t n = 0; n < 3 * 2 * 6; n++) {
        const uint32_t first = n % 3, lookup = n / 3 % 2, second = n / 6;
        clear_diagnostics(f);
        lower_check(parsed_ir(f, arena_printf(
                                     &f->mem,
                                     "onyx-ir 1\nnode read_scanner a tile=a block_mode=1 lookup=%u ahead=%u\n"
                                     "node read_scanner b tile=b block_mode=1 ahead=%u\n"
                                     "link a.block_rd_out -> b.chain_in" STREAM,
                                     lookup, first, second)),
                    &f->diag);
        if (has_message(f, "E0422-fan-out") == (second == first + 2 - lookup))
            fail_msg("%u %u %u: %s", first, lookup, second, fixture_printed(f));
    }
}

/* A vector reducer's outputs, through a joiner's reference port, to an adder, which takes values alone. */
static void outputs_of_reducers_are_coordinates_or_values(void **state) {
    fixture *f = *state;
    static const char *const ports[] = {"val_out", "coord_out"};
    for (int values = 0; values < 2; values++) {
        clear_diagnostics(f);
        lower_check(parsed_ir(f, arena_printf(&f->mem,
                                              "onyx-ir 1\nnode vector_reducer v\nnode joiner u joiner_op=1\n"
                                              "node alu add op=add\nlink v.%s -> u.pos_in_0" STREAM
                                              "link u.pos_out_0 -> add.data0" STREAM,
                                              ports[!values])),
                    &f->diag);
        bool refused = false;
        for (uint32_t i = 0; i < f->diag.list.len; i++)
            refused = refused || strstr(f->diag.list.at[i].message, "must not drive add.data0: it carries");
        assert_int_equal(refused, !values);
    }
}

/* What was wrong before the check does not count. */
static void earlier_faults_are_not_the_graphs(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(f, identity(f));
    diag_error(&f->diag, (src_loc){0}, "E0420-neighbour", "before");
    diag_unmappable(&f->diag, (src_loc){0}, "E0428-empty-token", "before");
    assert_true(lower_check(g, &f->diag));
}

static void syntax_errors_are_located(void **state) {
    fixture *f = *state;
    const struct {
        const char *text, *printed;
    } cases[] = {
        {"graph\n", "test.onyx:1:1: error: expected \"onyx-ir 1\", found \"graph\" [E0430-ir-syntax]"},
        {"", "test.onyx:1:1: error: expected \"onyx-ir 1\", found \"\" [E0430-ir-syntax]"},
        {"onyx-ir 1\nnode mixer a\n",
         "test.onyx:2:6: error: expected a kind of node, found \"mixer\" [E0430-ir-syntax]"},
        {"onyx-ir 1\nnode rsg a\nnode rsg a\n",
         "test.onyx:3:10: error: expected a name no other node has, found \"a\" [E0430-ir-syntax]"},
        {"onyx-ir 1\nnode repeat a root=2\n", "test.onyx:2:15: error: expected a setting of this kind of "
                                              "node with a value that fits, found \"root=2\" "
                                              "[E0430-ir-syntax]"},
        {"onyx-ir 1\nnode alu a op=div\n", "test.onyx:2:12: error: expected a setting of this kind of node "
                                           "with a value that fits, found \"op=div\" "
                                           "[E0430-ir-syntax]"},
        {"onyx-ir 1\nnode rsg a\nlink a.out -> a.base_data_in\n",
         "test.onyx:3:6: error: expected an output port of that node, found \"a.out\" [E0430-ir-syntax]"},
        {"onyx-ir 1\nnode rsg a\nlink a.repsig_data_out -> b.x\n",
         "test.onyx:3:27: error: expected a node declared above, found \"b.x\" [E0430-ir-syntax]"},
        {"onyx-ir 1\nnode rsg a\nlink a.repsig_data_out -> a.base_data_in data[x]>\n",
         "test.onyx:3:42: error: expected a wire such as data[17]> or ready[1]<, found \"data[x]>\" "
         "[E0430-ir-syntax]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        onyx_graph *g;
        assert_false(lower_parse("test.onyx", cases[i].text, strlen(cases[i].text), &f->names, &f->diag, &g));
        char *printed = fixture_printed(f);
        printed[strcspn(printed, "\n")] = '\0';
        assert_string_equal(printed, cases[i].printed);
    }
}

/* Every prefix of a legal text parses or fails with a message, never worse. */
static void truncated_texts_are_survived(void **state) {
    fixture *f = *state;
    char *text = identity(f);
    size_t length = strlen(text);
    for (size_t n = 0; n < length; n += 7) {
        diagnostics fresh;
        diag_init(&fresh, &f->mem);
        onyx_graph *g;
        bool good = lower_parse("cut.onyx", text, n, &f->names, &fresh, &g);
        assert_int_equal(good, !diag_failed(&fresh));
    }
}

/* neighbours.def: outputs drive inputs, no pair occurs twice, every port has a neighbour except the address
 * of a positional write, which the chip gets wrong out of order; links of a port are all inside a tile or all
 * between tiles. */
static void tables_are_consistent(void **state) {
    (void)state;
    bool used[ONYX_PORTS] = {false};
    for (uint32_t i = 0; i < onyx_rule_count; i++) {
        const onyx_rule *r = &onyx_rule_table[i];
        const onyx_port_info *source = &onyx_port_table[r->source], *sink = &onyx_port_table[r->sink];
        assert_true(source->output && !sink->output);
        assert_int_equal(source->tile_port == ONYX_INSIDE, sink->tile_port == ONYX_INSIDE);
        assert_ptr_equal(onyx_rule_find(r->source, r->sink), r);
        used[r->source] = used[r->sink] = true;
    }
    for (uint32_t p = 1; p < ONYX_PORTS; p++) {
        assert_true(used[p] != (p == ONYX_PORT_WRITE_SCANNER_ADDR_IN));
        const onyx_port_info *port = &onyx_port_table[p];
        const net_mode_info *mode = &net_mode_table[onyx_kind_table[port->kind].mode];
        if (port->tile_port != ONYX_INSIDE)
            assert_non_null(port->output ? mode->port_out[port->tile_port] : mode->port_in[port->tile_port]);
    }
}

TEST_PART(ir_rules, TEST(tables_are_consistent), TEST(sums_are_no_references),
          TEST(a_value_memory_is_no_root), TEST(no_other_kind_has_shares),
          TEST(values_and_references_are_kept_apart), TEST(each_rule_counts_sinks_and_wires),
          TEST(shares_of_a_stream_are_equal_or_apart), TEST(a_chain_passes_all_blocks),
          TEST(outputs_of_reducers_are_coordinates_or_values), TEST(earlier_faults_are_not_the_graphs),
          TEST(syntax_errors_are_located), TEST(truncated_texts_are_survived))
