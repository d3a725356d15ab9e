/* Any bytes as a .route file: the checker answers, and the writer does, too; an accepted route is unchanged
 * when written, read and written again. */
#include "tests/fuzz/placed.h"

static bool read_route(fuzz_run *r, const char *path, pnr_design *design) {
    *design = fuzz_placed()->design;
    return pnr_read_route(design, path, &r->mem, &r->diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    pnr_design design, again;
    fuzz_begin(&r);
    bool ok = read_route(&r, fuzz_file(&r, ".route", data, size), &design);
    fuzz_verdict(&r, ok);
    if (ok) {
        diagnostics writer;
        diag_init(&writer, &r.mem);
        bool written = pnr_write_route(&design, fuzz_file(&r, ".0.route", "", 0), &writer);
        FUZZ_CHECK(&r, written != diag_failed(&writer));
        ok = pnr_check(&design, &r.diag);
    }
    fuzz_answer(&r, ok);
    if (ok) {
        const char *one = fuzz_file(&r, ".1.route", "", 0), *two = fuzz_file(&r, ".2.route", "", 0);
        FUZZ_CHECK(&r, pnr_write_route(&design, one, &r.diag) && read_route(&r, one, &again));
        FUZZ_CHECK(&r, pnr_write_route(&again, two, &r.diag) && fuzz_same_lines(&r, one, two));
    }
    arena_free(&r.mem);
    return 0;
}
