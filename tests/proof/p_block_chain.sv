// onyx_block_chain: while blocks of the tiles ahead are due, their words leave in the cycle of their arrival, and the
// scanner's own words wait; afterwards the roles are exchanged. A block of none from ahead leaves as the length 1 and
// the word 0. The proof counts the due block of the tree and its remaining words; 0 remaining words: the block's
// length comes next. Where none are ahead, the module is wires.
//
// cells: onyx_block_chain
// with: first_reset steady port
// set: LengthBits=2
// set: LengthBits=3
// broken: onyx_block_chain s/left_q == LengthBits'(1)/left_q == LengthBits'(2)/
// broken: onyx_block_chain s/(block_q == last)/(block_q == 5'd3)/
// broken: onyx_block_chain s/up & empty & ~pad_q/empty \& ~pad_q/
// broken: onyx_block_chain s/~up & out_ready_i/out_ready_i/
// broken: onyx_block_chain s/up & ~pad_q & run_i/up \& run_i/
`include "proof.svh"
module p_block_chain #(
    parameter int unsigned LengthBits = 2  // every length is the same but for how far it counts
) (
`include "control_ports.svh"
    input logic two,
    input logic [3:0] ahead,
    input onyx_pkg::stream_t up_i, own_i,
    input logic out_ready_i
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  steady #(.Width(5)) u_steady (.clk_i, .live_i(live), .value_i({two, ahead}));

  logic up_ready, own_ready;
  onyx_pkg::stream_t out;
  onyx_block_chain #(.LengthBits(LengthBits)) u_cell (
      .clk_i, .rst_ni(rst_n), .en_i, .flush_i, .run_i(1'b1), .two_i(two), .ahead_i(ahead),
      .up_i, .up_ready_o(up_ready), .own_i, .own_ready_o(own_ready), .out_o(out), .out_ready_i
  );
  port #(.Queue(1'b1)) u_up (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(up_i), .ready_i(up_ready));
  port #(.Queue(1'b1)) u_own (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(own_i), .ready_i(own_ready));
  port #(.Gives(1'b1)) u_out (.clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(out), .ready_i(out_ready_i));

  logic moves, takes_up, takes_own, gives;
  assign moves     = rst_n & en_i & ~flush_i;
  assign takes_up  = moves & up_i.valid & up_ready;
  assign takes_own = moves & own_i.valid & own_ready;
  assign gives     = moves & out.valid & out_ready_i;

  // Blocks of the tree that have left, words of the block at hand, and whether the word of an empty block is due.
  logic [4:0] blocks_q, all;
  logic [LengthBits-1:0] words_q, words;
  logic hole_q, due_up, starts, ends;
  assign due_up = blocks_q < {1'b0, ahead};
  assign all    = {1'b0, ahead} + 5'd1 + {4'd0, two};
  assign words  = due_up ? up_i.data[LengthBits-1:0] : own_i.data[LengthBits-1:0];
  assign starts = words_q == '0 & ~hole_q;
  assign ends   = gives & (hole_q | (starts ? words == '0 & ~due_up : words_q == LengthBits'(1)));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blocks_q <= 5'd0;
      words_q  <= '0;
      hole_q   <= 1'b0;
    end else if (!rst_n || (en_i && flush_i)) begin
      blocks_q <= 5'd0;
      words_q  <= '0;
      hole_q   <= 1'b0;
    end else if (gives) begin
      hole_q <= starts & due_up & (words == '0);
      if (!hole_q) words_q <= starts ? words : words_q - LengthBits'(1);
      if (ends) blocks_q <= blocks_q + 5'd1 == all ? 5'd0 : blocks_q + 5'd1;
    end
  end

  always_comb begin
    if (moves) begin
      `PROVE(in_turn, !(takes_up && !due_up) && !(takes_own && due_up))
      `PROVE(together, gives == (takes_up || takes_own || (hole_q && out_ready_i)))
      `PROVE(hole_alone, !hole_q || (out.valid && out.data == 17'd0 && !takes_up && !takes_own))
      `PROVE(never_empty, !(takes_up && starts && words == '0) || out.data == 17'd1)
      `PROVE(as_it_is, !takes_up || (starts && words == '0) || out.data == up_i.data)
      `PROVE(own_as_it_is, !takes_own || out.data == own_i.data)
      `PROVE(wires, ahead != 4'd0 || (out.valid == own_i.valid && own_ready == out_ready_i && !up_ready))
    end
    if (rst_n) begin
      `REACH(passed, takes_up && ahead == 4'd1 && words_q == LengthBits'(2))
      `REACH(hole, gives && hole_q && blocks_q == 5'd1 && ahead == 4'd2)
      `REACH(again, takes_up && blocks_q == 5'd0 && ahead == 4'd1 && two)
      `REACH(second, takes_own && two && ahead == 4'd1 && blocks_q == 5'd2)
    end
  end
endmodule
