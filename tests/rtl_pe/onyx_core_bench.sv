// onyx_core for core_design.h: each rising edge keeps the outputs as they are before the edge. A cycle is a single
// evaluation, with the inputs of the cycle and the clock set. hazards_o is hazard_q of the core. With ONYX_MUTANTS,
// onyx_core is the core of tests/rtl_mutation, with an input that selects the fault.
module onyx_core_bench #(
    parameter bit Mem = 1'b0
) (
    input  logic clk_i, rst_ni, en_i, flush_i, tile_en_i, sram_we_i, sram_re_i,
    input  logic [8:0] sram_addr_i, input  logic [15:0] sram_wdata_i, output logic [15:0] sram_rdata_o,
`ifdef ONYX_MUTANTS
    input  logic [11:0] mutant,
`endif
    input  logic [2:0] mode_i, input  logic [127:0] space_i,
    input  onyx_pkg::inputs_t in_i, input  logic [2:0] out_ready_i,
    output onyx_pkg::outputs_t out_o, output logic [3:0] in_ready_o, output logic [9:0] hazards_o
);
  logic [3:0] in_ready;
  onyx_pkg::outputs_t out;
`ifdef ONYX_MUTANTS
  onyx_core u_core (
      .mutant,
`else
  onyx_core #(.Mem(Mem)) u_core (
`endif
      .clk_i, .rst_ni, .en_i, .flush_i, .tile_en_i, .mode_i, .space_i, .in_i, .in_ready_o(in_ready), .out_o(out), .out_ready_i,
      .sram_we_i, .sram_re_i, .sram_addr_i, .sram_wdata_i, .sram_rdata_o
  );
  always_ff @(posedge clk_i) begin
    in_ready_o <= in_ready;
    out_o <= out;
`ifdef ONYX_MUTANTS
    hazards_o <= u_core.hazard_q;
`else
    hazards_o <= u_core.g_monitors.hazard_q;
`endif
  end
endmodule
