#include "tests/frontend/lower_cases.h"

/* ---- shape ----------------------------------------------------------------------------------- */

typedef struct {
    fe_case c;
    uint32_t scan, repeat, intersect, unite, alu, reduce, drop, write, array;
} shape;

/* Primitive counts of the SAM paper's Table 1, from the paper's compiler, with droppers. Two rows differ on
 * purpose: residual and mattransmul have one dropper in the paper, which removes coordinates with remaining
 * values. */
static const shape shapes[] = {
    {{"x(i) = B(i,j) * c(j)", {0}, NULL}, 3, 1, 1, 0, 1, 1, 1, 2, 2},
    {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {0}, NULL}, 6, 3, 3, 0, 2, 1, 2, 3, 3},
    {{"x = B(i,j,k) * C(i,j,k)", {0}, NULL}, 6, 0, 3, 0, 1, 3, 0, 1, 2},
    {{"X(i,j) = B(i,j,k) * c(k)", {0}, NULL}, 4, 2, 1, 0, 1, 1, 2, 3, 2},
    {{"X(i,j,k) = B(i,j,l) * C(k,l)", {0}, NULL}, 5, 3, 1, 0, 1, 1, 3, 4, 2},
    {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL}, 7, 5, 3, 0, 2, 2, 3, 3, 3},
    {{"x(i) = b(i) - C(i,j) * d(j)", {0}, NULL}, 4, 1, 1, 1, 2, 1, 0, 2, 3},
    {{"x(i) = a * B(j,i) * c(j) + e * d(i)", {"B:ss:1,0"}, NULL}, 4, 4, 1, 1, 4, 1, 0, 2, 5},
    {{"X(i,j) = B(i,j) + C(i,j)", {0}, NULL}, 4, 0, 0, 2, 1, 0, 0, 3, 2},
    {{"X(i,j) = B(i,j) + C(i,j) + D(i,j)", {0}, NULL}, 6, 0, 0, 2, 2, 0, 0, 3, 3},
    {{"X(i,j,k) = B(i,j,k) + C(i,j,k)", {0}, NULL}, 6, 0, 0, 3, 1, 0, 0, 4, 2},
};

static void graphs_have_the_published_primitive_counts(void **state) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape *e = &shapes[k];
        lowered l;
        lowered_must(*state, &e->c, (fe_lower_options){.drop = true}, &l);
        const uint32_t expected[] = {e->scan,   e->repeat, e->intersect, e->unite, e->alu,
                                     e->reduce, e->drop,   e->write,     e->array};
        const sam_primitive kind[] = {SAM_FIBERLOOKUP, SAM_REPEAT,  SAM_INTERSECT,  SAM_UNION,    SAM_ALU,
                                      SAM_REDUCE,      SAM_CRDDROP, SAM_FIBERWRITE, SAM_ARRAYVALS};
        for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
            if (lowered_count(&l.g, kind[i]) != expected[i])
                fail_msg("%s: %u %s, expected %u", e->c.expression, lowered_count(&l.g, kind[i]),
                         sam_primitive_table[kind[i]].type, expected[i]);
        }
    }
}

