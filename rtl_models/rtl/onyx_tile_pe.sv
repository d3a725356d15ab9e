// A PE tile: configuration registers, four connection boxes, the core, the switch box.
//
// Sides carry five tracks each: track t at data bits [17*t +: 17], valid and ready bit t. *_i data/valid arrive
// (SB_IN), *_o data/valid leave (SB_OUT). A core output is offered to the fabric only while all its sinks are
// ready, so every branch of a fan-out takes a token in the same cycle.
// stall_i stops core and switch-box registers, not the configuration; flush_i resets the core's state.
// comb from every side input to side outputs where the configuration has no register on the way.
module onyx_tile_pe (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] tile_id_i,
    input  logic        stall_i,
    input  logic        flush_i,
    input  logic [31:0] cfg_addr_i,
    input  logic [31:0] cfg_data_i,
    input  logic        cfg_write_i,
    input  logic        cfg_read_i,
    output logic [31:0] cfg_rdata_o,
    input  logic [84:0] east_data_i,
    input  logic [ 4:0] east_valid_i,
    output logic [ 4:0] east_ready_o,
    output logic [84:0] east_data_o,
    output logic [ 4:0] east_valid_o,
    input  logic [ 4:0] east_ready_i,
    input  logic [84:0] south_data_i,
    input  logic [ 4:0] south_valid_i,
    output logic [ 4:0] south_ready_o,
    output logic [84:0] south_data_o,
    output logic [ 4:0] south_valid_o,
    input  logic [ 4:0] south_ready_i,
    input  logic [84:0] west_data_i,
    input  logic [ 4:0] west_valid_i,
    output logic [ 4:0] west_ready_o,
    output logic [84:0] west_data_o,
    output logic [ 4:0] west_valid_o,
    input  logic [ 4:0] west_ready_i,
    input  logic [84:0] north_data_i,
    input  logic [ 4:0] north_valid_i,
    output logic [ 4:0] north_ready_o,
    output logic [84:0] north_data_o,
    output logic [ 4:0] north_valid_o,
    input  logic [ 4:0] north_ready_i
);
  logic [191:0] sb17;
  logic [5:0] cb0, cb1, cb2, cb3;
  logic [19:0] cb0_wait, cb1_wait, cb2_wait, cb3_wait;
  logic [16:0] in0_data, in1_data, in2_data, in3_data, out0_data, out1_data, out2_data;
  logic in0_valid, in1_valid, in2_valid, in3_valid, out0_valid, out1_valid, out2_valid;
  logic in0_ready, in1_ready, in2_ready, in3_ready;
  logic [2:0] core_ready;

  onyx_unit_pe u_unit (
      .clk_i,
      .rst_ni,
      .tile_id_i,
      .stall_i,
      .flush_i,
      .cfg_addr_i,
      .cfg_data_i,
      .cfg_write_i,
      .cfg_read_i,
      .cfg_rdata_o,
      .cb0_o       (cb0),
      .cb1_o       (cb1),
      .cb2_o       (cb2),
      .cb3_o       (cb3),
      .sb17_o      (sb17),
      .in0_data_i  (in0_data),
      .in0_valid_i (in0_valid),
      .in0_ready_o (in0_ready),
      .in1_data_i  (in1_data),
      .in1_valid_i (in1_valid),
      .in1_ready_o (in1_ready),
      .in2_data_i  (in2_data),
      .in2_valid_i (in2_valid),
      .in2_ready_o (in2_ready),
      .in3_data_i  (in3_data),
      .in3_valid_i (in3_valid),
      .in3_ready_o (in3_ready),
      .out0_data_o (out0_data),
      .out0_valid_o(out0_valid),
      .out0_ready_i(core_ready[0]),
      .out1_data_o (out1_data),
      .out1_valid_o(out1_valid),
      .out1_ready_i(core_ready[1]),
      .out2_data_o (out2_data),
      .out2_valid_o(out2_valid),
      .out2_ready_i(core_ready[2])
  );

  onyx_cb u_cb0 (
      .enable_i   (cb0[0]),
      .sel_i      (cb0[5:1]),
      .east_data_i,
      .east_valid_i,
      .south_data_i,
      .south_valid_i,
      .west_data_i,
      .west_valid_i,
      .north_data_i,
      .north_valid_i,
      .wait_o     (cb0_wait),
      .out_data_o (in0_data),
      .out_valid_o(in0_valid),
      .out_ready_i(in0_ready)
  );
  onyx_cb u_cb1 (
      .enable_i   (cb1[0]),
      .sel_i      (cb1[5:1]),
      .east_data_i,
      .east_valid_i,
      .south_data_i,
      .south_valid_i,
      .west_data_i,
      .west_valid_i,
      .north_data_i,
      .north_valid_i,
      .wait_o     (cb1_wait),
      .out_data_o (in1_data),
      .out_valid_o(in1_valid),
      .out_ready_i(in1_ready)
  );
  onyx_cb u_cb2 (
      .enable_i   (cb2[0]),
      .sel_i      (cb2[5:1]),
      .east_data_i,
      .east_valid_i,
      .south_data_i,
      .south_valid_i,
      .west_data_i,
      .west_valid_i,
      .north_data_i,
      .north_valid_i,
      .wait_o     (cb2_wait),
      .out_data_o (in2_data),
      .out_valid_o(in2_valid),
      .out_ready_i(in2_ready)
  );
  onyx_cb u_cb3 (
      .enable_i   (cb3[0]),
      .sel_i      (cb3[5:1]),
      .east_data_i,
      .east_valid_i,
      .south_data_i,
      .south_valid_i,
      .west_data_i,
      .west_valid_i,
      .north_data_i,
      .north_valid_i,
      .wait_o     (cb3_wait),
      .out_data_o (in3_data),
      .out_valid_o(in3_valid),
      .out_ready_i(in3_ready)
  );

  onyx_switch_box u_sb (
      .clk_i,
      .rst_ni,
      .stall_i,
      .words_i      (sb17),
      .cb_wait_i    (cb0_wait | cb1_wait | cb2_wait | cb3_wait),
      .core0_data_i (out0_data),
      .core0_valid_i(out0_valid & core_ready[0]),
      .core1_data_i (out1_data),
      .core1_valid_i(out1_valid & core_ready[1]),
      .core2_data_i (out2_data),
      .core2_valid_i(out2_valid & core_ready[2]),
      .core_ready_o (core_ready),
      .east_data_i,
      .east_valid_i,
      .east_ready_o,
      .east_data_o,
      .east_valid_o,
      .east_ready_i,
      .south_data_i,
      .south_valid_i,
      .south_ready_o,
      .south_data_o,
      .south_valid_o,
      .south_ready_i,
      .west_data_i,
      .west_valid_i,
      .west_ready_o,
      .west_data_o,
      .west_valid_o,
      .west_ready_i,
      .north_data_i,
      .north_valid_i,
      .north_ready_o,
      .north_data_o,
      .north_valid_o,
      .north_ready_i
  );
endmodule
