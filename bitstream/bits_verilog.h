/* bits_verilog.h - a configured design as a netlist of rtl_models. */
#ifndef ONYX_BITSTREAM_BITS_VERILOG_H
#define ONYX_BITSTREAM_BITS_VERILOG_H

#include "bitstream/bits_map.h"

/* True if the cores work and no setting overrides their handshakes: a netlist or a model of primitives and
 * routes is then the whole design; otherwise errors E0660-not-specialised. */
bool bits_check_sparse(const pnr_design *design, const bits_map *map, diagnostics *d);
/* Returns CONFIG_SPACE word `word` of a cell, as in the tile's register. */
uint32_t bits_core_space(const pnr_design *design, const bits_map *map, net_cell cell, uint32_t word);
/* Names and clocks of a netlist; zeros are the defaults. */
typedef struct {
    const char *module;      /* NULL: onyx_design */
    const char *const *port; /* stream S at IO column x; NULL: in_<x> and out_<x> */
    bool enables; /* one clock for all registers, and enables where the default has clock gates: for FPGAs */
} bits_verilog_options;
/* Writes the configured design as a SystemVerilog netlist of rtl_models primitives: only what is used,
 * constants folded. The module has clk_i, rst_ni, flush_i, of each stream S S_{data,valid}_i, S_ready_o or
 * S_{data,valid}_o, S_ready_i; hazard_<n>_o, a bit for each monitor, set if it was raised since the last
 * flush. Its cycles are those of the configured tiles. Tools read onyx_pkg.sv before. Refuses what
 * bits_check_sparse refuses. */
bool bits_to_verilog(const pnr_design *design, const bits_map *map, const bits_verilog_options *how,
                     const char *path, diagnostics *d);
/* Returns the module of rtl_models that a tile mode is, or NULL. */
const char *bits_module_of(net_mode mode);
/* A monitor: the kind of hazard, and its tile with the tile's mode ("x4y1 intersect"). */
typedef struct {
    const char *kind, *tile;
} bits_monitor;
typedef VEC(bits_monitor) bits_monitors;
/* Lists the monitors of a netlist: number n is bit n % 32 of port hazard_<n / 32>_o. */
void bits_monitors_of(const pnr_design *design, arena *mem, bits_monitors *out);
/* Writes the ports of bits_to_verilog as C macros for a test bench: ONYX_INPUTS(X) and ONYX_OUTPUTS(X) list
 * the IO columns that the bench drives (`driven`, by column; NULL: all), ascending; ONYX_HAZARD_WORDS(X) the
 * ports hazard_<n>_o, ONYX_HAZARDS(X) their bits as X("hazard", "tile mode"). */
bool bits_write_ports(const pnr_design *design, const bool *driven, const char *path, diagnostics *d);

#endif
