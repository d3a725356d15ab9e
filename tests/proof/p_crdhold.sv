// onyx_crdhold: every inner token leaves once, unchanged and in order, and in the same cycle the outer output gives the outer
// coordinate at the head beside an item, the token itself beside a stop or done. The two done tokens are taken together. An
// outer coordinate is used up only by a stop that no other has used: none is lost while items may still need it.
//
// cells: onyx_crdhold
// with: port
// broken: onyx_crdhold s/assign outer_valid_o = push \& inner_ready_i/assign outer_valid_o = push/
// broken: onyx_crdhold s/push      = (rest == DebtNone)/push      = 1'b1/
`include "proof.svh"
module p_crdhold (
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
    output logic [38:0] seen_o  // all that the FIFOs and the monitor's register can tell
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

  logic hazard;
  logic stir, gated_stir;
  onyx_crdhold u_cell (
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
      .hazard_o(hazard),
      .inner_data_o(inner_out_data),
      .inner_valid_o(inner_out_valid),
      .inner_ready_i(inner_out_ready_i),
      .outer_data_o(outer_out_data),
      .outer_valid_o(outer_out_valid),
      .outer_ready_i(outer_out_ready_i),
      .stir_o(stir)
  );

  // The same cell with a clock only when it says that it may change, or a token moves.
  logic awake;
  assign awake = en_i & (flush_i | gated_stir | (inner_valid_i & gated_inner_ready) | (outer_valid_i & gated_outer_ready) | (gated_inner_out_valid & inner_out_ready_i) | (gated_outer_out_valid & outer_out_ready_i));
  logic gated_inner_ready;
  logic gated_outer_ready;
  logic [16:0] gated_inner_out_data;
  logic gated_inner_out_valid;
  logic [16:0] gated_outer_out_data;
  logic gated_outer_out_valid;
  logic gated_hazard;
  onyx_crdhold u_gated (
      .clk_i(clk_i),
      .rst_ni(rst_n),
      .flush_i(flush_i),
      .inner_data_i(inner_data_i),
      .inner_valid_i(inner_valid_i),
      .outer_data_i(outer_data_i),
      .outer_valid_i(outer_valid_i),
      .inner_ready_i(inner_out_ready_i),
      .outer_ready_i(outer_out_ready_i),
      .inner_ready_o(gated_inner_ready),
      .outer_ready_o(gated_outer_ready),
      .inner_data_o(gated_inner_out_data),
      .inner_valid_o(gated_inner_out_valid),
      .outer_data_o(gated_outer_out_data),
      .outer_valid_o(gated_outer_out_valid),
      .hazard_o(gated_hazard),
      .en_i(awake),
      .stir_o(gated_stir)
  );
  port u_inner (.live_i(rst_n), .data_i(inner_data_i), .valid_i(inner_valid_i), .ready_i(inner_ready), .*);
  port u_outer (.live_i(rst_n), .data_i(outer_data_i), .valid_i(outer_valid_i), .ready_i(outer_ready), .*);
  port #(.Gives(1'b1)) u_inner_out (
      .live_i(rst_n), .data_i(inner_out_data), .valid_i(inner_out_valid), .ready_i(inner_out_ready_i), .*
  );
  port #(.Gives(1'b1)) u_outer_out (
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


  // With all it needs, it moves within 2 enabled cycles.
  logic [2:0] idle_q;
  initial idle_q = 3'd0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && (flush_i || !(inner_valid_i && outer_valid_i && inner_out_ready_i && outer_out_ready_i && !(outer_done && !inner_done) && !(inner_done && outer_item)) || (inner_takes || outer_takes)))) idle_q <= 3'd0;
    else if (en_i) idle_q <= idle_q + 3'd1;
  end

  // A stop has left whose coordinate is still to be taken; a higher one, whose outer stop is.
  logic ended_q, closed_q;
  initial begin
    ended_q  = 1'b0;
    closed_q = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) begin
      ended_q  <= 1'b0;
      closed_q <= 1'b0;
    end else if (moves) begin
      if (outer_takes && !outer_item) closed_q <= 1'b0;
      if (inner_takes && inner_stop && inner_data_i[7:0] != 8'd0 && !(outer_takes && outer_stop && !closed_q)) closed_q <= 1'b1;
      if (outer_takes && outer_stop && closed_q) ended_q <= 1'b0;
      if (inner_takes && inner_stop && !(outer_takes && outer_item && !ended_q)) ended_q <= 1'b1;
      else if (outer_takes && outer_item) ended_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_inner_ready, gated_outer_ready, gated_inner_out_data, gated_inner_out_valid, gated_outer_out_data, gated_outer_out_valid, gated_hazard} ==
          {inner_ready, outer_ready, inner_out_data, inner_out_valid, outer_out_data, outer_out_valid, hazard})
    end
    if (moves) begin
      `PROVE(once, inner_takes == inner_out_gives && inner_takes == outer_out_gives)
      if (inner_takes) begin
        `PROVE(inner_passes, inner_out_data == inner_data_i)
        `PROVE(outer_beside, outer_out_data == (inner_item ? outer_data_i : inner_data_i) && (!inner_item || outer_item))
      end
      `PROVE(done_together, (inner_takes && inner_done) == (outer_takes && outer_done))
      if (outer_takes && outer_item) begin
        `PROVE(used_by_a_stop, ended_q || closed_q || (inner_takes && inner_stop))
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle_q <= 3'd2)
      `REACH(in_debt, outer_takes && outer_item && !inner_takes)
      `REACH(finishes, outer_takes && outer_done)
    end
  end
  assign seen_o = {
    inner_takes,
    outer_takes,
    inner_out_gives,
    outer_out_gives,
    inner_out_data & {17{inner_out_gives}},
    outer_out_data & {17{outer_out_gives}},
    hazard & moves
  };
endmodule
