/* Tensor files: see tensor.h. */
#include "tests/fuzz/tensor.h"

#include "tiling/tiling.h"

static bool same(const tile_tensor *a, const tile_tensor *b) {
    /* A .tns file without entries has no extents, and a file with entries has only lower bounds. */
    bool sized = b->dim_inferred || memcmp(a->dim, b->dim, sizeof a->dim) == 0;
    return sized && a->order == b->order && a->nnz == b->nnz &&
           (!a->nnz || (memcmp(a->crd, b->crd, sizeof *a->crd * a->nnz * a->order) == 0 &&
                        memcmp(a->val, b->val, sizeof *a->val * a->nnz) == 0));
}

static void check_sorted(fuzz_run *r, const tile_tensor *t) {
    for (uint64_t e = 0; e < t->nnz; e++) {
        const uint32_t *at = t->crd + e * t->order;
        int order = 0;
        for (uint32_t m = 0; m < t->order; m++) {
            FUZZ_CHECK(r, at[m] < t->dim[m]);
            if (e && !order)
                order = at[m] < at[(int64_t)m - t->order] ? 1 : at[m] > at[(int64_t)m - t->order] ? -1 : 0;
        }
        FUZZ_CHECK(r, e == 0 || order < 0);
    }
}

static void round_trip(fuzz_run *r, const char *end, const tile_tensor *t, tile_dtype dtype) {
    tile_tensor again;
    const char *path = fuzz_file(r, arena_printf(&r->mem, ".out%s", end), "", 0);
    FUZZ_CHECK(r, tile_write(t, dtype, path, &r->diag));
    FUZZ_CHECK(r, tile_read(path, t->name, t->order, dtype, TILE_VALUES_FILE, &r->mem, &r->diag, &again));
    FUZZ_CHECK(r, same(t, &again));
}

void fuzz_tensor(const char *end, const uint8_t *data, size_t size) {
    for (tile_dtype dtype = TILE_DTYPE_INT16; dtype <= TILE_DTYPE_BF16; dtype++) {
        fuzz_run r;
        tile_tensor t;
        fuzz_begin(&r);
        const char *path = fuzz_file(&r, end, data, size);
        bool ok = tile_read(path, names_intern(&r.names, "B"), SAM_MAX_ORDER + 1, dtype, TILE_VALUES_FILE,
                            &r.mem, &r.diag, &t);
        bool mtx = strcmp(end, ".mtx") == 0, text = mtx || strcmp(end, ".tns") == 0;
        if (text)
            fuzz_verdict(&r, ok);
        else
            fuzz_answer(&r, ok);
        if (ok)
            check_sorted(&r, &t);
        if (ok && (mtx ? t.order <= 2 : t.nnz > 0))
            round_trip(&r, mtx ? end : ".tns", &t, dtype);
        arena_free(&r.mem);
    }
}
