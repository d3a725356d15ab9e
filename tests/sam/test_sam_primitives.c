/* sam/: the primitives beyond the core of chapter 4: on hand-written streams, on random ones, and in graphs
 * whose result plain loops compute too. */
#include "tests/sam/graph_equal.h"
#include "tests/sam/illegal.h"
#include "tests/sam/unit_run.h"

/* ---- random streams -------------------------------------------------------------------------- */

typedef VEC(sim_token) stream;

/* A random fiber of `level` + 1 levels, without the closing tokens of the fibers around it: its last token is
 * the stop that its parent raises. Every fiber may be empty. */
static void random_fiber(arena *mem, prng *random, uint32_t level, stream *out) {
    uint32_t children = prng_below(random, 5);
    for (uint32_t i = 0; i < children; i++) {
        if (level)
            random_fiber(mem, random, level - 1, out);
        else
            vec_push(mem, out, prng_below(random, 100));
    }
    if (!level || !children)
        vec_push(mem, out, sim_stop(level, level));
    else
        out->at[out->len - 1] = sim_stop(level, sim_hollow(out->at[out->len - 1]));
}

static stream random_stream(arena *mem, uint64_t seed, uint32_t levels) {
    prng random = prng_seed(seed);
    stream s = {0};
    random_fiber(mem, &random, levels - 1, &s);
    vec_push(mem, &s, SIM_DONE);
    return s;
}

/* ---- parallelizer and serializer ------------------------------------------------------------- */

static void parallelizers_deal_out_tokens(void **state) {
    RUN("type=parallelize", IN("0 1 2 3 4 S0 D"), OUT("0 2 4 S0 D", "1 3 S0 D"));
    RUN("type=parallelize", IN("7 S0 S0 8 N 9 S1 D"), OUT("7 S0 S0 8 9 S1 D", "S0 S0 N S1 D"));
    RUN("type=parallelize", IN("S1/1 1 S2 D"), OUT("S1/1 1 S2 D", "S1/1 S2 D", "S1/1 S2 D"));
}

static void parallelizers_deal_out_fibers(void **state) {
    const char *n = "type=parallelize depth=1";
    RUN(n, IN("0 1 S0 2 S0 3 S1 D"), OUT("0 1 S0 3 S1 D", "2 S1 D"));
    RUN(n, IN("0 1 S0 S0 3 S1 D"), OUT("0 1 S0 3 S1 D", "S1 D"));
    RUN(n, IN("0 S1 S1/1 1 S0 2 S2 D"), OUT("0 S1 S1/1 1 S2 D", "S1/1 S1/1 2 S2 D"));
    RUN("type=parallelize depth=2", IN("0 S0 1 S1 2 S1 S2/1 S2/2 D"),
        OUT("0 S0 1 S1 S2/1 S2/2 D", "2 S2 S2/2 D"));
}

static void serializers_take_back_what_was_dealt_out(void **state) {
    RUN("type=serialize", IN("0 2 S0 D", "1 S0 D"), OUT("0 1 2 S0 D"));
    RUN("type=serialize depth=1", IN("0 1 S0 3 S1 S1/1 D", "2 S1 S1/1 D"), OUT("0 1 S0 2 S0 3 S1 S1/1 D"));
    RUN("type=serialize depth=1", IN("0 S2 S3/2 D", "S2/1 S3/2 D", "S2/1 S3/2 D"), OUT("0 S2 S3/2 D"));
}

/* serialize(parallelize(s)) is s, whatever the shape of s. */
static void serializers_undo_parallelizers(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        fixture *f;
        fixture_set_up((void **)&f);
        uint32_t levels = 1 + (uint32_t)seed % 4, depth = (uint32_t)(seed / 4) % levels,
                 copies = 1 + (uint32_t)(seed % 5);
        const char *text = arena_printf(
            &f->mem, "digraph { p [type=parallelize depth=%u] s [type=serialize depth=%u]\n", depth, depth);
        for (uint32_t k = 0; k < copies; k++)
            text = arena_printf(&f->mem, "%s p -> s [type=crd]", text);
        text = arena_printf(&f->mem, "%s }", text);
        sam_graph g;
        sim_machine m = {.g = &g, .mem = &f->mem, .d = &f->diag};
        assert_true(sam_parse("t", text, strlen(text), &f->names, &f->diag, &g));
        assert_true(sim_build(&m, NULL));
        stream in = random_stream(&f->mem, seed, levels);
        sim_feed(&m, (sam_node){1}, 0, in.at, in.len);
        sim_queue *out = probe_output(&m, (sam_node){2}, 0);
        assert_int_equal(sim_run(&m, 0), SIM_RUN_FINISHED);
        for (uint32_t i = 0; i < in.len; i++)
            assert_int_equal(sim_pop(out), in.at[i]);
        assert_false(sim_has(out));
        fixture_tear_down((void **)&f);
    }
}

static void expect_refusal(fixture *f, unit_run r, const char *message) {
    sam_graph g;
    sim_machine m;
    build(f, r, NULL, &g, &m);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FAILED);
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].message, message);
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0231-stream");
}

static void copies_that_do_not_fit_are_refused(void **state) {
    expect_refusal(*state, (unit_run){"type=serialize index=i", IN("1 S0 D", "2 3 S0 D")},
                   "serialize i (node n) in cycle 3: a copy does not give one sub-tree for each that was "
                   "dealt to it (at its inputs: S0, 3)");
    expect_refusal(*state, (unit_run){"type=serialize depth=1", IN("1 S1 D", "2 S0 3 S1 D")},
                   "serialize (node n) in cycle 5: a copy does not give one sub-tree for each that was dealt "
                   "to it (at its inputs: D, 3)");
    expect_refusal(
        *state, (unit_run){"type=serialize depth=1", IN("1 S1 D", "2 S2 D")},
        "serialize (node n) in cycle 4: the copies' fibers end differently (at its inputs: D, S2)");
}

