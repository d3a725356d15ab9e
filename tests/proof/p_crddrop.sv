// onyx_crddrop: both streams pass in order, each token at most once and unchanged; only a coordinate whose inner
// fiber had no data, and that fiber's stop, vanish. A coordinate and the stop that closes its fiber move in the same
// cycle, and the two done tokens, too. Nothing is taken while its companion token has no room.
//
// cells: onyx_crddrop
// with: first_reset port token_kind idle_count
// broken: onyx_crddrop s/: push_both ? (inner_ready_i \& outer_ready_i)/: push_both ? inner_ready_i/
// broken: onyx_crddrop s/assign keep        = close \& has_data_q/assign keep = close/
`include "proof.svh"
module p_crddrop #(
    parameter bit Lapses = 1'b1
) (
    output logic [39:0] seen_o,  // all that the FIFOs and the monitor's register can tell
`include "crd_frame.svh"

  logic hazard_empty, hazard_uneven;
  onyx_crddrop u_cell (
      .rst_ni(rst_n), .inner_ready_o(inner_ready), .outer_ready_o(outer_ready),
      .inner_o(inner_out), .inner_ready_i(inner_out_ready_i),
      .outer_o(outer_out), .outer_ready_i(outer_out_ready_i),
      .hazard_empty_o(hazard_empty), .hazard_uneven_o(hazard_uneven), .clk_i, .en_i, .flush_i, .inner_i, .outer_i
  );
  assign seen_o = {moved, hazard_empty & moves, hazard_uneven & moves};

  // An inner done waits for the outer done.
  assign excused = inner_done & outer_item;

  logic data_q;  // the inner fiber at hand had an item
  initial data_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_n || (en_i && flush_i)) data_q <= 1'b0;
    else if (inner_takes) data_q <= inner_item;
  end

  always_comb begin
    if (moves) begin
      if (inner_out_gives) begin
        `PROVE(inner_passes, inner_takes && inner_out.data == inner_i.data)
      end
      if (outer_out_gives) begin
        `PROVE(outer_passes, outer_takes && outer_out.data == outer_i.data)
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
      `PROVE(progress, idle == 3'd0)
      `REACH(keeps, outer_takes && outer_item && outer_out_gives)
      `REACH(drops, outer_takes && !outer_out_gives)
      `REACH(drops_stop_alone, inner_takes && !inner_out_gives && outer_takes && outer_stop)
    end
  end
endmodule
