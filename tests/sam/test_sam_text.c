/* sam/: the text form and the check: accepted texts, refused texts with their messages, lossless round
 * trips. */
#include "tests/quota.h"
#include "tests/sam/text_cases.h"

static const sam_edge_data *edge_between(const sam_graph *g, const char *src, const char *dst,
                                         sam_stream stream) {
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const sam_edge_data *e = &g->edges.at[i];
        if (strcmp(names_text(g->names, sam_node_at(g, e->src)->id), src) == 0 &&
            strcmp(names_text(g->names, sam_node_at(g, e->dst)->id), dst) == 0 && e->stream == stream)
            return e;
    }
    fail_msg("no edge %s -> %s", src, dst);
    return NULL;
}

static void assert_ports(const sam_graph *g, const char *src, const char *dst, sam_stream stream,
                         int src_port, int dst_port) {
    const sam_edge_data *e = edge_between(g, src, dst, stream);
    assert_int_equal(e->src_port, src_port);
    assert_int_equal(e->dst_port, dst_port);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void the_dialect_is_read(void **state) {
    fixture *f = *state;
    sam_graph g;
    const char *text =
        "strict digraph SAM {\n"
        "    comment=\"X=ss01,b=none,C=ds10\"\n"
        "    node [shape=box]; /* defaults\n mean nothing */\n"
        "    7 [comment=\"type=fiberlookup,index=i,tensor=C,mode=1,format=dense\" label=\"two\nlines\\n\","
        " type=\"fiberlookup\", root=\"true\",]\n"
        "    # 8 [type=\"mul\"]\n"
        "    #9->8 [type=\"val\"]\n"
        "    n_x [type=\"add\" sub=\"1\"] // minus\n"
        "    7 [tensor=\"C\"]\n"
        "    40 [type=\"fp_mul\" const0=\"0.2\" rb_const=\"say \\\"so\\\"\"]\n"
        "    41 [type=\"reduce\", op=\"max\" fp=\"true\" empty=\"drop\"]\n"
        "    42 [type=\"crddrop\" outer=\"i\" inner=\"vals\" vals=\"true\"]\n"
        "    43 [type=\"crddrop\" outer=\"i\" inner=\"j\" mode=\"1\"]\n"
        "    44 [comment=\"type=vectorreducer,index=j\" type=\"vectorreducer\" accum_index=\"j\"]\n"
        "    w [type=\"fiberwrite\" tensor=\"X\" mode=\"vals\" size=\"1*C0_dim\" sink=\"true\"]\n"
        "    40 -> 41[label=\"val\" type=\"val\"]\n"
        "}\n";
    assert_true(parse(f, text, &g));
    assert_int_equal(f->diag.list.len, 0);
    assert_int_equal(g.tensors.len, 3);
    assert_int_equal(g.tensors.at[1].order, 0);
    assert_int_equal(g.tensors.at[2].level[0], SAM_LEVEL_DENSE);
    assert_int_equal(g.tensors.at[2].mode[0], 1);
    assert_int_equal(g.nodes.len, 8);
    const sam_node_data *n = g.nodes.at;
    assert_int_equal(n[0].kind, SAM_FIBERLOOKUP);
    assert_int_equal(n[0].mode, 1);
    assert_int_equal(n[0].format, SAM_LEVEL_DENSE);
    assert_true(n[0].root);
    assert_string_equal(names_text(&f->names, n[0].index), "i");
    assert_string_equal(names_text(&f->names, n[1].alu), "sub");
    assert_string_equal(names_text(&f->names, n[2].alu), "mul");
    assert_true(n[2].fp);
    assert_string_equal(sam_alu_constant(&g, (sam_node){3}, 0), "0.2");
    assert_null(sam_alu_constant(&g, (sam_node){3}, 1));
    assert_string_equal(names_text(&f->names, sam_attribute_of(&g, (sam_node){3}, "rb_const")), "say \"so\"");
    assert_true(n[3].fp && n[3].compress);
    assert_true(n[4].compress);
    assert_string_equal(names_text(&f->names, n[4].inner), "val");
    assert_false(n[5].compress);
    assert_string_equal(names_text(&f->names, n[6].index), "j");
    assert_int_equal(n[7].mode, SAM_MODE_VALS);
    assert_round_trip(f, &g);
}

static void ports_are_read_from_hints(void **state) {
    fixture *f = *state;
    sam_graph g;
    const char *text =
        "digraph { comment=\"x=s0,B=s0,C=s0\"\n"
        "b [type=fiberlookup tensor=B] c [type=fiberlookup tensor=C] u [type=union] fan [type=broadcast]\n"
        "vb [type=arrayvals tensor=B] vc [type=arrayvals tensor=C]\n"
        "c -> u [type=ref comment=\"in-C\"] b -> u [type=ref label=\"ref_in-B\" comment=\"\"]\n" /* refs first
                                                                                                  */
        "b -> u [type=crd comment=\"in-B\"] c -> u [type=crd comment=\"in-C\"]\n"
        "u -> vc [type=ref comment=\"out-C\"] u -> fan [type=ref comment=\"out-B\"] fan -> vb [type=ref]\n"
        "fan -> r [type=ref] r [type=repeat] s [type=repsiggen] s -> r [type=repsig] u -> s [type=crd]\n"
        "d [type=crddrop outer=j inner=val] h [type=crdhold outer=i inner=j]\n"
        "u -> d [type=crd label=\"crd_outer-j\"] vb -> d [type=val comment=\"in-vals\"]\n"
        "d -> h [type=crd label=\"crd_inner-j\" comment=\"outer_j\"] u -> h [type=crd comment=\"i\"]\n"
        "a [type=spaccumulator order=1 in0=j in1=i] h -> a [type=crd comment=\"inner-j\"]\n"
        "h -> a [type=crd comment=\"outer-i\"] u -> a [type=crd comment=\"k\"] vb -> a [type=val]\n"
        "w [type=fiberwrite] v [type=fiberwrite mode=vals] a -> w [type=crd comment=\"out-i\"] a -> v "
        "[type=val]\n"
        "vr [type=vectorreducer] vb -> vr [type=val] u -> vr [type=crd] vr -> v [type=val]\n"
        "m [type=smax const1=0] vb -> m [type=val] vc -> m [type=val] }";
    assert_true(parse(f, text, &g));
    assert_ports(&g, "b", "u", SAM_STREAM_CRD, 0, 0);
    assert_ports(&g, "b", "u", SAM_STREAM_REF, 1, 1);
    assert_ports(&g, "c", "u", SAM_STREAM_CRD, 0, 2);
    assert_ports(&g, "c", "u", SAM_STREAM_REF, 1, 3);
    assert_ports(&g, "u", "vc", SAM_STREAM_REF, 2, 0);
    assert_ports(&g, "u", "fan", SAM_STREAM_REF, 1, 0);
    assert_ports(&g, "fan", "vb", SAM_STREAM_REF, 0, 0);
    assert_ports(&g, "fan", "r", SAM_STREAM_REF, 1, 0);
    assert_ports(&g, "s", "r", SAM_STREAM_REPSIG, 0, 1);
    assert_ports(&g, "u", "d", SAM_STREAM_CRD, 0, 0);
    assert_ports(&g, "vb", "d", SAM_STREAM_VAL, 0, 1);
    assert_ports(&g, "d", "h", SAM_STREAM_CRD, 0, 1);
    assert_ports(&g, "u", "h", SAM_STREAM_CRD, 0, 0);
    assert_int_equal(edge_between(&g, "h", "a", SAM_STREAM_CRD)->dst_port, 0);
    assert_ports(&g, "u", "a", SAM_STREAM_CRD, 0, 3);
    assert_ports(&g, "vb", "a", SAM_STREAM_VAL, 0, 2);
    assert_ports(&g, "a", "w", SAM_STREAM_CRD, 1, 0);
    assert_ports(&g, "a", "v", SAM_STREAM_VAL, 2, 0);
    assert_ports(&g, "vb", "vr", SAM_STREAM_VAL, 0, 1);
    assert_ports(&g, "u", "vr", SAM_STREAM_CRD, 0, 0);
    assert_ports(&g, "vr", "v", SAM_STREAM_VAL, 1, 0);
    assert_ports(&g, "vb", "m", SAM_STREAM_VAL, 0, 0);
    assert_ports(&g, "vc", "m", SAM_STREAM_VAL, 0, 2);
    assert_round_trip(f, &g);
}

static void modes_beyond_nine_are_letters(void **state) {
    fixture *f = *state;
    sam_graph g;
    const char *text =
        "digraph { comment=\"X=ssssssssssssba9876543210\" 1 [type=fiberwrite tensor=X mode=11] }";
    assert_true(parse(f, text, &g));
    assert_int_equal(g.tensors.at[0].order, 12);
    assert_int_equal(g.tensors.at[0].mode[0], 11);
    assert_int_equal(g.nodes.at[0].mode, 11);
    assert_round_trip(f, &g);
}

#define DIFFERENCE(first, second)                                                                            \
    "digraph { comment=\"x=s0,b=s0,C=ss01,d=s0\" vb [type=arrayvals tensor=b] vc [type=arrayvals "           \
    "tensor=C]\n"                                                                                            \
    "vd [type=arrayvals tensor=d] mul [type=mul] sum [type=reduce] sub [type=add sub=1]\n"                   \
    "vd -> mul [type=val] vc -> mul [type=val] mul -> sum [type=val] " first " " second " }"

static void the_minuend_holds_the_first_tensor(void **state) {
    fixture *f = *state;
    sam_graph g;
    assert_true(parse(f, DIFFERENCE("vb -> sub [type=val]", "sum -> sub [type=val]"), &g));
    assert_ports(&g, "vb", "sub", SAM_STREAM_VAL, 0, 0);
    assert_ports(&g, "sum", "sub", SAM_STREAM_VAL, 0, 1);
    assert_true(parse(f, DIFFERENCE("sum -> sub [type=val]", "vb -> sub [type=val]"), &g));
    assert_ports(&g, "vb", "sub", SAM_STREAM_VAL, 0, 0);
    assert_ports(&g, "sum", "sub", SAM_STREAM_VAL, 0, 1);
    assert_round_trip(f, &g);
    /* Explicit ports count more than the rule. */
    assert_true(parse(f, DIFFERENCE("sum -> sub [type=val dst_port=0]", "vb -> sub [type=val]"), &g));
    assert_ports(&g, "sum", "sub", SAM_STREAM_VAL, 0, 0);
    assert_ports(&g, "vb", "sub", SAM_STREAM_VAL, 0, 1);
    assert_round_trip(f, &g);
}

static void a_port_far_behind_leaves_the_first_one(void **state) {
    fixture *f = *state;
    sam_graph g;
    for (int port = 30; port < 34; port++) {
        const char *text =
            arena_printf(&f->mem,
                         "digraph { comment=\"x=s0,b=s0,c=s0\" b [type=arrayvals tensor=b] c [type=arrayvals "
                         "tensor=c] n [type=add] b -> n [type=val dst_port=%d] c -> n [type=val] }",
                         port);
        assert_true(parse(f, text, &g));
        assert_ports(&g, "b", "n", SAM_STREAM_VAL, 0, port);
        assert_ports(&g, "c", "n", SAM_STREAM_VAL, 0, 0);
    }
}

static void a_differing_comment_is_a_warning(void **state) {
    fixture *f = *state;
    sam_graph g;
    assert_true(parse(f, "digraph {\n1 [comment=\"type=mul,index=i\" type=\"mul\" index=\"j\"]\n}", &g));
    assert_string_equal(fixture_printed(f),
                        "t.gv:2:48: warning: the attribute says index=\"j\", the comment says \"i\"; "
                        "the attribute counts [E0209-comment-differs]\n"
                        "    1 [comment=\"type=mul,index=i\" type=\"mul\" index=\"j\"]\n"
                        "                                                   ^~~\n");
}

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct {
    const char *text, *printed;
} bad;

static const bad bad_texts[] = {
    {"graph { }", "t.gv:1:1: error: expected 'digraph', found 'graph' [E0201-dot-syntax]\n"
                  "    graph { }\n"
                  "    ^~~~~\n"},
    {"digraph SAM {\n  1 [type=\"mul\"\n",
     "t.gv:3:1: error: expected an attribute or ']', but the text ends here "
     "[E0201-dot-syntax]\n"
     "    \n"
     "    ^\n"},
    {"digraph {\n  1 -> [type=val]\n}",
     "t.gv:2:8: error: expected a node id after '->', found '[' [E0201-dot-syntax]\n"
     "      1 -> [type=val]\n"
     "           ^\n"},
    {"digraph {\n  1 [type mul]\n}",
     "t.gv:2:11: error: expected '=' and a value, found 'mul' [E0201-dot-syntax]\n"
     "      1 [type mul]\n"
     "              ^~~\n"},
    {"digraph {\n  1 [type=]\n}", "t.gv:2:11: error: expected a value, found ']' [E0201-dot-syntax]\n"
                                  "      1 [type=]\n"
                                  "              ^\n"},
    {"digraph {\n subgraph a { }\n}",
     "t.gv:2:2: error: expected a node, an edge or an attribute (subgraphs have no "
     "meaning in a SAM graph), found 'subgraph' [E0201-dot-syntax]\n"
     "     subgraph a { }\n"
     "     ^~~~~~~~\n"},
    {"digraph { } x",
     "t.gv:1:13: error: expected the end of the text after '}', found 'x' [E0201-dot-syntax]\n"
     "    digraph { } x\n"
     "                ^\n"},
    {"digraph {\n 1 [type=\"mul]\n}", "t.gv:2:10: error: this string is never closed [E0202-dot-string]\n"
                                      "     1 [type=\"mul]\n"
                                      "             ^\n"
                                      "    help: end it with \"\n"},
    {"digraph { /* }", "t.gv:1:11: error: this comment is never closed [E0202-dot-string]\n"
                       "    digraph { /* }\n"
                       "              ^~\n"
                       "    help: end it with */\n"},
    {"digraph {\n 12 [label=\"?\"]\n}", "t.gv:2:2: error: node 12 has no type [E0203-node-type]\n"
                                        "     12 [label=\"?\"]\n"
                                        "     ^~\n"
                                        "    help: add type=\"...\": fiberlookup, intersect, mul, ...\n"},
    {"digraph {\n 1 [type=mul]\n 1 -> 2 [type=val]\n}",
     "t.gv:3:7: error: node 2 is used in an edge but never declared [E0203-node-type]\n"
     "     1 -> 2 [type=val]\n"
     "          ^\n"
     "    help: add a statement: 2 [type=\"...\"]\n"},
    {"digraph {\n 1 [comment=\"type\\=mul\"]\n}",
     "t.gv:2:13: error: 'type\\=mul' in the comment has a backslash before a separator [E0204-attribute]\n"
     "     1 [comment=\"type\\=mul\"]\n"
     "                ^~~~~~~~~~~\n"
     "    help: remove the backslash\n"},
    {"digraph {\n 1 [type=fiberlookup mode=\"x\"]\n}",
     "t.gv:2:27: error: mode is 'x', expected a mode of the tensor [E0204-attribute]\n"
     "     1 [type=fiberlookup mode=\"x\"]\n"
     "                              ^~~\n"},
    {"digraph {\n 1 [type=fiberwrite mode=12]\n}",
     "t.gv:2:26: error: mode is '12', expected a mode of the tensor or vals [E0204-attribute]\n"
     "     1 [type=fiberwrite mode=12]\n"
     "                             ^~\n"},
    {"digraph {\n 1 [type=reduce empty=no]\n}",
     "t.gv:2:23: error: empty is 'no', expected zero or drop [E0204-attribute]\n"
     "     1 [type=reduce empty=no]\n"
     "                          ^~\n"},
    {"digraph {\n 1 [type=serialize depth=13]\n}",
     "t.gv:2:26: error: depth is '13', expected a number from 0 to 12 [E0204-attribute]\n"
     "     1 [type=serialize depth=13]\n"
     "                             ^~\n"},
    {"digraph {\n 1 [type=vectorreducer depth=0]\n}",
     "t.gv:2:30: error: depth is '0', expected a number from 1 to 12 [E0204-attribute]\n"
     "     1 [type=vectorreducer depth=0]\n"
     "                                 ^\n"},
    {"digraph {\n 1 [type=bvlookup width=65]\n}",
     "t.gv:2:25: error: width is '65', expected a number from 1 to 64 [E0204-attribute]\n"
     "     1 [type=bvlookup width=65]\n"
     "                            ^~\n"},
    {"digraph {\n 1 [type=crddrop mode=2]\n}",
     "t.gv:2:23: error: mode is '2', expected 0 (drop zero values) or 1 (drop "
     "empty fibers) [E0204-attribute]\n"
     "     1 [type=crddrop mode=2]\n"
     "                          ^\n"},
    {"digraph {\n 1 [type=fiberlookup format=sparse]\n}",
     "t.gv:2:29: error: format is 'sparse', expected dense or compressed [E0204-attribute]\n"
     "     1 [type=fiberlookup format=sparse]\n"
     "                                ^~~~~~\n"},
    {"digraph {\n 1 [type=repeat root=maybe]\n}", "t.gv:2:22: error: root is 'maybe', expected true or false "
                                                  "[E0204-attribute]\n"
                                                  "     1 [type=repeat root=maybe]\n"
                                                  "                         ^~~~~\n"},
    {"digraph {\n 1 [type=add sub=2]\n}",
     "t.gv:2:18: error: sub is '2', expected true or false [E0204-attribute]\n"
     "     1 [type=add sub=2]\n"
     "                     ^\n"},
    {"digraph {\n 1 [type=mul] 2 [type=mul]\n 1 -> 2\n}",
     "t.gv:3:2: error: this edge has no type [E0205-edge-type]\n"
     "     1 -> 2\n"
     "     ^~~~~~\n"
     "    help: type=\"crd\", \"ref\", \"val\", \"repsig\", \"bv\" or \"skip\"\n"},
    {"digraph {\n 1 [type=mul] 2 [type=mul]\n 1 -> 2 [type=\"xv\"]\n}",
     "t.gv:3:15: error: 'xv' is no stream type [E0205-edge-type]\n"
     "     1 -> 2 [type=\"xv\"]\n"
     "                  ^~~~\n"
     "    help: type=\"crd\", \"ref\", \"val\", \"repsig\", \"bv\" or \"skip\"\n"},
    {"digraph {\n 1 [type=mul] 2 [type=mul]\n 1 -> 2 [type=val dst_port=256]\n}",
     "t.gv:3:28: error: '256' is no port number [E0206-port-number]\n"
     "     1 -> 2 [type=val dst_port=256]\n"
     "                               ^~~\n"
     "    help: a number from 0 to 255\n"},
    {"digraph {\n 1 [type=fiberlookup] 2 [type=union]\n 1 -> 2 [type=crd]\n}",
     "t.gv:3:2: error: this edge does not say which operand of the joiner it feeds [E0207-port]\n"
     "     1 -> 2 [type=crd]\n"
     "     ^~~~~~\n"
     "    help: add comment=\"in-NAME\", the same NAME on the coordinate and the reference edge\n"},
    {"digraph {\n 1 [type=fiberlookup] 2 [type=union]\n 1 -> 2 [type=ref comment=\"in-B\"]\n}",
     "t.gv:3:2: error: no coordinate edge into this joiner belongs to this reference edge [E0207-port]\n"
     "     1 -> 2 [type=ref comment=\"in-B\"]\n"
     "     ^~~~~~\n"
     "    help: give the coordinate edge of the same operand the same comment=\"in-NAME\"\n"},
    {"digraph {\n 1 [type=union] 2 [type=arrayvals]\n 1 -> 2 [type=ref comment=\"out-B\"]\n}",
     "t.gv:3:2: error: this edge does not say which operand's references it carries [E0207-port]\n"
     "     1 -> 2 [type=ref comment=\"out-B\"]\n"
     "     ^~~~~~\n"
     "    help: add comment=\"out-NAME\" with the NAME of an edge comment=\"in-NAME\" into the joiner\n"},
    {"digraph {\n 1 [type=fiberlookup] 2 [type=crddrop outer=i inner=j]\n 1 -> 2 [type=crd "
     "comment=\"in-k\"]\n}",
     "t.gv:3:2: error: this edge names neither the outer nor the inner index of the coordinate dropper or "
     "hold "
     "[E0207-port]\n"
     "     1 -> 2 [type=crd comment=\"in-k\"]\n"
     "     ^~~~~~\n"
     "    help: add comment=\"outer-INDEX\" or \"inner-INDEX\"\n"},
    {"digraph {\n 1 [type=spaccumulator in0=j] 2 [type=fiberwrite]\n 1 -> 2 [type=crd comment=\"out-k\"]\n}",
     "t.gv:3:2: error: this edge names none of the accumulator's indices [E0207-port]\n"
     "     1 -> 2 [type=crd comment=\"out-k\"]\n"
     "     ^~~~~~\n"
     "    help: add comment=\"out-INDEX\"\n"},
    {"digraph { comment=\"X=ss01,B=su01\" }",
     "t.gv:1:19: error: 'B=su01' does not describe a tensor [E0208-tensor-comment]\n"
     "    digraph { comment=\"X=ss01,B=su01\" }\n"
     "                      ^~~~~~~~~~~~~~~\n"
     "    help: one letter a level (d dense, s compressed), then the mode each level holds: B=ss01, c=d0; a "
     "scalar is "
     "b=none\n"},
    {"digraph { comment=\"X=ss11\" }",
     "t.gv:1:19: error: 'X=ss11' does not describe a tensor [E0208-tensor-comment]\n"
     "    digraph { comment=\"X=ss11\" }\n"
     "                      ^~~~~~~~\n"
     "    help: one letter a level (d dense, s compressed), then the mode each level holds: B=ss01, c=d0; a "
     "scalar is "
     "b=none\n"},
    {"digraph { comment=\"X=s0,X=s0\" }",
     "t.gv:1:19: error: tensor 'X' is described twice [E0208-tensor-comment]\n"
     "    digraph { comment=\"X=s0,X=s0\" }\n"
     "                      ^~~~~~~~~~~\n"
     "    help: name each tensor once\n"},
};

static void expect_located(fixture *f, uint32_t i, void *unused) {
    sam_graph g;
    (void)unused;
    assert_false(parse(f, bad_texts[i].text, &g));
    assert_string_equal(fixture_printed(f), bad_texts[i].printed);
}

static void errors_are_located(void **state) {
    (void)state;
    each_afresh(sizeof bad_texts / sizeof *bad_texts, expect_located, NULL);
}

/* Reading a damaged text ends in a graph that round-trips or in an error. */
static void damaged_texts_are_read_or_refused(void **state) {
    (void)state;
    prng random = prng_seed(11);
    quota q = {0};
    static const char alphabet[] = "\"{}[],;=->#/* \n\\a0";
    for (int round = 0; round < 4000; round++) {
        fixture *f;
        fixture_set_up((void **)&f);
        const char *whole = kernels[prng_below(&random, sizeof kernels / sizeof *kernels)].text;
        char *text = arena_strdup(&f->mem, whole);
        uint32_t length = (uint32_t)strlen(text);
        char *digit = strpbrk(text + prng_below(&random, length), "0123456789");
        if (round % 3 == 0 && digit) /* some graphs stay readable */
            *digit = (char)('0' + ((uint32_t)(*digit - '0') + 1 + prng_below(&random, 9)) % 10);
        else if (round % 3 == 1)
            text[prng_below(&random, length)] = '\0';
        else
            for (uint32_t changes = prng_below(&random, 3) + 1; changes > 0; changes--)
                text[prng_below(&random, length)] = alphabet[prng_below(&random, sizeof alphabet - 1)];
        sam_graph g;
        const bool accepted = parse(f, text, &g);
        quota_add(&q, accepted, strcmp(text, whole) == 0);
        if (accepted) {
            sam_check(&g, &f->diag);
            assert_round_trip(f, &g);
        } else {
            assert_true(diag_failed(&f->diag));
        }
        fixture_tear_down((void **)&f);
    }
    assert_false(quota_failed(&q));
}

TEST_PART(sam_text, TEST(the_dialect_is_read), TEST(ports_are_read_from_hints),
          TEST(modes_beyond_nine_are_letters), TEST(the_minuend_holds_the_first_tensor),
          TEST(a_port_far_behind_leaves_the_first_one), TEST(a_differing_comment_is_a_warning),
          TEST(errors_are_located), TEST(damaged_texts_are_read_or_refused))

int main(void) {
    return sam_text() + text_checks();
}
