/* board.h - the board and its register map, for tests of dense tiles. */
#ifndef ONYX_TESTS_DENSE_BOARD_H
#define ONYX_TESTS_DENSE_BOARD_H

#include "dense/dense.h"
#include "tests/test.h"

typedef struct {
    bits_map *map;
    pnr_board board;
} dense_board;

static inline void open_board(fixture *f, dense_board *b) {
    const bool read = pnr_board_read("onyx", &f->mem, &f->diag, &b->board) &&
                      bits_map_read(&b->board, &f->mem, &f->diag, &b->map);
    if (!read)
        fail_msg("%s", fixture_printed(f));
}

#endif
