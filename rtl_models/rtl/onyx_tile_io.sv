// An IO tile (row 0): a depth-2 FIFO each way between a column's global-buffer port and tile (x,1) below.
//
// Words from the buffer are 16 bits and become data tokens (bit 16 = 0) offered on all five tracks southwards
// at once, only while all five are ready. Tokens from the array arrive on track 0; their bit 16 is dropped.
// The global-buffer side comes from registers only. The rest is onyx_unit_io.
// comb from south_ready_i to south_valid_o; from cfg_addr_i/cfg_read_i to cfg_rdata_o.
module onyx_tile_io (
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
    input  logic [15:0] glb2io_data_i,
    input  logic        glb2io_valid_i,
    output logic        glb2io_ready_o,
    output logic [15:0] io2glb_data_o,
    output logic        io2glb_valid_o,
    input  logic        io2glb_ready_i,
    input  logic [84:0] south_data_i,
    input  logic [ 4:0] south_valid_i,
    output logic [ 4:0] south_ready_o,
    output logic [84:0] south_data_o,
    output logic [ 4:0] south_valid_o,
    input  logic [ 4:0] south_ready_i
);
  logic [16:0] out0_data;
  logic out0_valid, in0_ready, all_ready;

  onyx_unit_io u_unit (
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
      .glb2io_data_i,
      .glb2io_valid_i,
      .glb2io_ready_o,
      .io2glb_data_o,
      .io2glb_valid_o,
      .io2glb_ready_i,
      .in0_data_i  (south_data_i[16:0]),
      .in0_valid_i (south_valid_i[0]),
      .in0_ready_o (in0_ready),
      .out0_data_o (out0_data),
      .out0_valid_o(out0_valid),
      .out0_ready_i(all_ready)
  );

  assign all_ready     = &south_ready_i;
  assign south_data_o  = {5{out0_data}};
  assign south_valid_o = {5{out0_valid & all_ready}};
  assign south_ready_o = {4'd0, in0_ready};

  // Tracks 1..4 end here unheard.
  logic unused_tracks;
  assign unused_tracks = ^{south_data_i[84:17], south_valid_i[4:1]};
endmodule
