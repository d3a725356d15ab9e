/* placed.h - the netlist of the harnesses' .place and .route files: packed/small.packed on onyx-8x8. */
#ifndef ONYX_TESTS_FUZZ_PLACED_H
#define ONYX_TESTS_FUZZ_PLACED_H

#include "pnr/pnr.h"
#include "tests/fuzz/fuzz.h"

typedef struct {
    netlist net;
    pnr_board board;
    pnr_design design; /* placed as place/small.place says; not routed */
} placed_small;

/* Read once, kept as long as the program. */
const placed_small *fuzz_placed(void);

#endif
