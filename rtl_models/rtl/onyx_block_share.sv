// The share of a write scanner in a load stream of several scanners (profile onyx-ext): of a tree's blocks the
// scanner's own pass, and the remaining blocks are taken and dropped.
//
// A tree is before_i foreign blocks, the scanner's own (two_i: segments and coordinates, else values), and behind_i
// foreign blocks; the next tree follows. A block is its length n, followed by n words. With before_i = behind_i = 0
// every block is the scanner's own, and the module is wires.
//
// Handshake: made to stand behind a FIFO. A word of an own block is offered, and taken, in the same cycle (comb from
// in_i to out_o, from out_ready_i to in_ready_o); other words are taken at once, a word a cycle. run_i = 0 stands
// still.
module onyx_block_share #(
    parameter int unsigned LengthBits = 16  // of a block's length; fewer in a proof only
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, two_i,
    input  logic [3:0] before_i, behind_i,
    input  onyx_pkg::stream_t in_i, output logic in_ready_o,
    output onyx_pkg::stream_t out_o, input  logic out_ready_i
);
  logic [5:0] block_q;  // of the tree, the one at the head
  logic [LengthBits-1:0] left_q;  // its words to come
  logic inside_q;       // its length has been taken

  logic own, taken, ends;
  logic [5:0] behind_own, last;
  assign behind_own = {2'd0, before_i} + (two_i ? 6'd2 : 6'd1);
  assign last       = behind_own + {2'd0, behind_i} - 6'd1;
  assign own        = (block_q >= {2'd0, before_i}) & (block_q < behind_own);

  assign out_o.valid = in_i.valid & own;
  assign out_o.data  = in_i.data;
  assign in_ready_o  = own ? out_ready_i : run_i;

  assign taken = in_i.valid & in_ready_o;
  assign ends  = taken & (inside_q ? left_q == LengthBits'(1) : in_i.data[LengthBits-1:0] == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_q  <= 6'd0;
      left_q   <= '0;
      inside_q <= 1'b0;
    end else if (en_i) begin
      if (flush_i) begin
        block_q  <= 6'd0;
        inside_q <= 1'b0;
      end else if (taken) begin
        left_q   <= inside_q ? left_q - LengthBits'(1) : in_i.data[LengthBits-1:0];
        inside_q <= ~ends;
        if (ends) block_q <= (block_q == last) ? 6'd0 : block_q + 6'd1;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(MakesNoWord, !out_o.valid || in_i.valid, "a word that is offered is one that has come")
  `ONYX_ASSERT(LosesNoWord, !(out_o.valid && in_ready_o) || out_ready_i,
      "a word of an own block is taken only where it goes on")
endmodule
