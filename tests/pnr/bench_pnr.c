/* Measures every bar of placement and routing in a single run: the published netlists with IO given and with
 * IO free, timing, large and full arrays, permuted forms of a problem, the exact optimum of tiny netlists,
 * and nextpnr-generic on the same netlists if installed. Times are of placement and routing on one core: the
 * processor's time, nearly independent of the machine's load, and the wall clock's; each the least of several
 * runs, since the moves are equal and the load is not. Ends with the table of docs/notebook/pnr_notes.md.
 * Wire is measured with pnr_options_default, which minimizes wire (`--timing 0`); the command and onyx run
 * route for the clock by default (PNR_TIMING_OF_RUN).
 *
 * Usage: bench_pnr [SEED [SEEDS [FIGURE.svg]]]: the seed of the table (1), the number of consecutive seeds
 * for means (4), the file for a plot of time against size. Every design is checked; an illegal design ends
 * the program with 1.
 */
#include "pnr/pnr_int.h"
#include "tests/pnr/exact.h"
#include "tests/pnr/published.h"

#include <math.h>

enum { MOST_NETLISTS = MOST_PUBLISHED, ARRAYS = 6, TIMED_RUNS = 8 };

typedef struct {
    uint32_t hops, hpwl;
    double seconds, wall;                   /* of the processor, of the clock */
    uint32_t period, floor, trunks, others; /* nets above the floor, with and without a shared trunk */
} result;

/* Places, routes, checks and times; ends the program when the design is illegal. */
static result run(const netlist *n, const pnr_board *b, const pnr_options *o) {
    arena mem = {0};
    diagnostics d;
    pnr_design design;
    result r = {0};
    diag_init(&d, &mem);
    double start = seconds_of(CLOCK_THREAD_CPUTIME_ID), wall = seconds_of(CLOCK_MONOTONIC);
    bool good = pnr_place(n, b, o, &mem, &d, &design) && pnr_route_all(&design, o, &mem, &d);
    r.seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    r.wall = seconds_of(CLOCK_MONOTONIC) - wall;
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
            if (t.paths.at[i].delay_ps > t.floor_ps)
                *(t.paths.at[i].shared_trunk ? &r.trunks : &r.others) += 1;
    }
    arena_free(&mem);
    return r;
}

static double geometric_mean(const double *ratio, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += log(ratio[i]);
    return n ? exp(sum / n) : 0;
}

/* ---- the bars -------------------------------------------------------------------------------- */

typedef struct {
    const char *what;
    char measured[200];
    bool good;
} bar;
typedef VEC(bar) bar_vec;

