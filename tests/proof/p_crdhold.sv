// onyx_crdhold: every inner token leaves once, unchanged and in order, and in the same cycle the outer output gives the
// outer coordinate at the head beside an item, the token itself beside a stop or done. The two done tokens are taken
// together. An outer coordinate is used up only by a stop that no other has used: none is lost while items may still
// need it.
//
// cells: onyx_crdhold
// with: first_reset port token_kind idle_count
// broken: onyx_crdhold s/assign outer_o.valid = push \& inner_ready_i/assign outer_o.valid = push/
// broken: onyx_crdhold s/push      = (rest == DebtNone)/push      = 1'b1/
`include "proof.svh"
module p_crdhold #(
    parameter bit Lapses = 1'b0
) (
    output logic [38:0] seen_o,  // all that the FIFOs and the monitor's register can tell
`include "crd_frame.svh"

  logic hazard, stir, gated_stir;
  onyx_crdhold u_cell (
      .rst_ni(rst_n), .inner_ready_o(inner_ready), .outer_ready_o(outer_ready),
      .inner_o(inner_out), .inner_ready_i(inner_out_ready_i),
      .outer_o(outer_out), .outer_ready_i(outer_out_ready_i),
      .hazard_o(hazard), .stir_o(stir), .clk_i, .en_i, .flush_i, .inner_i, .outer_i
  );
  assign seen_o = {moved, hazard & moves};

  // This copy of the cell has a clock only when the cell signals a change, or a token moves.
  logic awake, gated_inner_ready, gated_outer_ready, gated_hazard;
  onyx_pkg::stream_t gated_inner_out, gated_outer_out;
  assign awake = en_i & (flush_i | gated_stir | (inner_i.valid & gated_inner_ready) | (outer_i.valid & gated_outer_ready) | (gated_inner_out.valid & inner_out_ready_i) | (gated_outer_out.valid & outer_out_ready_i));
  onyx_crdhold u_gated (
      .rst_ni(rst_n), .en_i(awake), .inner_ready_o(gated_inner_ready), .outer_ready_o(gated_outer_ready),
      .inner_o(gated_inner_out), .inner_ready_i(inner_out_ready_i),
      .outer_o(gated_outer_out), .outer_ready_i(outer_out_ready_i),
      .hazard_o(gated_hazard), .stir_o(gated_stir), .clk_i, .flush_i, .inner_i, .outer_i
  );

  // A done waits for the other side's done.
  assign excused = (outer_done & ~inner_done) | (inner_done & outer_item);

  // A stop has left, its coordinate is not yet taken; a higher stop has left, its outer stop is not yet taken.
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
      if (inner_takes && inner_stop && inner_i.data[7:0] != 8'd0 && !(outer_takes && outer_stop && !closed_q)) closed_q <= 1'b1;
      if (outer_takes && outer_stop && closed_q) ended_q <= 1'b0;
      if (inner_takes && inner_stop && !(outer_takes && outer_item && !ended_q)) ended_q <= 1'b1;
      else if (outer_takes && outer_item) ended_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_inner_ready, gated_outer_ready, gated_inner_out.data, gated_inner_out.valid, gated_outer_out.data, gated_outer_out.valid, gated_hazard} ==
          {inner_ready, outer_ready, inner_out.data, inner_out.valid, outer_out.data, outer_out.valid, hazard})
    end
    if (moves) begin
      `PROVE(once, inner_takes == inner_out_gives && inner_takes == outer_out_gives)
      if (inner_takes) begin
        `PROVE(inner_passes, inner_out.data == inner_i.data)
        `PROVE(outer_beside, outer_out.data == (inner_item ? outer_i.data : inner_i.data) && (!inner_item || outer_item))
      end
      `PROVE(done_together, (inner_takes && inner_done) == (outer_takes && outer_done))
      if (outer_takes && outer_item) begin
        `PROVE(used_by_a_stop, ended_q || closed_q || (inner_takes && inner_stop))
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle <= 3'd2)
      `REACH(in_debt, outer_takes && outer_item && !inner_takes)
      `REACH(finishes, outer_takes && outer_done)
    end
  end
endmodule