/* ---- reducers with a memory ------------------------------------------------------------------ */

/* A fiber tree: a node of height h > 0 is a fiber of nodes of height h - 1; of height 0, a value. */
typedef struct tree tree;
struct tree {
    uint32_t crd;
    uint16_t value;
    VEC(tree *) children;
};

static tree *random_tree(arena *mem, prng *random, uint32_t height, uint32_t crd) {
    tree *t = arena_new(mem, tree);
    t->crd = crd;
    t->value = (uint16_t)prng_next(random);
    for (uint32_t c = 0; height && c < 4; c++)
        if (prng_below(random, 2))
            vec_push(mem, &t->children, random_tree(mem, random, height - 1, c));
    return t;
}

/* Adds the points of `from` to the sorted tree `to`. */
static void merge_tree(arena *mem, tree *to, const tree *from, uint32_t height) {
    to->value = (uint16_t)(to->value + (height ? 0 : from->value));
    for (uint32_t i = 0; i < from->children.len; i++) {
        const tree *child = from->children.at[i];
        tree *only = arena_new(mem, tree); /* a child with at least one point */
        only->crd = child->crd;
        merge_tree(mem, only, child, height - 1);
        if (height > 1 && !only->children.len)
            continue;
        uint32_t at = 0;
        while (at < to->children.len && to->children.at[at]->crd < child->crd)
            at++;
        if (at < to->children.len && to->children.at[at]->crd == child->crd) {
            merge_tree(mem, to->children.at[at], child, height - 1);
            continue;
        }
        vec_push(mem, &to->children, NULL);
        for (uint32_t k = to->children.len - 1; k > at; k--)
            to->children.at[k] = to->children.at[k - 1];
        to->children.at[at] = only;
    }
}

/* t with the level of its fibers of height `over` summed away. */
static tree *reduced_tree(arena *mem, const tree *t, uint32_t height, uint32_t over) {
    tree *result = arena_new(mem, tree);
    result->crd = t->crd;
    for (uint32_t i = 0; i < t->children.len; i++) {
        if (height == over)
            merge_tree(mem, result, t->children.at[i], height - 1);
        else
            vec_push(mem, &result->children, reduced_tree(mem, t->children.at[i], height - 1, over));
    }
    return result;
}

/* The coordinates of the fibers of height `at`, or the values in the fibers of height 1. */
static void write_tree(arena *mem, const tree *t, uint32_t height, uint32_t at, bool values, stream *out) {
    for (uint32_t i = 0; i < t->children.len; i++) {
        if (height == at)
            vec_push(mem, out, values ? t->children.at[i]->value : t->children.at[i]->crd);
        else
            write_tree(mem, t->children.at[i], height - 1, at, values, out);
    }
    uint32_t level = height - at;
    if (!level || !t->children.len)
        vec_push(mem, out, sim_stop(level, level));
    else
        out->at[out->len - 1] = sim_stop(level, sim_hollow(out->at[out->len - 1]));
}

static stream tree_stream(arena *mem, const tree *t, uint32_t height, uint32_t at, bool values) {
    stream s = {0};
    write_tree(mem, t, height, at, values, &s);
    vec_push(mem, &s, SIM_DONE);
    return s;
}

static void expect_stream(fixture *f, sim_queue *q, stream expected) {
    const char *text = "";
    for (uint32_t i = 0; i < expected.len; i++)
        text = arena_printf(&f->mem, "%s%s%s", text, i ? " " : "", sim_token_text(&f->mem, expected.at[i]));
    assert_string_equal(write_tokens(&f->mem, q), text);
}

static void reducers_add_up_tensors(void **state) {
    RUN("type=vectorreducer depth=2", IN("0 2 S0 0 S1 D", "1 2 S0 3 S1 2 3 S2 D", "1 2 S0 3 S1 4 5 S2 D"),
        OUT("0 2 S0 D", "1 2 3 S0 3 S1 D", "1 6 5 S0 3 S1 D"));
    for (uint64_t seed = 0; seed < 500; seed++) {
        fixture *f;
        fixture_set_up((void **)&f);
        prng random = prng_seed(seed);
        uint32_t depth = 1 + (uint32_t)seed % 3, height = depth + 1 + (uint32_t)(seed / 3) % 2;
        const tree *t = random_tree(&f->mem, &random, height, 0);
        const tree *sum = reduced_tree(&f->mem, t, height, depth + 1);
        unit_run r = {arena_printf(&f->mem, "type=vectorreducer depth=%u", depth), {0}, {0}};
        for (uint32_t i = 0; i <= depth; i++)
            r.in[i] = ""; /* fed below */
        sam_graph g;
        sim_machine m;
        sim_queue *out[4];
        build(f, r, NULL, &g, &m);
        for (uint32_t i = 0; i <= depth; i++) {
            stream in = tree_stream(&f->mem, t, height, i < depth ? depth - i : 1, i == depth);
            sim_feed(&m, (sam_node){1}, i, in.at, in.len);
            out[i] = probe_output(&m, (sam_node){1}, i);
        }
        assert_int_equal(sim_run(&m, 0), SIM_RUN_FINISHED);
        for (uint32_t i = 0; i <= depth; i++)
            expect_stream(f, out[i],
                          tree_stream(&f->mem, sum, height - 1, i < depth ? depth - i : 1, i == depth));
        fixture_tear_down((void **)&f);
    }
}