static void add_bar(fixture *f, bar_vec *bars, const char *what, bool good, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void add_bar(fixture *f, bar_vec *bars, const char *what, bool good, const char *format, ...) {
    bar b = {.what = what, .good = good};
    va_list args;
    va_start(args, format);
    vsnprintf(b.measured, sizeof b.measured, format, args);
    va_end(args);
    vec_push(&f->mem, bars, b);
}

static void print_bars(const bar_vec *bars) {
    printf("\n| bar | measured | |\n|---|---|---|\n");
    for (uint32_t i = 0; i < bars->len; i++)
        printf("| %s | %s | %s |\n", bars->at[i].what, bars->at[i].measured,
               bars->at[i].good ? "reached" : "NOT REACHED");
}

/* ---- the published netlists ------------------------------------------------------------------ */

typedef struct {
    uint32_t rows, above; /* above: 1.06 times the best known hops */
    double hops[MOST_NETLISTS], worst;
    result small, middle, rand360; /* slowest up to 65 and up to 214 cells */
    double gain[MOST_NETLISTS];
    uint32_t gains, at_minimum, not_better, too_large;
    double nextpnr[MOST_NETLISTS], nextpnr_seconds;
    uint32_t nextpnr_runs, nextpnr_lost;
} summary;

static void keep_least(double *least, double value) {
    *least = value < *least ? value : *least;
}

/* The first seed's figures, mean hops of all, and the least times. */
static result mean_run(const netlist *n, const pnr_board *b, pnr_options o, uint64_t seed, uint32_t seeds,
                       double *hops) {
    result first = {0};
    double seconds = 1e9, wall = 1e9;
    *hops = 0;
    for (uint32_t i = 0; i < seeds; i++) {
        o.seed = seed + i;
        result r = run(n, b, &o);
        first = i ? first : r;
        keep_least(&seconds, r.seconds);
        keep_least(&wall, r.wall);
        *hops += (double)r.hops / seeds;
    }
    first.seconds = seconds;
    first.wall = wall;
    return first;
}

static void add_pin(cJSON *cell, const char *port, bool output, uint32_t bit) {
    cJSON_AddStringToObject(cJSON_GetObjectItem(cell, "port_directions"), port, output ? "output" : "input");
    cJSON *bits = cJSON_AddArrayToObject(cJSON_GetObjectItem(cell, "connections"), port);
    cJSON_AddItemToArray(bits, cJSON_CreateNumber(bit));
}

static cJSON *json_cell(const netlist *n, const pnr_design *design, uint32_t index, arena *mem) {
    static const char *const types[] = {"", "CPE", "CMEM", "CIO"};
    const net_cell_data *c = &n->cells.at[index];
    cJSON *cell = cJSON_CreateObject();
    cJSON_AddNumberToObject(cell, "hide_name", 0);
    cJSON_AddStringToObject(cell, "type", types[pnr_cell_tile(c)]);
    cJSON_AddObjectToObject(cell, "parameters");
    cJSON *attributes = cJSON_AddObjectToObject(cell, "attributes");
    cJSON_AddStringToObject(attributes, "name", names_text(n->names, c->name));
    cJSON_AddStringToObject(attributes, "BEL",
                            arena_printf(mem, "X%uY%u", design->site.at[index].x, design->site.at[index].y));
    cJSON_AddObjectToObject(cell, "port_directions");
    cJSON_AddObjectToObject(cell, "connections");
    return cell;
}

/* Writes Yosys's JSON as nextpnr reads it: cell types CPE, CMEM, CIO, a bit per 17-bit net; every cell has a
 * BEL attribute "XxYy". */
static bool write_json(const netlist *n, const pnr_design *design, const char *path, diagnostics *d) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "creator", "onyx");
    cJSON *top = cJSON_AddObjectToObject(cJSON_AddObjectToObject(root, "modules"), "top");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(top, "attributes"), "top",
                            "00000000000000000000000000000001");
    cJSON_AddObjectToObject(top, "ports");
    cJSON *cells = cJSON_AddObjectToObject(top, "cells"), *names = cJSON_AddObjectToObject(top, "netnames");
    cJSON **cell = arena_new_n(d->mem, cJSON *, n->cells.len + 1);
    for (uint32_t i = 0; i < n->cells.len; i++) {
        char id[16];
        cell[i] = json_cell(n, design, i, d->mem);
        cJSON_AddItemToObject(cells, pnr_block_id(&n->cells.at[i], id), cell[i]);
    }
    for (uint32_t i = 0; i < n->nets.len; i++) {
        const net_data *net = &n->nets.at[i];
        uint32_t bit = i + 2; /* 0 and 1 are constants to some readers */
        for (uint32_t k = 0; k <= net->sinks.len; k++) {
            net_pin pin = k ? net->sinks.at[k - 1] : net->source;
            add_pin(cell[pin.cell.v - 1],
                    net_port_name(pnr_cell_tile(net_cell_at(n, pin.cell)), k == 0, pin.port), k == 0, bit);
        }
        cJSON *name = cJSON_AddObjectToObject(names, arena_printf(d->mem, "e%u", i));
        cJSON_AddNumberToObject(name, "hide_name", 0);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(name, "bits"), cJSON_CreateNumber(bit));
        cJSON_AddObjectToObject(name, "attributes");
    }
    bool good = json_write(root, path, d);
    cJSON_Delete(root);
    return good;
}

/* Hops of nextpnr-generic on the netlist with IO fixed as given; 0 when the program is absent or fails. */
static uint32_t nextpnr_hops(fixture *f, const netlist *n, const pnr_board *b, const pnr_design *io,
                             double *seconds) {
    uint32_t hops = 0;
    const char *path = ONYX_BINARY_DIR "/bench_pnr.json";
    if (!write_json(n, io, path, &f->diag))
        return 0;
    const char *command = arena_printf(
        &f->mem, "CGRA_ARRAY='%u %u %u %u %u' CGRA_JSON=%s python3 %s/tests/pnr/nextpnr_cgra.py 2>/dev/null",
        b->width, b->height, b->tracks, b->mem_period, b->mem_phase, path, ONYX_SOURCE_DIR);
    FILE *from = popen(command, "r");
    if (from && fscanf(from, "%u %lf", &hops, seconds) != 2)
        hops = 0;
    if (from)
        pclose(from);
    remove(path);
    return hops;
}

