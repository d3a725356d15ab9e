/* sam/: the text form and the check: accepted texts, refused texts with their messages, lossless round
 * trips. */
#include "tests/test.h"

#include <dirent.h>

#include "sam/sam.h"
#include "tests/sam/graph_equal.h"
#include "tests/sam/illegal.h"
#include "tests/sam/kernels.h"

static bool parse(fixture *f, const char *text, sam_graph *g) {
    return sam_parse("t.gv", text, strlen(text), &f->names, &f->diag, g);
}

/* parse(dump(g)) is g, and the text is canonical: a second dump is equal. */
static void assert_round_trip(fixture *f, const sam_graph *g) {
    sam_graph again;
    const char *text = graph_text(g, &f->mem);
    bool good = parse(f, text, &again);
    if (!good)
        print_error("%s\n", fixture_printed(f));
    assert_true(good);
    assert_true(graphs_equal(g, &again));
    assert_string_equal(graph_text(&again, &f->mem), text);
}

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
    static const char alphabet[] = "\"{}[],;=->#/* \n\\a0";
    for (int round = 0; round < 4000; round++) {
        fixture *f;
        fixture_set_up((void **)&f);
        const char *whole = kernels[prng_below(&random, sizeof kernels / sizeof *kernels)].text;
        char *text = arena_strdup(&f->mem, whole);
        uint32_t length = (uint32_t)strlen(text);
        if (round % 2)
            text[prng_below(&random, length)] = '\0';
        else
            for (uint32_t changes = prng_below(&random, 3) + 1; changes > 0; changes--)
                text[prng_below(&random, length)] = alphabet[prng_below(&random, sizeof alphabet - 1)];
        sam_graph g;
        if (parse(f, text, &g)) {
            sam_check(&g, &f->diag);
            assert_round_trip(f, &g);
        } else {
            assert_true(diag_failed(&f->diag));
        }
        fixture_tear_down((void **)&f);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void kernels_round_trip(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        sam_graph g, other;
        assert_true(parse(f, kernels[i].text, &g));
        assert_true(sam_check(&g, &f->diag));
        assert_round_trip(f, &g);
        assert_true(sam_to_binary_joiners(&g, &f->mem, &f->diag, &other));
        assert_true(graphs_equal(&g, &other)); /* they are binary */
        assert_true(sam_remove_broadcasts(&g, &f->mem, &f->diag, &other));
        assert_round_trip(f, &other);
    }
}

