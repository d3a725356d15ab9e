/* random_design.h - random legal designs for the tests of bitstream/. */
#ifndef ONYX_TESTS_RANDOM_DESIGN_H
#define ONYX_TESTS_RANDOM_DESIGN_H

#include "tests/bitstream/bits_fixture.h"

typedef struct {
    uint32_t cells; /* attempts to place a PE or MEM cell */
    bool runnable;  /* cores enabled and handshakes not overridden: the design has a netlist */
} random_options;

/* Random cells with random settings; nets walked over random wires with random registers and branches. The
 * same seed gives the same design. */
pnr_design *random_design(fixture *f, const bits_board *b, uint64_t seed, const random_options *o);

#endif
