/* board.h - the board of a harness. */
#ifndef ONYX_TESTS_FUZZ_BOARD_H
#define ONYX_TESTS_FUZZ_BOARD_H

#include "pnr/pnr.h"
#include "tests/fuzz/fuzz.h"

/* Reads the board once, for all inputs; a harness has a single board. Allocations last as long as the
 * program. */
static inline const pnr_board *fuzz_board(const char *name) {
    static fuzz_run once;
    static pnr_board b;
    if (!b.width) {
        fuzz_begin(&once);
        FUZZ_CHECK(&once, pnr_board_read(name, &once.mem, &once.diag, &b));
    }
    return &b;
}

#endif
