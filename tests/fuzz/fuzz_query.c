/* Any bytes as a query of a tensor of order 3; accepted queries are asked of a small tensor. */
#include "tests/fuzz/fuzz.h"
#include "tiling/queries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t crd[] = {0, 1, 2, 1, 0, 2, 1, 3, 0, 2, 2, 2, 4, 0, 1}, dim[] = {5, 4, 3};
    static const double val[] = {3, 4, -1, 7, 2};
    fuzz_run r;
    tile_query query;
    tile_tensor t;
    fuzz_begin(&r);
    FUZZ_CHECK(&r, tile_from_entries((name_id){0}, 3, dim, 5, crd, val, TILE_DTYPE_INT16, "five", &r.mem,
                                     &r.diag, &t));
    bool ok = tile_query_read("query", arena_strndup(&r.mem, (const char *)data, size), 3, &r.diag, &query);
    fuzz_verdict(&r, ok);
    if (ok) {
        int64_t *value = arena_new_n(&r.mem, int64_t, t.nnz);
        tile_ask_entries(&t, &query, &r.mem, value);
        seen_bytes(&fuzz_seen, value, sizeof *value * t.nnz);
    }
    arena_free(&r.mem);
    return 0;
}
