// A MEM tile without its interconnect: configuration registers and the core with its SRAM. The words of its
// connection boxes and switch box leave on cb*_o and sb17_o.
//
// Streams as in onyx_unit_pe. Features 1 and 2 of the configuration bus are SRAM words 0..255 and 256..511, 16 bits
// an access.
// comb from cfg_addr_i/cfg_read_i to cfg_rdata_o.
module onyx_unit_mem (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [ 15:0] tile_id_i,
    input  logic         stall_i,
    input  logic         flush_i,
    input  logic [ 31:0] cfg_addr_i,
    input  logic [ 31:0] cfg_data_i,
    input  logic         cfg_write_i,
    input  logic         cfg_read_i,
    output logic [ 31:0] cfg_rdata_o,
    output logic [  5:0] cb0_o,
    output logic [  5:0] cb1_o,
    output logic [  5:0] cb2_o,
    output logic [  5:0] cb3_o,
    output logic [191:0] sb17_o,
    input  logic [ 16:0] in0_data_i,
    input  logic         in0_valid_i,
    output logic         in0_ready_o,
    input  logic [ 16:0] in1_data_i,
    input  logic         in1_valid_i,
    output logic         in1_ready_o,
    input  logic [ 16:0] in2_data_i,
    input  logic         in2_valid_i,
    output logic         in2_ready_o,
    input  logic [ 16:0] in3_data_i,
    input  logic         in3_valid_i,
    output logic         in3_ready_o,
    output logic [ 16:0] out0_data_o,
    output logic         out0_valid_o,
    input  logic         out0_ready_i,
    output logic [ 16:0] out1_data_o,
    output logic         out1_valid_o,
    input  logic         out1_ready_i,
    output logic [ 16:0] out2_data_o,
    output logic         out2_valid_o,
    input  logic         out2_ready_i
);
  logic [31:0] core0, core1, core2, core3, core4;
  logic [31:0] reg_rdata;
  logic [15:0] sram_rdata;
  logic sram_here;

  onyx_tile_cfg_mem u_cfg (
      .clk_i,
      .rst_ni,
      .tile_id_i,
      .cfg_addr_i,
      .cfg_data_i,
      .cfg_write_i,
      .cfg_read_i,
      .cfg_rdata_o(reg_rdata),
      .core0_o    (core0),
      .core1_o    (core1),
      .core2_o    (core2),
      .core3_o    (core3),
      .core4_o    (core4),
      .cb0_o,
      .cb1_o,
      .cb2_o,
      .cb3_o,
      .sb17_o
  );

  assign sram_here = (cfg_addr_i[15:0] == tile_id_i) && (cfg_addr_i[23:16] == 8'd1 || cfg_addr_i[23:16] == 8'd2);
  always_comb begin
    cfg_rdata_o = reg_rdata;
    if (cfg_read_i && sram_here) cfg_rdata_o = {16'd0, sram_rdata};
  end

  // core4: 18 flush_mux_sel (routed flush: the 1-bit network has no datapath, so never), 19/20 flush override.
  onyx_mem_core u_core (
      .clk_i,
      .rst_ni,
      .en_i        (~stall_i),
      .flush_i     (core4[19] ? core4[20] : (flush_i & ~core4[18])),
      .tile_en_i   (core4[24]),
      .mode_i      (core4[22:21]),
      .cfg0_i      (core0),
      .cfg1_i      (core1),
      .cfg2_i      (core2),
      .cfg3_i      (core3),
      .sram_we_i   (cfg_write_i & sram_here),
      .sram_re_i   (cfg_read_i & sram_here),
      .sram_addr_i ({cfg_addr_i[17], cfg_addr_i[31:24]}),
      .sram_wdata_i(cfg_data_i[15:0]),
      .sram_rdata_o(sram_rdata),
      .in0_data_i,
      .in0_valid_i (core4[0] ? core4[1] : in0_valid_i),
      .in0_ready_o,
      .in1_data_i,
      .in1_valid_i (core4[2] ? core4[3] : in1_valid_i),
      .in1_ready_o,
      .in2_data_i,
      .in2_valid_i (core4[4] ? core4[5] : in2_valid_i),
      .in2_ready_o,
      .in3_data_i,
      .in3_valid_i (core4[6] ? core4[7] : in3_valid_i),
      .in3_ready_o,
      .out0_data_o,
      .out0_valid_o,
      .out0_ready_i(core4[12] ? core4[13] : out0_ready_i),
      .out1_data_o,
      .out1_valid_o,
      .out1_ready_i(core4[14] ? core4[15] : out1_ready_i),
      .out2_data_o,
      .out2_valid_o,
      .out2_ready_i(core4[16] ? core4[17] : out2_ready_i)
  );

  // Dense-only fields: overrides of 1-bit inputs, mode_excl.
  logic unused_dense;
  assign unused_dense = ^{core4[31:25], core4[23], core4[11:8]};
endmodule