static void compare_nextpnr(fixture *f, const netlist *n, const pnr_board *b, const pnr_site *fixed,
                            uint32_t hops, summary *sum) {
    pnr_design io = {.net = n, .board = b};
    for (uint32_t c = 0; c < n->cells.len; c++)
        vec_push(&f->mem, &io.site, fixed[c]);
    double seconds = 0;
    uint32_t theirs = nextpnr_hops(f, n, b, &io, &seconds);
    printf(" %5u\n", theirs);
    if (theirs) {
        sum->nextpnr[sum->nextpnr_runs++] = (double)theirs / hops;
        sum->nextpnr_lost += theirs < hops;
        sum->nextpnr_seconds += seconds;
    }
}

static void sum_wire(summary *sum, const published_row *row, const result *r) {
    double ratio = (double)r->hops / row->hops;
    sum->hops[sum->rows] = ratio;
    sum->worst = ratio > sum->worst ? ratio : sum->worst;
    sum->above += ratio > 1.06;
    result *most = row->cells <= 65 ? &sum->small : &sum->middle;
    if (row->cells <= 214 && r->seconds > most->seconds)
        *most = *r;
    if (row->cells == 381)
        sum->rand360 = *r;
}

/* A proved lower bound of hops (docs/notebook/pnr_notes.md) for the netlists that need a bound here;
 * otherwise 0. */
static double proved_minimum(const char *name) {
    return strcmp(name, "chain30") == 0 ? 32 : 0;
}

static void bench_row(fixture *f, const pnr_board *b, const published_row *row, uint64_t seed, uint32_t seeds,
                      bool nextpnr, summary *sum) {
    netlist net;
    pnr_site *fixed;
    double hops, free_hops = 0, fast_hops;
    published_read(f, row->name, &net, &fixed);
    pnr_options o = pnr_options_default();
    o.fabric_only = true;
    o.fixed = fixed;
    result given = mean_run(&net, b, o, seed, seeds, &hops);
    for (uint32_t i = seeds; i < TIMED_RUNS; i++) {
        o.seed = seed;
        result again = run(&net, b, &o);
        keep_least(&given.seconds, again.seconds);
        keep_least(&given.wall, again.wall);
    }
    o.timing = 1;
    result fast = mean_run(&net, b, o, seed, 1, &fast_hops);
    o = pnr_options_default();
    o.io_fan_out = true;
    if (published_streams_fit(&net, b))
        mean_run(&net, b, o, seed, seeds, &free_hops);
    printf("%-30s %5u %5u %5u %6.3f %6.1f %6.1f | %7.1f %5.2f | %5u %5u | %5u %5u %3u %3u |", row->name,
           row->cells, given.hops, row->hops, (double)given.hops / row->hops, given.seconds * 1e3,
           given.wall * 1e3, free_hops, free_hops > 0 ? hops / free_hops : 0, given.period, given.floor,
           fast.period, fast.hops, fast.trunks, fast.others);
    sum_wire(sum, row, &given);
    sum->rows++;
    sum->too_large += free_hops <= 0;
    if (free_hops > 0) {
        sum->gain[sum->gains++] = hops / free_hops;
        bool at_minimum = free_hops == hops && free_hops == proved_minimum(row->name);
        sum->at_minimum += at_minimum;
        sum->not_better += free_hops >= hops && !at_minimum;
    }
    if (nextpnr)
        compare_nextpnr(f, &net, b, fixed, given.hops, sum);
    else
        printf("\n");
}

