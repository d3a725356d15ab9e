// The place of a read scanner in a store stream of several scanners (profile onyx-ext): the scanner's blocks follow
// the blocks of the tiles ahead in the chain, which come on up_i.
//
// A tree is ahead_i blocks from up_i, then the scanner's own (two_i: segments and coordinates, else values); the next
// tree follows. A block is its length n, followed by n words. An empty block from up_i leaves as a single word, 0:
// the global buffer loses the word after an empty block. The last block of a tree is the scanner's own and may be
// empty. With ahead_i = 0 every block is the scanner's own, and the module is wires.
//
// Handshake: made to stand between FIFOs. A word is taken, from up_i or own_i, in the cycle of its departure (comb
// from either to out_o, from out_ready_i to both); only the word 0 of an empty block takes a cycle without taking a
// word. run_i = 0 takes nothing from up_i.
module onyx_block_chain #(
    parameter int unsigned LengthBits = 16  // of a block's length; fewer in a proof only
) (
    input  logic clk_i, rst_ni, en_i, flush_i,
    input  logic run_i, two_i,
    input  logic [3:0] ahead_i,
    input  onyx_pkg::stream_t up_i, output logic up_ready_o,
    input  onyx_pkg::stream_t own_i, output logic own_ready_o,
    output onyx_pkg::stream_t out_o, input  logic out_ready_i
);
  logic [4:0] block_q;  // of the tree, the one at hand
  logic [LengthBits-1:0] left_q;  // its words to come
  logic inside_q;       // its length has left
  logic pad_q;          // what leaves next is the word of a block of none

  logic up, empty, leaves, ends;
  logic [4:0] last;
  onyx_pkg::stream_t head;
  assign last  = {1'b0, ahead_i} + {4'd0, two_i};
  assign up    = block_q < {1'b0, ahead_i};
  assign head.valid = up ? up_i.valid & run_i : own_i.valid;
  assign head.data  = up ? up_i.data : own_i.data;
  assign empty = ~inside_q & (head.data[LengthBits-1:0] == '0);

  assign out_o.valid = pad_q | head.valid;
  assign out_o.data  = pad_q ? 17'd0 : (up & empty) ? 17'd1 : head.data;
  assign up_ready_o  = up & ~pad_q & run_i & out_ready_i;
  assign own_ready_o = ~up & out_ready_i;

  assign leaves = out_o.valid & out_ready_i;
  assign ends   = leaves & (pad_q | (inside_q ? left_q == LengthBits'(1) : empty & ~up));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_q  <= 5'd0;
      left_q   <= '0;
      inside_q <= 1'b0;
      pad_q    <= 1'b0;
    end else if (en_i) begin
      if (flush_i) begin
        block_q  <= 5'd0;
        inside_q <= 1'b0;
        pad_q    <= 1'b0;
      end else if (leaves) begin
        left_q   <= inside_q ? left_q - LengthBits'(1) : head.data[LengthBits-1:0];
        inside_q <= ~ends & ~empty;
        pad_q    <= up & empty & ~pad_q;
        if (ends) block_q <= (block_q == last) ? 5'd0 : block_q + 5'd1;
      end
    end
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT(TakesOneStream, !(up_ready_o && own_ready_o), "a word is taken of one of the two streams")
  `ONYX_ASSERT(MakesNoWord, !own_ready_o || out_ready_i, "a word is taken in the cycle in which it leaves")
endmodule
