/* See placed.h. */
#include "tests/fuzz/placed.h"

#define DATA ONYX_SOURCE_DIR "/tests/fuzz/"

const placed_small *fuzz_placed(void) {
    static fuzz_run once;
    static placed_small p;
    pnr_site *site;
    if (p.net.cells.len)
        return &p;
    fuzz_begin(&once);
    FUZZ_CHECK(&once, pnr_board_read("onyx-8x8", &once.mem, &once.diag, &p.board));
    FUZZ_CHECK(&once,
               pnr_read_packed(DATA "packed/small.packed", &once.names, &once.mem, &once.diag, &p.net));
    FUZZ_CHECK(&once, pnr_read_place(&p.net, DATA "place/small.place", &once.mem, &once.diag, &site));
    pnr_options o = pnr_options_default();
    o.fixed = site;
    FUZZ_CHECK(&once, pnr_place(&p.net, &p.board, &o, &once.mem, &once.diag, &p.design));
    return &p;
}
