/* Any bytes as a .packed netlist: written, read and written again it is the same, up to the order of blocks
 * and nets (both follow the file). */
#include "pnr/pnr.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    netlist n, again;
    fuzz_begin(&r);
    bool ok = pnr_read_packed(fuzz_file(&r, ".packed", data, size), &r.names, &r.mem, &r.diag, &n);
    fuzz_verdict(&r, ok);
    if (ok) {
        const char *one = fuzz_file(&r, ".1.packed", "", 0), *two = fuzz_file(&r, ".2.packed", "", 0);
        FUZZ_CHECK(&r, pnr_write_packed(&n, one, &r.diag));
        FUZZ_CHECK(&r, pnr_read_packed(one, &r.names, &r.mem, &r.diag, &again));
        FUZZ_CHECK(&r, again.cells.len == n.cells.len && again.nets.len == n.nets.len);
        FUZZ_CHECK(&r, pnr_write_packed(&again, two, &r.diag) && fuzz_same_lines(&r, one, two));
    }
    arena_free(&r.mem);
    return 0;
}
