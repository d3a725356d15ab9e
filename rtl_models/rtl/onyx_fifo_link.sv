// The link between a scanner and the buffet: a row of depth-2 FIFOs.
//
// Contract: as onyx_fifo2; latency Stages cycles, 2 * Stages words.
module onyx_fifo_link #(
    parameter int unsigned Width  = 17,
    parameter int unsigned Stages = 2
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic [Width:0] in_i,
    output logic in_ready_o,
    output logic [Width:0] out_o,
    input  logic out_ready_i,
    output logic stir_o  // a word moves
);
  localparam int unsigned Bits = Width + 1;
  if (Width < 1 || Stages < 1) begin : g_bad
    $error("onyx_fifo_link: Width and Stages must be 1 or more");
  end

  // Point s lies before stage s.
  logic [Bits*(Stages+1)-1:0] point;
  logic [Stages:0] ready, moves;
  assign point[0+:Bits]  = in_i;
  assign in_ready_o      = ready[0];
  assign out_o           = point[Bits*Stages+:Bits];
  assign ready[Stages]   = out_ready_i;
  assign moves[Stages]   = out_o[Width] & out_ready_i;
  for (genvar s = 0; s < Stages; s++) begin : g_stage
    onyx_fifo2 #(.Width(Width)) u_fifo (
        .clk_i, .rst_ni, .en_i, .flush_i,
        .in_i(point[Bits*s+:Bits]), .in_ready_o(ready[s]),
        .out_o(point[Bits*(s+1)+:Bits]), .out_ready_i(ready[s+1])
    );
    assign moves[s] = point[Bits*s+Width] & ready[s];
  end
  assign stir_o = |moves;
`include "onyx_assert.svh"
  `ONYX_ASSERT(TellsOfMoves, stir_o || !(in_i[Width] && in_ready_o), "a word that moves is told of")
endmodule