/* Remaining scanners, repeaters and joiners of any kind, and edges of coordinates into references. */
static void outermost_dense_factors_are_located(void **state) {
    static const struct {
        fe_case c;
        uint32_t scan, repeat, join, located;
    } expected[] = {
        {{"x(i) = B(i,j) * c(j)", {"c:d"}, NULL}, 2, 0, 0, 1},
        {{"x(i) = b(i) * c(i)", {"b:d", "c:d"}, NULL}, 1, 0, 0, 1},
        {{"x(i) = b(i) * c(i)", {"b:d"}, NULL}, 1, 0, 0, 1},
        {{"x = b(i) * c(i) * d(i)", {"d:d"}, NULL}, 2, 0, 1, 1},
        {{"x(i) = B(i,j) * c(j)", {"B:dd", "c:d"}, NULL}, 2, 0, 0, 1},
        /* below the located level, a scanner; through a repeater, the value */
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ds"}, "reorder(i,k,j)"}, 3, 1, 0, 1},
        {{"X(i,j) = B(i,j) * C(i,k) * D(j,k)", {"C:dd", "D:dd"}, NULL}, 4, 2, 0, 2},
        /* dense levels are scanned side by side, except in a union with operands that may be absent */
        {{"x(i) = B(i,j) * C(i,j)", {"B:sd", "C:sd"}, NULL}, 4, 0, 1, 0},
        {{"x(i) = B(i,j) * C(i,j) * d(j)", {"B:sd", "C:sd", "d:d"}, NULL}, 4, 0, 1, 1},
        {{"x(i) = B(i,j) * C(i,j) * d(j)", {"B:sd", "C:sd"}, NULL}, 5, 1, 2, 0},
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:sd", "C:sd"}, NULL}, 4, 0, 2, 0},
        /* not inside another level, not in a union, not alone */
        {{"x(i) = B(i,j) * c(j)", {"B:ds"}, NULL}, 3, 1, 1, 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, 4, 0, 2, 0},
        {{"x(i) = b(i) + c(i)", {"c:d"}, NULL}, 2, 0, 1, 0},
        {{"x(i) = c(i)", {"c:d"}, NULL}, 1, 0, 0, 0},
        /* a term of a union hands the coordinates on as references */
        {{"x(i) = b(i) * c(i) + d(i)", {"c:d"}, NULL}, 2, 0, 1, 1},
        {{"x(i) = (b(i) + d(i)) * c(i)", {"c:d"}, NULL}, 2, 0, 1, 1},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        lowered l;
        uint32_t located = 0;
        lowered_must(*state, &expected[k].c,
                     (fe_lower_options){.drop = true, .exact_stops = true, .locate = true}, &l);
        for (uint32_t e = 0; e < l.g.edges.len; e++) {
            const sam_edge_data *edge = &l.g.edges.at[e];
            sam_primitive to = sam_node_at(&l.g, edge->dst)->kind;
            bool reference = to == SAM_ARRAYVALS || to == SAM_FIBERLOOKUP || to == SAM_REPEAT ||
                             (sam_is_joiner(to) && edge->dst_port % 2);
            located += edge->stream == SAM_STREAM_CRD && reference && !(to == SAM_REPEAT && edge->dst_port);
        }
        const uint32_t found[] = {lowered_count(&l.g, SAM_FIBERLOOKUP), lowered_count(&l.g, SAM_REPEAT),
                                  lowered_count(&l.g, SAM_INTERSECT) + lowered_count(&l.g, SAM_UNION),
                                  located};
        const uint32_t wanted[] = {expected[k].scan, expected[k].repeat, expected[k].join,
                                   expected[k].located};
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            if (found[i] != wanted[i])
                fail_msg("%s: %u of the %zuth kind, expected %u", expected[k].c.expression, found[i], i,
                         wanted[i]);
        }
        lowered_check(*state, &l, TIMED, true, 5);
    }
}

