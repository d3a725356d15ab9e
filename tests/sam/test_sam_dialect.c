/* Small graphs of our own with the traps of the published dialect: each graph means its head line. */
#include "tests/sam/graph_cases.h"

static const graph_case graphs[] = {
    {"newlines_commas.gv", "x(i) = b(i) - c(i)", NULL, GRAPH_ANY},
    {"duplicates.gv", "X(j,i) = B(i,j)", NULL, GRAPH_ANY},
    {"broadcast_ports.gv", "x(i) = d(i) * c - B(i,j)", NULL, GRAPH_ANY},
    {"drop_values.gv", "X(i,j) = B(i,k) * C(k,j)", NULL, GRAPH_ANY},
    {"three_operands.gv", "x(i) = relu(b(i) + c(i) - d(i))", NULL, GRAPH_ANY},
    {"bfloat16.gv", "x = b(i) * c(i) * 2", NULL, GRAPH_ANY},
};

static void graphs_mean_what_they_say(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++) {
        void *f;
        fixture_set_up(&f);
        graph_case_check(f, ONYX_SOURCE_DIR "/tests/sam/data", &graphs[k]);
        fixture_tear_down(&f);
    }
}

RUN_TESTS(cmocka_unit_test(graphs_mean_what_they_say))
