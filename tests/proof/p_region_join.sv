// onyx_region_join, all eight sets of regions: a side's coordinate and position are taken together; the three outputs
// give together or not at all; they give a coordinate of a chosen region, taken in the same cycle from the sides with
// this coordinate, with their positions, and a maybe for the other side. A coordinate of a chosen region never
// vanishes, and is taken only if the other side has the same coordinate, a later coordinate, or its end. An end token
// is taken of both sides at once and leaves on all outputs. Nothing to be sent is taken without room. With all inputs
// and room the join moves in the same cycle.
//
// cells: onyx_region_join
// with: first_reset steady port token_kind
// broken: onyx_region_join s/crd_ready_i \& pos0_ready_i \& pos1_ready_i/crd_ready_i \& pos0_ready_i/
// broken: onyx_region_join s/regions_i\[2\] : next/regions_i[1] : next/
// broken: onyx_region_join s/crd1_i.data\[15:0\] <= crd0_i/crd1_i.data[15:0] < crd0_i/
`include "proof.svh"
module p_region_join (
`include "control_ports.svh"
    input logic [2:0] regions,
    input onyx_pkg::stream_t crd0_i, crd1_i, pos0_i, pos1_i,
    input logic crd_ready_i, out0_ready_i, out1_ready_i,
    output logic [58:0] seen_o  // all that the FIFOs and the monitor's register can tell
);
  logic live, rst_n;
  first_reset u_reset (.clk_i, .rst_ni, .live_o(live), .rst_no(rst_n));
  steady #(.Width(3)) u_steady (.clk_i, .live_i(live), .value_i(regions));

  logic crd0_ready, crd1_ready, pos0_ready, pos1_ready, hazard;
  onyx_pkg::stream_t crd, out0, out1;
  onyx_region_join u_cell (
      .clk_i, .rst_ni(rst_n), .en_i, .flush_i, .regions_i(regions),
      .crd0_i, .crd1_i, .pos0_i, .pos1_i,
      .crd0_ready_o(crd0_ready), .crd1_ready_o(crd1_ready), .pos0_ready_o(pos0_ready), .pos1_ready_o(pos1_ready),
      .crd_o(crd), .pos0_o(out0), .pos1_o(out1),
      .crd_ready_i, .pos0_ready_i(out0_ready_i), .pos1_ready_i(out1_ready_i), .hazard_o(hazard)
  );
  port u_crd0 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(crd0_i), .ready_i(crd0_ready)
  );
  port u_pos0 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(pos0_i), .ready_i(pos0_ready)
  );
  port u_crd1 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(crd1_i), .ready_i(crd1_ready)
  );
  port u_pos1 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(pos1_i), .ready_i(pos1_ready)
  );
  port #(.Gives(1'b1)) u_crd (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(crd), .ready_i(crd_ready_i)
  );
  port #(.Gives(1'b1)) u_out0 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(out0), .ready_i(out0_ready_i)
  );
  port #(.Gives(1'b1)) u_out1 (
      .clk_i, .en_i, .flush_i, .live_i(rst_n), .stream_i(out1), .ready_i(out1_ready_i)
  );

  // Tokens that move at this edge.
  logic moves, takes0, takes1, gives;
  assign moves  = rst_n & en_i & ~flush_i;
  assign takes0 = moves & crd0_i.valid & crd0_ready;
  assign takes1 = moves & crd1_i.valid & crd1_ready;
  assign gives  = moves & crd.valid & crd_ready_i;

  logic crd0_stop, crd0_done, crd0_item, crd1_stop, crd1_done, crd1_item, end0, end1, maybe0, maybe1;
  token_kind u_crd0_kind (.data_i(crd0_i.data), .stop_o(crd0_stop), .done_o(crd0_done), .item_o(crd0_item));
  token_kind u_crd1_kind (.data_i(crd1_i.data), .stop_o(crd1_stop), .done_o(crd1_done), .item_o(crd1_item));
  assign maybe0 = crd0_i.data[16] & (crd0_i.data[9:8] == 2'd2);
  assign maybe1 = crd1_i.data[16] & (crd1_i.data[9:8] == 2'd2);
  assign end0   = crd0_i.data[16] & ~maybe0;
  assign end1   = crd1_i.data[16] & ~maybe1;

  // The fate of the coordinates at the heads: in both, in side 0 alone, in side 1 alone.
  logic all, below0, below1;
  assign all    = crd0_i.valid & crd1_i.valid & pos0_i.valid & pos1_i.valid;
  assign below0 = ~crd0_i.data[16] & (end1 | (~crd1_i.data[16] & (crd0_i.data[15:0] < crd1_i.data[15:0])));
  assign below1 = ~crd1_i.data[16] & (end0 | (~crd0_i.data[16] & (crd1_i.data[15:0] < crd0_i.data[15:0])));

  always_comb begin
    if (moves) begin
      `PROVE(pair0, takes0 == (moves && pos0_i.valid && pos0_ready))
      `PROVE(pair1, takes1 == (moves && pos1_i.valid && pos1_ready))
      `PROVE(together, gives == (out0.valid && out0_ready_i) && gives == (out1.valid && out1_ready_i))
      `PROVE(progress, !(all && crd_ready_i && out0_ready_i && out1_ready_i) || takes0 || takes1)
      if (takes0 && !takes1) begin
        `PROVE(only0, maybe0 || below0)
        `PROVE(region0, maybe0 || gives == regions[0])
      end
      if (takes1 && !takes0) begin
        `PROVE(only1, maybe1 || below1)
        `PROVE(region1, maybe1 || gives == regions[1])
      end
      if (takes0 && takes1 && !crd0_i.data[16]) begin
        `PROVE(same, crd0_i.data == crd1_i.data)
        `PROVE(region2, gives == regions[2])
      end
      if (takes0 && takes1 && crd0_i.data[16] && !maybe0) begin
        `PROVE(both_end, end1 && gives)
      end
      if (gives && !crd.data[16]) begin
        `PROVE(taken_now, crd.data == (takes0 ? crd0_i.data : crd1_i.data) && (takes0 || takes1))
        `PROVE(position0, out0.data == (takes0 ? pos0_i.data : 17'h10200))
        `PROVE(position1, out1.data == (takes1 ? pos1_i.data : 17'h10200))
      end
      if (gives && crd.data[16]) begin
        `PROVE(end_taken, takes0 && takes1 && end0 && end1)
        `PROVE(end_everywhere, crd.data == crd0_i.data && out0.data == crd.data && out1.data == crd.data)
      end
      `PROVE(told, hazard == ((takes0 && maybe0) || (takes1 && maybe1)))
    end
    if (rst_n) begin
      `REACH(alone, regions == 3'b001 && gives && !crd.data[16])
      `REACH(dropped, regions == 3'b001 && takes0 && takes1 && !gives)
      `REACH(ended, regions == 3'b000 && gives)
    end
  end
  assign seen_o = {
    takes0,
    takes1,
    moves & pos0_i.valid & pos0_ready,
    moves & pos1_i.valid & pos1_ready,
    gives,
    moves & out0.valid & out0_ready_i,
    moves & out1.valid & out1_ready_i,
    crd.data & {17{gives}},
    out0.data & {17{gives}},
    out1.data & {17{gives}},
    hazard & moves
  };
endmodule
