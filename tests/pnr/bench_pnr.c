/* The whole table of docs/pnr.md, measured: every published netlist with IO as given and with IO free under
 * the chip's rule, timing, large and full arrays, seeds. Processor time of placement and routing on one core.
 *
 * Usage: bench_pnr [seed]. Every design is checked; an illegal one ends the program with 1.
 */
#include "tests/pnr/design.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_NETLISTS = 200, SEEDS = 20 };

typedef struct {
    char name[64];
    uint32_t cells, hpwl, hops; /* best known with fixed IO */
} best_row;

typedef struct {
    uint32_t hops, hpwl;
    double seconds, fmax;
    uint32_t period, floor, trunks,
        others; /* nets above 1.05 of the floor, with and without a shared trunk */
} result;

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Places, routes, checks and times; ends the program when the design is illegal. */
static result run(const netlist *n, const pnr_board *b, const pnr_options *o) {
    arena mem = {0};
    diagnostics d;
    pnr_design design;
    result r = {0};
    diag_init(&d, &mem);
    double start = processor_seconds();
    bool good = pnr_place(n, b, o, &mem, &d, &design) && pnr_route_all(&design, o, &mem, &d);
    r.seconds = processor_seconds() - start;
    if (!good || !pnr_check(&design, &d)) {
        diag_print(&d, 0, stderr, false);
        exit(1);
    }
    r.hops = pnr_hops(&design);
    r.hpwl = pnr_hpwl(&design);
    pnr_timing t;
    if (b->json && pnr_sta(&design, &mem, &d, &t)) {
        r.period = t.period_ps;
        r.floor = t.floor_ps;
        for (uint32_t i = 0; i < t.paths.len; i++)
            if (t.paths.at[i].delay_ps * 100ull > t.floor_ps * 105ull)
                *(t.paths.at[i].shared_trunk ? &r.trunks : &r.others) += 1;
    }
    arena_free(&mem);
    return r;
}

/* The n-th root of a product without libm: bisection. */
static double geometric_mean(const double *ratio, uint32_t n) {
    double low = 0.1, high = 10;
    for (int step = 0; n && step < 40; step++) {
        double middle = (low + high) / 2, product = 1;
        for (uint32_t i = 0; i < n; i++)
            product *= ratio[i] / middle;
        *(product > 1 ? &low : &high) = middle;
    }
    return low;
}

/* ---- the published netlists ------------------------------------------------------------------ */

static uint32_t read_best(fixture *f, best_row *rows) {
    size_t length = 0;
    const char *path = ONYX_SHARED_DIR "/data/pnr/best_known.csv";
    if (access(path, R_OK) != 0)
        return 0;
    char *text = file_read(path, &f->mem, &length, &f->diag);
    uint32_t n = 0;
    for (char *line = strchr(text, '\n'); line && line[1] && n < MOST_NETLISTS; line = strchr(line + 1, '\n'))
        n += sscanf(line + 1, "%63[^,],%u,%*u,%*u,%u,%u", rows[n].name, &rows[n].cells, &rows[n].hpwl,
                    &rows[n].hops) == 4;
    return n;
}

/* Does an input feed several sinks? Such netlists are legal for the fabric only. */
static bool inputs_fan_out(const netlist *n) {
    for (uint32_t i = 0; i < n->nets.len; i++)
        if (n->nets.at[i].sinks.len > 1 && net_cell_at(n, n->nets.at[i].source.cell)->tag == 'I')
            return true;
    return false;
}

typedef struct {
    double fixed[MOST_NETLISTS], gain[MOST_NETLISTS], speed[MOST_NETLISTS];
    uint32_t rows, gains, worse, above, at_floor, unexplained;
    double worst, small, middle; /* largest processor time up to 65 and up to 214 cells */
} summary;

