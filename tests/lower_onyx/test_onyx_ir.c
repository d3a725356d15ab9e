/* The Onyx-aware IR: its text form, and the findings of lower_check in graphs with a single fault. */
#include "lower_onyx/lower_int.h"
#include "tests/lower_onyx/ir_cases.h"

static void parse_of_dump_is_the_same(void **state) {
    fixture *f = *state;
    char *text = identity(f);
    assert_string_equal(dumped(f, parsed_ir(f, text)), text);
}

static void legal_graph_passes(void **state) {
    fixture *f = *state;
    assert_true(lower_check(parsed_ir(f, identity(f)), &f->diag));
    assert_int_equal(f->diag.list.len, 0);
}

static void comments_and_blank_lines_are_skipped(void **state) {
    fixture *f = *state;
    char *text = identity(f);
    char *other = replaced(f, text, "onyx-ir 1\n", "# a graph\n\nonyx-ir 1\r\n  # more\n");
    assert_string_equal(dumped(f, parsed_ir(f, other)), text);
}

/* An edit of the legal graph, and the expected first message. */
typedef struct {
    const char *old, *new, *message;
} edit;

static void expect_violation(fixture *f, const edit *e) {
    clear_diagnostics(f);
    onyx_graph *g = parsed_ir(f, replaced(f, identity(f), e->old, e->new));
    assert_false(lower_check(g, &f->diag));
    assert_string_equal(first_message(f), e->message);
}

