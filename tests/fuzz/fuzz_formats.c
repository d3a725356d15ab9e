/* Any bytes as definitions of formats, and as the file of a stored tensor. */
#include "tests/fuzz/tensor.h"

#include "tiling/formats.h"

/* An accepted definition is printed, reads back unchanged, and holds a small tensor, if its data allow. */
static void definitions(const char *text) {
    fuzz_run r;
    tile_formats all = {0}, again = {0};
    fuzz_begin(&r);
    bool ok = tile_formats_read("definitions", text, &r.mem, &r.diag, &all);
    fuzz_verdict(&r, ok);
    for (uint32_t i = 0; ok && i < all.len; i++) {
        const tile_format *f = &all.at[i];
        const char *printed = tile_format_text(f, &r.mem);
        uint32_t crd[2 * SAM_MAX_ORDER], dim[SAM_MAX_ORDER];
        static const double val[] = {3, 4};
        tile_tensor t, back;
        tile_stored s;
        bool same;
        /* Parts are named, and are read before their uses. */
        FUZZ_CHECK(&r, tile_formats_read("printed", printed, &r.mem, &r.diag, &again));
        FUZZ_CHECK(&r, strcmp(tile_format_text(&again.at[i], &r.mem), printed) == 0);
        FUZZ_CHECK(&r, strlen(tile_format_scanned(f, &r.mem, &same)) > f->order);
        for (uint32_t m = 0; m < f->order; m++) {
            dim[m] = 3;
            crd[m] = m % 2;
            crd[f->order + m] = 2;
        }
        FUZZ_CHECK(&r, tile_from_entries((name_id){0}, f->order, dim, 2, crd, val, TILE_DTYPE_INT16, "two",
                                         &r.mem, &r.diag, &t));
        uint32_t errors = r.diag.errors;
        bool stored = tile_store(&t, f, TILE_DTYPE_INT16, &r.mem, &r.diag, &s);
        FUZZ_CHECK(&r, stored == (r.diag.errors == errors));
        if (stored && tile_restore(&s, TILE_DTYPE_INT16, "two", &r.mem, &r.diag, &back))
            FUZZ_CHECK(&r,
                       back.nnz == t.nnz && memcmp(back.crd, t.crd, sizeof *t.crd * t.nnz * t.order) == 0);
    }
    arena_free(&r.mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    arena mem = {0};
    const char *text = arena_strndup(&mem, (const char *)data, size);
    if (size && data[0] == '%')
        fuzz_tensor(".stored", data, size);
    else
        definitions(text);
    arena_free(&mem);
    return 0;
}
