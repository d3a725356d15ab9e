/* Any bytes as a board: an accepted board has a fabric that proves itself and a recognised layout. */
#include "pnr/pnr.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_OUTPUTS = 2000 }; /* a larger array only takes longer */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    pnr_board b;
    pnr_fabric counted;
    fuzz_begin(&r);
    bool ok = pnr_board_read(fuzz_file(&r, ".json", data, size), &r.mem, &r.diag, &b);
    fuzz_verdict(&r, ok);
    if (ok && b.width * b.height * b.tracks <= MOST_OUTPUTS) {
        const char *layout = fuzz_file(&r, ".layout", "", 0);
        FUZZ_CHECK(&r, pnr_fabric_check(&b, &r.diag, &counted));
        FUZZ_CHECK(&r, pnr_write_layout(&b, true, layout, &r.diag) && pnr_check_layout(&b, layout, &r.diag));
    }
    if (ok)
        pnr_board_free(&b);
    arena_free(&r.mem);
    return 0;
}
