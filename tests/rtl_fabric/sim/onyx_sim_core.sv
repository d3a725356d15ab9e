// A tile without its interconnect: a PE tile (Kind = 0) or a MEM tile (1), onyx_unit with its monitors to be seen, or
// an IO tile (2), onyx_unit_io, whose port 0 is the array's side and port 1 the global buffer's.
module onyx_sim_core
  import onyx_sim_pkg::*;
#(
    parameter int unsigned Kind = 0
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [ InWidth-1:0] in_i,
    output logic [OutWidth-1:0] out_o
);
  core_in_t to;
  core_out_t from;
  onyx_pkg::control_t control;
  assign to      = in_i;
  assign out_o   = from;
  assign control = {to.stall, to.flush, to.tile_id, to.cfg_write, to.cfg_read, to.cfg_addr, to.cfg_data};

  if (Kind > 2) begin : g_bad
    $error("onyx_sim_core: Kind must be 0, 1 or 2");
  end

  if (Kind == 2) begin : g_unit
    onyx_pkg::stream_t out0;
    onyx_unit_io u_unit (
        .clk_i,
        .rst_ni,
        .control_i     (control),
        .cfg_rdata_o   (from.cfg_rdata),
        .glb2io_data_i (to.in_data[1][15:0]),
        .glb2io_valid_i(to.in_valid[1]),
        .glb2io_ready_o(from.in_ready[1]),
        .io2glb_data_o (from.out_data[1][15:0]),
        .io2glb_valid_o(from.out_valid[1]),
        .io2glb_ready_i(to.out_ready[1]),
        .in0_i         ({to.in_valid[0], to.in_data[0]}),
        .in0_ready_o   (from.in_ready[0]),
        .out0_o        (out0),
        .out0_ready_i  (to.out_ready[0])
    );
    assign {from.out_valid[0], from.out_data[0]} = out0;
    assign from.sb              = '0;
    assign from.cb              = '0;
    assign from.hazard          = '0;
    assign from.in_ready[3:2]   = '0;
    assign from.out_valid[2]    = 1'b0;
    assign from.out_data[2]     = '0;
    assign from.out_data[1][16] = 1'b0;
  end else begin : g_unit
    onyx_unit #(
        .Mem(Kind == 1)
    ) u_unit (
        .clk_i,
        .rst_ni,
        .control_i   (control),
        .cfg_rdata_o (from.cfg_rdata),
        .cb_o        (from.cb),
        .sb17_o      (from.sb),
        .in0_i       ({to.in_valid[0], to.in_data[0]}),
        .in0_ready_o (from.in_ready[0]),
        .in1_i       ({to.in_valid[1], to.in_data[1]}),
        .in1_ready_o (from.in_ready[1]),
        .in2_i       ({to.in_valid[2], to.in_data[2]}),
        .in2_ready_o (from.in_ready[2]),
        .in3_i       ({to.in_valid[3], to.in_data[3]}),
        .in3_ready_o (from.in_ready[3]),
        .out0_o      ({from.out_valid[0], from.out_data[0]}),
        .out0_ready_i(to.out_ready[0]),
        .out1_o      ({from.out_valid[1], from.out_data[1]}),
        .out1_ready_i(to.out_ready[1]),
        .out2_o      ({from.out_valid[2], from.out_data[2]}),
        .out2_ready_i(to.out_ready[2])
    );
    assign from.hazard = u_unit.u_core.g_monitors.hazard_q;
  end
endmodule
