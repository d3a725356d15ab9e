// SplitFIFO: the register of a switch-box output; two in a row make a 2-entry FIFO.
//
// Contract with fifo_i = 1: one token of storage. A token enters when valid and in_ready_o, and leaves when valid and
// out_ready_i, at an edge with ce_i; an empty SplitFIFO may pass a token straight through.
//   start_i cuts the ready path  (in_ready_o from registers only),
//   end_i   cuts the valid path  (out_o from registers only).
// First of a pair: start; second: end. The pair takes and gives a token every cycle, adds one cycle, and holds
// two tokens. One alone with both bits set runs at half rate.
// With fifo_i = 0: a plain register that always takes and always gives (dense pipelining).
// No flush, as on the chip: only rst_ni empties it.
// comb from in_i to out_o unless end_i; from out_ready_i to in_ready_o unless start_i.
module onyx_split_fifo #(
    parameter int unsigned Width = 17
) (
    input  logic clk_i, rst_ni, ce_i,
    input  logic fifo_i, start_i, end_i,
    input  logic [Width:0] in_i,  output logic in_ready_o,
    output logic [Width:0] out_o, input  logic out_ready_i
);
  if (Width < 1) begin : g_bad
    $error("onyx_split_fifo: Width must be 1 or more");
  end

  logic [Width-1:0] value_q;
  logic full_q;

  assign in_ready_o = fifo_i ? (~full_q | (out_ready_i & ~start_i)) : ce_i;
  assign out_o[Width] = fifo_i ? (full_q | (in_i[Width] & ~end_i)) : ce_i;
  assign out_o[Width-1:0] = (fifo_i & ~full_q & ~end_i) ? in_i[Width-1:0] : value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_q <= '0;
      full_q  <= 1'b0;
    end else if (ce_i) begin
      if (!fifo_i) begin
        value_q <= in_i[Width-1:0];
      end else if (in_i[Width] && in_ready_o && (full_q || end_i || !out_ready_i)) begin
        // Taken and not passed straight through.
        value_q <= in_i[Width-1:0];
        full_q  <= 1'b1;
      end else if (out_ready_i) begin
        full_q <= 1'b0;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(StartCutsReady, !(fifo_i && start_i) || in_ready_o == !full_q,
      "start_i: ready comes from the register alone")
  `ONYX_ASSERT(EndCutsValid, !(fifo_i && end_i) || out_o[Width] == full_q,
      "end_i: valid comes from the register alone")
endmodule