/* Chapter 4's reducer makes a zero of an empty fiber or removes the fiber. */
static void scalar_reducers_may_drop_empty_fibers(void **state) {
    const char *n = "type=reduce empty=drop";
    RUN(n, IN("1 2 S0 S0 3 S1 D"), OUT("3 3 S0 D"));
    RUN(n, IN("S0 S1 D"), OUT("S0 D"));
    RUN(n, IN("1 0xffff S0 D"), OUT("0 D")); /* a sum of zero is not empty */
    RUN(n, IN("S0 D"), OUT("D"));
    RUN(n, IN("S1 1 S2 S2/2 D"), OUT("S0 1 S1 S1/1 D"));
}

static void reducers_refuse_streams_out_of_step(void **state) {
    const char *n = "type=vectorreducer depth=2";
    expect_refusal(*state, (unit_run){n, IN("S0 D", "1 S1 D", "1 S1 D")},
                   "vectorreducer (node n) in cycle 1: the coordinate streams are not in step (at its "
                   "inputs: S0, 1, 1)");
    expect_refusal(*state, (unit_run){n, IN("0 1 S0 D", "1 S1 D", "1 S1 D")},
                   "vectorreducer (node n) in cycle 2: the coordinate streams are not in step (at its "
                   "inputs: 1, S1, S1)");
    expect_refusal(*state, (unit_run){n, IN("D", "1 S1 D", "S1 D")},
                   "vectorreducer (node n) in cycle 1: coordinates and values are not in step (at its "
                   "inputs: D, 1, S1)");
}

/* ---- operations ------------------------------------------------------------------------------ */

static void operations_of_the_processing_element(void **state) {
    RUN("type=relu", IN("5 0xfffb S0 D"), OUT("5 0 S0 D"));
    RUN("type=abs", IN("5 0xfffb N D"), OUT("5 5 0 D"));
    RUN("type=neg", IN("5 0x8000 D"), OUT("65531 32768 D"));
    RUN("type=and rb_const=255", IN("0x1234 D"), OUT("52 D"));
    RUN("type=xor", IN("0xff00 D", "0x0ff0 D"), OUT("61680 D"));
    RUN("type=or", IN("0xff00 D", "0x0ff0 D"), OUT("65520 D"));
    RUN("type=shl const1=3", IN("0x2001 D"), OUT("8 D"));
    RUN("type=lshr const1=16", IN("0xffff D"), OUT("0 D"));
    RUN("type=ashr const1=3", IN("0x8000 0x4000 D"), OUT("61440 2048 D"));
    RUN("type=umax", IN("1 D", "0xffff D"), OUT("65535 D"));
    RUN("type=umin", IN("1 D", "0xffff D"), OUT("1 D"));
}

/* 3f80 = 1, 4020 = 2.5, c020 = -2.5, 3f00 = 0.5, 402e = e rounded. */
static void operations_on_parts_of_bfloat16(void **state) {
    RUN("type=fgetfint", IN("0x4020 0xc020 0x3f00 0 D"), OUT("2 65534 0 0 D"));
    RUN("type=fgetffrac", IN("0x4020 0xc020 0x3f00 0 D"), OUT("64 65472 64 0 D"));
    RUN("type=fgetmant", IN("0x4020 D"), OUT("32 D"));
    RUN("type=faddiexp", IN("0x4020 0xc020 D", "2 0xffff D"), OUT("16672 49056 D"));
    RUN("type=fp_exp", IN("0 0x3f80 0xff80 D"), OUT("16256 16430 0 D"));
    RUN("type=fp_relu", IN("0x3f80 0xbf80 S0 D"), OUT("16256 0 S0 D"));
    RUN("type=fp_neg", IN("0x3f80 D"), OUT("49024 D"));
    RUN("type=fp_abs", IN("0xbf80 D"), OUT("16256 D"));
    RUN("type=fp_square", IN("0xc020 D"), OUT("16584 D")); /* 6.25 */
    RUN("type=square", IN("3 0xfffd 300 D"), OUT("9 9 24464 D"));
    RUN("type=fp_mul rb_const=0.5", IN("0x3f80 D"), OUT("16128 D"));
}

/* ---- skipping -------------------------------------------------------------------------------- */

static const uint32_t skip_seg[] = {0, 6, 6, 8}, skip_crd[] = {0, 2, 3, 5, 7, 9, 1, 4};
static const uint16_t eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const sam_tensor_levels three_fibers = {
    .order = 1,
    .level = {{SAM_LEVEL_COMPRESSED, .dim = 10, .seg = skip_seg, .crd = skip_crd, .n_seg = 4, .n_crd = 8}},
    .vals = eight,
    .n_vals = 8};

/* A scanner over the three fibers; the skip requests are present before its start. */
static void run_skipping_scanner(fixture *f, const char *in, const char *skips, const char *out_crd,
                                 const char *out_ref) {
    sam_graph g;
    sim_machine m;
    build(f, (unit_run){"type=fiberlookup tensor=B mode=0 format=compressed", IN(in, skips)}, &three_fibers,
          &g, &m);
    m.units[1].s.scan.fibers = 3;
    m.units[1].s.scan.skips = (uint32_t)(m.units[1].in[1]->end - m.units[1].in[1]->begin);
    sim_queue *c = probe_output(&m, (sam_node){1}, 0), *r = probe_output(&m, (sam_node){1}, 1);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FINISHED);
    assert_string_equal(write_tokens(&f->mem, c), out_crd);
    assert_string_equal(write_tokens(&f->mem, r), out_ref);
}

