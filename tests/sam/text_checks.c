#include "tests/sam/text_cases.h"

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
    {COPY(SCAN,
          WIRES "j [type=union] s -> j [type=crd dst_port=0] s -> j [type=ref dst_port=1] s -> j [type=crd "
                "dst_port=2] s -> j [type=ref dst_port=3] s -> j [type=crd dst_port=4]"),
     "E0212-undriven", "union (node j) has no edge into port 5"},
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
    {COPY(SCAN, WIRES "a [type=reduce] a -> a [type=val]"), "E0214-cycle",
     "reduce (node a) waits for its own output"},
    {COPY(SCAN, WIRES "a [type=spaccumulator] s -> a [type=crd dst_port=0]"), "E0212-undriven",
     "spaccumulator (node a) has no edge into port 1"},
    {COPY(SCAN, WIRES "d [type=crddrop outer=i inner=j] s -> d [type=crd dst_port=0] s -> d [type=crd "
                      "dst_port=1] d -> r [type=val src_port=1] r [type=reduce]"),
     "E0211-stream-type", "crddrop i,j (node d) passes crd on as val"},
    {COPY(SCAN, WIRES "d [type=crdhold outer=i inner=j] s -> d [type=crd dst_port=0] v -> d [type=val "
                      "dst_port=1] d -> g [type=crd src_port=1] g [type=repsiggen]"),
     "E0211-stream-type", "crdhold i,j (node d) passes val on as crd"},
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

/* The coordinates of a dense outermost level are its references, for a joiner of any tensor, and for a
 * repeater of that level's tensor. */
static void coordinates_of_dense_roots_are_references(void **state) {
    fixture *f = *state;
    static const char *const readers[] = {
        "n [type=intersect] s -> n [type=crd dst_port=0] s -> n [type=crd dst_port=1] "
        "s -> n [type=crd dst_port=2] s -> n [type=ref dst_port=3]",
        "n [type=union] s -> n [type=crd dst_port=0] s -> n [type=crd dst_port=1] "
        "s -> n [type=crd dst_port=2] s -> n [type=ref dst_port=3]",
        "n [type=repeat index=j tensor=B] g [type=repsiggen] s -> g [type=crd] s -> n [type=crd dst_port=0] "
        "g -> n [type=repsig dst_port=1]"};
    for (size_t i = 0; i < 2 * (sizeof readers / sizeof *readers); i++) {
        sam_graph g;
        const char *format = i % 2 ? "dense" : "compressed";
        clear_diagnostics(f);
        assert_true(
            parse(f,
                  arena_printf(&f->mem,
                               "digraph { comment=\"x=s0,B=%c0\" s [type=fiberlookup index=i tensor=B "
                               "mode=0 format=%s root=true] v [type=arrayvals tensor=B] w [type=fiberwrite "
                               "index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x "
                               "mode=vals] " WIRES "%s}",
                               i % 2 ? 'd' : 's', format, readers[i / 2]),
                  &g));
        if (sam_check(&g, &f->diag) != (i % 2 || i < 4))
            fail_msg("%s %s\n%s", format, readers[i / 2], fixture_printed(f));
    }
}

/* What lacks a reference, at port 0 alone, may be a root; what has one from an edge, too, is none. */
static void remedies_are_those_of_the_port(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *hint;
    } all[] = {
        {COPY("s [type=fiberlookup index=i tensor=B mode=0 format=compressed]", WIRES),
         "root=\"true\" instead"},
        {COPY(SCAN, WIRES "g [type=repsiggen] s -> g [type=crd] p [type=repeat index=j tensor=B] "
                          "g -> p [type=repsig dst_port=1]"),
         "root=\"true\" instead"},
        {COPY(SCAN, WIRES "p [type=repeat index=j tensor=B root=true]"), "lists the ports"},
        {COPY(SCAN, WIRES "m [type=mul] v -> m [type=val dst_port=1]"), "lists the ports"},
        {COPY(SCAN, WIRES "v -> s [type=ref]"), "remove the edge or root=\"true\""},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sam_graph g;
        bool said = false;
        clear_diagnostics(f);
        assert_true(parse(f, all[i].text, &g));
        assert_false(sam_check(&g, &f->diag));
        for (uint32_t k = 0; k < f->diag.list.len; k++)
            said = said || (f->diag.list.at[k].hint && strstr(f->diag.list.at[k].hint, all[i].hint));
        if (!said)
            fail_msg("%s\n%s", all[i].text, fixture_printed(f));
    }
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

TEST_PART(text_checks, TEST(kernels_round_trip), TEST(the_text_is_what_the_contract_says),
          TEST(graphs_that_differ_are_not_equal), TEST(illegal_graphs_are_refused),
          TEST(coordinates_of_dense_roots_are_references), TEST(remedies_are_those_of_the_port),
          TEST(graphs_built_by_hand_are_checked), TEST(the_primitive_table_is_consistent),
          TEST(the_contents_of_streams), TEST(published_graphs_are_read))