static void droppers_stand_only_where_a_fiber_may_be_empty(void **state) {
    static const struct {
        fe_case c;
        uint32_t plain, dropping; /* droppers without and with options.drop */
    } expected[] = {
        {{"X(i,j) = B(i,j)", {0}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j)", {"B:ds"}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,j) * c(i)", {0}, NULL}, 0, 0},
        {{"X(i,j,k) = B(i,j,k) * C(i,j,k)", {0}, NULL}, 2, 2},
        {{"X(i,j) = B(i,j) * C(i,j) + D(i,j)", {0}, NULL}, 1, 1},
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, 0, 2},
        {{"X(i,j) = B(i,k) * C(k,j)", {"B:dd", "C:dd:1,0"}, NULL}, 0, 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"}, 1, 1},
        {{"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL}, 2, 2},
        {{"y(i) = b(i) - A(i,j) * x(j)", {0}, NULL}, 0, 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        lowered l;
        lowered_must(*state, &expected[k].c, (fe_lower_options){0}, &l);
        assert_int_equal(lowered_count(&l.g, SAM_CRDDROP), expected[k].plain);
        lowered_must(*state, &expected[k].c, (fe_lower_options){.drop = true}, &l);
        assert_int_equal(lowered_count(&l.g, SAM_CRDDROP), expected[k].dropping);
    }
}

/* "B1 C0w": padded storage levels of the operands, w: with every coordinate, and how many droppers are left
 * in front of reducers. */
static void no_loop_is_empty_where_a_repeater_or_a_writer_hangs_on_it(void **state) {
    fixture *f = *state;
    static const struct {
        fe_case c;
        const char *padded;
        uint32_t droppers;
    } expected[] = {
        {{"X(i,j) = B(i,j) + C(i,j)", {0}, NULL}, "", 0},
        {{"x(i) = b(i) * c(i)", {0}, NULL}, "", 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {0}, NULL}, "B1 C1 ", 0},
        {{"X(i,j) = B(i,j) * C(i,j)", {"C:sd"}, NULL}, "B0 C0 ", 0},
        {{"X(i,j) = B(i,j)", {"B:ds"}, NULL}, "B1 ", 0},
        {{"X(i,j,k) = B(i,j,k) * C(i,j,k)", {"B:sds"}, NULL}, "B0 B2 C0 C2 ", 0},
        {{"X(i,j) = B(i,j) * D(i,j) + C(i,j) * D(i,j)", {0}, NULL}, "B1 D1 C1 D_21 ", 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {"C:ss:1,0"}, NULL}, "", 2},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(i,k,j)"}, "B1 C0 ", 0},
        {{"x(i) = B(i,j) * c(j)", {"B:ss:1,0"}, "reorder(j,i)"}, "", 0},
        {{"X(i,j) = B(i,k) * C(k,j)", {0}, "reorder(k,i,j)"}, "", 0},
        {{"x = B(i,j,k) * C(i,j,k)", {0}, NULL}, "", 0},
        {{"x = B(i,j,k) * C(i,j,k)", {"C:ssd"}, NULL}, "B0 B1 C0 C1 ", 0},
        {{"X(i,j) = b(i) * C(i,j)", {"C:sd"}, NULL}, "b0 C0 ", 0},
        {{"X(i,j) = B(i,j) * C(i,k) * D(k,j)", {"D:ss:1,0"}, NULL}, "B1 C1 D0 D1 ", 0},
        {{"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", {0}, NULL}, "B1 B2 C0 C1 D0 D1 ", 0},
        {{"X(i,j) = B(i,j,k) * C(i,j,k)", {0}, NULL}, "B1 C1 ", 2},
        /* the sum moves out, and its factor is repeated along the sum */
        {{"x(i) = b(i) * sum(j, B(i,j) * c(j))", {0}, NULL}, "B1 c0 ", 0},
        {{"X(i,j) = B(i,j) * sum(k, C(i,k) * D(k,j))", {"D:ss:1,0"}, NULL}, "B1 C1 D0 D1 ", 0},
        {{"x(i) = e(i) * sum(j, B(i,j) * sum(k, C(j,k) * d(k)))", {0}, NULL}, "B1 C0 C1 d0 ", 0},
        /* c is repeated inside of the loop over k, whose first fibers would be empty for the repeater, too */
        {{"x(i) = B(i,k,l) * c(k)", {0}, NULL}, "B1 c0 ", 0},
        /* a dense level of an operand that may be absent */
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:sd"}, NULL}, "B1w ", 0},
        {{"X(i,j) = B(i,j) + C(i,j)", {"B:dd"}, NULL}, "", 0},
        {{"X(i,j) = c(i) + B(i,j)", {0}, NULL}, "ones0w ", 0},
        /* a single operand whose coordinates repeat D and f */
        {{"x(j) = e(j) + b(j,i) * D(j,r) * f(r)", {"b:sd"}, NULL}, "b1w D1 f0 ", 0},
        {{"x(i) = e(i) + sum(j, B(i,j))", {"B:sd"}, NULL}, "", 0},
        /* dense levels inside loops that are empty without B, at any depth */
        {{"x(i) = d(i) + B(i,j) * C(j,k) * e(k)", {"C:sd", "e:d"}, NULL}, "C1w e0w ", 0},
        {{"x(i) = d(i) + B(i,j,k) * c(k)", {"B:ssd", "c:d"}, NULL}, "B2w c0w ", 0},
        {{"x(i) = d(i) + B(i,j,k,l) * c(l)", {"B:sssd", "c:d"}, NULL}, "B3w c0w ", 0},
        {{"x(i) = d(i) + B(i,j,k,l)", {"B:sdsd"}, NULL}, "B2 B3w ", 0},
        {{"x(i) = d(i) + B(i,j,k)", {"B:dsd"}, NULL}, "B1 ", 0},
        /* B may be absent: nothing can keep its fibers over k from being empty */
        {{"X(i,j) = D(i,j) + sum(k, a * B(i,j,k) * c(k))", {0}, NULL}, "", 0},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const fe_lower_options options = {.drop = true, .pad = true};
        sam_statement s, packed;
        sam_graph g;
        const char *padded = "";
        if (!fe_case_parse(f, &expected[k].c, &s) || !fe_build(&s, &options, &f->mem, &f->diag, &packed, &g))
            fail_msg("%s\n%s", expected[k].c.expression, fixture_printed(f));
        for (uint32_t t = 0; t < packed.tensors.len; t++) {
            for (uint32_t l = 0; l < packed.tensors.at[t].order; l++) {
                if (packed.tensors.at[t].padded >> l & 1)
                    padded = arena_printf(&f->mem, "%s%s%u%s ", padded,
                                          names_text(&f->names, packed.tensors.at[t].name), l,
                                          packed.tensors.at[t].whole >> l & 1 ? "w" : "");
            }
        }
        assert_string_equal(padded, expected[k].padded);
        assert_int_equal(lowered_count(&g, SAM_CRDDROP), expected[k].droppers);
    }
}

