// onyx_crddrop: both streams pass in order, each token at most once and unchanged; only a coordinate whose inner fiber had no
// data, and that fiber's stop, vanish. A coordinate and the stop that closes its fiber move in one cycle, and so do the two
// done tokens. Nothing is taken while what must go with it has no room.
//
// cells: onyx_crddrop
// with: port
// broken: onyx_crddrop s/: push_both ? (inner_ready_i \& outer_ready_i)/: push_both ? inner_ready_i/
// broken: onyx_crddrop s/assign keep        = close \& has_data_q/assign keep = close/
`include "proof.svh"
module p_crddrop (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        en_i,
    input logic        flush_i,
    input logic [16:0] inner_data_i,
    input logic        inner_valid_i,
    input logic [16:0] outer_data_i,
    input logic        outer_valid_i,
    input logic        inner_out_ready_i,
    input logic        outer_out_ready_i,
    output logic [39:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live_q, rst_n;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;
  assign rst_n = live_q & rst_ni;

  logic inner_ready;
  logic outer_ready;
  logic inner_out_valid;
  logic [16:0] inner_out_data;
  logic outer_out_valid;
  logic [16:0] outer_out_data;

  logic hazard_empty, hazard_uneven;
  onyx_crddrop u_cell (
      .clk_i(clk_i),
      .rst_ni(rst_n),
      .en_i(en_i),
      .flush_i(flush_i),
      .inner_data_i(inner_data_i),
      .inner_valid_i(inner_valid_i),
      .inner_ready_o(inner_ready),
      .outer_data_i(outer_data_i),
      .outer_valid_i(outer_valid_i),
      .outer_ready_o(outer_ready),
      .hazard_empty_o(hazard_empty),
      .hazard_uneven_o(hazard_uneven),
      .inner_data_o(inner_out_data),
      .inner_valid_o(inner_out_valid),
      .inner_ready_i(inner_out_ready_i),
      .outer_data_o(outer_out_data),
      .outer_valid_o(outer_out_valid),
      .outer_ready_i(outer_out_ready_i)
  );
  port u_inner (.live_i(rst_n), .data_i(inner_data_i), .valid_i(inner_valid_i), .ready_i(inner_ready), .*);
  port u_outer (.live_i(rst_n), .data_i(outer_data_i), .valid_i(outer_valid_i), .ready_i(outer_ready), .*);
  port #(.Gives(1'b1)) u_inner_out (
      .live_i(rst_n), .data_i(inner_out_data), .valid_i(inner_out_valid), .ready_i(inner_out_ready_i), .*
  );
  port #(.Gives(1'b1), .Lapses(1'b1)) u_outer_out (
      .live_i(rst_n), .data_i(outer_out_data), .valid_i(outer_out_valid), .ready_i(outer_out_ready_i), .*
  );

  // Tokens that move at this edge.
  logic moves, inner_takes, outer_takes, inner_out_gives, outer_out_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign inner_takes = moves & inner_valid_i & inner_ready;
  assign outer_takes = moves & outer_valid_i & outer_ready;
  assign inner_out_gives = moves & inner_out_valid & inner_out_ready_i;
  assign outer_out_gives = moves & outer_out_valid & outer_out_ready_i;
  logic inner_stop, inner_done, inner_item;
  assign inner_stop = inner_data_i[16] & (inner_data_i[9:8] == 2'd0);
  assign inner_done = inner_data_i[16] & (inner_data_i[9:8] == 2'd1);
  assign inner_item = ~inner_stop & ~inner_done;
  logic outer_stop, outer_done, outer_item;
  assign outer_stop = outer_data_i[16] & (outer_data_i[9:8] == 2'd0);
  assign outer_done = outer_data_i[16] & (outer_data_i[9:8] == 2'd1);
  assign outer_item = ~outer_stop & ~outer_done;


  // With all it needs, it moves within 0 enabled cycles.
  logic [2:0] idle_q;
  initial idle_q = 3'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && (flush_i || !(inner_valid_i && outer_valid_i && inner_out_ready_i && outer_out_ready_i && !(inner_done && outer_item)) || (inner_takes || outer_takes)))) idle_q <= 3'd0;
    else if (en_i) idle_q <= idle_q + 3'd1;
  end

  logic data_q;  // the inner fiber at hand had an item
  initial data_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) data_q <= 1'b0;
    else if (inner_takes) data_q <= inner_item;
  end

  always_comb begin
    if (moves) begin
      if (inner_out_gives) begin
        `PROVE(inner_passes, inner_takes && inner_out_data == inner_data_i)
      end
      if (outer_out_gives) begin
        `PROVE(outer_passes, outer_takes && outer_out_data == outer_data_i)
      end
      if (inner_takes && !inner_out_gives) begin
        `PROVE(inner_dropped, inner_stop && !data_q)
      end
      if (outer_takes && !outer_out_gives) begin
        `PROVE(outer_dropped, outer_item && inner_takes && inner_stop && !data_q)
      end
      if (outer_takes && outer_item) begin
        `PROVE(pair, inner_takes && inner_stop && outer_out_gives == inner_out_gives && inner_out_gives == data_q)
      end
      if (outer_takes && outer_done) begin
        `PROVE(done_together, inner_takes && inner_done && inner_out_gives && outer_out_gives)
      end
      if (inner_takes && inner_done) begin
        `PROVE(done_pair, outer_takes && outer_done)
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle_q == 3'd0)
      `REACH(keeps, outer_takes && outer_item && outer_out_gives)
      `REACH(drops, outer_takes && !outer_out_gives)
      `REACH(drops_stop_alone, inner_takes && !inner_out_gives && outer_takes && outer_stop)
    end
  end
  assign seen_o = {
    inner_takes,
    outer_takes,
    inner_out_gives,
    outer_out_gives,
    inner_out_data & {17{inner_out_gives}},
    outer_out_data & {17{outer_out_gives}},
    hazard_empty & moves,
    hazard_uneven & moves
  };
endmodule
