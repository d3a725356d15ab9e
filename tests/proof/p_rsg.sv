// onyx_rsg: every token is taken once and leaves in the same cycle, data as 1, anything else unchanged.
// Nothing is taken while the output has no room.
//
// cells: onyx_rsg
// with: first_reset port token_kind idle_count
// broken: onyx_rsg s/base_i.valid \&\& !control) state_d = StData/base_i.valid) state_d = StData/
// broken: onyx_rsg s/base_ready_o   = repsig_o.valid \& repsig_ready_i/base_ready_o = repsig_o.valid/
`include "proof.svh"
module p_rsg (
`include "control_ports.svh"
    input onyx_pkg::stream_t base_i,
    input logic        repsig_ready_i,
    output logic [18:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic base_ready;
  onyx_pkg::stream_t repsig;

  logic stir, gated_stir;
  onyx_rsg u_cell (
      .rst_ni(rst_n), .base_ready_o(base_ready), .repsig_o(repsig),
      .stir_o(stir), .clk_i, .en_i, .flush_i, .base_i, .repsig_ready_i
  );

  // This copy of the cell has a clock only when the cell signals a change, or a token moves.
  logic awake, gated_base_ready;
  onyx_pkg::stream_t gated_repsig;
  assign awake = en_i & (flush_i | gated_stir | (base_i.valid & gated_base_ready) | (gated_repsig.valid & repsig_ready_i));
  onyx_rsg u_gated (
      .rst_ni(rst_n), .base_ready_o(gated_base_ready), .repsig_o(gated_repsig), .en_i(awake), .stir_o(gated_stir), .clk_i, .flush_i, .base_i, .repsig_ready_i
  );
  port u_base (.live_i(rst_n), .stream_i(base_i), .ready_i(base_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_repsig (.live_i(rst_n), .stream_i(repsig),
      .ready_i(repsig_ready_i), .clk_i, .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, base_takes, repsig_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign base_takes = moves & base_i.valid & base_ready;
  assign repsig_gives = moves & repsig.valid & repsig_ready_i;
  logic base_stop, base_done, base_item;
  token_kind u_base_kind (.data_i(base_i.data), .stop_o(base_stop), .done_o(base_done), .item_o(base_item));

  // With input and room, the cell moves within 3 enabled cycles.
  logic [2:0] idle;
  idle_count u_idle (.live_i(rst_n), .able_i(base_i.valid && repsig_ready_i), .moved_i(base_takes), .idle_o(idle),
      .clk_i, .en_i, .flush_i);

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_base_ready, gated_repsig.data, gated_repsig.valid} ==
          {base_ready, repsig.data, repsig.valid})
    end
    if (moves) begin
      `PROVE(once, base_takes == repsig_gives)
      if (repsig_gives) begin
        `PROVE(image, repsig.data == (base_i.data[16] ? base_i.data : 17'd1))
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle <= 3'd3)
      `REACH(after_done, base_takes && base_item && idle == 3'd3)
    end
  end
  assign seen_o = {
    base_takes,
    repsig_gives,
    repsig.data & {17{repsig_gives}}
  };
endmodule