static void scanners_leave_out_what_is_skipped(void **state) {
    sam_graph g;
    sim_machine m;
    run_skipping_scanner(*state, "0 D", "", "0 2 3 5 7 9 S0 D", "0 1 2 3 4 5 S0 D");
    /* A scanner has emitted the first element of a fiber before a request for the fiber can come. */
    fixture *f = *state;
    build(f, (unit_run){"type=fiberlookup tensor=B mode=0 format=compressed", IN("0 2 S0 D", "")},
          &three_fibers, &g, &m);
    m.units[1].s.scan.fibers = 3;
    sim_queue *c = probe_output(&m, (sam_node){1}, 0);
    sim_token six = 6, stop = sim_stop(0, 0);
    assert_int_equal(sim_run(&m, 2), SIM_RUN_LIMIT); /* 0 2 are out */
    sim_feed(&m, (sam_node){1}, 1, &six, 1);
    assert_int_equal(sim_run(&m, 4), SIM_RUN_LIMIT); /* 3, and 7 after the request has been seen */
    sim_feed(&m, (sam_node){1}, 1, &stop, 1);
    assert_int_equal(sim_run(&m, 6), SIM_RUN_LIMIT); /* 9 is on its way out when the stop is seen */
    sim_feed(&m, (sam_node){1}, 1, &six, 1);         /* in the next fiber: 4 is left out */
    assert_int_equal(sim_run(&m, 0), SIM_RUN_FINISHED);
    assert_string_equal(write_tokens(&f->mem, c), "0 2 3 7 9 S0 1 S1 D");
}

static void intersecters_ask_scanners_to_skip(void **state) {
    RUN("type=intersect", IN("1 9 S0 2 S1 D", "0 1 S0 2 S1 D", "2 3 4 9 S0 S1 D", "0 1 2 3 S0 S1 D"),
        OUT("9 S0 S1 D", "1 S0 S1 D", "3 S0 S1 D", "2 S0 S0", "9 S0 S0"));
}

/* ---- locator and store ----------------------------------------------------------------------- */

static void run_locator(fixture *f, unit_run r) {
    sam_graph g;
    sim_machine m;
    build(f, r, &three_fibers, &g, &m);
    m.units[1].s.locate.fibers = 3;
    sim_queue *out[3];
    for (uint32_t i = 0; i < 3; i++)
        out[i] = probe_output(&m, (sam_node){1}, i);
    assert_int_equal(sim_run(&m, 1000), SIM_RUN_FINISHED);
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(write_tokens(&f->mem, out[i]), r.out[i]);
}

static void locators_find_coordinates(void **state) {
    const char *n = "type=locate tensor=B mode=0 format=compressed";
    run_locator(*state, (unit_run){n, IN("0 D", "2 4 9 S0 D", "7 8 9 S0 D"),
                                   OUT("2 9 S0 D", "7 9 S0 D", "1 5 S0 D")});
    run_locator(*state, (unit_run){n, IN("0 1 2 S0 D", "S0 3 S0 1 4 S1 D", "S0 0 S0 5 6 S1 D"),
                                   OUT("S0 S0 1 4 S1 D", "S0 S0 5 6 S1 D", "S0 S0 6 7 S1 D")});
    run_locator(*state, (unit_run){n, IN("S0 N S1 D", "S1/1 0 S2 D", "S1/1 0 S2 D"),
                                   OUT("S1/1 S2 D", "S1/1 S2 D", "S1/1 S2 D")});
}