/* The graph of a kernel as DOT, the form read by later passes and by the published tools. */
static void a_lowered_graph_survives_its_text_form(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        lowered l;
        sam_graph back;
        lowered_must(f, &kernels[k], (fe_lower_options){.drop = true}, &l);
        text_out out;
        text_begin(&out);
        sam_dump(&l.g, out.stream);
        const char *text = text_end(&out, &f->mem);
        if (!sam_parse("graph", text, out.length, &f->names, &f->diag, &back))
            fail_msg("%s\n%s", kernels[k].expression, fixture_printed(f));
        if (!graphs_equal(&l.g, &back))
            fail_msg("%s: parse(dump(g)) differs from g", kernels[k].expression);
    }
}

/* ---- rewrites, before and after ------------------------------------------------------------------ */

static void expect_graph(fixture *f, const sam_graph *g, const char *name) {
    size_t length;
    sam_graph expected;
    const char *path = arena_printf(&f->mem, "%s/tests/frontend/data/%s", ONYX_SOURCE_DIR, name);
    const char *text = file_read(path, &f->mem, &length, &f->diag);
    if (!text || !sam_parse(name, text, length, &f->names, &f->diag, &expected))
        fail_msg("%s", fixture_printed(f));
    if (!graphs_equal(g, &expected)) {
        sam_dump(g, stderr);
        fail_msg("%s says otherwise", name);
    }
}

static const char *expect_built(fixture *f, const char *expression, bool drop, sam_graph *g) {
    const fe_lower_options options = {.drop = drop};
    const fe_case c = {.expression = expression};
    sam_statement s, packed;
    if (!fe_case_parse(f, &c, &s))
        fail_msg("%s", fixture_printed(f));
    s.integers = true;
    if (!fe_distribute(&s, true, &f->diag) || !fe_build(&s, &options, &f->mem, &f->diag, &packed, g))
        fail_msg("%s", fixture_printed(f));
    return fe_case_dump(f, &packed);
}