static void violations_name_ports_and_rule(void **state) {
    fixture *f = *state;
    const edit edits[] = {
        {"link B0.read.coord_out -> X0.write.data_in" STREAM,
         "link B0.read.coord_out -> B_vals.buffet.wr_data" STREAM,
         "E0420-neighbour: B0.read.coord_out must not drive B_vals.buffet.wr_data: no rule links "
         "read_scanner.coord_out to buffet.wr_data | read_scanner.coord_out may drive: joiner.coord_in_0, "
         "joiner.coord_in_1, region_joiner.coord_in_0, region_joiner.coord_in_1, "
         "crddrop.coord_in_0, crddrop.coord_in_1, crdhold.coord_in_0, crdhold.coord_in_1, "
         "gate.crd_in, rsg.base_data_in, vector_reducer.coord_in, vector_reducer.outer_in, "
         "read_scanner.skip_in, "
         "write_scanner.data_in, "
         "read_scanner.us_pos_in, joiner.pos_in_0, joiner.pos_in_1, region_joiner.pos_in_0, "
         "region_joiner.pos_in_1, repeat.proc_data_in"},
        {"link B_vals.read.val_out -> X_vals.write.data_in" STREAM,
         "link B_vals.read.val_out -> X_vals.write.data_in data[16]> valid[1]>\n",
         "E0421-bundle: B_vals.read.val_out -> X_vals.write.data_in has data[16]> valid[1]>, but the link "
         "consists "
         "of data[17]> valid[1]> ready[1]< | rule: a value stream drives arithmetic, reducers, the inner "
         "side of "
         "droppers and holds, and value writers"},
        {"link B0.read.coord_out -> X0.write.data_in" STREAM,
         "link B0.read.coord_out -> X0.write.data_in data[17]> valid[1]> ready[1]>\n",
         "E0421-bundle: B0.read.coord_out -> X0.write.data_in has data[17]> valid[1]> ready[1]>, but the "
         "link "
         "consists of data[17]> valid[1]> ready[1]< | rule: a coordinate stream drives joiners, droppers, "
         "holds, gates, "
         "repeat signal generators, vector reducers and level writers; on onyx-ext scanners that skip"},
        {"link in_B_vals.data -> B_vals.write.block_wr_in" STREAM,
         "link in_B0.data -> B_vals.write.block_wr_in" STREAM,
         "E0422-fan-out: in_B0.data drives B0.write.block_wr_in and B_vals.write.block_wr_in, which do not "
         "take its blocks in turn | before + own blocks + behind is the same for all scanners of a stream"},
        {"link B_vals.read.val_out -> X_vals.write.data_in" STREAM,
         "link B_vals.read.val_out -> X_vals.write.data_in" STREAM
         "link B0.read.coord_out -> X_vals.write.data_in" STREAM,
         "E0423-two-drivers: X_vals.write.data_in is driven by B_vals.read.val_out and by B0.read.coord_out "
         "| an "
         "input has exactly one driver"},
        {"link B0.sram.output_width_1_num_1 -> B0.buffet.valid_from_mem data[1]>\n", "",
         "E0424-open-port: B0.buffet.valid_from_mem (the read data is there) is not linked | it may be "
         "linked from: "
         "sram.output_width_1_num_1"},
        {"link in_B0.data -> B0.write.block_wr_in" STREAM, "",
         "E0424-open-port: in_B0.data (per block its length, then its words) is not linked | it may be "
         "linked to: "
         "write_scanner.block_wr_in"},
        {"node read_scanner B_vals.read tile=B_vals lookup=1",
         "node read_scanner B_vals.read tile=B_vals lookup=1 root=1",
         "E0425-dead-port: B_vals.read.us_pos_in is linked, but B_vals.read with these settings does not use "
         "it | "
         "the port is live only when: !root !block_mode"},
        {"node sram B0.sram tile=B0", "node sram B0.sram tile=elsewhere",
         "E0426-tile: B0.buffet.data_to_mem is in tile B0, but B0.sram.input_width_16_num_0 is in tile "
         "elsewhere | "
         "rule: a buffet owns exactly one SRAM, and every wire between them is used once"},
        {"node write_scanner X_vals.write tile=X_vals compressed=1 lowest_level=1",
         "node write_scanner X_vals.write tile=X_vals lowest_level=1",
         "E0424-open-port: X_vals.write.addr_in (positions of the values) is not linked | it may be linked "
         "from: "
         "nothing"},
        {"node glb_out out_X0 tensor", "node glb_out out_X0 tile=in_B0 tensor",
         "E0426-tile: in_B0 (glb_in) and out_X0 (glb_out) cannot share tile in_B0 | a PE or IO tile holds "
         "one "
         "primitive; a memory tile one write scanner, buffet, read scanner and SRAM"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        expect_violation(f, &edits[i]);
}

static void a_cycle_is_found(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(f, "onyx-ir 1\nnode alu add op=add\nnode reduce sum\n"
                                 "link add.res -> sum.data_in" STREAM "link sum.data_out -> add.data0" STREAM
                                 "link sum.data_out -> add.data1" STREAM);
    assert_false(lower_check(g, &f->diag));
    assert_string_equal(first_message(f), "E0427-cycle: add waits, directly or not, for its own output | the "
                                          "streams of a dataflow graph must not form a cycle");
}

static void empty_tokens_must_not_reach_an_intersecter(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(f, "onyx-ir 1\nnode joiner union_i joiner_op=1\nnode repeat repeat_B_j\n"
                                 "node joiner intersect_i\nnode joiner union_k joiner_op=1\n"
                                 "link union_i.pos_out_0 -> repeat_B_j.proc_data_in" STREAM
                                 "link union_i.pos_out_1 -> union_k.pos_in_0" STREAM
                                 "link repeat_B_j.ref_data_out -> intersect_i.pos_in_1" STREAM);
    assert_false(lower_check(g, &f->diag));
    const diagnostic *m = message_with_code(f, "E0428-empty-token");
    assert_non_null(m);
    assert_int_equal(m->kind, DIAG_UNMAPPABLE);
    assert_string_equal(m->message, "intersect_i.pos_in_1 may receive the empty token from "
                                    "repeat_B_j.ref_data_out, which the chip's joiner mistakes");
    assert_int_equal(f->diag.unmappable, 1);
}

/* The empty token of a union ends a fiber at an intersecter, and hangs a reducer; the others pass the token.
 */
static void empty_tokens_are_taken_by_few(void **state) {
    fixture *f = *state;
    static const struct {
        const char *node, *port;
        bool mistakes;
    } sinks[] = {{"reduce", "data_in", true},
                 {"joiner", "pos_in_0", true},
                 {"joiner", "pos_in_1", true},
                 {"repeat", "proc_data_in", false}};
    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++) {
        for (uint32_t side = 0; side < 2; side++) {
            clear_diagnostics(f);
            onyx_graph *g = parsed_ir(f, arena_printf(&f->mem,
                                                      "onyx-ir 1\nnode joiner union_i joiner_op=1\n"
                                                      "node %s n\nlink union_i.pos_out_%u -> n.%s" STREAM,
                                                      sinks[i].node, side, sinks[i].port));
            assert_false(lower_check(g, &f->diag));
            if ((message_with_code(f, "E0428-empty-token") != NULL) != sinks[i].mistakes)
                fail_msg("%s.%s, side %u", sinks[i].node, sinks[i].port, side);
        }
    }
}

/* A joiner by regions has the empty token for operand 1 where operand 0 alone counts (1), and for operand 0
 * where operand 1 alone counts (2); or passes a token on. */
static void empty_tokens_of_regions_are_those_of_the_other_side(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < 8 * 2 * 2; i++) {
        const uint32_t regions = i % 8, side = i / 8 % 2, before = i / 16;
        const char *from = before ? arena_printf(&f->mem,
                                                 "node joiner union_i joiner_op=1\n"
                                                 "link union_i.pos_out_0 -> r.pos_in_%u" STREAM,
                                                 side)
                                  : "";
        clear_diagnostics(f);
        onyx_graph *g =
            parsed_ir(f, arena_printf(&f->mem,
                                      "onyx-ir 1\nnode region_joiner r regions=%u\nnode joiner intersect_k\n"
                                      "node rsg rsg_k\nlink r.coord_out -> rsg_k.base_data_in" STREAM
                                      "link r.pos_out_%u -> intersect_k.pos_in_0" STREAM "%s",
                                      regions, side, from));
        assert_false(lower_check(g, &f->diag));
        const bool empty = before || (regions & (side ? 1 : 2));
        if ((message_with_code(f, "E0428-empty-token") != NULL) != empty)
            fail_msg("regions %u, side %u, before %u", regions, side, before);
        assert_null(message_with_code(f, "E0429-lost-stop")); /* coordinates keep their stops */
    }
}

