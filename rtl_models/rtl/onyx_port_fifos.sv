// The port FIFOs of a core, of depth 2: ready of an input and valid of an output come from registers.
//
// Streams by number: a core reads the heads of the inputs at head_o and feeds the outputs at tail_i. used_i = 0: no
// port is ready or valid. en_i = 0: nothing changes; flush_i empties them all at the edge, if en_i.
module onyx_port_fifos (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                en_i,
    input  logic                flush_i,
    input  logic                used_i,
    input  onyx_pkg::inputs_t   in_i,
    output logic          [3:0] in_ready_o,
    output onyx_pkg::inputs_t   head_o,
    input  logic          [3:0] head_ready_i,
    input  onyx_pkg::outputs_t  tail_i,
    output logic          [2:0] tail_ready_o,
    output onyx_pkg::outputs_t  out_o,
    input  logic          [2:0] out_ready_i
);
  localparam int unsigned Bits = onyx_pkg::StreamBits;  // valid on top of the data

  for (genvar p = 0; p < onyx_pkg::Inputs; p++) begin : g_in
    logic room;
    assign in_ready_o[p] = used_i & room;
    onyx_fifo2 u_fifo (
        .clk_i, .rst_ni, .en_i, .flush_i,
        .in_i(in_i[Bits*p+:Bits]), .in_ready_o(room), .out_o(head_o[Bits*p+:Bits]), .out_ready_i(head_ready_i[p])
    );
  end

  for (genvar p = 0; p < onyx_pkg::Outputs; p++) begin : g_out
    logic some;
    assign out_o[Bits*p+Bits-1] = used_i & some;
    onyx_fifo2 u_fifo (
        .clk_i, .rst_ni, .en_i, .flush_i,
        .in_i(tail_i[Bits*p+:Bits]), .in_ready_o(tail_ready_o[p]),
        .out_o({some, out_o[Bits*p+:Bits-1]}), .out_ready_i(out_ready_i[p])
    );
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(UnusedTakesNothing, used_i || in_ready_o == 4'd0, "a tile that is not used takes nothing")
endmodule