static void locators_refuse_streams_out_of_step(void **state) {
    const char *n = "type=locate tensor=B mode=0 format=compressed";
    fixture *f = *state;
    static const struct {
        unit_run run;
        const char *why;
    } bad[] = {
        {{NULL, IN("0 D", "1 S0 D", "S0 D"), {0}}, "coordinates and references are not in step"},
        {{NULL, IN("S0 D", "1 S0 D", "1 S0 D"), {0}}, "coordinates and fiber references are not in step"},
        {{NULL, IN("0 1 S0 D", "1 S1 D", "1 S1 D"), {0}}, "coordinates and fiber references are not in step"},
        {{NULL, IN("0 D", "D", "D"), {0}}, "coordinates and fiber references are not in step"},
        {{NULL, IN("1 D", "1 S0 D", "1 S0 D"), {0}}, "the reference is beyond the last fiber"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sam_graph g;
        sim_machine m;
        unit_run r = bad[i].run;
        r.attributes = n;
        build(f, r, &three_fibers, &g, &m);
        assert_int_equal(sim_run(&m, 1000), SIM_RUN_FAILED);
        assert_non_null(strstr(f->diag.list.at[f->diag.list.len - 1].message, bad[i].why));
    }
}

/* ---- whole graphs over vectors and matrices -------------------------------------------------- */

enum { SIDE = 40 };

/* b(i), c(i) or B(i,j), C(i,j), zeros not stored, as a tree of compressed levels. */
typedef struct {
    uint16_t at[SIDE][SIDE];
} matrix;

static matrix random_matrix(prng *random, uint32_t per_mille) {
    matrix t = {0};
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            if (prng_below(random, 1000) < per_mille)
                t.at[i][j] = (uint16_t)(1 + prng_below(random, 1000));
    return t;
}

/* Row 0 as a vector. */
static sam_tensor_levels pack_vector(fixture *f, const char *name, const matrix *t, bool is_dense) {
    u32_vec seg = {0}, crd = {0};
    u16_vec vals = {0};
    vec_push(&f->mem, &seg, 0);
    for (uint32_t i = 0; i < SIDE; i++) {
        if (!t->at[0][i] && !is_dense)
            continue;
        vec_push(&f->mem, &crd, i);
        vec_push(&f->mem, &vals, t->at[0][i]);
    }
    vec_push(&f->mem, &seg, crd.len);
    sam_tensor_levels out = {names_intern(&f->names, name), .order = 1, .vals = vals.at, .n_vals = vals.len};
    out.level[0] = (sam_level_data){SAM_LEVEL_COMPRESSED, SIDE, seg.at, crd.at, 2, crd.len};
    if (is_dense)
        out.level[0] = (sam_level_data){.format = SAM_LEVEL_DENSE, .dim = SIDE};
    return out;
}

static sam_tensor_levels pack_matrix(fixture *f, const char *name, const matrix *t) {
    u32_vec seg[2] = {{0}}, crd[2] = {{0}};
    u16_vec vals = {0};
    vec_push(&f->mem, &seg[0], 0);
    vec_push(&f->mem, &seg[1], 0);
    for (uint32_t i = 0; i < SIDE; i++) {
        uint32_t before = vals.len;
        for (uint32_t j = 0; j < SIDE; j++) {
            if (!t->at[i][j])
                continue;
            vec_push(&f->mem, &crd[1], j);
            vec_push(&f->mem, &vals, t->at[i][j]);
        }
        if (vals.len == before)
            continue;
        vec_push(&f->mem, &crd[0], i);
        vec_push(&f->mem, &seg[1], vals.len);
    }
    vec_push(&f->mem, &seg[0], crd[0].len);
    sam_tensor_levels out = {names_intern(&f->names, name), .order = 2, .vals = vals.at, .n_vals = vals.len};
    for (uint32_t l = 0; l < 2; l++)
        out.level[l] =
            (sam_level_data){SAM_LEVEL_COMPRESSED, SIDE, seg[l].at, crd[l].at, seg[l].len, crd[l].len};
    return out;
}

/* The result as a matrix; a vector is row 0. */
static matrix unpack(const sam_tensor_levels *x) {
    matrix t = {0};
    const sam_level_data *outer = &x->level[0], *inner = &x->level[1];
    bool is_dense = outer->format == SAM_LEVEL_DENSE;
    for (uint32_t p = 0; p < (is_dense ? outer->dim : outer->n_crd); p++) {
        uint32_t crd = is_dense ? p : outer->crd[p];
        if (x->order == 1)
            t.at[0][crd] = x->vals[p];
        for (uint32_t q = x->order == 2 ? inner->seg[p] : 1; x->order == 2 && q < inner->seg[p + 1]; q++)
            t.at[crd][inner->crd[q]] = x->vals[q];
    }
    return t;
}

static void read_graph(fixture *f, const char *text, sam_graph *g) {
    bool good = sam_parse("t.gv", text, strlen(text), &f->names, &f->diag, g) && sam_check(g, &f->diag);
    if (!good)
        print_error("%s\n%s\n", text, fixture_printed(f));
    assert_true(good);
}

/* parse(dump(g)) is g. */
static void assert_text_keeps(fixture *f, const sam_graph *g) {
    sam_graph again;
    const char *text = graph_text(g, &f->mem);
    assert_true(sam_parse("again", text, strlen(text), &f->names, &f->diag, &again));
    assert_true(graphs_equal(g, &again));
}

/* The result; short FIFOs do not change the result. */
static matrix simulate(fixture *f, const char *text, const sam_tensor_levels *operands, uint32_t n) {
    const sam_sim_options bounded = {.fifo_depth = 2};
    sam_graph g;
    sam_sim_result free_run, result;
    read_graph(f, text, &g);
    assert_text_keeps(f, &g);
    bool good = sam_simulate(&g, operands, n, NULL, &f->diag, &free_run) &&
                sam_simulate(&g, operands, n, &bounded, &f->diag, &result);
    if (!good)
        print_error("%s\n%s\n", text, fixture_printed(f));
    assert_true(good);
    matrix found = unpack(&free_run.result), again = unpack(&result.result);
    assert_memory_equal(&found, &again, sizeof found);
    return found;
}

#define SCAN(id, t, how) id " [type=" how " index=i tensor=" t " mode=0 format=compressed root=true]\n"
#define WRITERS                                                                                              \
    "w [type=fiberwrite index=i tensor=x mode=0 format=compressed] u [type=fiberwrite tensor=x mode=vals]\n" \
    "vb [type=arrayvals tensor=b] vc [type=arrayvals tensor=c]\n"
#define JOIN(stream)                                                                                         \
    "b -> n [type=" stream " comment=in_b] b -> n [type=ref comment=in_b]\n"                                 \
    "c -> n [type=" stream " comment=in_c] c -> n [type=ref comment=in_c]\n"                                 \
    "n -> vb [type=ref comment=out_b] n -> vc [type=ref comment=out_c] n -> w [type=crd]\n"
#define COMBINE(op) "op [type=" op "] vb -> op [type=val] vc -> op [type=val] op -> u [type=val]\n"

/* x(i) = b(i) * c(i), or + according to the graph. */
static const struct {
    const char *name, *text;
    bool adds, dense_c;
} vectors[] = {
    {"skipping",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")
         WRITERS
     "n [type=intersect index=i]\n" JOIN(
         "crd") "n -> b [type=skip comment=skip_b] n -> c [type=skip comment=skip_c]\n" COMBINE("mul") "}",
     false, false},
    {"skipping on one side",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")
         WRITERS
     "n [type=intersect index=i]\n" JOIN("crd") "n -> c [type=skip comment=skip_c]\n" COMBINE("mul") "}",
     false, false},
    {"skipping in a dense level",
     "digraph { comment=\"x=s0,b=s0,c=d0\" " SCAN(
         "b", "b",
         "fiberlookup") "c [type=fiberlookup index=i tensor=c mode=0 format=dense root=true]\n" WRITERS
                        "n [type=intersect index=i]\n" JOIN("crd") "n -> b [type=skip comment=skip_b] n -> c "
                                                                   "[type=skip comment=skip_c]\n" COMBINE(
                                                                       "mul") "}",
     false, true},
    {"bit vectors",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup") SCAN("c", "c", "bvlookup") WRITERS
     "n [type=bvintersect index=i]\n" JOIN("bv") COMBINE("mul") "}",
     false, false},
    {"bit vectors, union",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup width=16")
         SCAN("c", "c", "bvlookup width=16") WRITERS "n [type=bvunion index=i width=16]\n" JOIN("bv")
             COMBINE("add") "}",
     true, false},
    {"one bit vector converted",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "bvlookup width=7") SCAN("s", "c", "fiberlookup")
         WRITERS "c [type=bvconvert index=i width=7] s -> c [type=crd]\n"
                 "n [type=bvintersect index=i width=7]\n" JOIN("bv") COMBINE("mul") "}",
     false, false},
    {"both bit vectors converted, union",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("r", "b", "fiberlookup") SCAN("s", "c", "fiberlookup")
         WRITERS
     "b [type=bvconvert index=i width=3] r -> b [type=crd] c [type=bvconvert index=i width=3] s -> c "
     "[type=crd]\n"
     "n [type=bvunion index=i width=3]\n" JOIN("bv") COMBINE("add") "}",
     true, false},
    {"located in a compressed level",
     "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("n", "c", "locate") WRITERS
     "b -> n [type=crd] b -> n [type=ref]\n"
     "n -> w [type=crd] n -> vb [type=ref] n -> vc [type=ref comment=out_c]\n" COMBINE("mul") "}",
     false, false},
    {"located in a dense level",
     "digraph { comment=\"x=s0,b=s0,c=d0\" " SCAN("b", "b", "fiberlookup") WRITERS
     "n [type=locate index=i tensor=c mode=0 format=dense root=true] b -> n [type=crd] b -> n [type=ref]\n"
     "n -> w [type=crd] n -> vb [type=ref] n -> vc [type=ref comment=out_c]\n" COMBINE("mul") "}",
     false, true},
    {"stored in an array",
     "digraph { comment=\"x=d0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN(
         "c", "c", "fiberlookup") "n [type=intersect index=i] vb [type=arrayvals tensor=b] vc "
                                  "[type=arrayvals tensor=c]\n"
                                  "b -> n [type=crd comment=in_b] b -> n [type=ref comment=in_b]\n"
                                  "c -> n [type=crd comment=in_c] c -> n [type=ref comment=in_c]\n"
                                  "n -> vb [type=ref comment=out_b] n -> vc [type=ref comment=out_c]\n"
                                  "u [type=arraystore tensor=x in0=i] n -> u [type=crd]\n" COMBINE("mul") "}",
     false, false},
};