static void the_text_is_what_the_contract_says(void **state) {
    fixture *f = *state;
    sam_graph g;
    sam_graph_init(&g, &f->mem, &f->names);
    name_id i = names_intern(&f->names, "i"), b = names_intern(&f->names, "B"),
            x = names_intern(&f->names, "x");
    vec_push(&f->mem, &g.tensors, (sam_graph_tensor){.name = x, .order = 1, .level = {SAM_LEVEL_COMPRESSED}});
    vec_push(&f->mem, &g.tensors, (sam_graph_tensor){.name = b, .order = 1, .level = {SAM_LEVEL_COMPRESSED}});
    sam_node scan = sam_add_node(&g, SAM_FIBERLOOKUP), vals = sam_add_node(&g, SAM_ARRAYVALS);
    sam_node removed = sam_add_node(&g, SAM_REDUCE), sub = sam_add_node(&g, SAM_ALU);
    sam_node crd_out = sam_add_node(&g, SAM_FIBERWRITE), val_out = sam_add_node(&g, SAM_FIBERWRITE);
    sam_node_at(&g, removed)->kind = SAM_NONE;
    sam_node_at(&g, scan)->tensor = sam_node_at(&g, vals)->tensor = b;
    sam_node_at(&g, crd_out)->tensor = sam_node_at(&g, val_out)->tensor = x;
    sam_node_at(&g, scan)->index = sam_node_at(&g, crd_out)->index = i;
    sam_node_at(&g, scan)->format = sam_node_at(&g, crd_out)->format = SAM_LEVEL_COMPRESSED;
    sam_node_at(&g, scan)->root = true;
    sam_node_at(&g, val_out)->mode = SAM_MODE_VALS;
    sam_node_at(&g, sub)->alu = names_intern(&f->names, "sub");
    vec_push(&f->mem, &sam_node_at(&g, sub)->extra,
             (sam_attribute){names_intern(&f->names, "const0"), names_intern(&f->names, "5")});
    sam_add_edge(&g, sub, 0, val_out, 0, SAM_STREAM_VAL);
    sam_add_edge(&g, vals, 0, sub, 1, SAM_STREAM_VAL);
    sam_add_edge(&g, scan, 0, crd_out, 0, SAM_STREAM_CRD);
    sam_add_edge(&g, scan, 1, vals, 0, SAM_STREAM_REF);
    assert_true(sam_check(&g, &f->diag));
    assert_string_equal(
        graph_text(&g, &f->mem),
        "digraph SAM {\n"
        "    comment=\"x=s0,B=s0\"\n"
        "    0 [comment=\"type=fiberlookup,index=i,tensor=B,mode=0,format=compressed,src=true,root=true\" "
        "label=\"FiberLookup i: B0\\ncompressed\" color=green4 shape=box style=filled type=\"fiberlookup\" "
        "index=\"i\" "
        "tensor=\"B\" mode=\"0\" format=\"compressed\" src=\"true\" root=\"true\"]\n"
        "    1 [comment=\"type=arrayvals,tensor=B\" label=\"Array Vals: B\" color=green2 shape=box "
        "style=filled "
        "type=\"arrayvals\" tensor=\"B\"]\n"
        "    3 [comment=\"type=add,sub=1,const0=5\" label=\"sub\" color=brown shape=box style=filled "
        "type=\"add\" "
        "sub=\"1\" const0=\"5\"]\n"
        "    4 "
        "[comment=\"type=fiberwrite,index=i,tensor=x,mode=0,format=compressed,segsize=2,crdsize=B0_dim,sink="
        "true\" "
        "label=\"FiberWrite i: x0\\ncompressed\" color=green3 shape=box style=filled type=\"fiberwrite\" "
        "index=\"i\" "
        "tensor=\"x\" mode=\"0\" format=\"compressed\" segsize=\"2\" crdsize=\"B0_dim\" sink=\"true\"]\n"
        "    5 [comment=\"type=fiberwrite,tensor=x,mode=vals,size=1*B0_dim,sink=true\" label=\"FiberWrite "
        "Vals: x\" "
        "color=green3 shape=box style=filled type=\"fiberwrite\" tensor=\"x\" mode=\"vals\" "
        "size=\"1*B0_dim\" "
        "sink=\"true\"]\n"
        "    0 -> 1 [label=\"ref\" style=bold type=\"ref\" src_port=\"1\" dst_port=\"0\"]\n"
        "    1 -> 3 [label=\"val\" type=\"val\" src_port=\"0\" dst_port=\"1\"]\n"
        "    0 -> 4 [label=\"crd\" style=dashed type=\"crd\" src_port=\"0\" dst_port=\"0\"]\n"
        "    3 -> 5 [label=\"val\" type=\"val\" src_port=\"0\" dst_port=\"0\"]\n"
        "}\n");
    assert_round_trip(f, &g);
}

static void graphs_that_differ_are_not_equal(void **state) {
    fixture *f = *state;
    sam_graph a, b;
    assert_true(parse(f, kernels[0].text, &a));
    for (int change = 0; change < 12; change++) {
        assert_true(parse(f, kernels[0].text, &b));
        assert_true(graphs_equal(&a, &b));
        sam_node_data *n = &b.nodes.at[0];
        name_id other = names_intern(&f->names, "other");
        switch (change) {
        case 0:
            n->id = other;
            break;
        case 1:
            n->tensor = other;
            break;
        case 2:
            n->index = other;
            break;
        case 3:
            n->mode++;
            break;
        case 4:
            n->root = !n->root;
            break;
        case 5:
            n->fp = true;
            break;
        case 6:
            vec_push(&f->mem, &n->extra, (sam_attribute){other, other});
            break;
        case 7:
            n->kind = SAM_NONE;
            break;
        case 8:
            b.edges.at[0].src_port++;
            break;
        case 9:
            b.edges.at[0].src.v = 0;
            break;
        case 10:
            b.tensors.at[1].level[0] = SAM_LEVEL_DENSE;
            break;
        default:
            n->compress = true;
            break;
        }
        assert_false(graphs_equal(&a, &b));
    }
}

/* ---- the check ------------------------------------------------------------------------------- */

/* A legal vector copy with an additional or a replaced statement. */
#define COPY(scan, rest)                                                                                     \
    "digraph { comment=\"x=s0,B=s0\" " scan "\n v [type=arrayvals tensor=B]\n"                               \
    "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x "             \
    "mode=vals]\n" rest "}"
