/* sam/: the published timing against measured runs of the published simulator. */
#include "tests/sam/published.h"

/* Cycles, values written, and nonzeros as measured; the result as the statement says. */
static void expect_row(fixture *f, const published_row *row, const published_case *c, const sam_graph *g,
                       const char *whose) {
    const sam_sim_options options = {.timing = SAM_TIMING_PUBLISHED};
    sam_sim_result r;
    tile_tensor want;
    if (!sam_simulate(g, c->levels, c->n_levels, &options, &f->diag, &r))
        fail_msg("%s graph of %s: %s", whose, row->kernel, fixture_printed(f));
    tile_tensor got = published_result(f, c, &r);
    if (r.cycles != row->cycles || r.stored != row->stored || got.nnz != row->nonzeros)
        fail_msg("%s graph of %s, %s: %llu cycles, %llu stored, %llu nonzeros; measured %llu, %u, %u", whose,
                 row->kernel, row->operand[1], (unsigned long long)r.cycles, (unsigned long long)r.stored,
                 (unsigned long long)got.nnz, (unsigned long long)row->cycles, row->stored, row->nonzeros);
    assert_true(tile_reference(&c->statement, &c->operands, &f->mem, &f->diag, &want));
    if (!tile_equal(&got, &want, TILE_DTYPE_INT16, &f->names, &f->diag))
        fail_msg("%s graph of %s: %s", whose, row->kernel, fixture_printed(f));
}

static void every_measured_run_is_met(void **state) {
    uint32_t published = 0;
    for (uint32_t i = 0; i < n_published_rows; i++) {
        fixture *f;
        fixture_set_up((void **)&f);
        const published_row *row = &published_rows[i];
        published_case c;
        sam_graph theirs;
        published_make(f, row, &c);
        expect_row(f, row, &c, &c.graph, "our");
        if (published_read(f, row, &theirs)) {
            expect_row(f, row, &c, &theirs, "the published");
            published++;
        }
        fixture_tear_down((void **)&f);
    }
    print_message("%u rows on our graphs, %u on the published ones\n", n_published_rows, published);
    (void)state;
    if (!published)
        skip(); /* without the published graphs: our half passed */
}

static void expect_unsupported(fixture *f, const char *text, const sam_sim_options *options,
                               const char *message) {
    sam_graph g;
    sam_sim_result r;
    static const uint32_t seg[] = {0, 1}, crd[] = {0};
    static const uint16_t vals[] = {1};
    const sam_level_data level = {SAM_LEVEL_COMPRESSED, 1, seg, crd, 2, 1};
    assert_true(sam_parse("graph.gv", text, strlen(text), &f->names, &f->diag, &g));
    const sam_tensor_levels b = {
        .name = g.tensors.at[1].name, .order = 1, .level = {level}, .vals = vals, .n_vals = 1};
    assert_false(sam_simulate(&g, &b, 1, options, &f->diag, &r));
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].code, "E0235-unsupported");
    assert_string_equal(f->diag.list.at[f->diag.list.len - 1].message, message);
}

static void what_the_published_simulator_lacks_is_refused(void **state) {
    const sam_sim_options published = {.timing = SAM_TIMING_PUBLISHED},
                          bounded = {.timing = SAM_TIMING_PUBLISHED, .fifo_depth = 4};
#define GRAPH(nodes, crd, val)                                                                               \
    "digraph { comment=\"x=s0,B=s0\" v [type=arrayvals tensor=B] s [type=fiberlookup index=i tensor=B "      \
    "mode=0 "                                                                                                \
    "format=compressed root=true] w [type=fiberwrite tensor=x mode=0 format=compressed] u [type=fiberwrite " \
    "tensor=x mode=vals] s -> v [type=ref]\n" nodes crd " -> w [type=crd src_port=0] " val                   \
    " -> u [type=val src_port=1] }"
    expect_unsupported(*state, GRAPH("a [type=vectorreducer] s -> a [type=crd] v -> a [type=val]", "a", "a"),
                       &published, "the published simulator has no such primitive: vectorreducer (node a)");
    expect_unsupported(
        *state,
        GRAPH("a [type=spaccumulator order=3 in0=i] s -> a [type=crd comment=i] v -> a [type=val]", "a", "a"),
        &published, "spaccumulator (node a): order '3' with 1 coordinates");
    expect_unsupported(*state,
                       GRAPH("a [type=crddrop outer=i inner=val mode=0] s -> a [type=crd comment=i] v -> a "
                             "[type=val comment=val]",
                             "a", "a"),
                       &published, "the published simulator has no such primitive: crddrop i,val (node a)");
    expect_unsupported(*state, GRAPH("a [type=vectorreducer] s -> a [type=crd] v -> a [type=val]", "a", "a"),
                       &bounded, "the published timing has no FIFO depth");
#undef GRAPH
}

RUN_TESTS(TEST(every_measured_run_is_met), TEST(what_the_published_simulator_lacks_is_refused))
