// Configuration registers of a PE tile: all of the register map, written and read back under their masks.
//
// A write or read is for this tile when cfg_addr_i[15:0] == tile_id_i; feature [23:16], register [31:24].
// Writes land at the next edge, whatever the column's stall. cfg_rdata_o is 0 unless this tile is read.
// Registers with a datapath behind them are outputs; Pond, the 1-bit network and CB flush are storage only,
// and the power domain is neither stored nor read (always on).
// comb from cfg_addr_i/cfg_read_i to cfg_rdata_o.
module onyx_tile_cfg_pe (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [ 15:0] tile_id_i,
    input  logic [ 31:0] cfg_addr_i,
    input  logic [ 31:0] cfg_data_i,
    input  logic         cfg_write_i,
    input  logic         cfg_read_i,
    output logic [ 31:0] cfg_rdata_o,
    output logic [ 31:0] core0_o,
    output logic [ 31:0] core1_o,
    output logic [ 31:0] core2_o,
    output logic [ 31:0] core3_o,
    output logic [  5:0] cb0_o,
    output logic [  5:0] cb1_o,
    output logic [  5:0] cb2_o,
    output logic [  5:0] cb3_o,
    output logic [191:0] sb17_o
);
  localparam int unsigned Words = 44;

  logic [31:0] word_q[Words];
  logic [ 7:0] feature, register;
  logic [ 5:0] place;
  logic [31:0] mask;

  assign feature  = cfg_addr_i[23:16];
  assign register = cfg_addr_i[31:24];

  // The place of the addressed register in word_q; Words if it is not here. (Plain logic, not functions: those
  // would keep the simulator from sharing one tile's code among all.)
  always_comb begin
    place = 6'(Words);
    if ((cfg_write_i || cfg_read_i) && cfg_addr_i[15:0] == tile_id_i) begin
      if (feature == 8'd0 && register < 8'd4) place = 6'(register);
      if (feature == 8'd1 && register < 8'd18) place = 6'd4 + 6'(register);
      if (feature >= 8'd3 && feature <= 8'd12) place = 6'd19 + 6'(feature);
      if (feature == 8'd13 && register < 8'd6) place = 6'd32 + 6'(register);
      if (feature == 8'd14 && register < 8'd6) place = 6'd38 + 6'(register);
    end
  end

  always_comb begin
    mask = 32'hFFFF_FFFF;
    case (place)
      6'd3: mask = 32'h000F_FFFF;
      6'd12: mask = 32'h3FFF_FFFF;
      6'd21: mask = 32'h0000_0001;
      6'd22, 6'd23, 6'd24, 6'd25, 6'd26, 6'd27, 6'd28, 6'd29, 6'd30, 6'd31: mask = 32'h0000_003F;
      6'd35, 6'd41: mask = 32'h7FFF_FFFF;
      6'd36, 6'd42: mask = 32'h3FFF_FFFF;
      6'd37, 6'd43: mask = 32'h007F_FFFF;
      default: mask = 32'hFFFF_FFFF;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Words; i++) word_q[i] <= 32'd0;
    end else if (cfg_write_i && place < 6'(Words)) begin
      word_q[place] <= cfg_data_i & mask;
    end
  end

  always_comb begin
    cfg_rdata_o = 32'd0;
    if (cfg_read_i && place < 6'(Words)) cfg_rdata_o = word_q[place];
  end

  assign core0_o = word_q[0];
  assign core1_o = word_q[1];
  assign core2_o = word_q[2];
  assign core3_o = word_q[3];
  assign cb0_o = word_q[22][5:0];
  assign cb1_o = word_q[23][5:0];
  assign cb2_o = word_q[24][5:0];
  assign cb3_o = word_q[25][5:0];
  for (genvar i = 0; i < 6; i++) begin : g_sb17
    assign sb17_o[32*i+:32] = word_q[38+i];
  end
endmodule
