// Connection box: one core input, fed by any of the 20 arriving wires of its tile.
//
// sel_i: the wire, by onyx_fabric_pkg::BOX_INPUT; 20 and above give no token.
// enable_i = 0: no token, and nothing asked of the wire.
// wait_o[sel] = 1: this input listens to that wire and its core cannot take a token now.
// comb from the sides to out_o, and from out_ready_i to wait_o.
module onyx_cb (
    input  logic        enable_i,
    input  logic [ 4:0] sel_i,
    input  onyx_pkg::side_t east_i, south_i, west_i, north_i,
    output logic [19:0] wait_o,
    output onyx_pkg::stream_t out_o,
    input  logic        out_ready_i
);
  localparam int unsigned Outputs = onyx_fabric_pkg::OUTPUTS;

  // The arriving wires, TRACKS * side + track, and the same by select.
  logic [17*Outputs-1:0] in_data, by_select_data;
  logic [Outputs-1:0] in_valid, by_select_valid;
  assign in_data  = {north_i.data, west_i.data, south_i.data, east_i.data};
  assign in_valid = {north_i.valid, west_i.valid, south_i.valid, east_i.valid};
  for (genvar k = 0; k < Outputs; k++) begin : g_select
    localparam int unsigned Wire = 32'(onyx_fabric_pkg::BOX_INPUT[5*k+:5]);
    assign by_select_data[17*k+:17] = in_data[17*Wire+:17];
    assign by_select_valid[k] = in_valid[Wire];
  end

  always_comb begin
    out_o = 18'd0;
    if (enable_i && sel_i < 5'(Outputs)) begin
      out_o = {by_select_valid[sel_i], by_select_data[9'd17*9'(sel_i)+:17]};
    end
  end

  always_comb begin
    wait_o = 20'd0;
    if (enable_i && !out_ready_i) wait_o = 20'd1 << sel_i;
  end
`include "onyx_assert.svh"
  `ONYX_ASSERT_COMB(OneWire, (wait_o & (wait_o - 20'd1)) == 20'd0, "an input listens to one wire")
  `ONYX_ASSERT_COMB(DisabledIsSilent, enable_i || (wait_o == 20'd0 && !out_o.valid),
      "a box that is off gives and asks nothing")
endmodule