/* Operands of a seed, each with one of five densities. */
static void random_operands(uint64_t seed, const uint32_t densities[5], matrix *b, matrix *c) {
    prng random = prng_seed(seed);
    *b = random_matrix(&random, densities[seed % 5]);
    *c = random_matrix(&random, densities[seed / 5 % 5]);
}

static uint16_t combined(bool adds, uint16_t b, uint16_t c) {
    return (uint16_t)(adds ? b + c : (uint32_t)b * c);
}

static void expect_vector(fixture *f, uint32_t seed, void *unused) {
    static const uint32_t densities[5] = {0, 30, 200, 600, 1000};
    matrix b, c;
    random_operands(seed, densities, &b, &c);
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        matrix expected = {0};
        sam_tensor_levels operands[] = {pack_vector(f, "b", &b, false),
                                        pack_vector(f, "c", &c, vectors[v].dense_c)};
        matrix found = simulate(f, vectors[v].text, operands, 2);
        for (uint32_t i = 0; i < SIDE; i++)
            expected.at[0][i] = combined(vectors[v].adds, b.at[0][i], c.at[0][i]);
        assert_memory_equal(&found, &expected, sizeof found);
    }
    (void)unused;
}

static void vector_products_agree_with_loops(void **state) {
    (void)state;
    each_afresh(60, expect_vector, NULL);
}

#define LEVEL(id, t, mode, index, how, more)                                                                 \
    id " [type=" how " index=" index " tensor=" t " mode=" mode " format=compressed " more "]\n"

/* The values joined by nj, combined, and stored with the coordinates of ni and nj. */
#define COMBINED                                                                                             \
    "vb [type=arrayvals tensor=B] vc [type=arrayvals tensor=C]\n"                                            \
    "nj -> vb [type=ref comment=out_B] nj -> vc [type=ref comment=out_C]\n"                                  \
    "vb -> op [type=val] vc -> op [type=val] op -> u [type=val] ni -> w0 [type=crd] nj -> w1 [type=crd]\n"   \
    "w0 [type=fiberwrite index=i tensor=X mode=0 format=compressed]\n"                                       \
    "w1 [type=fiberwrite index=j tensor=X mode=1 format=compressed]\n"                                       \
    "u [type=fiberwrite tensor=X mode=vals]\n"
