/* sam/: statistics, traces, bounded FIFOs and deadlock reports. */
#include "tests/sam/published.h"

#include <stdarg.h>

static const char identity[] =
    "digraph { comment=\"x=s0,B=s0\"\n"
    "bi [type=fiberlookup index=i tensor=B mode=0 format=compressed root=true] bv [type=arrayvals tensor=B]\n"
    "x0 [type=fiberwrite index=i tensor=x mode=0 format=compressed] xv [type=fiberwrite tensor=x mode=vals]\n"
    "bi -> x0 [type=crd] bi -> bv [type=ref] bv -> xv [type=val] }";

static const uint32_t seg[] = {0, 2}, crd[] = {1, 4};
static const uint16_t vals[] = {7, 8};

static sam_tensor_levels vector(fixture *f) {
    return (sam_tensor_levels){
        .name = names_intern(&f->names, "B"),
        .order = 1,
        .level = {{.format = SAM_LEVEL_COMPRESSED, .dim = 5, .seg = seg, .crd = crd, .n_seg = 2, .n_crd = 2}},
        .vals = vals,
        .n_vals = 2};
}

static sam_graph parse(fixture *f, const char *text) {
    sam_graph g;
    assert_true(sam_parse("graph.gv", text, strlen(text), &f->names, &f->diag, &g));
    return g;
}

typedef struct {
    fixture *f;
    const char *text;
} recording;

static void record(void *context, const sam_trace_event *e) {
    static const char letter[] = {'#', 'S', 'N', 'D'};
    recording *r = context;
    r->text =
        arena_printf(&r->f->mem, "%s%llu %s.%u %s.%u %c%u\n", r->text, (unsigned long long)e->cycle,
                     names_text(&r->f->names, e->edge->src), e->edge->src_port,
                     names_text(&r->f->names, e->edge->dst), e->edge->dst_port, letter[e->kind], e->value);
}

static void a_trace_has_every_token_and_its_cycle(void **state) {
    fixture *f = *state;
    sam_graph g = parse(f, identity);
    sam_tensor_levels b = vector(f);
    recording r = {f, ""};
    sam_sim_result out;
    const sam_sim_options options = {.trace = record, .trace_context = &r};
    assert_true(sam_simulate(&g, &b, 1, &options, &f->diag, &out));
    assert_string_equal(r.text, "1 bi.0 x0.0 #1\n1 bi.1 bv.0 #0\n"
                                "2 bi.0 x0.0 #4\n2 bi.1 bv.0 #1\n2 bv.0 xv.0 #7\n"
                                "3 bi.0 x0.0 S0\n3 bi.1 bv.0 S0\n3 bv.0 xv.0 #8\n"
                                "4 bi.0 x0.0 D0\n4 bi.1 bv.0 D0\n4 bv.0 xv.0 S0\n"
                                "5 bv.0 xv.0 D0\n");
}

static void expect_unit(const sam_unit_statistics *u, uint64_t active, uint64_t idle, uint64_t stalled,
                        uint64_t done) {
    if (u->active != active || u->idle != idle || u->stalled != stalled || u->done != done)
        fail_msg("%s: %llu active, %llu idle, %llu stalled, done in %llu", u->label,
                 (unsigned long long)u->active, (unsigned long long)u->idle, (unsigned long long)u->stalled,
                 (unsigned long long)u->done);
}

static void statistics_are_those_counted_by_hand(void **state) {
    fixture *f = *state;
    sam_graph g = parse(f, identity);
    sam_tensor_levels b = vector(f);
    sam_sim_result r;
    const sam_sim_options options = {.statistics = true};
    assert_true(sam_simulate(&g, &b, 1, &options, &f->diag, &r));
    assert_int_equal(r.cycles, 6);
    assert_int_equal(r.n_units, 4);
    expect_unit(&r.units[0], 4, 0, 0, 4);
    expect_unit(&r.units[1], 4, 1, 0, 5);
    expect_unit(&r.units[2], 4, 1, 0, 5);
    expect_unit(&r.units[3], 4, 2, 0, 6);
    assert_string_equal(r.units[0].label, "fiberlookup i: B0 (node bi)");
    static const uint64_t both[] = {4, 2, 0, 2}, one[] = {2, 1, 0, 1}, none[] = {0, 0, 0, 0};
    assert_memory_equal(r.units[0].tokens, both, sizeof both); /* coordinates and references */
    assert_memory_equal(r.units[1].tokens, one, sizeof one);
    assert_memory_equal(r.units[3].tokens, none, sizeof none);
    assert_int_equal(r.n_edges, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_memory_equal(r.edges[i].tokens, one, sizeof one);
        assert_int_equal(r.edges[i].high_water, 1);
    }
    assert_int_equal(r.tokens, 12);
}

/* ---- on the measured kernels ----------------------------------------------------------------- */

static bool same(const sam_tensor_levels *a, const sam_tensor_levels *b) {
    bool equal = a->n_vals == b->n_vals && memcmp(a->vals, b->vals, a->n_vals * sizeof *a->vals) == 0;
    for (uint32_t l = 0; equal && l < a->order; l++)
        equal = a->level[l].n_crd == b->level[l].n_crd &&
                memcmp(a->level[l].crd, b->level[l].crd, a->level[l].n_crd * sizeof *a->level[l].crd) == 0;
    return equal;
}

