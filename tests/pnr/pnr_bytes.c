/* Places and routes made netlists and writes NAME.place and NAME.route for each; same_bytes.sh compares the
 * files of differently compiled programs. Usage: pnr_bytes THREADS DIR. */
#include "tests/pnr/made.h"

static bool one(fixture *f, const char *folder, const char *name, const netlist *n, const pnr_board *b,
                const pnr_options *o) {
    pnr_design design;
    return pnr_place(n, b, o, &f->mem, &f->diag, &design) && pnr_route_all(&design, o, &f->mem, &f->diag) &&
           pnr_check(&design, &f->diag) &&
           pnr_write_place(&design, arena_printf(&f->mem, "%s/%s.place", folder, name), &f->diag) &&
           pnr_write_route(&design, arena_printf(&f->mem, "%s/%s.route", folder, name), &f->diag);
}

int main(int argc, char **argv) {
    fixture f = {0};
    diag_init(&f.diag, &f.mem);
    names_init(&f.names, &f.mem);
    pnr_board onyx;
    if (argc != 3 || !pnr_board_read("onyx", &f.mem, &f.diag, &onyx))
        return 1;
    pnr_options o = pnr_options_default();
    o.seeds = 4;
    o.threads = (uint32_t)strtoul(argv[1], NULL, 10);
    o.moves = 50000;
    bool good = one(&f, argv[2], "wire", made_netlist(&f, 40, 12, 6, 1), &onyx, &o);
    o.timing = 40;
    o.pipeline = PNR_PIPELINE_MIDPOINT;
    good = good && one(&f, argv[2], "timing", made_netlist(&f, 90, 30, 12, 2), &onyx, &o);
    pnr_board narrow = onyx;
    narrow.tracks = 2; /* congestion: several rounds of negotiation */
    good = good && one(&f, argv[2], "narrow", made_netlist(&f, 40, 12, 6, 3), &narrow, &o);
    diag_print(&f.diag, 0, stderr, false);
    pnr_board_free(&onyx);
    arena_free(&f.mem);
    return !good;
}
