// Connection box: one core input, fed by any of the 20 arriving wires of its tile.
//
// sel_i = 4 * track + {NORTH 0, SOUTH 1, EAST 2, WEST 3}; 20 and above give no token.
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
  always_comb begin
    out_data_o = 17'd0;
    if (enable_i) begin
      case (sel_i)
        5'd0: out_data_o = north_data_i[16:0];
        5'd1: out_data_o = south_data_i[16:0];
        5'd2: out_data_o = east_data_i[16:0];
        5'd3: out_data_o = west_data_i[16:0];
        5'd4: out_data_o = north_data_i[33:17];
        5'd5: out_data_o = south_data_i[33:17];
        5'd6: out_data_o = east_data_i[33:17];
        5'd7: out_data_o = west_data_i[33:17];
        5'd8: out_data_o = north_data_i[50:34];
        5'd9: out_data_o = south_data_i[50:34];
        5'd10: out_data_o = east_data_i[50:34];
        5'd11: out_data_o = west_data_i[50:34];
        5'd12: out_data_o = north_data_i[67:51];
        5'd13: out_data_o = south_data_i[67:51];
        5'd14: out_data_o = east_data_i[67:51];
        5'd15: out_data_o = west_data_i[67:51];
        5'd16: out_data_o = north_data_i[84:68];
        5'd17: out_data_o = south_data_i[84:68];
        5'd18: out_data_o = east_data_i[84:68];
        5'd19: out_data_o = west_data_i[84:68];
        default: out_data_o = 17'd0;
      endcase
    end
  end

  always_comb begin
    out_valid_o = 1'b0;
    if (enable_i && sel_i < 5'd20) begin
      case (sel_i[1:0])
        2'd0: out_valid_o = north_valid_i[sel_i[4:2]];
        2'd1: out_valid_o = south_valid_i[sel_i[4:2]];
        2'd2: out_valid_o = east_valid_i[sel_i[4:2]];
        default: out_valid_o = west_valid_i[sel_i[4:2]];
      endcase
    end
  end

  always_comb begin
    wait_o = 20'd0;
    if (enable_i && !out_ready_i) wait_o = 20'd1 << sel_i;
  end
endmodule
