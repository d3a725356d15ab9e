/* sam/: the primitives beyond the core of chapter 4: on hand-written streams, on random ones, and in graphs
 * whose result plain loops compute too. */
#include "tests/sam/unit_run.h"

/* ---- random streams -------------------------------------------------------------------------- */

typedef VEC(sim_token) stream;

/* A random fiber of `level` + 1 levels, without what closes the fibers around it: its last token is the stop
 * that its parent raises. Every fiber may be empty. */
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
        sim_machine m;
        assert_true(sam_parse("t", text, strlen(text), &f->names, &f->mem, &f->diag, &g));
        assert_true(sim_build(&g, NULL, 0, &f->mem, &f->diag, &m));
        stream in = random_stream(&f->mem, seed, levels);
        sim_feed(&m, (sam_node){1}, 0, in.at, in.len);
        sim_queue *out = sim_probe(&m, (sam_node){2}, 0);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parallelizers_deal_out_tokens),
        TEST(parallelizers_deal_out_fibers),
        TEST(serializers_take_back_what_was_dealt_out),
        TEST(serializers_undo_parallelizers),
        TEST(copies_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