#define SCAN "s [type=fiberlookup index=i tensor=B mode=0 format=compressed root=true]"
#define WIRES "s -> w [type=crd] s -> v [type=ref] v -> u [type=val]\n"

static const illegal_graph illegal[] = {
    {COPY(SCAN, WIRES "v -> u [type=val]"), "E0213-driven-twice",
     "fiberwrite vals x (node u) receives two streams at port 0: from arrayvals B (node v) and from "
     "arrayvals B (node v)"},
    {COPY(SCAN, WIRES "s -> v [type=ref dst_port=1]"), "E0210-arity",
     "arrayvals B (node v) has 1 input port, an edge enters port 1"},
    {COPY(SCAN, WIRES "v -> m [type=val src_port=3] v -> m [type=val] m [type=mul]"), "E0210-arity",
     "arrayvals B (node v) has 1 output port, an edge leaves port 3"},
    {COPY(SCAN, "s -> w [type=crd] s -> v [type=ref] s -> u [type=crd]"), "E0211-stream-type",
     "input port 0 of fiberwrite vals x (node u) carries val, not crd"},
    {COPY(SCAN, WIRES "g [type=repsiggen] s -> g [type=crd] p [type=repeat index=j tensor=B] "
                      "s -> p [type=crd dst_port=0] g -> p [type=repsig dst_port=1]"),
     "E0211-stream-type", "input port 0 of repeat j: B (node p) carries ref, not crd"},
    {COPY(SCAN, WIRES "r [type=reduce] s -> r [type=val src_port=0]"), "E0211-stream-type",
     "output port 0 of fiberlookup i: B0 (node s) carries crd, not val"},
    {COPY(SCAN, WIRES "f [type=broadcast] s -> f [type=crd] f -> g [type=ref] g [type=repsiggen]"),
     "E0211-stream-type", "broadcast (node f) passes crd on as ref"},
    {COPY(SCAN, "s -> w [type=crd] v -> u [type=val]"), "E0212-undriven",
     "arrayvals B (node v) has no edge into port 0"},
    {COPY("s [type=fiberlookup index=i tensor=B mode=0 format=compressed]", WIRES), "E0212-undriven",
     "fiberlookup i: B0 (node s) has no edge into port 0"},
    {COPY(SCAN, WIRES "j [type=union] s -> j [type=crd comment=\"in-B\"] s -> j [type=ref comment=\"in-B\"]"),
     "E0212-undriven", "union (node j) has no edge into port 2"},
    {COPY(
         SCAN, WIRES
         "j [type=union] s -> j [type=crd dst_port=0] s -> j [type=ref dst_port=1] s -> j [type=crd "
         "dst_port=2] s -> j [type=ref dst_port=3] j -> y [type=ref src_port=3] y [type=arrayvals tensor=B]"),
     "E0210-arity", "union (node j) has 2 operands, an edge leaves port 3"},
    {COPY(SCAN, WIRES
          "s -> s2 [type=ref] s2 [type=fiberlookup index=j tensor=B mode=0 format=compressed root=true]"),
     "E0213-driven-twice",
     "fiberlookup j: B0 (node s2) has an edge into port 0, which is fed by the root reference"},
    {COPY(SCAN, WIRES "m [type=mul const0=1] v -> m [type=val dst_port=0]"), "E0213-driven-twice",
     "mul (node m) has an edge into port 0, which is a constant"},
    {COPY(SCAN, WIRES "m [type=mul const0=1]"), "E0210-arity",
     "mul (node m) has no operand that is a stream"},
    {COPY(SCAN, WIRES "a [type=reduce] b [type=reduce] a -> b [type=val] b -> a [type=val]"), "E0214-cycle",
     "reduce (node a) waits for its own output"},
    {COPY("s [type=fiberlookup index=i tensor=D mode=0 format=compressed root=true]", WIRES), "E0215-tensor",
     "fiberlookup i: D0 (node s) belongs to tensor 'D', which the graph does not describe"},
    {COPY("s [type=fiberlookup index=i tensor=B mode=1 format=compressed root=true]", WIRES), "E0215-tensor",
     "fiberlookup i: B1 (node s) has mode 1, but B has 1 mode"},
    {COPY("s [type=fiberlookup index=i tensor=B mode=0 format=dense root=true]", WIRES), "E0215-tensor",
     "fiberlookup i: B0 (node s) is dense, but the graph's comment says compressed"},
    {COPY(SCAN, WIRES "y [type=fiberwrite tensor=x mode=vals] v -> y [type=val]"), "E0216-writer",
     "values of the result x: 2 writers, expected one"},
    {"digraph { }", "E0216-writer", "the graph describes no tensors"},
    {"digraph { comment=\"x=none\" }", "E0216-writer", "values of the result x: 0 writers, expected one"},
    {COPY("s [type=fiberlookup index=i tensor=B mode=0 root=true]", WIRES), "E0217-missing-attribute",
     "fiberlookup i: B0 (node s) has no format"},
    {COPY(SCAN, WIRES "d [type=crddrop outer=i] s -> d [type=crd comment=i] v -> d [type=val]"),
     "E0217-missing-attribute", "crddrop i, (node d) has no inner"},
    {COPY(SCAN, WIRES "r [type=reduce op=sub] v -> r [type=val]"), "E0217-missing-attribute",
     "reduce (node r) cannot reduce by 'sub'"},
    {COPY(SCAN, WIRES "r [type=reduce root=true]"), "E0217-missing-attribute",
     "reduce (node r) is root but reads no references"},
    {COPY(SCAN, WIRES "y [type=fiberwrite tensor=x mode=vals root=true]"), "E0217-missing-attribute",
     "fiberwrite vals x (node y) is root but reads no references"},
    {COPY(SCAN, WIRES "r [type=reduce root=true] v -> r [type=val]"), "E0213-driven-twice",
     "reduce (node r) has an edge into port 0, which is fed by the root reference"},
};

