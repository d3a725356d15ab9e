// An IO tile without its interconnect: a depth-2 FIFO each way between a column's global-buffer port and the array.
//
// out0 carries the words of the buffer as data tokens (bit 16 = 0); in0 takes tokens for it and drops bit 16.
// Ready and valid of every port come from registers. stall stops both FIFOs; flush empties them.
// Feature 0 register 0 is the only register; the power domain is neither stored nor read.
// comb from control_i.cfg to cfg_rdata_o.
module onyx_unit_io (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::control_t control_i,
    output logic [31:0] cfg_rdata_o,
    input  logic [15:0] glb2io_data_i, input  logic glb2io_valid_i, output logic glb2io_ready_o,
    output logic [15:0] io2glb_data_o, output logic io2glb_valid_o, input  logic io2glb_ready_i,
    input  onyx_pkg::stream_t in0_i, output logic in0_ready_o,
    output onyx_pkg::stream_t out0_o, input  logic out0_ready_i
);
  logic [23:0] word_q;
  logic here, tile_en, flush;
  logic in_valid, in_ready, in_taken, out_valid, out_ready, out_taken;

  assign here = (control_i.cfg.addr[15:0] == control_i.cfg.tile_id) && (control_i.cfg.addr[31:16] == 16'd0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= 24'd0;
    else if (control_i.cfg.write && here) word_q <= control_i.cfg.data[23:0];
  end
  assign cfg_rdata_o = (control_i.cfg.read && here) ? {8'd0, word_q} : 32'd0;

  // Overrides come in pairs, select and value. The mux takes the routed flush instead of the wired flush (no 1-bit
  // datapath: never).
  assign tile_en   = word_q[onyx_fabric_pkg::IO_TILE_EN_LO];
  assign flush     = word_q[onyx_fabric_pkg::IO_FLUSH_REG_SEL_LO] ? word_q[onyx_fabric_pkg::IO_FLUSH_REG_VALUE_LO]
                   : (control_i.flush & ~word_q[onyx_fabric_pkg::IO_FLUSH_MUX_SEL_LO]);
  assign in_valid  = (word_q[onyx_fabric_pkg::IO_GLB2IO_17_VALID_REG_SEL_LO] ? word_q[onyx_fabric_pkg::IO_GLB2IO_17_VALID_REG_VALUE_LO] : glb2io_valid_i) & tile_en;
  assign in_taken  = word_q[onyx_fabric_pkg::IO_IO2F_17_READY_REG_SEL_LO] ? word_q[onyx_fabric_pkg::IO_IO2F_17_READY_REG_VALUE_LO] : out0_ready_i;
  assign out_valid = (word_q[onyx_fabric_pkg::IO_F2IO_17_VALID_REG_SEL_LO] ? word_q[onyx_fabric_pkg::IO_F2IO_17_VALID_REG_VALUE_LO] : in0_i.valid) & tile_en;
  assign out_taken = word_q[onyx_fabric_pkg::IO_IO2GLB_17_READY_REG_SEL_LO] ? word_q[onyx_fabric_pkg::IO_IO2GLB_17_READY_REG_VALUE_LO] : io2glb_ready_i;

  onyx_fifo2 #(.Width(16)) u_in (
      .clk_i, .rst_ni, .en_i(~control_i.stall), .flush_i(flush),
      .in_i({in_valid, glb2io_data_i}), .in_ready_o(in_ready),
      .out_o({out0_o.valid, out0_o.data[15:0]}), .out_ready_i(in_taken)
  );
  assign glb2io_ready_o  = in_ready & tile_en;
  assign out0_o.data[16] = 1'b0;

  onyx_fifo2 #(.Width(16)) u_out (
      .clk_i, .rst_ni, .en_i(~control_i.stall), .flush_i(flush),
      .in_i({out_valid, in0_i.data[15:0]}), .in_ready_o(out_ready),
      .out_o({io2glb_valid_o, io2glb_data_o}), .out_ready_i(out_taken)
  );
  assign in0_ready_o = out_ready & tile_en;

  // Fields of the 1-bit network, and the control bit.
  logic unused_bits;
  assign unused_bits = ^{in0_i.data[16], control_i.cfg.data[31:24], word_q};
`include "onyx_assert.svh"
  `ONYX_ASSERT(UnusedTakesNothing, tile_en || !(glb2io_ready_o || in0_ready_o),
      "an IO tile that is not used takes nothing")
endmodule