static void expect_consistent(const sam_sim_result *r, uint32_t fifo_depth) {
    uint64_t tokens = 0;
    for (uint32_t i = 0; i < r->n_units; i++) {
        const sam_unit_statistics *u = &r->units[i];
        assert_int_equal(u->active + u->idle + u->stalled, u->done ? u->done : r->cycles);
        assert_true(fifo_depth || !u->stalled);
    }
    for (uint32_t i = 0; i < r->n_edges; i++) {
        const sam_edge_statistics *e = &r->edges[i];
        assert_int_equal(e->tokens[SAM_TOKEN_DONE], 1);
        assert_true(!fifo_depth || e->high_water <= fifo_depth);
        for (int kind = 0; kind < SAM_TOKEN_KINDS; kind++)
            tokens += e->tokens[kind];
    }
    assert_int_equal(tokens, r->tokens);
}

/* Each kernel once, on its smallest operands. */
static bool is_first_of_its_kernel(uint32_t row) {
    for (uint32_t i = 0; i < row; i++)
        if (strcmp(published_rows[i].kernel, published_rows[row].kernel) == 0)
            return false;
    return true;
}

/* Makes the kernel of the row, once for each kernel; false for its other rows. */
static bool make_first(fixture *f, uint32_t row, published_case *c) {
    bool first = is_first_of_its_kernel(row);
    if (first)
        published_make(f, &published_rows[row], c);
    return first;
}

static void expect_unchanged(fixture *f, uint32_t row, void *unused) {
    published_case c;
    sam_sim_result plain, watched;
    sam_sim_options options = {.timing = SAM_TIMING_PUBLISHED};
    (void)unused;
    if (!make_first(f, row, &c))
        return;
    assert_true(sam_simulate(&c.graph, c.levels, c.n_levels, &options, &f->diag, &plain));
    options.statistics = true;
    assert_true(sam_simulate(&c.graph, c.levels, c.n_levels, &options, &f->diag, &watched));
    assert_int_equal(plain.cycles, watched.cycles);
    assert_int_equal(plain.tokens, watched.tokens);
    assert_true(same(&plain.result, &watched.result));
    assert_null(plain.units);
}

static void watching_changes_nothing(void **state) {
    (void)state;
    each_afresh(n_published_rows, expect_unchanged, NULL);
}

typedef struct {
    uint32_t stuck, bounded;
} bounded_runs;

static void expect_slower(fixture *f, uint32_t row, void *of) {
    bounded_runs *runs = of;
    published_case c;
    sam_sim_result free, r;
    sam_sim_options options = {.statistics = true};
    uint64_t last = UINT64_MAX;
    if (!make_first(f, row, &c) || !sam_simulate(&c.graph, c.levels, c.n_levels, &options, &f->diag, &free))
        return;
    expect_consistent(&free, 0);
    for (options.fifo_depth = 1; options.fifo_depth <= 4096; options.fifo_depth *= 4) {
        uint32_t errors = f->diag.errors;
        if (!sam_simulate(&c.graph, c.levels, c.n_levels, &options, &f->diag, &r)) {
            assert_int_equal(f->diag.errors, errors + 1);
            assert_non_null(strstr(fixture_printed(f), "[E0230-deadlock]"));
            runs->stuck++;
            continue;
        }
        expect_consistent(&r, options.fifo_depth);
        assert_true(same(&r.result, &free.result));
        assert_true(r.cycles >= free.cycles && r.cycles <= last);
        last = r.cycles;
        runs->bounded++;
    }
    assert_int_equal(last, free.cycles);
}

/* Bounded FIFOs cost cycles and change no result. A kernel below its needed depth is stuck, and reports a
 * deadlock. */
static void bounds_cost_cycles_only(void **state) {
    bounded_runs runs = {0};
    (void)state;
    each_afresh(n_published_rows, expect_slower, &runs);
    print_message("%u runs with bounds, %u of them stuck\n", runs.bounded + runs.stuck, runs.stuck);
    assert_true(runs.stuck > 0 && runs.bounded > 20 * runs.stuck);
}

/* The dropper holds an outer coordinate until its inner fiber has come; with FIFOs of one token the joiner
 * blocks meanwhile, and the scanner, which waits for the end of its fiber, does not close the fiber. */
static void a_deadlock_shows_its_cycle(void **state) {
    fixture *f = *state;
    published_case c;
    sam_sim_result r;
    uint32_t row = 0;
    while (strcmp(published_rows[row].kernel, "mat_elemmul") != 0)
        row++;
    published_make(f, &published_rows[row], &c);
    const sam_sim_options options = {.fifo_depth = 1};
    assert_false(sam_simulate(&c.graph, c.levels, c.n_levels, &options, &f->diag, &r));
    assert_string_equal(
        fixture_printed(f),
        "onyx: error: nothing moves after 7 cycles, fiberwrite vals X (node 9) is not done [E0230-deadlock]\n"
        "    help: these wait for each other: deeper FIFOs, or none with a bound\n"
        "onyx: note: intersect i (node 2) waits for crddrop i,j (node 10): input 0 of that is full with 1 "
        "token, "
        "next 0\n"
        "onyx: note: crddrop i,j (node 10) waits for intersect j (node 5): input 1 is empty, input 0 holds 1 "
        "token, next 0\n"
        "onyx: note: intersect j (node 5) waits for fiberlookup j: C1 (node 4): input 2 is empty, input 0 "
        "holds "
        "1 token, next 25, input 1 holds 1 token, next 1\n"
        "onyx: note: fiberlookup j: C1 (node 4) waits for intersect i (node 2): input 0 is empty\n");
}

RUN_TESTS(TEST(a_trace_has_every_token_and_its_cycle), TEST(statistics_are_those_counted_by_hand),
          TEST(watching_changes_nothing), TEST(a_deadlock_shows_its_cycle), TEST(bounds_cost_cycles_only))