#define ROWS(scanner, stream)                                                                                \
    "digraph { comment=\"X=ss01,B=ss01,C=ss01\"\n" LEVEL("bi", "B", "0", "i", scanner, "root=true")          \
        LEVEL("ci", "C", "0", "i", scanner, "root=true") LEVEL("bj", "B", "1", "j", scanner, "")             \
            LEVEL("cj", "C", "1", "j", scanner,                                                              \
                  "") "bi -> ni [type=" stream " comment=in_B] bi -> ni [type=ref comment=in_B]\n"           \
                      "ci -> ni [type=" stream " comment=in_C] ci -> ni [type=ref comment=in_C]\n"           \
                      "ni -> bj [type=ref comment=out_B] ni -> cj [type=ref comment=out_C]\n"
#define JOINED(b, c, stream)                                                                                 \
    b " -> nj [type=" stream " comment=in_B] " b " -> nj [type=ref comment=in_B]\n" c " -> nj [type=" stream \
      " comment=in_C] " c " -> nj [type=ref comment=in_C]\n"
/* X(i,j) = B(i,j) * C(i,j), or +: both levels by the same scanner and joiner. */
#define MATRICES(scanner, joiner, stream, op, skips)                                                         \
    ROWS(scanner, stream)                                                                                    \
    "ni [type=" joiner " index=i] nj [type=" joiner " index=j] op [type=" op                                 \
    "]\n" JOINED("bj", "cj", stream) COMBINED skips "}"

/* X = B + C, whose rows are converted to bit vectors, fiber after fiber. */
#define CONVERTED                                                                                            \
    ROWS("fiberlookup", "crd")                                                                               \
    "ni [type=union index=i] nj [type=bvunion index=j width=3] op [type=add]\n"                              \
    "kb [type=bvconvert index=j width=3] kc [type=bvconvert index=j width=3] bj -> kb [type=crd] cj -> kc "  \
    "[type=crd]\n" JOINED("kb", "kc", "bv") COMBINED "}"

/* x(j) = sum over i of B(i,j) * c(i): values scattered into a dense vector. */
#define SCATTER                                                                                              \
    "digraph { comment=\"x=d0,B=ss01,c=s0\"\n" LEVEL("bi", "B", "0", "i", "fiberlookup", "root=true")        \
        LEVEL("n", "c", "0", "i", "locate", "root=true") LEVEL(                                              \
            "bj", "B", "1", "j", "fiberlookup",                                                              \
            "") "bi -> n [type=crd] bi -> n [type=ref] n -> bj [type=ref] n -> r [type=ref comment=out_c]\n" \
                "bj -> s [type=crd] s [type=repsiggen index=j] s -> r [type=repsig] r [type=repeat index=j " \
                "tensor=c]\n"                                                                                \
                "vb [type=arrayvals tensor=B] bj -> vb [type=ref] vc [type=arrayvals tensor=c] r -> vc "     \
                "[type=ref]\n"                                                                               \
                "op [type=mul] vb -> op [type=val] vc -> op [type=val]\n"                                    \
                "u [type=arraystore tensor=x op=add in0=j] bj -> u [type=crd] op -> u [type=val] }"

static const struct {
    const char *name, *text;
    bool adds;
} matrices[] = {
    {"bit tree", MATRICES("bvlookup", "bvintersect", "bv", "mul", ""), false},
    {"bit tree, union", MATRICES("bvlookup", "bvunion", "bv", "add", ""), true},
    {"converted rows", CONVERTED, true},
    {"skipping",
     MATRICES("fiberlookup", "intersect", "crd", "mul",
              "ni -> bi [type=skip comment=skip_B] ni -> ci [type=skip comment=skip_C]\n"
              "nj -> bj [type=skip comment=skip_B] nj -> cj [type=skip comment=skip_C]\n"),
     false},
};

static void expect_matrix(fixture *f, uint32_t seed, void *unused) {
    static const uint32_t densities[5] = {0, 20, 100, 500, 1000};
    matrix b, c;
    random_operands(seed, densities, &b, &c);
    sam_tensor_levels operands[] = {pack_matrix(f, "B", &b), pack_matrix(f, "C", &c)};
    for (size_t v = 0; v < sizeof matrices / sizeof *matrices; v++) {
        matrix expected, found = simulate(f, matrices[v].text, operands, 2);
        for (uint32_t i = 0; i < SIDE; i++)
            for (uint32_t j = 0; j < SIDE; j++)
                expected.at[i][j] = combined(matrices[v].adds, b.at[i][j], c.at[i][j]);
        assert_memory_equal(&found, &expected, sizeof found);
    }
    (void)unused;
}

static void matrix_products_agree_with_loops(void **state) {
    (void)state;
    each_afresh(50, expect_matrix, NULL);
}

static void expect_scattered(fixture *f, uint32_t seed, void *unused) {
    prng random = prng_seed(seed);
    matrix b = random_matrix(&random, 200), c = random_matrix(&random, 400), expected = {0};
    sam_tensor_levels operands[] = {pack_matrix(f, "B", &b), pack_vector(f, "c", &c, false)};
    matrix found = simulate(f, SCATTER, operands, 2);
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++)
            expected.at[0][j] = (uint16_t)(expected.at[0][j] + (uint32_t)b.at[i][j] * c.at[0][i]);
    assert_memory_equal(&found, &expected, sizeof found);
    (void)unused;
}

static void stores_add_up_what_is_scattered(void **state) {
    (void)state;
    each_afresh(50, expect_scattered, NULL);
}