static void bench_row(fixture *f, const pnr_board *b, const best_row *row, uint64_t seed, summary *sum) {
    netlist net;
    pnr_site *fixed;
    const char *folder = ONYX_SHARED_DIR "/data/pnr";
    if (!pnr_read_packed(arena_printf(&f->mem, "%s/%s.packed", folder, row->name), &f->names, &f->mem,
                         &f->diag, &net) ||
        !pnr_read_place(&net, arena_printf(&f->mem, "%s/%s.io.place", folder, row->name), &f->mem, &f->diag,
                        &fixed)) {
        diag_print(&f->diag, 0, stderr, false);
        exit(1);
    }
    pnr_options o = pnr_options_default();
    o.seed = seed;
    o.fabric_only = true;
    o.fixed = fixed;
    result as_given = run(&net, b, &o);
    o.timing = 100;
    result fast = run(&net, b, &o);
    o.timing = 0;
    o.fixed = NULL;
    o.fabric_only = inputs_fan_out(&net); /* else the chip's rule */
    result io_free = {0};
    uint32_t streams[2] = {0};
    for (uint32_t i = 0; i < net.cells.len; i++)
        streams[net.cells.at[i].output] += net.cells.at[i].tag == 'I';
    bool fits = streams[0] <= b->glb_tiles && streams[1] <= b->glb_tiles;
    if (fits || o.fabric_only)
        io_free = run(&net, b, &o);
    double ratio = (double)as_given.hops / row->hops;
    printf("%-30s %5u %5u %5u %6.3f %6.1f | %5u %5.2f %s | %5u %5u %3u %3u | %5u %5u\n", row->name,
           row->cells, as_given.hops, row->hops, ratio, as_given.seconds * 1e3, io_free.hops,
           io_free.hops ? (double)as_given.hops / io_free.hops : 0, o.fabric_only ? "any " : "chip",
           as_given.period, as_given.floor, as_given.trunks, as_given.others, fast.period, fast.hops);
    sum->fixed[sum->rows] = ratio;
    sum->speed[sum->rows++] = (double)as_given.period / fast.period;
    sum->worst = ratio > sum->worst ? ratio : sum->worst;
    sum->above += ratio > 1.06;
    sum->at_floor += as_given.period * 100ull <= as_given.floor * 105ull;
    double *most = row->cells <= 65 ? &sum->small : &sum->middle;
    if (row->cells <= 214 && as_given.seconds > *most)
        *most = as_given.seconds;
    if (io_free.hops) {
        sum->gain[sum->gains++] = (double)as_given.hops / io_free.hops;
        sum->worse += io_free.hops >= as_given.hops;
    }
}

static void bench_netlists(fixture *f, const pnr_board *b, uint64_t seed) {
    static best_row rows[MOST_NETLISTS];
    static summary sum;
    uint32_t n = read_best(f, rows);
    if (n == 0) {
        printf("the shared netlists are not here\n");
        return;
    }
    printf("%-30s %5s %5s %5s %6s %6s | %5s %5s %s | %5s %5s %3s %3s | %5s %5s\n", "netlist", "cells", "hops",
           "best", "ratio", "ms", "free", "gain", "rule", "ps", "floor", "trk", "oth", "ps100", "hops");
    for (uint32_t i = 0; i < n; i++)
        bench_row(f, b, &rows[i], seed, &sum);
    printf("IO as given: hops %.4f of best known (geometric mean), worst %.3f, %u above 1.06; at most %.1f "
           "ms up to 65 "
           "cells, %.1f ms up to 214\n",
           geometric_mean(sum.fixed, sum.rows), sum.worst, sum.above, sum.small * 1e3, sum.middle * 1e3);
    printf("IO free: %.3fx fewer hops (geometric mean of %u), not better on %u\n",
           geometric_mean(sum.gain, sum.gains), sum.gains, sum.worse);
    printf("timing: %u of %u within 5 %% of the floor; timing 100 is %.2fx faster (geometric mean)\n",
           sum.at_floor, sum.rows, geometric_mean(sum.speed, sum.rows));
}

/* ---- made netlists --------------------------------------------------------------------------- */