static void netlist_bars(fixture *f, const summary *s, uint32_t seeds, bar_vec *bars) {
    double hops = geometric_mean(s->hops, s->rows), gain = geometric_mean(s->gain, s->gains);
    add_bar(f, bars, "published netlists, IO as given: all legal", true, "%u of %u", s->rows, s->rows);
    add_bar(f, bars, "hops at most 1.02 of the best known (geometric mean)", hops <= 1.02, "%.4f", hops);
    add_bar(f, bars, "none above 1.06 at this seed", s->above == 0, "%u of %u, worst %.3f", s->above, s->rows,
            s->worst);
    add_bar(f, bars, "15 ms up to 65 cells (slowest netlist)", s->small.seconds <= 0.015,
            "%.1f ms of the processor, %.1f by the clock", s->small.seconds * 1e3, s->small.wall * 1e3);
    add_bar(f, bars, "60 ms up to 214 cells (slowest netlist)", s->middle.seconds <= 0.060,
            "%.1f ms of the processor, %.1f by the clock", s->middle.seconds * 1e3, s->middle.wall * 1e3);
    add_bar(f, bars, "381 cells in less than 0.5 s", s->rand360.seconds < 0.5,
            "%.2f s of the processor, %.2f by the clock", s->rand360.seconds, s->rand360.wall);
    add_bar(f, bars, "IO free on the chip's columns: better on every netlist that can be, 1.10x",
            !s->not_better && gain >= 1.1,
            "%.3fx, not better on %u of %u (means of %u seeds), beside them %u equal, at its proved minimum; "
            "%u have "
            "more streams than the chip",
            gain, s->not_better, s->gains, seeds, s->at_minimum, s->too_large);
    if (s->nextpnr_runs)
        add_bar(f, bars, "nextpnr-generic (HeAP, router2) on the same netlists", s->nextpnr_lost == 0,
                "%.3fx our hops, fewer than ours on %u of %u, %.2f s each with start-up",
                geometric_mean(s->nextpnr, s->nextpnr_runs), s->nextpnr_lost, s->nextpnr_runs,
                s->nextpnr_seconds / s->nextpnr_runs);
}

