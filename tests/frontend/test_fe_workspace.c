/* frontend/: the workspace of a statement (workspace.h), compared with enumerated loops: the order of visits
 * is compared with the order of storage. */
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/frontend/lowered.h"
#include "tests/frontend/scheduled.h"

enum { MOST = 5, EXTENT = 2, POINTS = 1 << MOST };

/* ---- enumerated loops -------------------------------------------------------------------------- */

/* An iteration order and the levels of a tensor; variable v has number v + 1. */
typedef struct {
    uint32_t loops, levels;
    sam_var loop[MOST], level[MOST];
} orders;

/* The coordinates of the outermost levels at each point, as a single number, in the order of the loops. */
static void walk(const orders *o, uint32_t levels, uint32_t *visited) {
    for (uint32_t point = 0; point < 1u << o->loops; point++) {
        uint32_t at[MOST + 1] = {0};
        for (uint32_t l = 0; l < o->loops; l++)
            at[o->loop[l].v] = point >> (o->loops - 1 - l) & 1;
        visited[point] = 0;
        for (uint32_t l = 0; l < levels; l++)
            visited[point] = visited[point] * EXTENT + at[o->level[l].v];
    }
}

/* Returns the fewest levels to keep elsewhere to visit the rest in a single pass. */
static uint32_t walked_order(const orders *o) {
    for (uint32_t kept = 0;; kept++) {
        uint32_t visited[POINTS];
        bool ascends = true;
        walk(o, o->levels - kept, visited);
        for (uint32_t p = 1; p < 1u << o->loops; p++)
            ascends = ascends && visited[p - 1] <= visited[p];
        if (ascends)
            return kept;
    }
}

/* Returns the orders with levels in the order of their loops. */
static orders in_loop_order(const orders *o) {
    orders out = *o;
    uint32_t n = 0;
    for (uint32_t l = 0; l < o->loops; l++) {
        for (uint32_t k = 0; k < o->levels; k++) {
            if (o->level[k].v == o->loop[l].v)
                out.level[n++] = o->loop[l];
        }
    }
    return out;
}

static uint32_t compared;

static void compare_orders(const orders *o) {
    const orders same = in_loop_order(o);
    const fe_workspace w = fe_classify(o->loop, o->loops, o->level, o->levels);
    compared++;
    assert_int_equal(w.levels, o->levels);
    assert_int_equal(w.order, walked_order(o));
    assert_int_equal(w.summed, walked_order(&same));
    assert_int_equal(w.sums, o->levels < o->loops);
    assert_int_equal(w.outside.v != 0, w.summed > 0);
}

static bool is_there(const sam_var *at, uint32_t n, uint32_t v) {
    for (uint32_t i = 0; i < n; i++) {
        if (at[i].v == v)
            return true;
    }
    return false;
}

static void each_level(orders *o) {
    compare_orders(o);
    for (uint32_t v = 1; v <= o->loops; v++) {
        if (is_there(o->level, o->levels, v))
            continue;
        o->level[o->levels++].v = v;
        each_level(o);
        o->levels--;
    }
}

static void each_loop(orders *o, uint32_t vars) {
    if (o->loops == vars)
        each_level(o);
    for (uint32_t v = 1; v <= vars; v++) {
        if (is_there(o->loop, o->loops, v))
            continue;
        o->loop[o->loops++].v = v;
        each_loop(o, vars);
        o->loops--;
    }
}

static void all_orders_of_five_loops_are_as_walked(void **state) {
    (void)state;
    for (uint32_t vars = 1; vars <= MOST; vars++)
        each_loop(&(orders){0}, vars);
    /* The sum over n = 1 .. 5 of n! * (n!/n! + n!/(n-1)! + ... + n!/0!), with the scalar. */
    assert_int_equal(compared, 1 * 2 + 2 * 5 + 6 * 16 + 24 * 65 + 120 * 326);
}

/* ---- statements -------------------------------------------------------------------------------- */

static fe_workspace workspace_of(fixture *f, fe_case c) {
    sam_statement s;
    if (!fe_case_parse(f, &c, &s))
        fail_msg("%s", fixture_printed(f));
    return fe_workspace_of(&s, &f->mem);
}

/* The seven kernels of Sparse Workspaces. */
static void the_published_kernels_have_their_workspaces(void **state) {
    static const struct {
        fe_case c;
        uint32_t order, summed;
    } kernels[] = {
        {{.expression = spmm, .schedule = "reorder(i,j,k)"}, 0, 0},
        {{.expression = spmm, .schedule = "reorder(i,k,j)"}, 1, 1},
        {{.expression = spmm, .schedule = "reorder(k,i,j)"}, 2, 2},
        {{.expression = "X(j,i) = B(i,j)", .schedule = "reorder(i,j)"}, 2, 0},
        {{.expression = "X(i,j) = B(i,k,l) * C(k,j) * D(l,j)", .schedule = "reorder(k,l,i,j)"}, 2, 2},
        {{.expression = "X(i,j,l) = B(i,j,k) * C(k,l)", .schedule = "reorder(k,i,j,l)"}, 3, 3},
        {{.expression = "X(k,j,l) = B(k,i,j) * C(i,l)", .schedule = "reorder(k,i,j,l)"}, 2, 2},
    };
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const fe_workspace w = workspace_of(*state, kernels[i].c);
        assert_int_equal(w.order, kernels[i].order);
        assert_int_equal(w.summed, kernels[i].summed);
    }
}

