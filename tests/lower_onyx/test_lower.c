/* SAM graph in, Onyx-aware graph and netlist out, on small DOT files. */
#include "tests/lower_onyx/lower_test.h"

/* The graphs of data/ have binary joiners and no broadcasts already. */
static bool read_sam(fixture *f, const char *name, const char *text, sam_graph *out) {
    return sam_parse(name, text, strlen(text), &f->names, &f->diag, out) && sam_check(out, &f->diag);
}

static bool lower_text(fixture *f, const char *name, const char *text, onyx_graph **out) {
    sam_graph sam;
    if (!read_sam(f, name, text, &sam)) {
        print_message("%s", fixture_printed(f));
        fail_msg("%s is no SAM graph", name);
    }
    return lower_run(&sam, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, out);
}

static onyx_graph *lowered(fixture *f, const char *name) {
    onyx_graph *g;
    if (!lower_text(f, name, read_data(f, name), &g) || !lower_check(g, &f->diag)) {
        print_message("%s", fixture_printed(f));
        fail_msg("%s does not lower", name);
    }
    return g;
}

static void identity_lowers_to_the_whole_text(void **state) {
    fixture *f = *state;
    assert_string_equal(dumped(f, lowered(f, "vec_identity.gv")), read_data(f, "vec_identity.onyx"));
}

static void kernels_lower_as_expected(void **state) {
    fixture *f = *state;
    const char *const kernels[] = {"vec_elemadd",      "mat_elemmul", "matmul_ijk",
                                   "mat_vecmul_dense", "matmul_ikj",  "mat_vecmul_ji"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        onyx_graph *g = lowered(f, arena_printf(&f->mem, "%s.gv", kernels[i]));
        expect_data(f, arena_printf(&f->mem, "%s.outline", kernels[i]), outline(f, g));
        char *text = dumped(f, g);
        assert_string_equal(dumped(f, parsed_ir(f, text)), text);
    }
}

/* Tiles and nets of the same kernels, counted by hand from the expression. */
static void kernels_pack_into_the_right_number_of_tiles(void **state) {
    fixture *f = *state;
    const struct {
        const char *file;
        uint32_t tiles[4]; /* by net_tile */
        uint32_t nets;
    } cases[] = {
        {"vec_identity.gv", {0, 0, 4, 4}, 7},  {"vec_elemadd.gv", {0, 2, 6, 6}, 16},
        {"vec_elemmul.gv", {0, 2, 6, 6}, 16},  {"mat_identity.gv", {0, 0, 6, 6}, 11},
        {"mat_elemadd.gv", {0, 3, 9, 9}, 26},  {"mat_elemmul.gv", {0, 4, 9, 9}, 28},
        {"matmul_ijk.gv", {0, 7, 9, 9}, 27},   {"mat_vecmul_dense.gv", {0, 5, 6, 4}, 18},
        {"matmul_ikj.gv", {0, 12, 11, 9}, 42}, {"mat_vecmul_ji.gv", {0, 9, 10, 7}, 36},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        netlist n;
        assert_true(lower_pack(lowered(f, cases[i].file), &f->mem, &f->diag, &n));
        uint32_t tiles[4] = {0};
        for (uint32_t c = 0; c < n.cells.len; c++)
            tiles[net_mode_table[n.cells.at[c].mode].tile]++;
        assert_memory_equal(tiles, cases[i].tiles, sizeof tiles);
        assert_int_equal(n.nets.len, cases[i].nets);
    }
}

/* x = b scaled, negated, by constants: the PE pairs the tokens of its two ports, hence the stream goes to
 both ports.
 */
