/* timing.h - the clock of a dense design, from register to register. */
#ifndef ONYX_DENSE_TIMING_H
#define ONYX_DENSE_TIMING_H

#include "dense/design.h"

/* A step of a path: of a switch-box output (side and track), an input or an output of a tile. */
typedef struct {
    const char *what;
    bool on_wire;
    uint32_t x, y, side, track, delay_ps, arrival_ps;
} dense_path_step;

typedef struct {
    uint32_t period_ps, core_ps; /* core_ps: of the slowest kind of tile alone */
    const char *corner;          /* name of the board's other table of delays; NULL: none */
    uint32_t corner_ps;
    VEC(dense_path_step) steps; /* of the slowest path, which no longer counts if a tile alone is slower */
} dense_timing;

/* Measures every path between registers by the board's delays: registers on wires, operands' registers, and
 * memories begin and end paths, PEs and switch boxes pass them. Errors: E0550-no-delay, E0631-wire-loop. */
bool dense_time(const dense_design *design, diagnostics *d, dense_timing *out);
/* Makes the report: members of pnr_timing_report that a design without handshakes has. */
cJSON *dense_timing_report(const dense_timing *t);

#endif
