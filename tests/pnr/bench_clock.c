/* The clock of the published netlists, placed and routed for speed as by `onyx pnr` (PNR_TIMING_OF_RUN): the
 * period, the lower bound of all designs, wire and time, next to the results for least wire (timing 0). IO is
 * free: on the chip's columns if its streams suffice, on any column otherwise. Every design is checked.
 *
 * Usage: bench_clock [SEED]. Ends with 1 when a design is illegal or beats its lower bound.
 */
#include "tests/pnr/published.h"

#include <math.h>

typedef struct {
    uint32_t hops, period, floor;
    double seconds; /* of the processor */
} result;

static result run(const netlist *n, const pnr_board *b, const pnr_options *o) {
    arena mem = {0};
    diagnostics d;
    pnr_design design;
    pnr_timing t;
    diag_init(&d, &mem);
    double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    bool good = pnr_place(n, b, o, &mem, &d, &design) && pnr_route_all(&design, o, &mem, &d);
    result r = {.seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start};
    if (!good || !pnr_check(&design, &d) || !pnr_sta(&design, &mem, &d, &t)) {
        diag_print(&d, 0, stderr, false);
        exit(1);
    }
    r.hops = pnr_hops(&design);
    r.period = t.period_ps;
    r.floor = t.floor_ps;
    arena_free(&mem);
    return r;
}

typedef struct {
    uint32_t rows, at_floor;
    double wire, worst, time;
} summary;

static bool print_row(fixture *f, const pnr_board *b, const char *name, uint64_t seed, summary *sum) {
    netlist net;
    published_read(f, name, &net, NULL);
    pnr_options o = pnr_options_default();
    o.seed = seed;
    *(published_streams_fit(&net, b) ? &o.io_fan_out : &o.fabric_only) = true;
    result least = run(&net, b, &o);
    o.timing = PNR_TIMING_OF_RUN;
    result fast = run(&net, b, &o);
    double wire = (double)fast.hops / least.hops, seconds = fast.seconds / least.seconds;
    printf("| %s | %u | %u | %u | %u | %u | %.2f | %.1f | %.2f |\n", name, net.cells.len, fast.period,
           fast.floor, least.period, fast.hops, wire, fast.seconds * 1e3, seconds);
    sum->rows++;
    sum->at_floor += fast.period == fast.floor;
    sum->wire += log(wire);
    sum->worst = wire > sum->worst ? wire : sum->worst;
    sum->time += log(seconds);
    return fast.period >= fast.floor && least.period >= least.floor;
}

int main(int argc, char **argv) {
    fixture f;
    fixture_begin(&f);
    pnr_board b;
    published_row rows[MOST_PUBLISHED];
    summary sum = {0};
    uint32_t n = published_list(&f, rows);
    bool good = pnr_board_read("onyx", &f.mem, &f.diag, &b);
    printf("| netlist | cells | period, ps | floor | with least wire | hops | of least wire | ms | of least "
           "wire's |\n|---|---|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < n && good; i++)
        good = print_row(&f, &b, rows[i].name, argc > 1 ? strtoull(argv[1], NULL, 10) : 1, &sum);
    if (n)
        printf("\n%u of %u at the floor; wire %.3f of the least (geometric mean), at most %.2f; time %.2f\n",
               sum.at_floor, sum.rows, exp(sum.wire / n), sum.worst, exp(sum.time / n));
    pnr_board_free(&b);
    arena_free(&f.mem);
    return !good;
}
