// Configuration registers of a MEM tile: all of the register map, written and read back under their masks.
//
// A write or read is for this tile when cfg_addr_i[15:0] == tile_id_i; feature [23:16], register [31:24].
// Writes land at the next edge, whatever the column's stall. cfg_rdata_o is 0 unless a register here is read;
// the SRAM (features 1 and 2) is the tile's business. core0..3_o are CONFIG_SPACE_0..3, which the order of
// names as strings puts at registers 0, 1, 12 and 23; core4_o is register 46 (mode, tile_en, overrides).
// The rest of CONFIG_SPACE, the 1-bit network and CB flush are storage only, and the power domain is neither
// stored nor read (always on).
// comb from cfg_addr_i/cfg_read_i to cfg_rdata_o.
module onyx_tile_cfg_mem (
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
    output logic [ 31:0] core4_o,
    output logic [  5:0] cb0_o,
    output logic [  5:0] cb1_o,
    output logic [  5:0] cb2_o,
    output logic [  5:0] cb3_o,
    output logic [191:0] sb17_o
);
  localparam int unsigned Words = 66;

  logic [31:0] word_q[Words];
  logic [ 7:0] feature, register;
  logic [ 6:0] place;
  logic [31:0] mask;

  assign feature  = cfg_addr_i[23:16];
  assign register = cfg_addr_i[31:24];

  // The place of the addressed register in word_q; Words if it is not here. (Plain logic, not functions: those
  // would keep the simulator from sharing one tile's code among all.)
  always_comb begin
    place = 7'(Words);
    if ((cfg_write_i || cfg_read_i) && cfg_addr_i[15:0] == tile_id_i) begin
      if (feature == 8'd0 && register < 8'd47) place = 7'(register);
      if (feature >= 8'd3 && feature <= 8'd9) place = 7'd44 + 7'(feature);
      if (feature == 8'd10 && register < 8'd6) place = 7'd54 + 7'(register);
      if (feature == 8'd11 && register < 8'd6) place = 7'd60 + 7'(register);
    end
  end

  always_comb begin
    mask = 32'hFFFF_FFFF;
    case (place)
      7'd40: mask = 32'h0007_FFFF;
      7'd46: mask = 32'h01FF_FFFF;
      7'd47, 7'd48, 7'd49, 7'd50, 7'd51, 7'd52, 7'd53: mask = 32'h0000_003F;
      7'd57, 7'd63: mask = 32'h7FFF_FFFF;
      7'd58, 7'd64: mask = 32'h3FFF_FFFF;
      7'd59, 7'd65: mask = 32'h007F_FFFF;
      default: mask = 32'hFFFF_FFFF;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      // Two loops: the simulator unrolls no more than 64 turns.
      for (int unsigned i = 0; i < 47; i++) word_q[i] <= 32'd0;
      for (int unsigned i = 47; i < Words; i++) word_q[i] <= 32'd0;
    end else if (cfg_write_i && place < 7'(Words)) begin
      word_q[place] <= cfg_data_i & mask;
    end
  end

  always_comb begin
    cfg_rdata_o = 32'd0;
    if (cfg_read_i && place < 7'(Words)) cfg_rdata_o = word_q[place];
  end

  assign core0_o = word_q[0];
  assign core1_o = word_q[1];
  assign core2_o = word_q[12];
  assign core3_o = word_q[23];
  assign core4_o = word_q[46];
  assign cb0_o = word_q[47][5:0];
  assign cb1_o = word_q[48][5:0];
  assign cb2_o = word_q[49][5:0];
  assign cb3_o = word_q[50][5:0];
  for (genvar i = 0; i < 6; i++) begin : g_sb17
    assign sb17_o[32*i+:32] = word_q[60+i];
  end
endmodule
