// A MEM tile without its interconnect, as onyx_unit_mem, with its monitors to be seen.
module onyx_sim_mem
  import onyx_sim_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [ InWidth-1:0] in_i,
    output logic [OutWidth-1:0] out_o
);
  core_in_t to;
  core_out_t from;
  assign to    = in_i;
  assign out_o = from;

  onyx_unit_mem u_unit (
      .clk_i,
      .rst_ni,
      .tile_id_i   (to.tile_id),
      .stall_i     (to.stall),
      .flush_i     (to.flush),
      .cfg_addr_i  (to.cfg_addr),
      .cfg_data_i  (to.cfg_data),
      .cfg_write_i (to.cfg_write),
      .cfg_read_i  (to.cfg_read),
      .cfg_rdata_o (from.cfg_rdata),
      .cb0_o       (from.cb[0]),
      .cb1_o       (from.cb[1]),
      .cb2_o       (from.cb[2]),
      .cb3_o       (from.cb[3]),
      .sb17_o      (from.sb),
      .in0_data_i  (to.in_data[0]),
      .in0_valid_i (to.in_valid[0]),
      .in0_ready_o (from.in_ready[0]),
      .in1_data_i  (to.in_data[1]),
      .in1_valid_i (to.in_valid[1]),
      .in1_ready_o (from.in_ready[1]),
      .in2_data_i  (to.in_data[2]),
      .in2_valid_i (to.in_valid[2]),
      .in2_ready_o (from.in_ready[2]),
      .in3_data_i  (to.in_data[3]),
      .in3_valid_i (to.in_valid[3]),
      .in3_ready_o (from.in_ready[3]),
      .out0_data_o (from.out_data[0]),
      .out0_valid_o(from.out_valid[0]),
      .out0_ready_i(to.out_ready[0]),
      .out1_data_o (from.out_data[1]),
      .out1_valid_o(from.out_valid[1]),
      .out1_ready_i(to.out_ready[1]),
      .out2_data_o (from.out_data[2]),
      .out2_valid_o(from.out_valid[2]),
      .out2_ready_i(to.out_ready[2])
  );
  assign from.hazard = u_unit.u_core.g_monitors.hazard_q;
endmodule
