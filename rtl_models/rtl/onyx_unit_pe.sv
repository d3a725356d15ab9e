// A PE tile without its interconnect: configuration registers and core. The words of its connection boxes and
// switch box leave on cb*_o and sb17_o.
//
// Streams as in onyx_pe_core: ready of an input and valid of an output come from registers. What a fan-out asks
// for (an output is offered only while all its sinks are ready) is the interconnect's.
// comb from cfg_addr_i/cfg_read_i to cfg_rdata_o.
module onyx_unit_pe (
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
  logic [31:0] core0, core1, core2, core3;

  onyx_tile_cfg_pe u_cfg (
      .clk_i,
      .rst_ni,
      .tile_id_i,
      .cfg_addr_i,
      .cfg_data_i,
      .cfg_write_i,
      .cfg_read_i,
      .cfg_rdata_o,
      .core0_o(core0),
      .core1_o(core1),
      .core2_o(core2),
      .core3_o(core3),
      .cb0_o,
      .cb1_o,
      .cb2_o,
      .cb3_o,
      .sb17_o
  );

  // core3: 13 flush_mux_sel (routed flush: the 1-bit network has no datapath, so never), 14/15 flush override.
  onyx_pe_core u_core (
      .clk_i,
      .rst_ni,
      .en_i       (~stall_i),
      .flush_i    (core3[14] ? core3[15] : (flush_i & ~core3[13])),
      .tile_en_i  (core3[19]),
      .mode_i     (core3[18:16]),
      .cfg0_i     (core0),
      .cfg1_i     (core1),
      .cfg2_i     (core2[21:0]),
      .in0_data_i,
      .in0_valid_i (core2[23] ? core2[24] : in0_valid_i),
      .in0_ready_o,
      .in1_data_i,
      .in1_valid_i (core2[26] ? core2[27] : in1_valid_i),
      .in1_ready_o,
      .in2_data_i,
      .in2_valid_i (core2[28] ? core2[29] : in2_valid_i),
      .in2_ready_o,
      .in3_data_i,
      .in3_valid_i (core2[30] ? core2[31] : in3_valid_i),
      .in3_ready_o,
      .out0_data_o,
      .out0_valid_o,
      .out0_ready_i(core3[7] ? core3[8] : out0_ready_i),
      .out1_data_o,
      .out1_valid_o,
      .out1_ready_i(core3[9] ? core3[10] : out1_ready_i),
      .out2_data_o,
      .out2_valid_o,
      .out2_ready_i(core3[11] ? core3[12] : out2_ready_i)
  );

  // Dense-only fields: bypass of port FIFOs, overrides of 1-bit inputs.
  logic unused_dense;
  assign unused_dense = ^{core2[22], core2[25], core3[31:20], core3[6:0]};
endmodule
