// onyx_rsg: every token is taken once and leaves in the same cycle, data as 1, anything else unchanged.
// Nothing is taken while the output has no room.
//
// cells: onyx_rsg
// with: first_reset port token_kind idle_count
// broken: onyx_rsg s/base_valid_i \&\& !control) state_d = StData/base_valid_i) state_d = StData/
// broken: onyx_rsg s/base_ready_o   = repsig_valid_o \& repsig_ready_i/base_ready_o = repsig_valid_o/
`include "proof.svh"
module p_rsg (
`include "control_ports.svh"
    input logic [16:0] base_data_i,
    input logic        base_valid_i,
    input logic        repsig_ready_i,
    output logic [18:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(), .rst_no(rst_n));

  logic base_ready, repsig_valid;
  logic [16:0] repsig_data;

  logic stir, gated_stir;
  onyx_rsg u_cell (
      .rst_ni(rst_n), .base_ready_o(base_ready), .repsig_data_o(repsig_data), .repsig_valid_o(repsig_valid),
      .stir_o(stir), .clk_i, .en_i, .flush_i, .base_data_i, .base_valid_i, .repsig_ready_i
  );

  // This copy of the cell has a clock only when the cell says that it may change, or a token moves.
  logic awake;
  assign awake = en_i & (flush_i | gated_stir | (base_valid_i & gated_base_ready) | (gated_repsig_valid & repsig_ready_i));
  logic gated_base_ready, gated_repsig_valid;
  logic [16:0] gated_repsig_data;
  onyx_rsg u_gated (
      .rst_ni(rst_n), .base_ready_o(gated_base_ready), .repsig_data_o(gated_repsig_data),
      .repsig_valid_o(gated_repsig_valid), .en_i(awake), .stir_o(gated_stir), .clk_i, .flush_i, .base_data_i,
      .base_valid_i, .repsig_ready_i
  );
  port u_base (.live_i(rst_n), .data_i(base_data_i), .valid_i(base_valid_i), .ready_i(base_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_repsig (.live_i(rst_n), .data_i(repsig_data), .valid_i(repsig_valid),
      .ready_i(repsig_ready_i), .clk_i, .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, base_takes, repsig_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign base_takes = moves & base_valid_i & base_ready;
  assign repsig_gives = moves & repsig_valid & repsig_ready_i;
  logic base_stop, base_done, base_item;
  token_kind u_base_kind (.data_i(base_data_i), .stop_o(base_stop), .done_o(base_done), .item_o(base_item));

  // With all it needs, it moves within 3 enabled cycles.
  logic [2:0] idle;
  idle_count u_idle (.live_i(rst_n), .able_i(base_valid_i && repsig_ready_i), .moved_i(base_takes), .idle_o(idle),
      .clk_i, .en_i, .flush_i);

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_base_ready, gated_repsig_data, gated_repsig_valid} ==
          {base_ready, repsig_data, repsig_valid})
    end
    if (moves) begin
      `PROVE(once, base_takes == repsig_gives)
      if (repsig_gives) begin
        `PROVE(image, repsig_data == (base_data_i[16] ? base_data_i : 17'd1))
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
    repsig_data & {17{repsig_gives}}
  };
endmodule
