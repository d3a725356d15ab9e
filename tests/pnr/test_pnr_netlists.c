/* The published netlists on the whole array, with IO fixed as in their files: every netlist is placed and
 * routed legally, within 1.15 times the hops of the best known solution. The sum over the tested netlists may
 * not exceed the recorded bounds: a change that improves a figure lowers the bound, and no change raises a
 * bound.
 *
 * Usage: test_pnr_netlists [all [moves per cell]]. Without "all" a few netlists are tried; with "all" every
 * netlist, in a table of measurements.
 */
#include "tests/pnr/published.h"

static bool try_all;
static uint32_t moves_per_cell;

static bool in_subset(const char *name) {
    static const char *const few[] = {"vec_elemadd_u1", "spmv_u1",         "matmul_ijk_crddrop_u1",
                                      "spmv_u4",        "matmul_ikj_u1",   "tensor3_mttkrp_u1",
                                      "rand30",         "mat_elemadd3_u1", "chain30"};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        if (strcmp(few[i], name) == 0)
            return true;
    return try_all;
}

typedef struct {
    uint32_t hpwl, hops, pairs, longest;
    double place, route;
} result;

static void run(fixture *f, const pnr_board *board, const char *name, result *out) {
    netlist net;
    pnr_site *fixed;
    published_read(f, name, &net, &fixed);
    pnr_options o = pnr_options_default();
    o.fabric_only = true;
    o.fixed = fixed;
    o.moves = moves_per_cell * net.cells.len;
    pnr_design design;
    assert_true(pnr_place(&net, board, &o, &f->mem, &f->diag, &design));
    assert_true(pnr_route_all(&design, &o, &f->mem, &f->diag));
    if (!pnr_check(&design, &f->diag))
        fail_msg("%s: %s", name, fixture_printed(f));
    for (uint32_t c = 0; c < net.cells.len; c++)
        if (fixed[c].x != PNR_FREE)
            assert_true(design.site.at[c].x == fixed[c].x && design.site.at[c].y == fixed[c].y);
    cJSON *report = pnr_report(&design);
    *out = (result){pnr_hpwl(&design),
                    pnr_hops(&design),
                    (uint32_t)cJSON_GetObjectItem(report, "fifo_pairs")->valuedouble,
                    (uint32_t)cJSON_GetObjectItem(report, "longest_path")->valuedouble,
                    design.stats.place_seconds,
                    design.stats.route_seconds};
    cJSON_Delete(report);
}

/* The n-th root of a product of ratios without libm: bisection on the mean. Good to 1e-6. */
static double geometric_mean(const double *ratio, uint32_t n) {
    double low = 0.1, high = 10;
    for (int step = 0; step < 40; step++) {
        double middle = (low + high) / 2, product = 1;
        for (uint32_t i = 0; i < n; i++)
            product *= ratio[i] / middle;
        if (product > 1)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void published_netlists_route_close_to_the_best_known(void **state) {
    fixture *f = *state;
    static published_row rows[MOST_PUBLISHED];
    static double hpwl_ratio[MOST_PUBLISHED], hops_ratio[MOST_PUBLISHED];
    if (access(ONYX_SHARED_DIR "/data/pnr/best_known.csv", R_OK) != 0) {
        print_message("the shared netlists are not here\n");
        skip();
    }
    pnr_board board;
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &board));
    uint32_t n = published_list(f, rows), tried = 0, hpwl = 0, hops = 0, pairs = 0, longest = 0;
    double worst = 0, seconds = 0;
    if (try_all)
        print_message("%-32s %5s %5s %5s %5s %6s %6s %5s %4s %8s %8s\n", "netlist", "cells", "hpwl", "hops",
                      "best", "r.hpwl", "r.hops", "pairs", "path", "place ms", "route ms");
    for (uint32_t i = 0; i < n; i++) {
        result got;
        if (!in_subset(rows[i].name))
            continue;
        run(f, &board, rows[i].name, &got);
        hpwl_ratio[tried] = (double)got.hpwl / rows[i].hpwl;
        hops_ratio[tried] = (double)got.hops / rows[i].hops;
        if (try_all)
            print_message("%-32s %5u %5u %5u %5u %6.3f %6.3f %5u %4u %8.1f %8.1f\n", rows[i].name,
                          rows[i].cells, got.hpwl, got.hops, rows[i].hops, hpwl_ratio[tried],
                          hops_ratio[tried], got.pairs, got.longest, got.place * 1e3, got.route * 1e3);
        worst = hops_ratio[tried] > worst ? hops_ratio[tried] : worst;
        seconds += got.place + got.route;
        hpwl += got.hpwl;
        hops += got.hops;
        pairs += got.pairs;
        longest += got.longest;
        tried++;
    }
    print_message(
        "%u netlists: geometric mean %.4f of the best known wire length, %.4f of its hops, worst %.3f; "
        "%.2f s in all\n",
        tried, geometric_mean(hpwl_ratio, tried), geometric_mean(hops_ratio, tried), worst, seconds);
    assert_true(tried >= 9);
    assert_true(worst <= 1.15);
    if (!try_all) {
        print_message("%u of wire, %u hops, %u FIFO pairs, %u along the longest paths\n", hpwl, hops, pairs,
                      longest);
        assert_true(hpwl <= 882 && hops <= 837 && pairs <= 250 && longest <= 67);
    }
    pnr_board_free(&board);
}

int main(int argc, char **argv) {
    try_all = argc > 1 && strcmp(argv[1], "all") == 0;
    moves_per_cell = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    const struct CMUnitTest tests[] = {TEST(published_netlists_route_close_to_the_best_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