static void bench_netlists(fixture *f, const pnr_board *b, uint64_t seed, uint32_t seeds, bar_vec *bars) {
    static published_row rows[MOST_NETLISTS];
    static summary sum;
    uint32_t n = published_list(f, rows);
    if (n == 0) {
        printf("the shared netlists are not here\n");
        return;
    }
    bool nextpnr = system("command -v nextpnr-generic python3 >/dev/null") == 0;
    printf("%-30s %5s %5s %5s %6s %6s %6s | %7s %5s | %5s %5s | %5s %5s %3s %3s | %s\n", "netlist", "cells",
           "hops", "best", "ratio", "ms", "wall", "IO free", "gain", "ps", "floor", "ps1", "hops1", "trk",
           "oth", nextpnr ? "nextpnr" : "");
    for (uint32_t i = 0; i < n; i++)
        bench_row(f, b, &rows[i], seed, seeds, nextpnr, &sum);
    if (!nextpnr)
        printf("nextpnr-generic is not installed\n");
    netlist_bars(f, &sum, seeds, bars);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

typedef struct {
    double wire[MOST_NETLISTS], speed[MOST_NETLISTS]; /* whole against lanes */
    double worst;
    uint32_t runs, worse;
} lane_summary;

static void bench_copies(fixture *f, const pnr_board *b, const char *name, const netlist *one, uint32_t k,
                         uint64_t seed, uint32_t seeds, lane_summary *sum) {
    const netlist *n = copies_of_netlist(f, one, k);
    pnr_options o = pnr_options_default();
    double lanes_hops, whole_hops;
    o.io_fan_out = true;
    result lanes = mean_run(n, b, o, seed, seeds, &lanes_hops);
    o.whole = true;
    result whole = mean_run(n, b, o, seed, seeds, &whole_hops);
    printf("%-30s %2u x %-3u %2ux%-3u %7.1f %7.1f %6.3f %8.1f %8.1f %6.2f\n", name, k, one->cells.len,
           b->width, b->height - 1, lanes_hops, whole_hops, whole_hops / lanes_hops, lanes.seconds * 1e3,
           whole.seconds * 1e3, whole.seconds / lanes.seconds);
    sum->worse += lanes_hops > whole_hops;
    sum->worst = lanes_hops / whole_hops > sum->worst ? lanes_hops / whole_hops : sum->worst;
    sum->wire[sum->runs] = whole_hops / lanes_hops;
    sum->speed[sum->runs++] = whole.seconds / lanes.seconds;
}

/* 2, 4, ... copies of every published kernel without unrolling, up to the board's capacity. */
static void bench_lanes_on(fixture *f, const pnr_board *b, const published_row *rows, uint32_t n,
                           uint64_t seed, uint32_t seeds, bar_vec *bars) {
    lane_summary sum = {.runs = 0};
    for (uint32_t i = 0; i < n; i++) {
        netlist one;
        pnr_site *fixed;
        if (!strstr(rows[i].name, "_u1"))
            continue;
        published_read(f, rows[i].name, &one, &fixed);
        for (uint32_t k = 2; sum.runs < MOST_NETLISTS; k *= 2) {
            pnr_resource table[PNR_RESOURCES];
            bool fits = true;
            pnr_count_resources(&one, b, table);
            for (int r = 0; r < PNR_RESOURCES; r++)
                fits &= table[r].need * k <= table[r].have;
            if (!fits)
                break;
            bench_copies(f, b, rows[i].name, &one, k, seed, seeds, &sum);
        }
    }
    add_bar(f, bars,
            arena_printf(&f->mem, "lanes copied on %u x %u tiles, against placing all at once", b->width,
                         b->height - 1),
            sum.worst <= 1.005,
            "%.3fx fewer hops, %.2fx faster, more hops on %u of %u, %.3fx at most (means of %u seeds)",
            geometric_mean(sum.wire, sum.runs), geometric_mean(sum.speed, sum.runs), sum.worse, sum.runs,
            sum.worst, seeds);
}

static void bench_lanes(fixture *f, const pnr_board *b, uint64_t seed, uint32_t seeds, bar_vec *bars) {
    static published_row rows[MOST_NETLISTS];
    pnr_board large = made_board(64, 64);
    uint32_t n = published_list(f, rows);
    if (n == 0)
        return;
    printf("\n%-30s %8s %6s %7s %7s %6s %8s %8s %6s\n", "copies", "", "array", "hops", "whole", "ratio", "ms",
           "whole", "ratio");
    bench_lanes_on(f, b, rows, n, seed, seeds, bars);
    bench_lanes_on(f, &large, rows, n, seed, seeds, bars);
}

/* ---- made netlists --------------------------------------------------------------------------- */

typedef struct {
    uint32_t width, rows, pe, mem, cells;
    double seconds;
} array_row;

/* Both axes logarithmic; the line is n^1.5 through the 32 x 16 array's point. */
static void draw_growth(const array_row *rows, const char *path) {
    FILE *to = fopen(path, "w");
    if (!to)
        return;
    fprintf(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"520\" height=\"360\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"520\" height=\"360\" fill=\"#fff\"/>\n"
        "<text x=\"260\" y=\"350\" text-anchor=\"middle\">cells</text>\n"
        "<text x=\"14\" y=\"20\">seconds (place and route, one core)</text>\n");
    double x_of = 440 / 3.0, y_of = 270 / 3.0; /* decades: 3 .. 3000 cells, 5 ms .. 5 s */
    for (double v = 0.01; v < 2; v *= 10)
        fprintf(to,
                "<text x=\"50\" y=\"%.0f\" text-anchor=\"end\">%g</text><path d=\"M56 %.0fH500\" "
                "stroke=\"#ddd\"/>\n",
                304 - y_of * log10(v / 0.005), v, 300 - y_of * log10(v / 0.005));
    for (double v = 10; v < 2000; v *= 10)
        fprintf(to, "<text x=\"%.0f\" y=\"325\" text-anchor=\"middle\">%g</text>\n", 60 + x_of * log10(v / 3),
                v);
    const array_row *base = &rows[2];
    double at = 60 + x_of * log10(base->cells / 3.0), high = 300 - y_of * log10(base->seconds / 0.005);
    fprintf(to,
            "<path d=\"M%.0f %.0fL%.0f %.0f\" stroke=\"#999\" stroke-dasharray=\"4\"/><text x=\"%.0f\" "
            "y=\"%.0f\">n^1.5</text>\n",
            at, high, at + x_of * 0.9, high - 1.5 * y_of * 0.9, at + x_of * 0.55, high - 1.5 * y_of * 0.9);
    for (int i = 0; i < ARRAYS; i++) {
        double x = 60 + x_of * log10(rows[i].cells / 3.0), y = 300 - y_of * log10(rows[i].seconds / 0.005);
        bool last = i == ARRAYS - 1; /* whose label has no room on the right */
        fprintf(to,
                "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"4\" fill=\"#06c\"/><text x=\"%.0f\" "
                "y=\"%.0f\" text-anchor=\"%s\">%ux%u</text>\n",
                x, y, last ? x - 7 : x + 7, last ? y - 7 : y + 14, last ? "end" : "start", rows[i].width,
                rows[i].rows);
    }
    fputs("</svg>\n", to);
    fclose(to);
}

static void bench_arrays(fixture *f, uint64_t seed, const char *figure, bar_vec *bars) {
    array_row rows[ARRAYS] = {{4, 2, 4, 2, 0, 0},       {8, 8, 36, 12, 0, 0},      {32, 16, 288, 96, 0, 0},
                              {36, 16, 384, 128, 0, 0}, {48, 48, 1268, 422, 0, 0}, {64, 64, 2250, 750, 0, 0}};
    printf("\n%-8s %6s %6s %8s %14s\n", "array", "cells", "hops", "seconds", "us / n^1.5");
    for (int i = 0; i < ARRAYS; i++) {
        pnr_board b = made_board(rows[i].width, rows[i].rows);
        rows[i].cells = rows[i].pe + rows[i].mem;
        netlist *n = made_netlist(f, rows[i].pe, rows[i].mem, i ? rows[i].width / 8 : 0, 1);
        pnr_options o = pnr_options_default();
        o.seed = seed;
        result r = run(n, &b, &o);
        rows[i].seconds = r.seconds;
        printf("%2ux%-5u %6u %6u %8.3f %14.2f\n", rows[i].width, rows[i].rows, rows[i].cells, r.hops,
               r.seconds, r.seconds * 1e6 / pow(rows[i].cells, 1.5));
    }
    double exponent = log(rows[5].seconds / rows[2].seconds) / log((double)rows[5].cells / rows[2].cells);
    add_bar(f, bars, "512 cells, 89 % of the tiles, in less than 2 s", rows[3].seconds < 2, "%.2f s",
            rows[3].seconds);
    add_bar(f, bars, "4x2 .. 64x64 (3000 cells): legal, no worse than n^1.5", exponent <= 1.5,
            "n^%.2f from 384 to 3000 cells, %.2f s", exponent, rows[5].seconds);
    if (figure)
        draw_growth(rows, figure);
}

/* ---- the same problem in another guise ------------------------------------------------------- */

static void bench_guises(fixture *f, bar_vec *bars) {
    enum { NETLISTS = 3, SEEDS = 20 };
    double base = 0, worst = 0;
    printf("\n%-20s %s\n", "guise", "mean hops of 20 seeds and 3 netlists");
    for (int g = 0; g < GUISES; g++) {
        double sum = 0;
        for (uint64_t netlist_seed = 7; netlist_seed < 7 + NETLISTS; netlist_seed++)
            sum += mean_hops(f, netlist_seed, (guise)g, SEEDS) / NETLISTS;
        base = g ? base : sum;
        worst = sum / base > worst ? sum / base : worst;
        printf("%-20s %.2f, %.4fx\n", guise_names[g], sum, sum / base);
    }
    add_bar(f, bars, "other guises cost at most 2 % more (mean of 20 seeds)", worst <= 1.02, "at most %.4fx",
            worst);
}

/* ---- the exact optimum ----------------------------------------------------------------------- */

static void bench_exact(fixture *f, bar_vec *bars) {
    uint32_t cases = 0, optimal = 0, open = 0;
    double excess = 0;
    printf("\n%-10s %6s %8s %8s %10s\n", "array", "cells", "optimum", "found", "nodes");
    for (uint64_t seed = 1; seed <= 12; seed++) {
        exact_case c = exact_made(f, seed);
        if (!c.proved) {
            open++;
            continue;
        }
        cases++;
        optimal += c.found == c.optimum;
        excess += (double)c.found / c.optimum - 1;
        printf("%ux%-8u %6u %8u %8u %10llu\n", c.board.width, c.board.height - 1, c.net->cells.len, c.optimum,
               c.found, (unsigned long long)c.nodes);
    }
    add_bar(f, bars, "arrays up to 4x4 against the exact optimum of the wire length", optimal == cases,
            "optimal on %u of %u, mean excess %.2f %%, %u not proved", optimal, cases,
            cases ? excess * 100 / cases : 0, open);
}

int main(int argc, char **argv) {
    fixture f = {0};
    bar_vec bars = {0};
    diag_init(&f.diag, &f.mem);
    names_init(&f.names, &f.mem);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint32_t seeds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 4;
    pnr_board b;
    if (!pnr_board_read("onyx", &f.mem, &f.diag, &b)) {
        diag_print(&f.diag, 0, stderr, false);
        return 1;
    }
    bench_netlists(&f, &b, seed, seeds, &bars);
    bench_lanes(&f, &b, seed, seeds, &bars);
    bench_arrays(&f, seed, argc > 3 ? argv[3] : NULL, &bars);
    bench_guises(&f, &bars);
    bench_exact(&f, &bars);
    print_bars(&bars);
    pnr_board_free(&b);
    arena_free(&f.mem);
    return 0;
}
