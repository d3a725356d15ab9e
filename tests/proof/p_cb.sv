// onyx_cb passes on the selected wire, and only this wire waits for the core; a disabled onyx_cb, or a select of no
// wire, gives no token, and a disabled onyx_cb makes no wire wait.
//
// mutate: onyx_cb
// cells: onyx_cb
// broken: onyx_cb s/west_i.data, south_i.data/south_i.data, west_i.data/
// broken: onyx_cb s/20'd1 << sel_i/20'd1 << (sel_i ^ 1)/
`include "proof.svh"
module p_cb (
    input logic        clk_i,
    input logic        enable_i,
    input logic [ 4:0] sel_i,
    input onyx_pkg::side_t east_i, south_i, west_i, north_i,
    input logic        out_ready_i,
    output logic [37:0] seen_o  // all that the outside can tell: data counts while valid only
);
  // A register for the tools: the cell has none.
  logic live_q;
  initial live_q = 1'b0;
  always_ff @(posedge clk_i) live_q <= 1'b1;

  logic [19:0] waits;
  onyx_pkg::stream_t out;
  onyx_cb u_cb (
      .enable_i     (enable_i),
      .sel_i        (sel_i),
      .east_i       (east_i),
      .south_i      (south_i),
      .west_i       (west_i),
      .north_i      (north_i),
      .wait_o       (waits),
      .out_o        (out),
      .out_ready_i  (out_ready_i)
  );
  // Wire 4 * track + side, sides in the order of the select: north, south, east, west.
  logic [339:0] data;
  logic [19:0] valid;
  for (genvar t = 0; t < 5; t++) begin : g_track
    assign data[68*t+:68] = {west_i.data[17*t+:17], east_i.data[17*t+:17], south_i.data[17*t+:17], north_i.data[17*t+:17]};
    assign valid[4*t+:4]  = {west_i.valid[t], east_i.valid[t], south_i.valid[t], north_i.valid[t]};
  end
  logic [16:0] want_data;
  logic want_valid;
  always_comb begin
    want_data  = 17'd0;
    want_valid = 1'b0;
    for (int unsigned k = 0; k < 20; k++) begin
      if (enable_i && sel_i == k) begin
        want_data  = data[17*k+:17];
        want_valid = valid[k];
      end
    end
    if (live_q) begin
      `PROVE(selected, out.data == want_data && out.valid == want_valid)
    end
  end
  logic [19:0] want_waits;
  always_comb begin
    for (int unsigned k = 0; k < 20; k++) want_waits[k] = enable_i && !out_ready_i && sel_i == k;
    if (live_q) begin
      `PROVE(waits_selected, waits == want_waits)
      `REACH(hands_on, enable_i && out.valid && out_ready_i && sel_i == 5'd19)
      `REACH(stops, enable_i && out.valid && !out_ready_i && waits == 20'h80)
    end
  end
  assign seen_o = {waits, out.valid, out.data & {17{out.valid}}};
endmodule
