/* Any bytes as a .place file: the placer refuses or keeps the sites; written and read again, they are
 * unchanged. */
#include "tests/fuzz/placed.h"

static bool is_free(pnr_site s) {
    return s.x == PNR_FREE || s.y == PNR_FREE;
}

static void check(fuzz_run *r, const placed_small *p, pnr_site *fixed) {
    pnr_options o = pnr_options_default();
    pnr_design design;
    pnr_site *again;
    o.fixed = fixed;
    o.effort = 1;
    bool ok = pnr_place(&p->net, &p->board, &o, &r->mem, &r->diag, &design);
    fuzz_answer(r, ok);
    if (!ok)
        return;
    const char *path = fuzz_file(r, ".out.place", "", 0);
    FUZZ_CHECK(r, pnr_write_place(&design, path, &r->diag));
    FUZZ_CHECK(r, pnr_read_place(&p->net, path, &r->mem, &r->diag, &again));
    for (uint32_t i = 0; i < p->net.cells.len; i++) {
        pnr_site got = design.site.at[i];
        FUZZ_CHECK(r, is_free(fixed[i]) || (got.x == fixed[i].x && got.y == fixed[i].y));
        FUZZ_CHECK(r, got.x == again[i].x && got.y == again[i].y);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    pnr_site *fixed;
    const placed_small *p = fuzz_placed();
    fuzz_begin(&r);
    bool ok = pnr_read_place(&p->net, fuzz_file(&r, ".place", data, size), &r.mem, &r.diag, &fixed);
    fuzz_verdict(&r, ok);
    if (ok)
        check(&r, p, fixed);
    arena_free(&r.mem);
    return 0;
}
