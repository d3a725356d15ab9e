/* sam/: the primitives beyond the core of chapter 4: on hand-written streams, on random ones, and in graphs
 * whose result plain loops compute too. */
#include "tests/quota.h"
#include "tests/sam/graph_equal.h"
#include "tests/sam/illegal.h"
#include "tests/sam/primitive_cases.h"

/* A random fiber of `level` + 1 levels, without the closing tokens of the fibers around it: its last token is
 * the stop that its parent raises. Every fiber may be empty. */
static void random_fiber(arena *mem, prng *random, uint32_t level, stream *out) {
    uint32_t children = prng_below(random, 8) ? 1 + prng_below(random, 5) : 0;
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
    quota q = {0}; /* trivial: one token */
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
        quota_add(&q, true, in.len < 4);
        fixture_tear_down((void **)&f);
    }
    assert_false(quota_failed(&q));
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
    quota q = {0}; /* trivial: at most two tokens */
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
        quota_add(&q, true, tree_stream(&f->mem, sum, height - 1, 1, true).len < 4);
        fixture_tear_down((void **)&f);
    }
    assert_false(quota_failed(&q));
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

TEST_PART(sam_primitives, TEST(scanners_leave_out_what_is_skipped), TEST(intersecters_ask_scanners_to_skip),
          TEST(locators_find_coordinates), TEST(locators_refuse_streams_out_of_step),
          TEST(reducers_add_up_tensors), TEST(reducers_refuse_streams_out_of_step),
          TEST(scalar_reducers_may_drop_empty_fibers), TEST(operations_of_the_processing_element),
          TEST(operations_on_parts_of_bfloat16), TEST(parallelizers_deal_out_tokens),
          TEST(parallelizers_deal_out_fibers), TEST(serializers_take_back_what_was_dealt_out),
          TEST(serializers_undo_parallelizers), TEST(copies_that_do_not_fit_are_refused))

int main(void) {
    return sam_primitives() + primitive_graphs();
}