/* `pe` + `mem` cells in random order, every output to one or two inputs of cells at most 24 on. */
static netlist *made_netlist(fixture *f, uint32_t pe, uint32_t mem, uint64_t seed) {
    netlist *n = new_netlist(f);
    prng r = prng_seed(seed);
    uint32_t cells = pe + mem;
    uint8_t *inputs = arena_new_n(&f->mem, uint8_t, cells + 1);
    for (uint32_t i = 0; i < cells; i++) {
        bool take_pe = prng_below(&r, pe + mem) < pe;
        add_cell(f, n, take_pe ? 'p' : 'm');
        *(take_pe ? &pe : &mem) -= 1;
    }
    for (uint32_t i = 0; i + 1 < cells; i++) {
        net_data *net = add_net(f, n, (net_cell){i + 1}, 0);
        uint32_t sinks = 1 + prng_below(&r, 2), ahead = cells - 1 - i < 24 ? cells - 1 - i : 24;
        for (uint32_t k = 0; k < sinks; k++) {
            uint32_t to = i + 1 + prng_below(&r, ahead);
            if (inputs[to] < 4)
                add_sink(f, net, (net_cell){to + 1}, inputs[to]++);
        }
        if (net->sinks.len == 0)
            n->nets.len--;
    }
    return n;
}

static pnr_board made_board(uint32_t width, uint32_t rows) {
    return (pnr_board){.name = "made",
                       .width = width,
                       .height = rows + 1,
                       .tracks = 5,
                       .mem_period = 4,
                       .mem_phase = 3,
                       .glb_tiles = width / 2,
                       .columns_per_glb_tile = 2};
}

static void bench_arrays(fixture *f, uint64_t seed) {
    static const uint32_t sizes[][4] = {
        {4, 2, 4, 2}, {8, 8, 36, 12}, {32, 16, 288, 96}, {36, 16, 384, 128}, {64, 64, 2250, 750}};
    printf("\n%-8s %6s %6s %8s %14s\n", "array", "cells", "hops", "seconds", "us / n^1.5");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pnr_board b = made_board(sizes[i][0], sizes[i][1]);
        uint32_t cells = sizes[i][2] + sizes[i][3];
        netlist *n = made_netlist(f, sizes[i][2], sizes[i][3], 1);
        pnr_options o = pnr_options_default();
        o.seed = seed;
        result r = run(n, &b, &o);
        double root = 1;
        for (int step = 0; step < 40; step++)
            root = (root + cells / root) / 2;
        printf("%2ux%-5u %6u %6u %8.3f %14.2f\n", sizes[i][0], sizes[i][1], cells, r.hops, r.seconds,
               r.seconds * 1e6 / (cells * root));
    }
}

/* ---- the same problem in another guise ------------------------------------------------------- */

static double mean_hops(const netlist *n, const pnr_board *b) {
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pnr_options o = pnr_options_default();
        o.seed = seed;
        o.moves = 100000;
        sum += run(n, b, &o).hops;
    }
    return sum / SEEDS;
}

/* The cells in opposite order, and all nets with them. */
static netlist *reversed(fixture *f, const netlist *n) {
    netlist *out = new_netlist(f);
    for (uint32_t i = n->cells.len; i-- > 0;)
        vec_push(&f->mem, &out->cells, n->cells.at[i]);
    for (uint32_t i = n->nets.len; i-- > 0;) {
        const net_data *net = &n->nets.at[i];
        net_cell source = {n->cells.len + 1 - net->source.cell.v};
        net_data *copy = add_net(f, out, source, net->source.port);
        for (uint32_t s = net->sinks.len; s-- > 0;)
            add_sink(f, copy, (net_cell){n->cells.len + 1 - net->sinks.at[s].cell.v}, net->sinks.at[s].port);
    }
    return out;
}

static void bench_guises(fixture *f) {
    netlist *n = made_netlist(f, 36, 12, 7), *turned = reversed(f, n);
    pnr_board b = made_board(16, 8), larger = made_board(32, 16), wider = b;
    wider.tracks = 8;
    double base = mean_hops(n, &b);
    printf("\nmean hops of %d seeds: %.2f; cells permuted %.3fx, larger array %.3fx, more tracks %.3fx\n",
           SEEDS, base, mean_hops(turned, &b) / base, mean_hops(n, &larger) / base,
           mean_hops(n, &wider) / base);
}

int main(int argc, char **argv) {
    fixture f = {0};
    diag_init(&f.diag, &f.mem);
    names_init(&f.names, &f.mem);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    pnr_board b;
    if (!pnr_board_read("onyx", &f.mem, &f.diag, &b)) {
        diag_print(&f.diag, 0, stderr, false);
        return 1;
    }
    bench_netlists(&f, &b, seed);
    bench_arrays(&f, seed);
    bench_guises(&f);
    pnr_board_free(&b);
    arena_free(&f.mem);
    return 0;
}
