// onyx_core for core_design.h: a cycle is a single evaluation. Its rising edge ends the cycle before and takes the
// inputs of the cycle into registers, so that logic behind inputs is evaluated once a cycle, after the edge; outputs
// are those of the cycle once they have settled. hazards_o is hazard_q of the core. With ONYX_MUTANTS, onyx_core is
// the core of tests/rtl_mutation, with an input that selects the fault.
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
  typedef struct packed {
    logic rst_n, en, flush, tile_en, sram_we, sram_re;
    logic [8:0] sram_addr;
    logic [15:0] sram_wdata;
    logic [2:0] mode;
    logic [127:0] space;
    onyx_pkg::inputs_t in;
    logic [2:0] out_ready;
  } pins_t;
  pins_t q;
  always_ff @(posedge clk_i)
    q <= '{rst_ni, en_i, flush_i, tile_en_i, sram_we_i, sram_re_i, sram_addr_i, sram_wdata_i, mode_i, space_i, in_i, out_ready_i};
`ifdef ONYX_MUTANTS
  onyx_core u_core (
      .mutant,
`else
  onyx_core #(.Mem(Mem)) u_core (
`endif
      .clk_i, .rst_ni(q.rst_n), .en_i(q.en), .flush_i(q.flush), .tile_en_i(q.tile_en), .mode_i(q.mode), .space_i(q.space),
      .in_i(q.in), .in_ready_o, .out_o, .out_ready_i(q.out_ready),
      .sram_we_i(q.sram_we), .sram_re_i(q.sram_re), .sram_addr_i(q.sram_addr), .sram_wdata_i(q.sram_wdata), .sram_rdata_o
  );
`ifdef ONYX_MUTANTS
  assign hazards_o = u_core.hazard_q;
`else
  assign hazards_o = u_core.g_monitors.hazard_q;
`endif
endmodule
