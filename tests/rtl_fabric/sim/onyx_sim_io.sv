// An IO tile without its interconnect, as onyx_unit_io. Its port 0 is the array's side, its port 1 the global buffer's.
module onyx_sim_io
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

  onyx_unit_io u_unit (
      .clk_i,
      .rst_ni,
      .tile_id_i     (to.tile_id),
      .stall_i       (to.stall),
      .flush_i       (to.flush),
      .cfg_addr_i    (to.cfg_addr),
      .cfg_data_i    (to.cfg_data),
      .cfg_write_i   (to.cfg_write),
      .cfg_read_i    (to.cfg_read),
      .cfg_rdata_o   (from.cfg_rdata),
      .glb2io_data_i (to.in_data[1][15:0]),
      .glb2io_valid_i(to.in_valid[1]),
      .glb2io_ready_o(from.in_ready[1]),
      .io2glb_data_o (from.out_data[1][15:0]),
      .io2glb_valid_o(from.out_valid[1]),
      .io2glb_ready_i(to.out_ready[1]),
      .in0_data_i    (to.in_data[0]),
      .in0_valid_i   (to.in_valid[0]),
      .in0_ready_o   (from.in_ready[0]),
      .out0_data_o   (from.out_data[0]),
      .out0_valid_o  (from.out_valid[0]),
      .out0_ready_i  (to.out_ready[0])
  );
  assign from.sb              = '0;
  assign from.cb              = '0;
  assign from.hazard          = '0;
  assign from.in_ready[3:2]   = '0;
  assign from.out_valid[2]    = 1'b0;
  assign from.out_data[2]     = '0;
  assign from.out_data[1][16] = 1'b0;
endmodule
