// onyx_block_share: a word is offered if, and only if, its block belongs to the scanner; an own word is taken when
// given, any other word at once. The proof counts the block of the tree and the block's remaining words; 0 remaining
// words: the block's length comes next. Without foreign blocks every word is offered.
//
// cells: onyx_block_share
// with: first_reset steady port
// set: LengthBits=2
// set: LengthBits=3
// broken: onyx_block_share s/left_q == LengthBits'(1)/left_q == LengthBits'(2)/
// broken: onyx_block_share s/(block_q == last)/(block_q == behind_own)/
// broken: onyx_block_share s/two_i ? 6'd2/two_i ? 6'd3/
// broken: onyx_block_share s/own ? out_ready_i : run_i/run_i/
`include "proof.svh"
module p_block_share #(
    parameter int unsigned LengthBits = 2  // every length is the same but for how far it counts
) (
`include "control_ports.svh"
    input logic run, two,
    input logic [3:0] before, behind,
    input onyx_pkg::stream_t in_i,
    input logic out_ready_i
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  steady #(.Width(10)) u_steady (.clk_i, .live_i(live), .value_i({run, two, before, behind}));
  always_comb assume (run);  // without it the scanner behind takes nothing either

  logic in_ready;
  onyx_pkg::stream_t out;
  onyx_block_share #(.LengthBits(LengthBits)) u_cell (
      .clk_i, .rst_ni(rst_n), .en_i, .flush_i, .run_i(run), .two_i(two), .before_i(before), .behind_i(behind),
      .in_i, .in_ready_o(in_ready), .out_o(out), .out_ready_i
  );
  port #(.Queue(1'b1)) u_in (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(in_i), .ready_i(in_ready)
  );
  port #(.Gives(1'b1)) u_out (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(out), .ready_i(out_ready_i)
  );

  logic moves, takes, gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign takes = moves & in_i.valid & in_ready;
  assign gives = moves & out.valid & out_ready_i;

  // Blocks of the tree that have ended, and words of the block at hand.
  logic [5:0] blocks_q, all;
  logic [LengthBits-1:0] words_q;
  logic ends;
  assign all  = {2'd0, before} + {2'd0, behind} + 6'd1 + {5'd0, two};
  assign ends = takes & (words_q == '0 ? in_i.data[LengthBits-1:0] == '0 : words_q == LengthBits'(1));
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      blocks_q <= 6'd0;
      words_q  <= '0;
    end else if (takes) begin
      words_q <= words_q == '0 ? in_i.data[LengthBits-1:0] : words_q - LengthBits'(1);
      if (ends) blocks_q <= blocks_q + 6'd1 == all ? 6'd0 : blocks_q + 6'd1;
    end
  end
  logic own;
  assign own = (blocks_q >= {2'd0, before}) & (blocks_q < {2'd0, before} + 6'd1 + {5'd0, two});

  always_comb begin
    if (moves) begin
      `PROVE(own_is_given, out.valid == (in_i.valid && own))
      `PROVE(as_it_is, !out.valid || out.data == in_i.data)
      `PROVE(together, gives == (takes && own))
      `PROVE(others_pass, !in_i.valid || own || takes)
      `PROVE(wires, before != 4'd0 || behind != 4'd0 || out.valid == in_i.valid)
    end
    if (rst_n) begin
      `REACH(passed, takes && !own && before == 4'd1 && words_q == LengthBits'(2))
      `REACH(last, takes && blocks_q + 6'd1 == all && before == 4'd0 && behind == 4'd1 && !gives)
      `REACH(second, gives && two && blocks_q == {2'd0, before} + 6'd1 && behind == 4'd2)
    end
  end
endmodule
