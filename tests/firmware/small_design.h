/* small_design.h - a design as fw_build reads a design: IO cells on columns, and words. Nothing is routed. */
#ifndef ONYX_TESTS_SMALL_DESIGN_H
#define ONYX_TESTS_SMALL_DESIGN_H

#include "firmware/firmware.h"
#include "tests/test.h"

typedef struct {
    pnr_board board;
    netlist net;
    pnr_design design;
    bits_stream bits;
} small_design;

static inline void add_io(fixture *f, small_design *s, uint16_t column, bool output, uint32_t num_blocks) {
    const net_cell_data cell = {.mode = output ? NET_MODE_IO_OUT : NET_MODE_IO_IN,
                                .tag = 'I',
                                .number = s->net.cells.len,
                                .output = output,
                                .tensor = names_intern(&f->names, output ? "X" : "B"),
                                .level = num_blocks == 2 ? 0 : SAM_MODE_VALS,
                                .num_blocks = num_blocks};
    vec_push(&f->mem, &s->net.cells, cell);
    vec_push(&f->mem, &s->design.site, (pnr_site){column, 0});
}

static inline void add_words(fixture *f, small_design *s, uint32_t n) {
    for (uint32_t i = s->bits.words.len, end = i + n; i < end; i++) {
        const bits_word w = {.address = i << 24 | (i / 256 % 8) << 16 | (i / 2048 % 32) << 8 | 1,
                             .data = 0x9e3779b9u * (i + 1)};
        vec_push(&f->mem, &s->bits.words, w);
    }
}

/* Two inputs, two outputs, 400 words; out of column order on purpose. */
static inline small_design *small_design_new(fixture *f, const char *board) {
    small_design *s = arena_new(&f->mem, small_design);
    if (!pnr_board_read(board, &f->mem, &f->diag, &s->board))
        fail_msg("%s", fixture_printed(f));
    s->net = (netlist){.mem = &f->mem, .names = &f->names};
    s->design.net = &s->net;
    s->design.board = &s->board;
    add_io(f, s, 5, true, 1);
    add_io(f, s, 2, false, 2);
    add_io(f, s, 1, true, 2);
    add_io(f, s, 0, false, 1);
    add_words(f, s, 400);
    return s;
}

#endif
