/* sam/: the published timing against measured runs of the published simulator. */
#include "tests/sam/published.h"

/* Cycles, values written, and nonzeros as measured; the result as the statement says. */
static void expect_row(fixture *f, const published_row *row, const published_case *c, const sam_graph *g,
                       const char *whose) {
    const sam_sim_options options = {.timing = SAM_TIMING_PUBLISHED};
    sam_sim_result r;
    tile_tensor want;
    if (!sam_simulate(g, c->levels, c->n_levels, &options, &f->mem, &f->diag, &r))
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
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_measured_run_is_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
