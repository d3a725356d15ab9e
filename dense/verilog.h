/* verilog.h - a dense design as a netlist of rtl_models. */
#ifndef ONYX_DENSE_VERILOG_H
#define ONYX_DENSE_VERILOG_H

#include "dense/design.h"

/* Writes the design as a SystemVerilog netlist of the units of rtl_models/dense, with their settings as
 * constants, and registers on routes. Module onyx_design has clk_i, rst_ni, flush_i, and of the global
 * buffer's side of each IO tile in use in_<x>_data_i and in_<x>_bit_i, out_<x>_data_o and out_<x>_bit_o. Its
 * cycles are those of the configured tiles. Tools read onyx_dense_pkg.sv before. Errors:
 * E0660-not-specialised, E0631-wire-loop. */
bool dense_to_verilog(const dense_design *design, const char *path, diagnostics *d);

#endif