static void rewrites_are_as_written(void **state) {
    fixture *f = *state;
    sam_graph g;
    expect_built(f, "X(i,j) = B(i,k) * C(k,j)", false, &g);
    expect_graph(f, &g, "droppers.before.gv");
    expect_built(f, "X(i,j) = B(i,k) * C(k,j)", true, &g);
    expect_graph(f, &g, "droppers.after.gv");
    assert_string_equal(expect_built(f, "x(i) = b(i) - sum(j, C(i,j) * d(j))", true, &g),
                        "forall(i, where(x(i) = b(i) - t1, forall(j, t1 += C(i,j) * d(j))))\n");
    assert_string_equal(expect_built(f, "x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", true, &g),
                        "forall(i, forall(j, x(i) += a(i) * b(i) * first(j) - a_2(i) * (C(i,j) * d(j))))\n");
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(fixture *f, fe_case c, const char *expected) {
    diag_init(&f->diag, &f->mem);
    lowered l;
    if (lowered_try(f, &c, (fe_lower_options){0}, &l))
        fail_msg("lowered: %s", c.expression);
    assert_string_equal(fixture_printed(f), expected);
}

static void what_cannot_be_lowered_says_why(void **state) {
    fixture *f = *state;
    expect_refusal(f, (fe_case){"x(i) = b(i) * (7 / 2)", {0}, NULL},
                   "<expression>:1:16: error: 7 / 2 has no exact value [E0121-division]\n"
                   "    x(i) = b(i) * (7 / 2)\n"
                   "                   ^~~~~\n"
                   "    help: write the number that is meant\n");
    expect_refusal(f, (fe_case){"X(i,j) = b(i)", {0}, NULL},
                   "<expression>:1:5: error: no operand says which values 'j' takes [E0105-result-index]\n"
                   "    X(i,j) = b(i)\n"
                   "        ^\n"
                   "    help: give its size with -d j:100, or index an operand with it\n");
    expect_refusal(f, (fe_case){"x(i) = b(i) / sum(j, C(i,j))", {0}, "reorder(j,i)"},
                   "<expression>:1:15: error: the sum over 'j' is only a part of what loop 'i' computes, but "
                   "loop 'j' is outside of it [E0125-loop-order]\n"
                   "    x(i) = b(i) / sum(j, C(i,j))\n"
                   "                  ^~~~~~~~~~~~~~\n"
                   "    help: put the loop of a partial sum inside: -s \"reorder(i,j)\"\n");
    expect_refusal(f, (fe_case){"X(i,j) = B(i,j) * C(i,j)", {"X:ds"}, NULL},
                   "<expression>:1:1: does not fit: level 0 of X is dense, but some of its coordinates may "
                   "have nothing below them, and the writers cannot tell how many [E0124-dense-result]\n"
                   "    X(i,j) = B(i,j) * C(i,j)\n"
                   "    ^~~~~~\n"
                   "    help: store it compressed: -f X:ss:0,1\n");
    expect_refusal(f, (fe_case){"x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))", {0}, NULL},
                   "<expression>:1:23: does not fit: this sum is a part of an expression inside loop 'i', "
                   "which may meet no coordinate at all; the sum would then yield a zero that nothing else "
                   "matches [E0126-partial-sum]\n"
                   "    x(i) = a(i) * (b(i) - sum(j, C(i,j) * d(j)))\n"
                   "                          ^~~~~~~~~~~~~~~~~~~~~\n"
                   "    help: compute the sum as a statement of its own; a sum that is only multiplied may "
                   "stay if no other sum there runs over the same variable\n");
    expect_refusal(
        f, (fe_case){"X(i,j) = B(i,k) * C(k,j) * D(j,l)", {0}, "reorder(i,k,j,l)"},
        "<expression>:1:32: does not fit: the sum over 'l' runs inside loop 'k', which may meet no "
        "coordinate at all, and its values are then accumulated with other coordinates [E0126-partial-sum]\n"
        "    X(i,j) = B(i,k) * C(k,j) * D(j,l)\n"
        "                                   ^\n"
        "    help: make the sums the innermost loops with -s \"reorder(...)\"\n");
}

TEST_PART(lower_shapes, TEST(graphs_have_the_published_primitive_counts),
          TEST(outermost_dense_factors_are_located), TEST(droppers_stand_only_where_a_fiber_may_be_empty),
          TEST(no_loop_is_empty_where_a_repeater_or_a_writer_hangs_on_it),
          TEST(a_lowered_graph_survives_its_text_form), TEST(rewrites_are_as_written),
          TEST(what_cannot_be_lowered_says_why))