static void illegal_graphs_are_refused(void **state) {
    (void)state;
    each_afresh(sizeof illegal / sizeof *illegal, expect_illegal, (void *)illegal);
}

static void graphs_built_by_hand_are_checked(void **state) {
    fixture *f = *state;
    sam_graph g;
    assert_true(parse(f, COPY(SCAN, WIRES), &g));
    assert_true(sam_check(&g, &f->diag));
    sam_node alu = sam_add_node(&g, SAM_ALU), v = {2};
    sam_add_edge(&g, v, 0, alu, 0, SAM_STREAM_VAL);
    assert_false(sam_check(&g, &f->diag));
    assert_string_equal(f->diag.list.at[0].message, " (node 4) has no operation");
    sam_node_at(&g, alu)->alu = names_intern(&f->names, "fp_mul");
    assert_false(sam_check(&g, &f->diag));
    assert_string_equal(f->diag.list.at[1].message, "fp_mul (node 4) says fp_ in its operation");
    sam_node_at(&g, alu)->alu = names_intern(&f->names, "mul");
    sam_node_at(&g, alu)->id = sam_node_at(&g, v)->id;
    assert_false(sam_check(&g, &f->diag));
    assert_string_equal(f->diag.list.at[2].message, "mul (node v) has the same id as another node");
    sam_node_at(&g, alu)->id = names_intern(&f->names, "4");
    assert_true(sam_check(&g, &f->diag));
    sam_node again = sam_add_node(&g, SAM_REDUCE); /* ids are fresh for any existing ids */
    assert_string_equal(names_text(&f->names, sam_node_at(&g, again)->id), "5");
    sam_add_edge(&g, v, 0, again, 0, SAM_STREAM_VAL);
    assert_true(sam_check(&g, &f->diag));
    sam_add_edge(&g, v, 0, sam_add_node(&g, SAM_BROADCAST), 0, SAM_STREAM_NONE);
    assert_false(sam_check(&g, &f->diag));
    assert_string_equal(f->diag.list.at[3].message,
                        "output port 0 of arrayvals B (node v) carries val, not no type");
    assert_string_equal(f->diag.list.at[4].message,
                        "input port 0 of broadcast (node 6) carries a stream, not no type");
}

static void the_primitive_table_is_consistent(void **state) {
    (void)state;
    for (int k = SAM_NONE + 1; k < SAM_PRIMITIVES; k++) {
        const sam_primitive_info *p = &sam_primitive_table[k];
        assert_non_null(p->name);
        assert_true(*p->doc && (*p->type || k == SAM_ALU));
        if (p->in != SAM_ANY)
            assert_int_equal(strlen(p->ports_in), p->in);
        if (p->out != SAM_ANY)
            assert_int_equal(strlen(p->ports_out), p->out);
        for (int other = k + 1; other < SAM_PRIMITIVES; other++)
            assert_string_not_equal(p->type, sam_primitive_table[other].type);
    }
}

/* ---- the published graphs -------------------------------------------------------------------- */

