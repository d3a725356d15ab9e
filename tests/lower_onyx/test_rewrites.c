/* Each rewrite towards the chip's graph, before and after, as text: data/rewrites/NAME.before.gv and its
 * result. Before and after also compute the same values. */
#include "tests/lower_onyx/lower_test.h"
#include "tests/sam/graph_equal.h"

static sam_graph graph_of(fixture *f, const char *name) {
    const char *text = read_data(f, name);
    sam_graph g;
    if (!sam_parse(name, text, strlen(text), &f->names, &f->diag, &g) || !sam_check(&g, &f->diag))
        fail_msg("%s", fixture_printed(f));
    return g;
}

/* Fibers with some coordinates in common with other operands: intersections and unions have both kinds of
 * work. */
static void operand(const sam_graph *g, uint32_t number, sam_tensor_levels *out, arena *mem) {
    const sam_graph_tensor *t = &g->tensors.at[number];
    enum { EDGE = 12 };
    *out = (sam_tensor_levels){.name = t->name, .order = t->order};
    uint32_t fibers = 1;
    for (uint32_t l = 0; l < t->order; l++) {
        sam_level_data *level = &out->level[l];
        uint32_t *seg = arena_new_n(mem, uint32_t, fibers + 1),
                 *crd = arena_new_n(mem, uint32_t, fibers * EDGE);
        level->format = t->level[l];
        level->dim = EDGE;
        for (uint32_t f = 0, n = 0; f < fibers; f++) {
            for (uint32_t c = 0; c < EDGE; c++) {
                if ((c + f) % 3 == 0 || (c + number) % 4 == 1)
                    crd[n++] = c;
            }
            seg[f + 1] = n;
        }
        level->seg = seg;
        level->crd = crd;
        level->n_seg = fibers + 1;
        fibers = level->n_crd = seg[fibers];
    }
    uint16_t *vals = arena_new_n(mem, uint16_t, fibers);
    for (uint32_t v = 0; v < fibers; v++)
        vals[v] = (uint16_t)(3 * v + number);
    out->vals = vals;
    out->n_vals = fibers;
}

static sam_sim_result simulated(fixture *f, const sam_graph *g) {
    sam_tensor_levels operands[8];
    sam_sim_result r;
    for (uint32_t t = 1; t < g->tensors.len; t++)
        operand(g, t, &operands[t - 1], &f->mem);
    if (!sam_simulate(g, operands, g->tensors.len - 1, NULL, &f->diag, &r))
        fail_msg("%s", fixture_printed(f));
    return r;
}

typedef bool (*rewrite)(const sam_graph *, arena *, diagnostics *, sam_graph *);

static void expect_rewritten(fixture *f, const char *name, rewrite pass) {
    sam_graph after, before = graph_of(f, arena_printf(&f->mem, "rewrites/%s.before.gv", name));
    const sam_graph expected = graph_of(f, arena_printf(&f->mem, "rewrites/%s.after.gv", name));
    assert_true(pass(&before, &f->mem, &f->diag, &after) && sam_check(&after, &f->diag));
    if (!graphs_equal(&after, &expected)) {
        sam_dump(&after, stderr);
        fail_msg("%s is rewritten otherwise", name);
    }
    sam_sim_result a = simulated(f, &before), b = simulated(f, &after);
    const sam_level_data *la = &a.result.level[0], *lb = &b.result.level[0];
    assert_true(a.result.n_vals > 0 && la->n_crd > 0);
    assert_int_equal(a.result.n_vals, b.result.n_vals);
    assert_memory_equal(a.result.vals, b.result.vals, sizeof *a.result.vals * a.result.n_vals);
    assert_int_equal(la->n_crd, lb->n_crd);
    assert_memory_equal(la->crd, lb->crd, sizeof *la->crd * la->n_crd);
}

static void joiners_become_binary_trees(void **state) {
    expect_rewritten(*state, "intersect_of_three", sam_to_binary_joiners);
    expect_rewritten(*state, "union_of_five", sam_to_binary_joiners);
}

static void broadcasts_become_fan_out(void **state) {
    expect_rewritten(*state, "broadcasts", sam_remove_broadcasts);
}

/* Constants and operations on one stream: a PE each, with the stream at both ports. */
static void constants_move_into_the_pe(void **state) {
    fixture *f = *state;
    sam_graph before = graph_of(f, "rewrites/constants.before.gv");
    onyx_graph *after;
    assert_true(lower_run(&before, &(lower_options){.tile_edge = 30}, &f->mem, &f->diag, &after));
    assert_true(lower_check(after, &f->diag));
    expect_data(f, "rewrites/constants.after.outline", outline(f, after));
}

RUN_TESTS(TEST(joiners_become_binary_trees), TEST(broadcasts_become_fan_out),
          TEST(constants_move_into_the_pe))
