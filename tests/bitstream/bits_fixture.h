/* bits_fixture.h - common to the tests of bitstream/: the board, its map, decoding in one call. */
#ifndef ONYX_TESTS_BITS_FIXTURE_H
#define ONYX_TESTS_BITS_FIXTURE_H

#include "bitstream/bitstream.h"
#include "tests/test.h"

typedef struct {
    pnr_board board;
    bits_map *map;
} bits_board;

static inline bits_board bits_board_onyx(fixture *f) {
    bits_board b = {0};
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &b.board));
    return b;
}

static inline void bits_board_map(fixture *f, bits_board *b) {
    bool good = bits_map_read(&b->board, &f->mem, &f->diag, &b->map);
    if (!good)
        fail_msg("%s", fixture_printed(f));
}

/* Start of most tests: the chip and its map. */
typedef struct {
    fixture f; /* first: a test may take the state for either */
    bits_board b;
} bits_bench;

static inline int bits_bench_set_up(void **state) {
    bits_bench *p = calloc(1, sizeof *p);
    fixture_begin(&p->f);
    p->b = bits_board_onyx(&p->f);
    bits_board_map(&p->f, &p->b);
    *state = p;
    return 0;
}

static inline int bits_bench_tear_down(void **state) {
    bits_bench *p = *state;
    pnr_board_free(&p->b.board);
    return fixture_tear_down(state);
}

#define ON_CHIP(test) cmocka_unit_test_setup_teardown(test, bits_bench_set_up, bits_bench_tear_down)

/* A design of a single tile, x4y1, without nets. */
static inline pnr_design lone_cell(bits_bench *p, net_cell_data cell) {
    netlist *net = arena_new(&p->f.mem, netlist);
    *net = (netlist){.mem = &p->f.mem, .names = &p->f.names};
    pnr_design design = {.net = net, .board = &p->b.board};
    vec_push(&p->f.mem, &net->cells, cell);
    vec_push(&p->f.mem, &design.site, (pnr_site){4, 1});
    return design;
}

typedef struct {
    pnr_design design;
    uint32_t unknown;
    bool good;
} bits_decoded;

static inline bits_decoded *bits_decode_new(fixture *f, const bits_board *b, const bits_stream *words) {
    bits_decoded *out = arena_new(&f->mem, bits_decoded);
    out->good = bits_decode(words, b->map, &f->names, &f->diag, &out->design, &out->unknown);
    return out;
}

/* A file of the build folder, named after the test program's process. */
static inline const char *scratch_path(fixture *f, const char *name) {
    return arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/%ld.%s", (long)getpid(), name);
}

static inline void write_text(const char *path, const char *text, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

#endif