/* Coordinates absent from the other side are skipped. */
static void skipping_saves_cycles(void **state) {
    fixture *f = *state;
    matrix b = {0}, c = {0};
    for (uint32_t i = 0; i < SIDE / 2; i++)
        b.at[0][i] = 1;
    for (uint32_t i = SIDE / 2 - 1; i < SIDE; i++)
        c.at[0][i] = 1;
    sam_tensor_levels operands[] = {pack_vector(f, "b", &b, false), pack_vector(f, "c", &c, false)};
    sam_graph skipping, plain;
    sam_sim_result fast, slow;
    read_graph(f, vectors[0].text, &skipping);
    read_graph(f, vectors[0].text, &plain);
    for (uint32_t i = 0; i < plain.edges.len; i++)
        if (plain.edges.at[i].stream == SAM_STREAM_SKIP)
            plain.edges.at[i].src.v = 0;
    assert_true(sam_simulate(&skipping, operands, 2, NULL, &f->diag, &fast));
    assert_true(sam_simulate(&plain, operands, 2, NULL, &f->diag, &slow));
    assert_int_equal(fast.result.n_vals, 1);
    assert_int_equal(slow.result.n_vals, 1);
    assert_true(fast.cycles < 16);
    assert_true(slow.cycles > SIDE / 2);
}

/* ---- the check ------------------------------------------------------------------------------- */

static void illegal_uses_are_refused(void **state) {
#define BASE                                                                                                 \
    "digraph { comment=\"x=s0,b=s0,c=s0\" " SCAN("b", "b", "fiberlookup") SCAN("c", "c", "fiberlookup")      \
        WRITERS "n [type=intersect index=i]\n" JOIN("crd") COMBINE("mul")
#define STORE(tensors, to)                                                                                   \
    "digraph { comment=\"" tensors                                                                           \
    "\" " SCAN("b", "b",                                                                                     \
               "fiberlookup") "v [type=arrayvals tensor=b] b -> v [type=ref] s [type=arraystore tensor=" to  \
                              "] b -> s [type=crd] v -> s [type=val]\n"
    static const illegal_graph bad[] = {
        {BASE "n -> b [type=skip comment=skip_c] }", "E0218-skip",
         "intersect i (node n) sends skip requests to fiberlookup i: b0 (node b), which does not feed its "
         "operand 1"},
        {BASE "n -> b [type=skip comment=skip_b] b -> z [type=crd] z [type=repsiggen] }", "E0218-skip",
         "fiberlookup i: b0 (node b) leaves out what repsiggen (node z) needs"},
        {BASE "n -> b [type=crd src_port=3 dst_port=1] }", "E0211-stream-type",
         "input port 1 of fiberlookup i: b0 (node b) carries skip, not crd"},
        {BASE "n -> z [type=crd src_port=3] z [type=repsiggen] }", "E0211-stream-type",
         "output port 3 of intersect i (node n) carries skip, not crd"},
        {STORE("x=d0,b=s0",
               "x in0=i") "w [type=fiberwrite index=i tensor=x mode=0 format=dense] b -> w [type=crd] }",
         "E0216-writer", "mode 0 of the result x: 1 writer, expected none beside the arraystore"},
        {STORE("x=d0,b=s0,c=d0", "c in0=i") "}", "E0215-tensor",
         "arraystore c (node s) stores into c, which is no dense result"},
        {BASE "n -> b [type=skip src_port=1] }", "E0211-stream-type",
         "output port 1 of intersect i (node n) carries ref, not skip"},
        {BASE "n -> b [type=skip src_port=5] }", "E0210-arity",
         "intersect i (node n) has 2 operands, an edge leaves port 5"},
        {BASE "s [type=arraystore tensor=x in0=i] b -> s [type=crd] op -> s [type=val] }", "E0215-tensor",
         "arraystore x (node s) stores into x, which is no dense result"},
        {STORE("x=d0,b=s0", "x") "}", "E0217-missing-attribute", "arraystore x (node s) has no in0"},
        {"digraph { comment=\"x=none,b=d0\" b [type=bvlookup index=i tensor=b mode=0 format=dense root=true] "
         "}",
         "E0215-tensor", "bvlookup i: b0 (node b) makes bit vectors of a dense level"},
        {"digraph { comment=\"x=none,b=s0\" " SCAN(
             "b", "b", "fiberlookup") "s [type=serialize] b -> s [type=crd] b -> s [type=ref] }",
         "E0211-stream-type", "serialize (node s) joins crd and ref"},
        {"digraph { comment=\"x=none,b=s0\" " SCAN(
             "b", "b", "fiberlookup") "r [type=vectorreducer depth=2] b -> r [type=crd dst_port=0] b -> r "
                                      "[type=crd dst_port=1] }",
         "E0212-undriven", "vectorreducer (node r) has no edge into port 2"},
    };
    (void)state;
    each_afresh(sizeof bad / sizeof *bad, expect_illegal, (void *)bad);
}

RUN_TESTS(TEST(scanners_leave_out_what_is_skipped), TEST(intersecters_ask_scanners_to_skip),
          TEST(locators_find_coordinates), TEST(locators_refuse_streams_out_of_step),
          TEST(vector_products_agree_with_loops), TEST(matrix_products_agree_with_loops),
          TEST(stores_add_up_what_is_scattered), TEST(skipping_saves_cycles), TEST(illegal_uses_are_refused),
          TEST(reducers_add_up_tensors), TEST(reducers_refuse_streams_out_of_step),
          TEST(scalar_reducers_may_drop_empty_fibers), TEST(operations_of_the_processing_element),
          TEST(operations_on_parts_of_bfloat16), TEST(parallelizers_deal_out_tokens),
          TEST(parallelizers_deal_out_fibers), TEST(serializers_take_back_what_was_dealt_out),
          TEST(serializers_undo_parallelizers), TEST(copies_that_do_not_fit_are_refused))
