/* Placement and routing for the clock, as by onyx run, of made netlists of 384 to 10,000 cells on boards of
 * the chip's tiles and delays. Kinds (made.h): sinks "near", at most 24 cells on; "far", in any distance,
 * seldom a large one; "wide", less seldom; "even", as often from 1 to 2 as from 512 to 1,024. Times are of
 * the processor, on one core. Every design is checked.
 *
 * Usage: bench_scale [SEED [CELLS [KIND]]]: the seed (1), and rows of the table. Ends with 1 when a design is
 * illegal.
 */
#include "tests/pnr/made.h"
#include "tests/pnr/published.h"

typedef struct {
    const char *kind;
    uint32_t width, rows, pe, mem, io;
} scale_row;

static const netlist *netlist_of(fixture *f, const scale_row *row) {
    const double power = *row->kind == 'e' ? 1 : *row->kind == 'w' ? 1.25 : 1.5;
    return *row->kind == 'n' ? made_netlist(f, row->pe, row->mem, row->io, 1)
                             : far_netlist(f, row->pe, row->mem, row->io, power);
}

static bool print_row(fixture *f, const pnr_board *chip, const scale_row *row, uint64_t seed) {
    pnr_board b = *chip;
    pnr_options o = pnr_options_default();
    pnr_design design;
    pnr_timing t;
    b.width = row->width;
    b.height = row->rows + 1;
    b.glb_tiles = row->width / b.columns_per_glb_tile;
    o.seed = seed;
    o.timing = PNR_TIMING_OF_RUN;
    o.pipeline = (pnr_pipelining)PNR_PIPELINE_OF_RUN;
    const netlist *n = netlist_of(f, row);
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    bool good = pnr_place(n, &b, &o, &f->mem, &f->diag, &design);
    const double placed = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    good = good && pnr_route_all(&design, &o, &f->mem, &f->diag);
    const double routed = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    good = good && pnr_check(&design, &f->diag) && pnr_sta(&design, &f->mem, &f->diag, &t);
    if (!good)
        return false;
    printf("| %s | %ux%u | %u | %.2f | %.2f | %u | %u | %u | %u |\n", row->kind, row->width, row->rows,
           row->pe + row->mem, placed - start, routed - placed, design.stats.route_iterations,
           pnr_hops(&design), t.period_ps, t.floor_ps);
    return true;
}

int main(int argc, char **argv) {
    static const scale_row rows[] = {
        {"near", 32, 16, 288, 96, 4},       {"far", 32, 16, 288, 96, 4},
        {"near", 64, 64, 1500, 500, 8},     {"far", 64, 64, 1500, 500, 8},
        {"even", 64, 64, 1500, 500, 8},     {"near", 128, 128, 3750, 1250, 16},
        {"far", 128, 128, 3750, 1250, 16},  {"near", 128, 128, 7500, 2500, 16},
        {"even", 128, 128, 3750, 1250, 16}, {"far", 128, 128, 7500, 2500, 16},
        {"wide", 128, 128, 7500, 2500, 16},
    };
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint32_t cells = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    fixture f;
    fixture_begin(&f);
    pnr_board b = read_board(&f, "onyx");
    bool good = true;
    printf("| sinks | array | cells | place, s | route, s | rounds | hops | period, ps | floor |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++)
        if ((!cells || cells == rows[i].pe + rows[i].mem) && (argc < 4 || strcmp(argv[3], rows[i].kind) == 0))
            good = print_row(&f, &b, &rows[i], seed);
    diag_print(&f.diag, 0, stderr, false);
    pnr_board_free(&b);
    arena_free(&f.mem);
    return !good;
}
