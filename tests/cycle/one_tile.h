/* one_tile.h - a PE or MEM tile of the cycle model alone, by its pins: the counterpart of a verilated core.
 */
#ifndef ONYX_TESTS_ONE_TILE_H
#define ONYX_TESTS_ONE_TILE_H

#include "rtl_models/cycle/cycle.h"

typedef struct {
    /* set by the caller */
    bool flush;
    uint32_t in_data[CYCLE_INS];
    bool in_valid[CYCLE_INS], out_ready[CYCLE_OUTS];
    /* set by tile_settle */
    bool in_ready[CYCLE_INS];
    uint32_t out_data[CYCLE_OUTS];
    bool out_valid[CYCLE_OUTS];
} tile_pins;

/* A PE or MEM tile whose ports are pins, as in onyx_pe_core.sv and onyx_mem_core.sv. */
cycle_model *tile_build(const cycle_cell *cell, arena *mem);
void tile_settle(const cycle_model *m, tile_pins *pins);
void tile_clock(cycle_model *m, const tile_pins *pins);

#endif