static uint32_t read_folder(fixture *f, const char *path) {
    DIR *folder = opendir(path);
    uint32_t count = 0;
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *file = arena_printf(&f->mem, "%s/%s", path, entry->d_name);
        size_t name_length = strlen(entry->d_name), length;
        if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
            count += read_folder(f, file);
        if (name_length < 3 || strcmp(entry->d_name + name_length - 3, ".gv") != 0)
            continue;
        fixture *own;
        fixture_set_up((void **)&own);
        const char *text = file_read(file, &own->mem, &length, &own->diag);
        sam_graph g, binary, plain;
        bool read = text && sam_parse(file, text, length, &own->names, &own->diag, &g);
        if (!read)
            print_error("%s\n", fixture_printed(own));
        assert_true(read);
        assert_round_trip(own, &g);
        bool legal = sam_check(&g, &own->diag);
        if (strcmp(entry->d_name, "matmul_ikj_hacked.gv") == 0) {
            /* Its accumulator lacks the coordinates named by in1. */
            assert_false(legal);
            assert_string_equal(own->diag.list.at[0].message,
                                "spaccumulator (node 3) has no edge into port 1");
        } else {
            if (!legal)
                print_error("%s\n", fixture_printed(own));
            assert_true(legal);
            assert_true(sam_remove_broadcasts(&g, &own->mem, &own->diag, &plain));
            assert_true(sam_to_binary_joiners(&plain, &own->mem, &own->diag, &binary));
            assert_true(sam_check(&binary, &own->diag));
            assert_round_trip(own, &binary);
        }
        count++;
        fixture_tear_down((void **)&own);
    }
    closedir(folder);
    return count;
}

/* Contents of streams: names, arrays, and blocks, of a dense level below a compressed one. */
static void the_contents_of_streams(void **state) {
    const sam_level_format levels[] = {SAM_LEVEL_COMPRESSED, SAM_LEVEL_DENSE, SAM_LEVEL_COMPRESSED};
    static const struct {
        int stream, array;
        bool carries;
        uint32_t before, all;
    } want[] = {{SAM_IN_TURN, 0, true, 0, 5},    {SAM_IN_TURN, 1, true, 2, 5},
                {SAM_IN_TURN, 2, true, 2, 5},    {SAM_IN_TURN, SAM_MODE_VALS, true, 4, 5},
                {SAM_MODE_VALS, 0, false, 0, 1}, {SAM_MODE_VALS, SAM_MODE_VALS, true, 0, 1},
                {2, SAM_MODE_VALS, false, 2, 2}, {2, 2, true, 0, 2}};
    int stream = 0;
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(sam_carries(want[i].stream, want[i].array), want[i].carries);
        assert_int_equal(sam_blocks_before(want[i].stream, levels, 3, want[i].array), want[i].before);
        assert_int_equal(sam_blocks_before(want[i].stream, levels, 3, SAM_ARRAYS), want[i].all);
    }
    assert_true(sam_find_contents("all", 3, &stream) && stream == SAM_IN_TURN);
    assert_true(sam_find_contents("vals=", 4, &stream) && stream == SAM_MODE_VALS);
    assert_false(sam_find_contents("val", 3, &stream));
    assert_null(sam_contents_of(0));
    assert_true(sam_is_stream(-2) && sam_is_stream(SAM_MAX_ORDER - 1));
    assert_false(sam_is_stream(-3) || sam_is_stream(SAM_MAX_ORDER) || sam_is_stream(0.5));
}

static void published_graphs_are_read(void **state) {
    uint32_t count = read_folder(*state, ONYX_SHARED_DIR "/data/sam_graphs");
    if (!count) {
        print_message("no published graphs in " ONYX_SHARED_DIR "/data/sam_graphs\n");
        skip();
    }
    print_message("%u published graphs\n", count);
}

RUN_TESTS(TEST(the_dialect_is_read), TEST(ports_are_read_from_hints), TEST(modes_beyond_nine_are_letters),
          TEST(the_minuend_holds_the_first_tensor), TEST(a_port_far_behind_leaves_the_first_one),
          TEST(a_differing_comment_is_a_warning), TEST(errors_are_located),
          TEST(damaged_texts_are_read_or_refused), TEST(kernels_round_trip),
          TEST(the_text_is_what_the_contract_says), TEST(graphs_that_differ_are_not_equal),
          TEST(illegal_graphs_are_refused), TEST(graphs_built_by_hand_are_checked),
          TEST(the_primitive_table_is_consistent), TEST(the_contents_of_streams),
          TEST(published_graphs_are_read))
