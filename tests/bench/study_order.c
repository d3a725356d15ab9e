/* Figure 4.13: X(i,j) = sum of B(i,k) * C(k,j) in its six loop orders, on 95 % sparse matrices, I = J = 250,
 * K = 100. Each operand is stored in the order of the loops. */
#include "tests/bench/study.h"

enum { ORDERS = 6 };

static const char *const order[ORDERS] = {"ijk", "jik", "ikj", "jki", "kij", "kji"};

static bool comes_first(const char *loops, char a, char b) {
    return strchr(loops, a) < strchr(loops, b);
}

static void run(study *s) {
    double cycles[ORDERS];
    const char *csv = "order,cycles,tokens\n";
    tile_tensor operand[3] = {0};
    const char *const names[] = {"X", "B", "C"}, *const spec[] = {"", "250x100:0.05", "100x250:0.05"};
    for (uint32_t t = 1; t < 3; t++)
        study_must(s, tile_generate(spec[t], names_intern(&s->f.names, names[t]), t - 1, 1, TILE_DTYPE_INT16,
                                    &s->f.mem, &s->f.diag, &operand[t]));
    for (int o = 0; o < ORDERS; o++) {
        const char *const formats[] = {comes_first(order[o], 'i', 'j') ? "X:ss" : "X:ss:1,0",
                                       comes_first(order[o], 'i', 'k') ? "B:ss" : "B:ss:1,0",
                                       comes_first(order[o], 'k', 'j') ? "C:ss" : "C:ss:1,0", NULL};
        const char *schedule =
            arena_printf(&s->f.mem, "reorder(%c,%c,%c)", order[o][0], order[o][1], order[o][2]);
        study_kernel k = study_make(s, "X(i,j) = B(i,k) * C(k,j)", formats, schedule);
        study_result r = study_run(s, &k, operand, 0);
        cycles[o] = (double)r.sim.cycles;
        csv = arena_printf(&s->f.mem, "%s%s,%llu,%llu\n", csv, order[o], (unsigned long long)r.sim.cycles,
                           (unsigned long long)r.sim.tokens);
    }
    fputs(csv, stdout);
    /* The text claims inner products to be slower by at least an order of magnitude. */
    double published[ORDERS] = {0};
    for (int other = 2; other < ORDERS; other++)
        published[0] = published[1] = 10 * cycles[other] > published[0] ? 10 * cycles[other] : published[0];
    const plot p = {.title = "SpM*SpM in six loop orders",
                    .x_label = "loop order, outermost first",
                    .y_label = "cycles",
                    .n = ORDERS,
                    .category = order,
                    .log_y = true,
                    .series = {{"cycles", cycles, false}, {"at least, published", published, true}},
                    .n_series = 2};
    study_add_text(s, "order.csv", csv);
    study_add_plot(s, "order.svg", &p);
    for (int inner = 0; inner < 2; inner++)
        for (int other = 2; other < ORDERS; other++)
            study_expect(s, cycles[inner] > 10 * cycles[other],
                         arena_printf(&s->f.mem, "%s takes more than ten times the cycles of %s",
                                      order[inner], order[other]));
}

int main(int argc, char **argv) {
    return study_main(argc, argv, run);
}
