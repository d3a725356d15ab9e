/* Any bytes as a .packed netlist: written, read and written again it is the same, up to the order of blocks
 * and nets (both follow the file). */
#include "dense/dense.h"
#include "pnr/pnr.h"
#include "tests/fuzz/fuzz.h"

/* The board is read once: thousands of inputs follow. */
static const dense_design *on_board(void) {
    static arena mem;
    static pnr_board board;
    static dense_design on;
    diagnostics d;
    bits_map *map;
    diag_init(&d, &mem);
    if (!on.board && pnr_board_read("onyx", &mem, &d, &board) && bits_map_read(&board, &mem, &d, &map))
        on = (dense_design){.board = &board, .map = map};
    return &on;
}

/* As a netlist of dense tiles: its text form gives as many tiles and links. */
static void read_dense(fuzz_run *r, const char *path) {
    const dense_design *on = on_board();
    diagnostics d;
    dense_packed out;
    dense_design again;
    text_out text;
    diag_init(&d, &r->mem);
    if (!dense_is_packed(path, &d))
        return;
    const bool ok = dense_read_packed(path, NULL, on, &d, &out);
    FUZZ_CHECK(r, ok || diag_failed(&d));
    if (ok) {
        text_begin(&text);
        dense_dump(&out.design, text.stream);
        FUZZ_CHECK(r, dense_parse("a.dense", text_end(&text, &r->mem), on->board, on->map, &d, &again));
        FUZZ_CHECK(r, again.tiles.len == out.design.tiles.len && again.links.len == out.design.links.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    netlist n, again;
    fuzz_begin(&r);
    const char *path = fuzz_file(&r, ".packed", data, size);
    read_dense(&r, path);
    bool ok = pnr_read_packed(path, &r.names, &r.mem, &r.diag, &n);
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
