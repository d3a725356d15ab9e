/* sam/: how fast the simulator is, on the measured runs of the published one: cycles and tokens a second in
 * both timings, and how many times less processor time than the published simulator took. */
#include "tests/sam/published.h"

#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    double seconds; /* of one run: the best of several runs, together a tenth of a second or more */
    uint64_t cycles, tokens;
} speed;

/* Zero seconds if the graph is refused: the ideal timing has no accumulators on points, and requires equal
 * shapes of coordinates and values. */
static speed measure(const published_case *c, const sam_sim_options *options) {
    speed best = {.seconds = 1e9};
    double total = 0;
    while (total < 0.1) {
        arena scratch = {0};
        diagnostics d;
        sam_sim_result r;
        diag_init(&d, &scratch);
        double start = cpu_seconds();
        bool good = sam_simulate(&c->graph, c->levels, c->n_levels, options, &d, &r);
        double seconds = cpu_seconds() - start;
        arena_free(&scratch);
        if (!good)
            return (speed){0};
        total += seconds;
        best.seconds = seconds < best.seconds ? seconds : best.seconds;
        best.cycles = r.cycles;
        best.tokens = r.tokens;
    }
    return best;
}

static void print_speed(const speed *s) {
    printf(" %9llu %8.1f %8.1f", (unsigned long long)s->cycles, 1e-6 * (double)s->cycles / s->seconds,
           1e-6 * (double)s->tokens / s->seconds);
}

static void speeds(void **state) {
    double theirs = 0, ours = 0;
    printf("%-24s %-18s | %9s %8s %8s %7s | %9s %8s %8s\n", "", "", "published", "timing", "", "", "ideal",
           "timing", "");
    printf("%-24s %-18s | %9s %8s %8s %7s | %9s %8s %8s\n", "kernel", "operand 2", "cycles", "Mcyc/s",
           "Mtok/s", "times", "cycles", "Mcyc/s", "Mtok/s");
    for (uint32_t i = 0; i < n_published_rows; i++) {
        const published_row *row = &published_rows[i];
        fixture *f;
        published_case c;
        fixture_set_up((void **)&f);
        published_make(f, row, &c);
        speed s = measure(&c, &(sam_sim_options){.timing = SAM_TIMING_PUBLISHED});
        if (s.seconds <= 0)
            fail_msg("%s: %s", row->kernel, fixture_printed(f));
        theirs += row->cpu_s;
        ours += s.seconds;
        printf("%-24s %-18s |", row->kernel, row->operand[1]);
        print_speed(&s);
        printf(row->cpu_s >= 0.1 ? " %7.0f |" : "       - |", row->cpu_s / s.seconds);
        s = measure(&c, NULL);
        if (s.seconds > 0)
            print_speed(&s);
        printf("\n");
        fixture_tear_down((void **)&f);
    }
    printf("all: %.2f s against %.2f s: %.0f times\n", ours, theirs, theirs / ours);
    (void)state;
}

/* Inner products of growing matrices: the speed holds with length; the cost of bounds and statistics. */
static void long_runs(void **state) {
    static const published_row rows[] = {
        {.kernel = "matmul_ijk", .operand = {"256x256:0.02", "256x256:0.02"}},
        {.kernel = "matmul_ijk", .operand = {"512x512:0.02", "512x512:0.02"}},
        {.kernel = "matmul_ijk", .operand = {"1024x1024:0.01", "1024x1024:0.01"}},
        {.kernel = "matmul_ijk", .operand = {"2048x2048:0.005", "2048x2048:0.005"}}};
    static const sam_sim_options ways[] = {
        {.timing = SAM_TIMING_PUBLISHED}, {0}, {.fifo_depth = 64}, {.statistics = true}};
    printf("%-18s | published timing, ideal, ideal with FIFOs of 64, ideal with statistics\n", "matmul_ijk");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f;
        published_case c;
        fixture_set_up((void **)&f);
        published_make(f, &rows[i], &c);
        printf("%-18s |", rows[i].operand[1]);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            speed s = measure(&c, &ways[w]);
            print_speed(&s);
            printf(" |");
        }
        printf("\n");
        fixture_tear_down((void **)&f);
    }
    (void)state;
}

RUN_TESTS(TEST(speeds), TEST(long_runs))