static void formats_and_split_loops_count(void **state) {
    fixture *f = *state;
    /* Stored by columns, rows outside: the whole result is scattered, and the sum scatters one level. */
    fe_workspace w =
        workspace_of(f, (fe_case){.expression = spmm, .format = {"X:ss:1,0"}, .schedule = "reorder(i,k,j)"});
    assert_int_equal(w.order, 2);
    assert_int_equal(w.summed, 1);
    w = workspace_of(f, (fe_case){.expression = spmm, .format = {"X:ss:1,0"}, .schedule = "reorder(j,k,i)"});
    assert_int_equal(w.order, 1);
    /* The example of its language: the fused loop's parts stand for i and k. */
    w = workspace_of(f, (fe_case){.expression = "A(j,i) = B(i,k) * C(k,j)",
                                  .schedule = "reorder(i,k,j), fuse(i,k,f), pos(f,fpos,B), "
                                              "split(fpos,f0,f1,4), reorder(f0,f1,j)"});
    assert_int_equal(w.order, 2);
    assert_int_equal(w.summed, 1);
    /* Blocks of k outside, single ones inside: all of X in each block. */
    w = workspace_of(f, (fe_case){.expression = spmm, .schedule = "split(k,k0,k1,4), reorder(k0,i,j,k1)"});
    assert_int_equal(w.order, 2);
    /* Rows in blocks, with columns in between: only the blocks come in order. */
    w = workspace_of(f, (fe_case){.expression = plus, .schedule = "split(i,i0,i1,4), reorder(i0,j,i1)"});
    assert_int_equal(w.levels, 3);
    assert_int_equal(w.order, 2);
    assert_int_equal(w.summed, 0);
}

static void sums_inside_of_an_expression_count(void **state) {
    const fe_workspace inside =
        workspace_of(*state, (fe_case){.expression = residual, .schedule = "reorder(i,j)"});
    assert_int_equal(inside.order, 0);
    const fe_workspace outside =
        workspace_of(*state, (fe_case){.expression = residual, .schedule = "reorder(j,i)"});
    assert_int_equal(outside.order, 1);
    assert_int_equal(outside.summed, 1);
}

/* ---- graphs ------------------------------------------------------------------------------------ */

/* Returns the number of levels that the graph keeps until complete: a reducer of depth n keeps n. */
static uint32_t deepest_reducer(const sam_graph *g) {
    uint32_t deepest = 0;
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        const sam_node_data *node = &g->nodes.at[n];
        if (node->kind == SAM_VECTORREDUCER && node->depth > deepest)
            deepest = node->depth;
    }
    return deepest;
}

static void each_order(const char *expression, const char *vars, const char *order, uint32_t *graphs) {
    const uint32_t n = (uint32_t)strlen(vars);
    if (strlen(order) == 2 * n) {
        fixture f = {0};
        fixture_begin(&f);
        lowered l;
        const fe_case c = {.expression = expression,
                           .schedule = arena_printf(&f.mem, "reorder(%s)", order + 1)};
        lowered_must(&f, &c, (fe_lower_options){.exact_stops = true}, &l);
        const fe_workspace w = fe_workspace_of(&l.filled, &f.mem);
        if (w.summed != deepest_reducer(&l.g))
            fail_msg("%s in the order %s: order %u, and the graph reduces %u levels", expression, order + 1,
                     w.summed, deepest_reducer(&l.g));
        (*graphs)++;
        arena_free(&f.mem);
    }
    for (uint32_t v = 0; v < n; v++) {
        char longer[4 * MOST];
        if (strchr(order, vars[v]))
            continue;
        snprintf(longer, sizeof longer, "%s,%c", order, vars[v]);
        each_order(expression, vars, longer, graphs);
    }
}

static void graphs_reduce_what_is_scattered(void **state) {
    static const char *const kernels[][2] = {
        {spmv, "ij"},
        {spmm, "ijk"},
        {sddmm, "ijk"},
        {residual, "ij"},
        {mttkrp, "ijkl"},
        {plus, "ij"},
        {"x = B(i,j,k) * C(i,j,k)", "ijk"},
        {"X(i,j) = B(i,j,k) * c(k)", "ijk"},
        {"X(i,j,l) = B(i,j,k) * C(k,l)", "ijkl"},
        {"X(i,j,l) = B(i,k,l) * C(k,j)", "ijkl"},
        {"X(i,m) = B(i,j,k) * C(j,l) * D(k,l,m)", "ijklm"},
    };
    uint32_t graphs = 0;
    (void)state;
    for (uint32_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        each_order(kernels[k][0], kernels[k][1], "", &graphs);
    assert_int_equal(graphs, 3 * 2 + 4 * 6 + 3 * 24 + 120);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_orders_of_five_loops_are_as_walked), TEST(the_published_kernels_have_their_workspaces),
        TEST(formats_and_split_loops_count),          TEST(sums_inside_of_an_expression_count),
        TEST(graphs_reduce_what_is_scattered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
