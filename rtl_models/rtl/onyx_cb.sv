// Connection box: one core input, fed by any of the 20 arriving wires of its tile.
//
// sel_i: the wire, by onyx_fabric_pkg::BOX_INPUT; 20 and above give no token.
// enable_i = 0: no token, and nothing asked of the wire.
// wait_o[sel] = 1: this input listens to that wire and its core cannot take a token now.
// comb from *_data_i/*_valid_i to out_*, and from out_ready_i to wait_o.
module onyx_cb (
    input  logic        enable_i,
    input  logic [ 4:0] sel_i,
    input  logic [84:0] east_data_i,
    input  logic [ 4:0] east_valid_i,
    input  logic [84:0] south_data_i,
    input  logic [ 4:0] south_valid_i,
    input  logic [84:0] west_data_i,
    input  logic [ 4:0] west_valid_i,
    input  logic [84:0] north_data_i,
    input  logic [ 4:0] north_valid_i,
    output logic [19:0] wait_o,
    output logic [16:0] out_data_o,
    output logic        out_valid_o,
    input  logic        out_ready_i
);
  localparam int unsigned Outputs = onyx_fabric_pkg::OUTPUTS;

  // The arriving wires, TRACKS * side + track, and the same by select.
  logic [17*Outputs-1:0] in_data, by_select_data;
  logic [Outputs-1:0] in_valid, by_select_valid;
  assign in_data  = {north_data_i, west_data_i, south_data_i, east_data_i};
  assign in_valid = {north_valid_i, west_valid_i, south_valid_i, east_valid_i};
  for (genvar k = 0; k < Outputs; k++) begin : g_select
    localparam int unsigned Wire = 32'(onyx_fabric_pkg::BOX_INPUT[5*k+:5]);
    assign by_select_data[17*k+:17] = in_data[17*Wire+:17];
    assign by_select_valid[k] = in_valid[Wire];
  end

  always_comb begin
    out_data_o  = 17'd0;
    out_valid_o = 1'b0;
    if (enable_i && sel_i < 5'(Outputs)) begin
      out_data_o  = by_select_data[9'd17*9'(sel_i)+:17];
      out_valid_o = by_select_valid[sel_i];
    end
  end

  always_comb begin
    wait_o = 20'd0;
    if (enable_i && !out_ready_i) wait_o = 20'd1 << sel_i;
  end
endmodule