static const char one_operand[] =
    "digraph { comment=\"x=s0,b=s0\"\n"
    "1 [type=\"fiberlookup\" index=\"i\" tensor=\"b\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
    "2 [type=\"arrayvals\" tensor=\"b\"]\n"
    "3 [type=\"OPERATION]\n"
    "4 [type=\"fiberwrite\" tensor=\"x\" mode=\"vals\"]\n"
    "5 [type=\"fiberwrite\" index=\"i\" tensor=\"x\" mode=\"0\" format=\"compressed\"]\n"
    "1 -> 5 [type=\"crd\"]\n1 -> 2 [type=\"ref\"]\n2 -> 3 [type=\"val\" dst_port=\"PORT\"]\n"
    "3 -> 4 [type=\"val\"]\n}\n";

static char *one_operand_graph(fixture *f, const char *operation, const char *port) {
    return replaced(f, replaced(f, one_operand, "OPERATION", operation), "PORT", port);
}

static void one_stream_goes_to_both_ports(void **state) {
    fixture *f = *state;
    const struct {
        const char *operation, *port, *node;
    } cases[] = {
        {"mul\" const0=\"2\"", "1", "node alu mul op=mul const0=2\n"},
        {"sub\" const1=\"-1\"", "0", "node alu sub op=sub const1=65535\n"},
        {"add\" const0=\"0\"", "1", "node alu add op=add const0=0\n"},
        {"mul\" fp=\"true\" const1=\"-0.5\"", "0", "node alu mul op=fp_mul const1=48896\n"},
        {"neg\"", "0", "node alu neg op=neg\n"},
        {"relu\"", "0", "node alu relu op=relu\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onyx_graph *g;
        if (!lower_text(f, "one.gv", one_operand_graph(f, cases[i].operation, cases[i].port), &g) ||
            !lower_check(g, &f->diag))
            fail_msg("%s: %s", cases[i].operation, fixture_printed(f));
        char *text = dumped(f, g);
        assert_non_null(strstr(text, cases[i].node));
        const char *link = arena_printf(&f->mem, "link b_vals.read.val_out -> %s.data",
                                        strtok(arena_strdup(&f->mem, cases[i].operation), "\""));
        assert_non_null(strstr(text, arena_printf(&f->mem, "%s0", link)));
        assert_non_null(strstr(text, arena_printf(&f->mem, "%s1", link)));
        assert_string_equal(dumped(f, parsed_ir(f, text)), text);
    }
}

/* ---- refusals by the chip's limits ------------------------------------------------------------ */

static void expect_unmappable(fixture *f, const char *text, const char *message) {
    clear_diagnostics(f);
    onyx_graph *g;
    assert_false(lower_text(f, "test.gv", text, &g));
    assert_string_equal(first_message(f), message);
    assert_int_equal(f->diag.list.at[0].kind, DIAG_UNMAPPABLE);
}

static void what_the_chip_lacks_is_named(void **state) {
    fixture *f = *state;
    char *mul = read_data(f, "vec_elemmul.gv"), *matmul = read_data(f, "matmul_ijk.gv");
    static const char *const lacking[][2] = {
        {"div",
         "the chip does not divide: multiply by the reciprocal, made an operand before the run (bf16), or "
         "use --engine sam"},
        {"faddiexp",
         "in a sparse graph the chip adds, subtracts, multiplies, negates, takes absolute values, "
         "min, max and relu, int16 or bfloat16; int16 also and, or, xor, shifts, comparisons, land, "
         "lor, when, unless: docs/array_operators.md"}};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        expect_unmappable(
            f, replaced(f, mul, "type=\"mul\"", arena_printf(&f->mem, "type=\"%s\"", lacking[i][0])),
            arena_printf(&f->mem, "E0410-not-on-chip: %s (node 6): Onyx has no such primitive | %s",
                         lacking[i][0], lacking[i][1]));
    expect_unmappable(
        f, replaced(f, matmul, "type=\"reduce\" index=\"k\"", "type=\"reduce\" index=\"k\" op=\"min\""),
        "E0410-not-on-chip: reduce (node 13): the chip's reducer adds, and does not combine by min | an "
        "accumulator does, in an order whose summed loop is outside of a loop of the result; so does the "
        "reducer of --profile onyx-ext");
    expect_unmappable(
        f, replaced(f, matmul, "type=\"reduce\" index=\"k\"", "type=\"reduce\" index=\"k\" fp=\"true\""),
        "E0410-not-on-chip: reduce (node 13): Onyx has no such primitive | the chip's reducer adds "
        "16-bit integers only; use --profile onyx-ext, whose reducers add bf16, --dtype int16, --engine sam, "
        "or an "
        "expression without reductions");
    char *dense = replaced(f, mul, "X=s0", "X=d0");
    dense =
        replaced(f, dense, "7 [type=\"fiberwrite\" index=\"i\" tensor=\"X\" mode=\"0\" format=\"compressed\"",
                 "7 [type=\"fiberwrite\" index=\"i\" tensor=\"X\" mode=\"0\" format=\"dense\"");
    expect_unmappable(
        f, dense,
        "E0413-dense-result: fiberwrite i: X0 (node 7): level 0 of result X is dense, but its coordinates "
        "may have gaps; the chip writes results in order only | store that level of X compressed");
}

/* Additions of profile onyx-ext: a setting, and none if not needed. */
static void the_extended_reducer_adds_bf16(void **state) {
    fixture *f = *state;
    for (int fp = 0; fp < 2; fp++) {
        sam_graph sam;
        onyx_graph *g;
        const char *text = read_data(f, "matmul_ijk.gv"),
                   *outline_of_chip = read_data(f, "matmul_ijk.outline");
        if (fp)
            text =
                replaced(f, text, "type=\"reduce\" index=\"k\"", "type=\"reduce\" index=\"k\" fp=\"true\"");
        assert_true(read_sam(f, "matmul_ijk.gv", text, &sam));
        const lower_options options = {.tile_edge = 30, .extended = true};
        assert_true(lower_run(&sam, &options, &f->mem, &f->diag, &g) && lower_check(g, &f->diag));
        char *dump = dumped(f, g);
        assert_int_equal(strstr(dump, "bf16=1") != NULL, fp);
        assert_string_equal(dumped(f, parsed_ir(f, dump)), dump);
        if (!fp)
            assert_string_equal(outline(f, g), outline_of_chip);
    }
}

/* A single tile instead of the chip's seven, with room for more. */
static void the_vector_reducer_is_one_tile(void **state) {
    fixture *f = *state;
    const char *const kernels[] = {"matmul_ikj.gv", "mat_vecmul_ji.gv"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        sam_graph sam;
        onyx_graph *chip, *ours, *wide;
        netlist before, after;
        const lower_options options = {.tile_edge = 30, .extended = true};
        assert_true(read_sam(f, kernels[i], read_data(f, kernels[i]), &sam));
        chip = lowered(f, kernels[i]);
        assert_true(lower_run(&sam, &options, &f->mem, &f->diag, &ours) && lower_check(ours, &f->diag));
        assert_true(lower_pack(chip, &f->mem, &f->diag, &before) &&
                    lower_pack(ours, &f->mem, &f->diag, &after));
        uint32_t outermost = i == 1; /* the level the chip's needs around everything */
        assert_int_equal(before.cells.len, after.cells.len + 6 + outermost);
        char *text = dumped(f, ours);
        assert_non_null(strstr(text, "node vector_reducer vectorreducer_"));
        assert_string_equal(dumped(f, parsed_ir(f, text)), text);
        name_id summed = {0}, other = names_intern(&f->names, "k");
        for (uint32_t n = 0; n < sam.nodes.len; n++)
            summed = sam.nodes.at[n].kind == SAM_VECTORREDUCER ? sam.nodes.at[n].index : summed;
        assert_int_equal(lower_widest(&sam, summed, false), 256);
        assert_int_equal(lower_widest(&sam, summed, true), 1024);
        assert_int_equal(lower_widest(&sam, other, true), UINT16_MAX);
        const lower_piece edges[] = {{other, 30}, {summed, 1024}};
        const lower_options along = {.tile_edge = 9999, .edges = edges, .n_edges = 2, .extended = true};
        assert_true(lower_run(&sam, &along, &f->mem, &f->diag, &wide));
        const lower_options largest = {.tile_edge = 1024, .extended = true};
        assert_true(lower_run(&sam, &largest, &f->mem, &f->diag, &wide));
        const lower_options beyond = {.tile_edge = 1025, .extended = true};
        assert_false(lower_run(&sam, &beyond, &f->mem, &f->diag, &wide));
        assert_string_equal(f->diag.list.at[0].code, "E0417-sum-room");
        assert_non_null(strstr(first_message(f),
                               "a vector of up to 1025 sums, and a memory tile accumulates 1024 | "
                               "choose --tile 1024 or less, or "));
        diag_init(&f->diag, &f->mem);
    }
}

/* Lowers a product of matrices whose arrays share streams, and returns its text form. */
static char *lowered_product(fixture *f, sam_sharing sharing, sam_graph *sam, onyx_graph **g) {
    const lower_options options = {.tile_edge = 30, .extended = true, .sharing = sharing};
    assert_true(read_sam(f, "matmul_ijk.gv", read_data(f, "matmul_ijk.gv"), sam));
    assert_true(lower_run(sam, &options, &f->mem, &f->diag, g) && lower_check(*g, &f->diag));
    return dumped(f, *g);
}

/* A load stream for each operand: every scanner takes its share, and the number of streams follows. */
static void levels_come_in_turn(void **state) {
    fixture *f = *state;
    sam_graph sam;
    onyx_graph *g;
    netlist n;
    uint32_t sinks = 0;
    char *text = lowered_product(f, SAM_SHARING_TENSORS, &sam, &g);
    assert_non_null(strstr(text, "node glb_in in_B tensor=B level=all blocks=1\n"));
    assert_non_null(strstr(text, "node write_scanner B0.write tile=B0 block_mode=1 compressed=1 behind=3\n"));
    assert_non_null(
        strstr(text, "node write_scanner B1.write tile=B1 block_mode=1 compressed=1 before=2 behind=1\n"));
    assert_non_null(strstr(text, "tile=B_vals block_mode=1 compressed=1 lowest_level=1 before=4\n"));
    assert_string_equal(dumped(f, parsed_ir(f, text)), text);
    assert_true(lower_pack(g, &f->mem, &f->diag, &n));
    for (uint32_t i = 0; i < n.nets.len; i++)
        sinks +=
            net_cell_at(&n, n.nets.at[i].source.cell)->mode == NET_MODE_IO_IN ? n.nets.at[i].sinks.len : 0;
    assert_int_equal(sinks, 6);
    assert_int_equal(lower_count_loads(&sam, SAM_SHARING_ALL), 2);
    assert_int_equal(lower_count_loads(&sam, SAM_SHARING_LEVELS), 6);
    assert_int_equal(lower_count_stores(&sam, SAM_SHARING_LEVELS), 3);
    netlist again;
    cJSON *json = net_to_json(&n);
    assert_true(net_from_json(json, &f->names, &f->mem, &f->diag, &again));
    assert_int_equal(again.cells.at[0].level, SAM_IN_TURN);
    cJSON_Delete(json);
}

/* A quotient has six tables, each with a load stream, which the netlist has as well. */
static void tables_count_as_loads(void **state) {
    static const char text[] =
        "digraph SAM {\ncomment=\"x=s0,b=s0,c=s0\"\n"
        "0 [type=\"fiberlookup\" index=\"i\" tensor=\"b\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
        "1 [type=\"fiberlookup\" index=\"i\" tensor=\"c\" mode=\"0\" format=\"compressed\" root=\"true\"]\n"
        "2 [type=\"intersect\" index=\"i\"]\n3 [type=\"arrayvals\" tensor=\"b\"]\n"
        "4 [type=\"arrayvals\" tensor=\"c\"]\n5 [type=\"fp_div\"]\n"
        "6 [type=\"fiberwrite\" index=\"i\" tensor=\"x\" mode=\"0\" format=\"compressed\"]\n"
        "7 [type=\"fiberwrite\" tensor=\"x\" mode=\"vals\"]\n"
        "0 -> 2 [type=\"crd\" src_port=\"0\" dst_port=\"0\"]\n0 -> 2 [type=\"ref\" src_port=\"1\" "
        "dst_port=\"1\"]\n"
        "1 -> 2 [type=\"crd\" src_port=\"0\" dst_port=\"2\"]\n1 -> 2 [type=\"ref\" src_port=\"1\" "
        "dst_port=\"3\"]\n"
        "2 -> 3 [type=\"ref\" src_port=\"1\" dst_port=\"0\"]\n2 -> 4 [type=\"ref\" src_port=\"2\" "
        "dst_port=\"0\"]\n"
        "3 -> 5 [type=\"val\" src_port=\"0\" dst_port=\"0\"]\n4 -> 5 [type=\"val\" src_port=\"0\" "
        "dst_port=\"1\"]\n"
        "2 -> 6 [type=\"crd\" src_port=\"0\" dst_port=\"0\"]\n5 -> 7 [type=\"val\" src_port=\"0\" "
        "dst_port=\"0\"]\n}\n";
    fixture *f = *state;
    sam_graph sam;
    onyx_graph *g;
    netlist n;
    uint32_t loads = 0;
    const lower_options options = {.tile_edge = 30};
    assert_true(read_sam(f, "quotient.gv", text, &sam));
    assert_true(lower_run(&sam, &options, &f->mem, &f->diag, &g) && lower_pack(g, &f->mem, &f->diag, &n));
    for (uint32_t c = 0; c < n.cells.len; c++)
        loads += n.cells.at[c].mode == NET_MODE_IO_IN;
    assert_int_equal(loads, 4 + 6);
    assert_int_equal(lower_count_loads(&sam, SAM_SHARING_LEVELS), loads);
    assert_int_equal(lower_count_loads(&sam, SAM_SHARING_ALL), 2 + 6);
}

/* A store stream for the result: each read-out forwards the stored words of the outer levels. */
static void levels_leave_in_turn(void **state) {
    fixture *f = *state;
    sam_graph sam;
    onyx_graph *g;
    netlist n, again;
    char *text = lowered_product(f, SAM_SHARING_ALL, &sam, &g);
    assert_non_null(strstr(text, "node glb_out out_X tensor=X level=all blocks=5\n"));
    assert_non_null(strstr(text, "node read_scanner X0.read tile=X0 block_mode=1\n"));
    assert_non_null(strstr(text, "node read_scanner X1.read tile=X1 block_mode=1 ahead=2\n"));
    assert_non_null(strstr(text, "tile=X_vals block_mode=1 lookup=1 ahead=4\n"));
    assert_non_null(strstr(text, "link X1.read.block_rd_out -> X_vals.read.chain_in"));
    assert_string_equal(dumped(f, parsed_ir(f, text)), text);
    assert_int_equal(lower_count_loads(&sam, SAM_SHARING_ALL), 2);
    assert_int_equal(lower_count_stores(&sam, SAM_SHARING_ALL), 1);
    assert_true(lower_pack(g, &f->mem, &f->diag, &n) && net_check(&n, &f->diag));
    cJSON *json = net_to_json(&n);
    assert_true(net_from_json(json, &f->names, &f->mem, &f->diag, &again));
    for (uint32_t c = 0; c < again.cells.len; c++)
        assert_true(!again.cells.at[c].output || again.cells.at[c].num_blocks == 5);
    cJSON_Delete(json);
    char *wrong = strstr(text, "ahead=4");
    wrong[6] = '3';
    assert_false(lower_check(parsed_ir(f, text), &f->diag));
    assert_non_null(strstr(fixture_printed(f), "X1.read.block_rd_out gives 4 blocks a tree to "
                                               "X_vals.read.chain_in, which lets 3 pass [E0422-fan-out]"));
}

/* Graphs without a DOT file: a legal graph with a single change. */
typedef struct {
    const char *file;
    void (*change)(fixture *, sam_graph *);
    const char *message;
} changed_case;

static void unknown_mode(fixture *f, sam_graph *g) {
    (void)f;
    g->nodes.at[0].mode = 5;
}
static void third_operand(fixture *f, sam_graph *g) {
    (void)f;
    sam_add_edge(g, (sam_node){1}, 0, (sam_node){3}, 4, SAM_STREAM_CRD);
    sam_add_edge(g, (sam_node){1}, 1, (sam_node){3}, 5, SAM_STREAM_REF);
}
static void third_value(fixture *f, sam_graph *g) {
    (void)f;
    sam_add_edge(g, (sam_node){4}, 0, (sam_node){6}, 2, SAM_STREAM_VAL);
}
static void references_into_values(fixture *f, sam_graph *g) {
    (void)f;
    sam_add_edge(g, (sam_node){1}, 1, (sam_node){8}, 0, SAM_STREAM_REF);
}
static void vector_reducer(fixture *f, sam_graph *g) {
    (void)f;
    g->nodes.at[12].kind = SAM_VECTORREDUCER;
}
static void dropping_reducer(fixture *f, sam_graph *g) {
    (void)f;
    for (uint32_t i = 0; i < g->nodes.len; i++)
        g->nodes.at[i].compress = g->nodes.at[i].kind == SAM_REDUCE;
}
static void skipping(fixture *f, sam_graph *g) {
    (void)f;
    sam_add_edge(g, (sam_node){3}, 3, (sam_node){1}, 1, SAM_STREAM_SKIP);
}
static void word_as_constant(fixture *f, sam_graph *g) {
    const sam_attribute constant = {names_intern(&f->names, "const1"), names_intern(&f->names, "two")};
    vec_push(&f->mem, &sam_node_at(g, (sam_node){6})->extra, constant);
}
static void broadcast(fixture *f, sam_graph *g) {
    (void)f;
    sam_add_node(g, SAM_BROADCAST);
}

static void what_does_not_fit_is_named(void **state) {
    fixture *f = *state;
    const changed_case cases[] = {
        {"vec_elemmul.gv", unknown_mode,
         "E0401-unknown-level: fiberlookup i: B5 (node 1): tensor B has no mode 5 | the graph's comment "
         "lists each "
         "tensor's levels and modes, such as \"B=ss01\""},
        {"vec_elemmul.gv", third_operand,
         "E0411-joiner-operands: intersect i (node 3): Onyx joins two operands (4 streams), this joiner has "
         "6 streams "
         "| rewrite joiners of more operands into trees of binary ones first"},
        {"vec_elemmul.gv", skipping,
         "E0410-not-on-chip: intersect i (node 3): Onyx cannot skip coordinates | remove the skip edges: "
         "they save cycles and change no result; or --profile onyx-ext, whose scanners skip"},
        {"vec_elemmul.gv", third_value,
         "E0412-alu-operands: mul (node 6): Onyx takes 2 operands here, not 3 | split it into operations of "
         "two "
         "operands"},
        {"vec_elemmul.gv", word_as_constant,
         "E0415-constant: mul (node 6): constant 'two' is no 16-bit integer | from -32768 to 65535"},
        {"vec_elemmul.gv", references_into_values,
         "E0414-no-such-link: fiberwrite vals X (node 8) cannot take its input from fiberlookup i: B0 (node "
         "1): no "
         "wires lead from pos_out to data_in | docs/ir_onyx.md lists which ports may be linked"},
        {"matmul_ijk.gv", vector_reducer,
         "E0410-not-on-chip: vectorreducer k (node 13): Onyx has no such primitive | in the loop order -s "
         "\"reorder(i,j,k)\" the sums are innermost and scalar reducers suffice"},
        {"matmul_ijk.gv", dropping_reducer,
         "E0410-not-on-chip: reduce (node 13): Onyx has no such primitive | the chip's reducer makes a zero "
         "of "
         "an empty fiber; drop coordinates before it"},
        {"matmul_ijk.gv", broadcast,
         "E0410-not-on-chip: broadcast (node 17): Onyx has no such primitive | broadcasts are wires: remove "
         "the node "
         "and let its edges leave the source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_diagnostics(f);
        sam_graph sam;
        onyx_graph *g;
        assert_true(read_sam(f, cases[i].file, read_data(f, cases[i].file), &sam));
        cases[i].change(f, &sam);
        assert_false(lower_run(&sam, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, &g));
        assert_string_equal(first_message(f), cases[i].message);
    }
}

/* Primitives of engine sam, for which no tile has a mode. */
static void no_tile_computes_these(void **state) {
    fixture *f = *state;
    static const struct {
        sam_primitive kind;
        const char *hint;
    } cases[] = {
        {SAM_ARRAYSTORE, "join compressed levels"},
        {SAM_LOCATE, "join compressed levels"},
        {SAM_BVLOOKUP, "join compressed levels"},
        {SAM_BVCONVERT, "join compressed levels"},
        {SAM_BVINTERSECT, "join compressed levels"},
        {SAM_BVUNION, "join compressed levels"},
        {SAM_PARALLELIZE, "--unroll N makes copies"},
        {SAM_SERIALIZE, "--unroll N makes copies"},
        {SAM_SPACCUMULATOR, "in the loop order -s \"reorder(i,j,k)\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sam_graph sam;
        onyx_graph *g;
        clear_diagnostics(f);
        assert_true(read_sam(f, "matmul_ijk.gv", read_data(f, "matmul_ijk.gv"), &sam));
        sam_add_node(&sam, cases[i].kind);
        assert_false(lower_run(&sam, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, &g));
        assert_non_null(strstr(first_message(f), "(node 17): Onyx has no such primitive"));
        assert_non_null(strstr(first_message(f), cases[i].hint));
    }
}

/* (B + C) * D by element: the product would see the empty tokens of the sum. */
static void sum_under_a_product_is_refused(void **state) {
    fixture *f = *state;
    onyx_graph *g;
    bool good = lower_text(f, "sum_times.gv", read_data(f, "sum_times.gv"), &g) && lower_check(g, &f->diag);
    assert_false(good);
    assert_string_equal(f->diag.list.at[0].code, "E0428-empty-token");
}

static void tile_edge_must_fit(void **state) {
    fixture *f = *state;
    sam_graph sam;
    assert_true(read_sam(f, "a.gv", read_data(f, "vec_identity.gv"), &sam));
    onyx_graph *g;
    assert_false(lower_run(&sam, &(lower_options){.tile_edge = 65536}, &f->mem, &f->diag, &g));
    assert_string_equal(first_message(f),
                        "E0402-tile-edge: a sub-tile edge of 65536 does not fit the scanner's 16 "
                        "bits | choose --tile between 1 and 65535");
}

RUN_TESTS(TEST(identity_lowers_to_the_whole_text), TEST(kernels_lower_as_expected),
          TEST(kernels_pack_into_the_right_number_of_tiles), TEST(one_stream_goes_to_both_ports),
          TEST(what_the_chip_lacks_is_named), TEST(the_extended_reducer_adds_bf16), TEST(levels_come_in_turn),
          TEST(tables_count_as_loads), TEST(levels_leave_in_turn), TEST(the_vector_reducer_is_one_tile),
          TEST(what_does_not_fit_is_named), TEST(no_tile_computes_these),
          TEST(sum_under_a_product_is_refused), TEST(tile_edge_must_fit))