/* b(i,j,k) and d(i) united along i. `b`, `d`, `b1`: settings of the scanners of b's level i, of d and of b's
 * level j; `last`: what is inside of level j. */
static onyx_graph *united(fixture *f, const char *b, const char *d, const char *b1, const char *last) {
    return parsed_ir(f, arena_printf(&f->mem,
                                     "onyx-ir 1\nnode read_scanner b.read tile=b root=1 %s\n"
                                     "node read_scanner d.read tile=d root=1 %s\n"
                                     "node joiner union_i joiner_op=1\nnode read_scanner b1.read tile=b1 %s\n"
                                     "link b.read.coord_out -> union_i.coord_in_0" STREAM
                                     "link b.read.pos_out -> union_i.pos_in_0" STREAM
                                     "link d.read.coord_out -> union_i.coord_in_1" STREAM
                                     "link d.read.pos_out -> union_i.pos_in_1" STREAM
                                     "link union_i.pos_out_0 -> b1.read.us_pos_in" STREAM "%s",
                                     b, d, b1, last));
}

/* Inside a loop that is empty without an operand, at any depth, nothing dense is scanned. */
static void dense_levels_meet_no_stop_behind_a_stop(void **state) {
    fixture *f = *state;
    static const char dense[] = "node read_scanner b2.read tile=b2 dense=1 dim_size=4\n"
                                "link b1.read.pos_out -> b2.read.us_pos_in" STREAM;
    static const char deep[] =
        "node read_scanner b2.read tile=b2\nnode read_scanner b3.read tile=b3 dense=1 dim_size=4\n"
        "link b1.read.pos_out -> b2.read.us_pos_in" STREAM "link b2.read.pos_out -> b3.read.us_pos_in" STREAM;
    static const char repeated[] =
        "node rsg rsg_j\nnode repeat repeat_c_j root=1\nnode read_scanner c.read tile=c dense=1 dim_size=4\n"
        "link b1.read.coord_out -> rsg_j.base_data_in" STREAM
        "link rsg_j.repsig_data_out -> repeat_c_j.repsig_data_in" STREAM
        "link repeat_c_j.ref_data_out -> c.read.us_pos_in" STREAM;
    const struct {
        const char *b, *d, *b1, *last, *refused;
    } cases[] = {
        {"", "", "", dense, "b2.read"},
        {"", "", "", deep, "b3.read"},
        {"", "", "", repeated, "c.read"},
        {"", "", "whole=1", dense, "b2.read"},
        {"", "", "dense=1 dim_size=4", dense, NULL}, /* the empty token passes dense levels */
        {"dense=1 dim_size=4", "", "", dense, NULL}, /* b lacks nothing */
        {"whole=1", "", "", deep, NULL},             /* nor here */
        {"", "dense=1 dim_size=4", "", deep, "b3.read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        onyx_graph *g = united(f, cases[i].b, cases[i].d, cases[i].b1, cases[i].last);
        assert_false(lower_check(g, &f->diag)); /* its memories are open */
        const diagnostic *m = message_with_code(f, "E0432-dense-stop");
        assert_int_equal(m != NULL, cases[i].refused != NULL);
        if (m == NULL)
            continue;
        assert_int_equal(m->kind, DIAG_UNMAPPABLE);
        assert_int_equal(strncmp(m->message, cases[i].refused, strlen(cases[i].refused)), 0);
    }
}

/* The empty token forwarded by a dense scanner is neither a coordinate nor a signal. */
static void empty_tokens_are_no_coordinates(void **state) {
    fixture *f = *state;
    const struct {
        const char *last, *sink;
    } cases[] = {
        {"node rsg rsg_j\nlink b1.read.coord_out -> rsg_j.base_data_in" STREAM, "rsg_j.base_data_in"},
        {"node joiner join_j joiner_op=1\nlink b1.read.coord_out -> join_j.coord_in_0" STREAM,
         "join_j.coord_in_0"},
        {"node crddrop drop\nlink b1.read.coord_out -> drop.coord_in_1" STREAM, "drop.coord_in_1"},
        {"node write_scanner X1.write tile=X1 compressed=1\nlink b1.read.coord_out -> "
         "X1.write.data_in" STREAM,
         "X1.write.data_in"},
        {"node read_scanner v.read tile=v lookup=1\nlink b1.read.pos_out -> v.read.us_pos_in" STREAM, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int absent = 0; absent < 2; absent++) {
            clear_diagnostics(f);
            onyx_graph *g = united(f, absent ? "" : "whole=1", "", "dense=1 dim_size=4", cases[i].last);
            assert_false(lower_check(g, &f->diag));
            const diagnostic *m = message_with_code(f, "E0428-empty-token");
            assert_int_equal(m != NULL, absent && cases[i].sink != NULL);
            if (m != NULL)
                assert_int_equal(strncmp(m->message, cases[i].sink, strlen(cases[i].sink)), 0);
        }
    }
}

/* At each i either b(i,j) or d(i,j) has a row: the union of both along j is not empty. */
static void one_of_two_is_there(void **state) {
    fixture *f = *state;
    static const char both[] =
        "node read_scanner d1.read tile=d1\nnode joiner join_j joiner_op=%d\n"
        "node read_scanner b2.read tile=b2 dense=1 dim_size=4\n"
        "link union_i.pos_out_1 -> d1.read.us_pos_in" STREAM
        "link b1.read.coord_out -> join_j.coord_in_0" STREAM "link b1.read.pos_out -> join_j.pos_in_0" STREAM
        "link d1.read.coord_out -> join_j.coord_in_1" STREAM "link d1.read.pos_out -> join_j.pos_in_1" STREAM
        "link join_j.pos_out_0 -> b2.read.us_pos_in" STREAM;
    for (int unites = 0; unites < 2; unites++) {
        clear_diagnostics(f);
        onyx_graph *g = united(f, "", "", "", arena_printf(&f->mem, both, unites));
        assert_false(lower_check(g, &f->diag));
        assert_int_equal(message_with_code(f, "E0432-dense-stop") != NULL, !unites);
    }
}

static void stops_lost_by_a_dropper_are_not_counted(void **state) {
    fixture *f = *state;
    onyx_graph *g = parsed_ir(
        f, "onyx-ir 1\nnode crddrop drop cmrg_enable=1\nnode reduce sum\nnode alu mul op=mul\n"
           "node crddrop next\n"
           "link drop.coord_out_0 -> sum.data_in" STREAM "link drop.coord_out_1 -> next.coord_in_0" STREAM
           "link sum.data_out -> mul.data1" STREAM);
    assert_false(lower_check(g, &f->diag));
    const diagnostic *m = message_with_code(f, "E0429-lost-stop");
    assert_non_null(m);
    assert_string_equal(m->message,
                        "mul.data1 needs every stop, but sum.data_out comes from a coordinate dropper, "
                        "which loses the stops of dropped fibers");
    assert_int_equal(f->diag.unmappable, 1);
}

/* The result of an operation is a reference only for a stream less itself, which is 0. */
static void only_zeros_are_references(void **state) {
    fixture *f = *state;
    static const char *const operations[] = {"add", "sub"};
    for (int i = 0; i < 2; i++) {
        diag_init(&f->diag, &f->mem);
        onyx_graph *g = parsed_ir(
            f, arena_printf(
                   &f->mem,
                   "onyx-ir 1\nnode crdhold hold\nnode alu zero op=%s\nnode read_scanner B0.read tile=B0\n"
                   "link hold.coord_out_0 -> zero.data0" STREAM "link hold.coord_out_0 -> zero.data1" STREAM
                   "link zero.res -> B0.read.us_pos_in" STREAM,
                   operations[i]));
        assert_false(lower_check(g, &f->diag));
        const diagnostic *m = message_with_code(f, "E0420-neighbour");
        if (i == 0)
            assert_string_equal(m->message, "zero.res must not drive B0.read.us_pos_in: it carries values");
        else
            assert_null(m);
    }
}

/* Values are references of a table alone: of a memory that no stream fills, or with other words, they are
 * none. */
static void values_address_tables(void **state) {
    fixture *f = *state;
    static const char *const loads[] = {"", "node glb_in load tensor=t level=0 blocks=1\n",
                                        "node glb_in load tensor=t level=0 words=0003\n",
                                        "node glb_in load tensor=t level=0 blocks=1 words=000300020001\n"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        clear_diagnostics(f);
        onyx_graph *g = parsed_ir(
            f, arena_printf(&f->mem,
                            "onyx-ir 1\nnode read_scanner v.read tile=v lookup=1\n"
                            "node read_scanner t.read tile=t lookup=1\nnode write_scanner t.write tile=t\n%s"
                            "link v.read.val_out -> t.read.us_pos_in" STREAM "%s",
                            loads[i], i ? "link load.data -> t.write.block_wr_in" STREAM : ""));
        lower_check(g, &f->diag);
        const diagnostic *m = message_with_code(f, "E0420-neighbour");
        assert_int_equal(m != NULL, i < 2);
        if (m != NULL)
            assert_string_equal(m->message,
                                "v.read.val_out must not drive t.read.us_pos_in: it carries values");
    }
}

/* A value memory makes no reference of its own. A reducer makes the reference of the position of a dense root
 * with one coordinate, and of no other. */
static void a_scalar_gets_its_reference(void **state) {
    fixture *f = *state;
    const struct {
        const char *settings, *message; /* of the root; first message with the code below */
        const char *code;
    } cases[] = {
        {"dense=1 root=1 dim_size=1", NULL, "E0420-neighbour"},
        {"dense=1 root=1 dim_size=2", "one.read.pos_out must not drive sum.data_in: it carries references",
         "E0420-neighbour"},
        {"root=1", "one.read.pos_out must not drive sum.data_in: it carries references", "E0420-neighbour"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        onyx_graph *g =
            parsed_ir(f, arena_printf(&f->mem,
                                      "onyx-ir 1\nnode read_scanner one.read tile=one %s\nnode reduce sum\n"
                                      "node read_scanner a.read tile=a lookup=1\n"
                                      "link one.read.pos_out -> sum.data_in" STREAM
                                      "link sum.data_out -> a.read.us_pos_in" STREAM,
                                      cases[i].settings));
        lower_check(g, &f->diag);
        const diagnostic *m = message_with_code(f, cases[i].code);
        assert_int_equal(m != NULL, cases[i].message != NULL);
        if (m != NULL)
            assert_string_equal(m->message, cases[i].message);
    }
}

TEST_PART(onyx_ir, TEST(parse_of_dump_is_the_same), TEST(legal_graph_passes),
          TEST(comments_and_blank_lines_are_skipped), TEST(violations_name_ports_and_rule),
          TEST(a_cycle_is_found), TEST(empty_tokens_must_not_reach_an_intersecter),
          TEST(empty_tokens_are_taken_by_few), TEST(empty_tokens_of_regions_are_those_of_the_other_side),
          TEST(stops_lost_by_a_dropper_are_not_counted), TEST(dense_levels_meet_no_stop_behind_a_stop),
          TEST(empty_tokens_are_no_coordinates), TEST(one_of_two_is_there), TEST(only_zeros_are_references),
          TEST(values_address_tables), TEST(a_scalar_gets_its_reference))

int main(void) {
    return onyx_ir() + ir_rules();
}
