/* bits_verilog.h - a configured design as a netlist of rtl_models. */
#ifndef ONYX_BITSTREAM_BITS_VERILOG_H
#define ONYX_BITSTREAM_BITS_VERILOG_H

#include "bitstream/bits_map.h"

/* True if the cores work and no setting overrides their handshakes: a netlist or a model of primitives and
 * routes is then the whole design; otherwise errors E0660-not-specialised. */
bool bits_check_sparse(const pnr_design *design, const bits_map *map, diagnostics *d);
/* Returns CONFIG_SPACE word `word` of a cell, as in the tile's register. */
uint32_t bits_core_space(const pnr_design *design, const bits_map *map, net_cell cell, uint32_t word);
/* Writes the configured design as a SystemVerilog netlist of rtl_models primitives: only what is used,
 * constants folded. Module `onyx_design`: clk_i, rst_ni, flush_i, and by IO column x in_<x>_{data,valid}_i,
 * in_<x>_ready_o or out_<x>_{data,valid}_o, out_<x>_ready_i; hazard_<n>_o, a bit for each monitor, set if it
 * was raised since the last flush. Its cycles are those of the configured tiles. Refuses what
 * bits_check_sparse refuses. */
bool bits_to_verilog(const pnr_design *design, const bits_map *map, const char *path, diagnostics *d);
/* Writes the ports of bits_to_verilog as C macros for a test bench: ONYX_INPUTS(X) and ONYX_OUTPUTS(X) list
 * the IO columns that the bench drives (`driven`, by column; NULL: all), ascending; ONYX_HAZARD_WORDS(X) the
 * ports hazard_<n>_o, ONYX_HAZARDS(X) their bits as X("hazard", "tile mode"). */
bool bits_write_ports(const pnr_design *design, const bool *driven, const char *path, diagnostics *d);

#endif
