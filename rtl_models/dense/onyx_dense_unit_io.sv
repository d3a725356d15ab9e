// An IO tile of the dense fabric without its interconnect: a FIFO of two each way, for words and for bits, that moves
// in each cycle. Handshakes with the global buffer are the constants of the tile's register; those with the fabric
// are 1.
module onyx_dense_unit_io (
    input  logic clk_i, rst_ni,
    input  onyx_pkg::control_t        control_i,
    input  logic               [15:0] glb2io_data_i,
    input  logic                      glb2io_bit_i,
    output logic               [15:0] io2glb_data_o,
    output logic                      io2glb_bit_o,
    input  logic               [15:0] data_i,
    input  logic                      bit_i,
    output logic               [15:0] data_o,
    output logic                      bit_o
);
  logic [31:0] word;
  onyx_dense_words #(.Words(1), .Feature(8'd0)) u_words (
      .cfg_i(control_i.cfg), .words_o(word), .clk_i, .rst_ni
  );

  onyx_pkg::stream_t to_fabric;
  logic unused_words, unused_in_ready, unused_out_ready, unused_valid;
  logic [31:0] unused_rdata;
  onyx_unit_io u_data (
      .cfg_rdata_o(unused_rdata), .glb2io_valid_i(1'b0), .glb2io_ready_o(unused_in_ready),
      .io2glb_valid_o(unused_valid), .io2glb_ready_i(1'b0), .in0_i({1'b1, 1'b0, data_i}),
      .in0_ready_o(unused_out_ready), .out0_o(to_fabric), .out0_ready_i(1'b1), .clk_i, .rst_ni, .control_i,
      .glb2io_data_i, .io2glb_data_o
  );
  assign data_o = to_fabric.data[15:0];

  logic in_valid, in_bit, in_taken, out_valid, out_bit, out_taken, in_ready, out_ready, in_full, out_full;
  assign in_valid  = word[onyx_fabric_pkg::IO_TILE_EN_LO] && word[onyx_fabric_pkg::IO_GLB2IO_1_VALID_REG_SEL_LO] &&
                     word[onyx_fabric_pkg::IO_GLB2IO_1_VALID_REG_VALUE_LO];
  assign in_bit    = word[onyx_fabric_pkg::IO_GLB2IO_1_REG_SEL_LO] ? word[onyx_fabric_pkg::IO_GLB2IO_1_REG_VALUE_LO]
                                                                   : glb2io_bit_i;
  assign in_taken  = !word[onyx_fabric_pkg::IO_IO2F_1_READY_REG_SEL_LO] ||
                     word[onyx_fabric_pkg::IO_IO2F_1_READY_REG_VALUE_LO];
  assign out_valid = word[onyx_fabric_pkg::IO_TILE_EN_LO] && (!word[onyx_fabric_pkg::IO_F2IO_1_VALID_REG_SEL_LO] ||
                     word[onyx_fabric_pkg::IO_F2IO_1_VALID_REG_VALUE_LO]);
  assign out_bit   = word[onyx_fabric_pkg::IO_F2IO_1_REG_SEL_LO] ? word[onyx_fabric_pkg::IO_F2IO_1_REG_VALUE_LO]
                                                                 : bit_i;
  assign out_taken = word[onyx_fabric_pkg::IO_IO2GLB_1_READY_REG_SEL_LO] &&
                     word[onyx_fabric_pkg::IO_IO2GLB_1_READY_REG_VALUE_LO];
  onyx_fifo2 #(.Width(1)) u_in_bit (
      .en_i(!control_i.stall), .flush_i(control_i.flush), .in_i({in_valid, in_bit}), .in_ready_o(in_ready),
      .out_o({in_full, bit_o}), .out_ready_i(in_taken), .clk_i, .rst_ni
  );
  onyx_fifo2 #(.Width(1)) u_out_bit (
      .en_i(!control_i.stall), .flush_i(control_i.flush), .in_i({out_valid, out_bit}), .in_ready_o(out_ready),
      .out_o({out_full, io2glb_bit_o}), .out_ready_i(out_taken), .clk_i, .rst_ni
  );

  // Handshakes that nobody waits for.
  assign unused_words = ^{word, to_fabric, in_ready, out_ready, in_full, out_full};
endmodule
