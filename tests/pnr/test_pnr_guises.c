/* Metamorphic: a netlist under other names, in another order, mirrored, on a larger array or with more tracks
 * costs the same. Means of 20 seeds, which scatter by half a percent; at most 2 % worse. */
#include "tests/pnr/made.h"

static void no_guise_costs_more(void **state) {
    fixture *f = *state;
    double base = 0;
    for (int g = 0; g < GUISES; g++) {
        double sum = 0;
        for (uint64_t netlist_seed = 7; netlist_seed < 10; netlist_seed++)
            sum += mean_hops(f, netlist_seed, (guise)g, 20);
        base = g ? base : sum;
        print_message("%-20s %.4f\n", guise_names[g], sum / base);
        assert_true(sum <= base * 1.02);
        assert_true(g != GUISE_RENAMED || sum == base);
    }
}

RUN_TESTS(TEST(no_guise_costs_more))
