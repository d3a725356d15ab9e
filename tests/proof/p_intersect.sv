// onyx_intersect, both operations: a side's coordinate and position are taken together; the three outputs give together
// or not at all; what they give is a coordinate taken in that cycle with the positions of the sides that have it, a
// maybe for the other. A coordinate vanishes only in an intersection, and only below the other side's head or beside
// its end; a union loses none. An end token is taken of both sides at once and leaves on all outputs. Nothing to be
// sent is taken without room.
//
// cells: onyx_intersect
// with: first_reset steady port token_kind idle_count
// broken: onyx_intersect s/assign crd1_ready_o = take1 \& (~push | room)/assign crd1_ready_o = take1/
// broken: onyx_intersect s/assign pos0_o.valid = push \& crd_ready_i \& pos1_ready_i/assign pos0_o.valid = push \& crd_ready_i/
// broken: onyx_intersect s/take0 = equal | less/take0 = equal | ~less/
`include "proof.svh"
module p_intersect (
`include "control_ports.svh"
    input logic        union_mode,
    input onyx_pkg::stream_t crd0_i,
    input onyx_pkg::stream_t crd1_i,
    input onyx_pkg::stream_t pos0_i,
    input onyx_pkg::stream_t pos1_i,
    input logic        crd_ready_i,
    input logic        out0_ready_i,
    input logic        out1_ready_i,
    output logic [58:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));

  logic crd0_ready, crd1_ready, pos0_ready, pos1_ready;
  onyx_pkg::stream_t crd, out0, out1;
  steady u_steady (.clk_i, .live_i(live), .value_i(union_mode));

  logic hazard, stir, gated_stir;
  onyx_intersect u_cell (
      .rst_ni(rst_n), .joiner_op_i(union_mode), .crd0_ready_o(crd0_ready), .crd1_ready_o(crd1_ready),
      .pos0_ready_o(pos0_ready), .pos1_ready_o(pos1_ready), .hazard_o(hazard), .crd_o(crd), .pos0_o(out0), .pos0_ready_i(out0_ready_i),
      .pos1_o(out1), .pos1_ready_i(out1_ready_i), .stir_o(stir), .clk_i, .en_i,
      .flush_i, .crd0_i, .crd1_i, .pos0_i, .pos1_i, .crd_ready_i
  );

  // This copy of the cell has a clock only when the cell signals a change, or a token moves.
  logic awake, gated_crd0_ready, gated_crd1_ready, gated_pos0_ready, gated_pos1_ready, gated_hazard;
  onyx_pkg::stream_t gated_crd, gated_out0, gated_out1;
  assign awake = en_i & (flush_i | gated_stir | (crd0_i.valid & gated_crd0_ready) | (crd1_i.valid & gated_crd1_ready) | (pos0_i.valid & gated_pos0_ready) | (pos1_i.valid & gated_pos1_ready) | (gated_crd.valid & crd_ready_i) | (gated_out0.valid & out0_ready_i) | (gated_out1.valid & out1_ready_i));
  onyx_intersect u_gated (
      .rst_ni(rst_n), .joiner_op_i(union_mode), .pos0_ready_i(out0_ready_i), .pos1_ready_i(out1_ready_i),
      .crd0_ready_o(gated_crd0_ready), .crd1_ready_o(gated_crd1_ready), .pos0_ready_o(gated_pos0_ready),
      .pos1_ready_o(gated_pos1_ready), .crd_o(gated_crd),
      .pos0_o(gated_out0), .pos1_o(gated_out1), .hazard_o(gated_hazard), .en_i(awake), .stir_o(gated_stir), .clk_i, .flush_i,
      .crd0_i, .crd1_i, .pos0_i, .pos1_i, .crd_ready_i
  );
  port u_crd0 (.live_i(rst_n), .stream_i(crd0_i), .ready_i(crd0_ready), .clk_i, .en_i,
      .flush_i);
  port u_crd1 (.live_i(rst_n), .stream_i(crd1_i), .ready_i(crd1_ready), .clk_i, .en_i,
      .flush_i);
  port u_pos0 (.live_i(rst_n), .stream_i(pos0_i), .ready_i(pos0_ready), .clk_i, .en_i,
      .flush_i);
  port u_pos1 (.live_i(rst_n), .stream_i(pos1_i), .ready_i(pos1_ready), .clk_i, .en_i,
      .flush_i);
  port #(.Gives(1'b1)) u_crd (.live_i(rst_n), .stream_i(crd), .ready_i(crd_ready_i), .clk_i,
      .en_i, .flush_i);
  port #(.Gives(1'b1)) u_out0 (.live_i(rst_n), .stream_i(out0), .ready_i(out0_ready_i),
      .clk_i, .en_i, .flush_i);
  port #(.Gives(1'b1)) u_out1 (.live_i(rst_n), .stream_i(out1), .ready_i(out1_ready_i),
      .clk_i, .en_i, .flush_i);

  // Tokens that move at this edge.
  logic moves, crd0_takes, crd1_takes, pos0_takes, pos1_takes, crd_gives, out0_gives, out1_gives;
  assign moves = rst_n & en_i & ~flush_i;
  assign crd0_takes = moves & crd0_i.valid & crd0_ready;
  assign crd1_takes = moves & crd1_i.valid & crd1_ready;
  assign pos0_takes = moves & pos0_i.valid & pos0_ready;
  assign pos1_takes = moves & pos1_i.valid & pos1_ready;
  assign crd_gives = moves & crd.valid & crd_ready_i;
  assign out0_gives = moves & out0.valid & out0_ready_i;
  assign out1_gives = moves & out1.valid & out1_ready_i;
  logic crd0_stop, crd0_done, crd0_item;
  token_kind u_crd0_kind (.data_i(crd0_i.data), .stop_o(crd0_stop), .done_o(crd0_done), .item_o(crd0_item));
  logic crd1_stop, crd1_done, crd1_item;
  token_kind u_crd1_kind (.data_i(crd1_i.data), .stop_o(crd1_stop), .done_o(crd1_done), .item_o(crd1_item));
  logic pos0_stop, pos0_done, pos0_item;
  token_kind u_pos0_kind (.data_i(pos0_i.data), .stop_o(pos0_stop), .done_o(pos0_done), .item_o(pos0_item));
  logic pos1_stop, pos1_done, pos1_item;
  token_kind u_pos1_kind (.data_i(pos1_i.data), .stop_o(pos1_stop), .done_o(pos1_done), .item_o(pos1_item));

  // With all inputs and room, the cell moves within 4 enabled cycles.
  logic [2:0] idle;
  idle_count u_idle (
      .live_i(rst_n),
      .able_i(crd0_i.valid && crd1_i.valid && pos0_i.valid && pos1_i.valid && crd_ready_i && out0_ready_i && out1_ready_i),
      .moved_i(crd0_takes || crd1_takes), .idle_o(idle), .clk_i, .en_i, .flush_i
  );

  logic maybe0, maybe1, end0, end1;
  assign maybe0 = crd0_i.data[16] & (crd0_i.data[9:8] == 2'd2);
  assign maybe1 = crd1_i.data[16] & (crd1_i.data[9:8] == 2'd2);
  assign end0   = crd0_i.data[16] & ~maybe0;
  assign end1   = crd1_i.data[16] & ~maybe1;

  // A position ends where its coordinate does, and may come first. Where streams do not, a coordinate may be lost.
  logic pos_end0, pos_end1, unpaired, unpaired_q;
  assign pos_end0 = pos0_i.valid & pos0_i.data[16] & (pos0_i.data[9:8] != 2'd2);
  assign pos_end1 = pos1_i.valid & pos1_i.data[16] & (pos1_i.data[9:8] != 2'd2);
  assign unpaired = unpaired_q | (crd0_i.valid & pos0_i.valid & (end0 != pos_end0)) |
                    (crd1_i.valid & pos1_i.valid & (end1 != pos_end1));
  always_ff @(posedge clk_i) unpaired_q <= rst_n & ~(en_i & flush_i) & unpaired;

  always_comb begin
    if (rst_n) begin
      `PROVE(gated_same, {gated_crd0_ready, gated_crd1_ready, gated_pos0_ready, gated_pos1_ready, gated_crd.data, gated_crd.valid, gated_out0.data, gated_out0.valid, gated_out1.data, gated_out1.valid, gated_hazard} ==
          {crd0_ready, crd1_ready, pos0_ready, pos1_ready, crd.data, crd.valid, out0.data, out0.valid, out1.data, out1.valid, hazard})
    end
    if (moves) begin
      `PROVE(pair0, crd0_takes == pos0_takes)
      `PROVE(pair1, crd1_takes == pos1_takes)
      `PROVE(together, crd_gives == out0_gives && crd_gives == out1_gives)
      if (crd_gives && !crd.data[16]) begin
        `PROVE(taken_now, (crd0_takes && crd.data == crd0_i.data) || (crd1_takes && crd.data == crd1_i.data))
        `PROVE(both_have_it, union_mode || (crd0_takes && crd1_takes && crd0_i.data == crd1_i.data))
        `PROVE(equal_together, !(crd0_takes && crd1_takes) || crd0_i.data == crd1_i.data)
        `PROVE(position0, out0.data == (crd0_takes ? pos0_i.data : 17'h10200))
        `PROVE(position1, out1.data == (crd1_takes ? pos1_i.data : 17'h10200))
      end
      if (crd_gives && crd.data[16]) begin
        `PROVE(end_taken, crd0_takes && crd1_takes && end0 && end1)
        `PROVE(end_everywhere, crd.data == crd0_i.data && out0.data == crd.data && out1.data == crd.data)
      end
      if (crd0_takes && !crd_gives && !unpaired) begin
        `PROVE(lost0, maybe0 || (!end0 && !union_mode && (end1 || pos_end1 || (!crd1_i.data[16] && crd0_i.data < crd1_i.data))))
      end
      if (crd1_takes && !crd_gives && !unpaired) begin
        `PROVE(lost1, maybe1 || (!end1 && !union_mode && (end0 || pos_end0 || (!crd0_i.data[16] && crd1_i.data < crd0_i.data))))
      end
    end
    if (rst_n) begin
      `PROVE(progress, idle <= 3'd4)
      `REACH(met, !union_mode && crd_gives && !crd.data[16])
      `REACH(one_side, union_mode && crd_gives && !crd.data[16] && !crd0_takes)
      `REACH(ended, crd_gives && crd.data[16] && !union_mode)
    end
  end
  assign seen_o = {
    crd0_takes,
    crd1_takes,
    pos0_takes,
    pos1_takes,
    crd_gives,
    out0_gives,
    out1_gives,
    crd.data & {17{crd_gives}},
    out0.data & {17{out0_gives}},
    out1.data & {17{out1_gives}},
    hazard & moves
  };
endmodule
